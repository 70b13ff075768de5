package agentsettings

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/tailscale/hujson"

	"entire-plumb/internal/agent"
)

// enableEvent brings the command in for one event: the one that is there is replaced where it
// differs, else a group of our own is added. It never adds to someone else's group, which may have
// a matcher or be rewritten.
func enableEvent(data []byte, a agent.Agent, event agent.Event, command string) ([]byte, error) {
	doc, err := load(data, a)
	if err != nil {
		return nil, err
	}
	present := false
	entries := doc.entries()
	// Backwards, so that the offsets of those before stay right.
	for _, e := range slices.Backward(entries) {
		if !e.isFor(a, event) {
			continue
		}
		present = true
		if e.kind != ours {
			continue
		}
		if _, ok := e.hook.member(timeoutKey(a)); !ok && event.Timeout > 0 {
			st := styleOf(doc)
			data = st.insert(data, e.hook, st.timeout(a, event)) // behind the command
		}
		if e.command() != command {
			data = splice(data, e.text.StartOffset, e.text.EndOffset, hujson.String(command))
		}
	}
	if present {
		return data, nil
	}
	return doc.add(a, event, command), nil
}

// add puts a group of ours in, with as many levels around it as are missing.
func (d document) add(a agent.Agent, e agent.Event, command string) []byte {
	st := styleOf(d)
	group := st.group(a, e, command)
	event := string(hujson.String(e.Name)) + st.colon
	switch at := d.hooks.index(e.Name); {
	case d.root.open == d.root.close:
		// Only blanks, which stay in front.
		version := ""
		if d.flat != "" && a.Key == "" {
			version = `,"version":1`
		}
		return append(bytes.Clone(d.data), st.pretty(`{`+strconv.Quote(d.key)+`:{`+event+`[`+group+`]}`+version+`}`, "")+st.newline...)
	case !d.hasHooks():
		return st.insert(d.data, d.root, strconv.Quote(d.key)+st.colon+`{`+event+`[`+group+`]}`)
	case at < 0:
		return st.insert(d.data, d.hooks, event+`[`+group+`]`)
	default:
		return st.insert(d.data, listOf(d.hooks.items[at].value), group)
	}
}

// insert puts text, one item in one line, at the end of a list, in the layout
// of its neighbours. Disable reads the layout: see (list).made.
func (st style) insert(data []byte, l list, text string) []byte {
	if len(l.items) == 0 {
		return st.insertFirst(data, l, text)
	}
	last := l.items[len(l.items)-1]
	comments := bytes.TrimRight(l.tail, blanks) // they belong to the item before
	at := l.close - len(l.tail) + len(comments)
	indent, lines := lastLine(last.before)
	if !lines && bytes.IndexByte(l.tail[len(comments):], '\n') >= 0 && len(comments) > 0 {
		// The comment may run to the end of its line.
		indent, lines = lineIndent(data, l.open)+st.unit, true
	}
	between := st.space
	if lines {
		between = st.newline + indent
		text = st.pretty(text, indent)
	}
	if last.after != nil {
		return splice(data, at, at, []byte(between+text+","))
	}
	out := splice(data, at, at, []byte(between+text))
	return splice(out, last.end, last.end, []byte(","))
}

// insertFirst puts text into a list that was there without items. What was
// between the brackets goes before the item, and a blank line, or in one-line
// settings a space, tells Disable that the list was there.
func (st style) insertFirst(data []byte, l list, text string) []byte {
	if st.oneLine {
		return splice(data, l.close, l.close, []byte(" "+text))
	}
	outer := lineIndent(data, l.open)
	inner := outer + st.unit
	return splice(data, l.close, l.close, []byte(st.newline+st.newline+inner+st.pretty(text, inner)+st.newline+outer))
}

// splice returns data with what is between two offsets replaced.
func splice(data []byte, from, to int, text []byte) []byte {
	return slices.Concat(data[:from], text, data[to:])
}
