package agentsettings

import (
	"bytes"
	"slices"

	"github.com/tailscale/hujson"
)

// disableLast takes the last entry of ours out, with as many levels around it as we made for it.
// The last one first is Enable backwards, which is what makes the bytes come back.
func disableLast(d document) (out []byte, found bool) {
	for _, e := range slices.Backward(d.entries()) {
		if e.kind == ours {
			return d.take(e), true
		}
	}
	return d.data, false
}

func (d document) take(e entry) []byte {
	switch {
	case len(e.commands.items) > 1 || !e.bare:
		return d.cut(e.commands, e.at)
	case !d.made(e.groups):
		return d.cut(e.groups, e.groupAt)
	case !d.made(d.hooks):
		return d.cut(d.hooks, e.eventAt)
	case !d.made(d.root) && !d.madeVersioned() || !d.alone():
		return d.cut(d.root, d.root.index(d.key))
	}
	return d.data[:d.root.open]
}

// made reports whether Enable made this list: it holds one item, and nothing
// but a line break with its indentation, or nothing at all, is around it.
func (d document) made(l list) bool {
	if len(l.items) != 1 || len(bytes.Trim(l.tail, blanks)) > 0 {
		return false
	}
	rest, _ := d.cutIndent(l.items[0].before)
	return len(rest) == 0
}

// madeVersioned reports whether Enable made the outer brackets of flat hooks: the version is behind
// them, as it is where there was no file.
func (d document) madeVersioned() bool {
	return d.flat != "" && len(d.root.items) == 2 && d.root.items[0].key == "hooks" && d.root.items[1].key == "version" && len(bytes.Trim(d.root.tail, blanks)) == 0
}

// alone reports whether nothing but blanks is around the outer brackets.
func (d document) alone() bool {
	return len(bytes.Trim(d.data[:d.root.open], blanks)) == 0 && len(bytes.Trim(d.data[d.root.close+1:], blanks)) == 0
}

// cutIndent takes the last line break and the indentation after it off an
// extra; lines is false when there is none.
func (d document) cutIndent(extra []byte) (rest []byte, lines bool) {
	if _, ok := lastLine(extra); !ok {
		return extra, false
	}
	rest = extra[:bytes.LastIndexByte(extra, '\n')]
	if newlineOf(d.data) == "\r\n" {
		rest = bytes.TrimSuffix(rest, []byte("\r"))
	}
	return rest, true
}

// cut takes one item out of a list.
func (d document) cut(l list, i int) []byte {
	it := l.items[i]
	if len(l.items) == 1 {
		if from, to, ok := d.wasEmpty(l); ok {
			return splice(d.data, from, to, nil)
		}
	}
	comma := -1 // of the comma that goes with it
	next := it.end
	switch {
	case i+1 < len(l.items) || it.after != nil:
		comma = it.end + len(it.after)
		next = comma + 1
	case i > 0:
		comma = l.items[i-1].end + len(l.items[i-1].after)
	}
	from := it.start - len(it.before) + len(d.keep(it.before, next))
	switch {
	case comma < 0:
		return splice(d.data, from, it.end, nil)
	case comma < from:
		return splice(splice(d.data, from, it.end, nil), comma, comma+1, nil)
	}
	return splice(splice(d.data, comma, comma+1, nil), from, it.end, nil)
}

// keep returns what stays of the extra before an item that goes, up to its last
// comment. All of it stays where the comment runs to the end of its line and
// what follows, at offset next, would become part of it.
func (d document) keep(before []byte, next int) []byte {
	kept := bytes.TrimRight(before, blanks)
	after := bytes.TrimLeft(d.data[next:], " \t\r")
	if openComment(kept) && !bytes.HasPrefix(after, []byte("\n")) {
		return before
	}
	return kept
}

// openComment reports whether an extra ends inside a comment that only a line
// break closes.
func openComment(extra []byte) bool {
	_, err := hujson.Parse(append(bytes.Clone(extra), '0'))
	return err != nil
}

// wasEmpty returns the offsets between which insertFirst wrote; ok is false when
// the list's only item isn't laid out as insertFirst does.
func (d document) wasEmpty(l list) (from, to int, ok bool) {
	it := l.items[0]
	if it.after != nil || len(bytes.Trim(l.tail, blanks)) > 0 {
		return 0, 0, false
	}
	mark := " "
	rest, lines := d.cutIndent(it.before)
	if lines {
		mark = newlineOf(d.data)
	}
	if !bytes.HasSuffix(rest, []byte(mark)) {
		return 0, 0, false
	}
	was := rest[:len(rest)-len(mark)]
	return it.start - len(it.before) + len(was), l.close, !openComment(was)
}
