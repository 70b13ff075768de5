package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// linked is what a commit's links lead to: the sessions, and the files of each.
type linked struct {
	checkpoints []string
	touched     map[string][]string
	kept        map[string]bool     // sessions of checkpoints that other commits linked before this step
	again       map[string]bool     // likewise, or in it
	with        map[string][]string // a session: all those of its checkpoint
	lax         map[string]bool     // sessions whose link may be there or not, for another commit
}

const branch = "entire/checkpoints/v1"

// links reads a commit's links, and their checkpoints, by git alone.
func (w *world) links(id string) linked {
	l := linked{touched: map[string][]string{}, kept: map[string]bool{}, again: map[string]bool{}, with: map[string][]string{}, lax: map[string]bool{}}
	l.checkpoints = strings.Fields(w.ask("log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly)", id))
	if data, ok := w.objects.read(branch + ":links/" + id[:2] + "/" + id[2:] + ".json"); ok {
		var side struct{ Checkpoints []string }
		if err := json.Unmarshal([]byte(data), &side); err != nil {
			w.fail(unsound, "the side link of "+short(id)+": "+err.Error())
		}
		l.checkpoints = append(l.checkpoints, side.Checkpoints...)
	}
	slices.Sort(l.checkpoints)
	l.checkpoints = slices.Compact(l.checkpoints)
	for _, checkpoint := range l.checkpoints {
		if w.linkedNow[checkpoint] == "" {
			w.linkedNow[checkpoint] = id
		}
		at := branch + ":" + checkpoint[:2] + "/" + checkpoint[2:]
		var summary struct {
			Sessions []struct{ Metadata string }
		}
		data, ok := w.objects.read(at + "/metadata.json")
		if !ok || json.Unmarshal([]byte(data), &summary) != nil {
			w.fail(unsound, fmt.Sprintf("%s links %s, which is not there", short(id), checkpoint))
		}
		var all []string
		for _, s := range summary.Sessions {
			var meta struct {
				Session string   `json:"session_id"`
				Touched []string `json:"files_touched"`
			}
			data, _ := w.objects.read(branch + ":" + strings.TrimPrefix(s.Metadata, "/"))
			if json.Unmarshal([]byte(data), &meta) != nil {
				w.fail(unsound, s.Metadata+" is not there")
			}
			l.touched[meta.Session] = append(l.touched[meta.Session], meta.Touched...)
			l.kept[meta.Session] = l.kept[meta.Session] || w.met[checkpoint]
			l.again[meta.Session] = l.again[meta.Session] || w.met[checkpoint] || w.linkedNow[checkpoint] != id
			all = append(all, meta.Session)
		}
		for _, s := range all {
			l.lax[s] = l.lax[s] || w.lax[checkpoint+s]
			l.with[s] = append(l.with[s], all...)
		}
	}
	return l
}

// hasOther reports whether a commit doesn't change one of some files: where it replays another one,
// the checkpoint of that one may name a file as it was called there.
func hasOther(files []fileDiff, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return !slices.ContainsFunc(files, func(f fileDiff) bool { return f.new == name || f.old == name })
	})
}

// checkLinks: a commit has a link to each session that wrote a line in it, and to no other.
func (w *world) checkLinks(id string, files []fileDiff) {
	wrote, maybe := map[string][]string{}, map[string]bool{} // a session: significant lines
	touched := map[string]map[string]int{}                   // and the files, with the number of lines
	mayTouch := map[string]bool{}
	for _, f := range files {
		for _, name := range []string{f.new, f.old} {
			for who := range w.renamers[name] {
				maybe[who] = true
				mayTouch[who+" "+f.new], mayTouch[who+" "+f.old] = true, true
			}
		}
		if f.old != "" && f.new != "" && f.old != f.new {
			now, _ := w.objects.read(id + ":" + f.new)
			for _, line := range text(now).lines() {
				if author, ok := authorOf(line); ok {
					mayTouch[author+" "+f.new] = true // it brings the file there
				}
			}
		}
		for _, line := range f.added {
			author, ok := authorOf(line.text)
			if w.ledger.brought[line.text][anybody] {
				for _, s := range w.sessions {
					maybe[s.id] = true
					mayTouch[s.id+" "+f.new] = true
				}
			}
			if !ok || author == human {
				continue
			}
			maybe[author] = true
			for who := range w.ledger.brought[line.text] {
				maybe[who] = true
				mayTouch[who+" "+f.new] = true
			}
			mayTouch[author+" "+f.new] = true
			if w.ledger.doubtful(line.text) || w.linkless[line.text] {
				continue
			}
			wrote[author] = append(wrote[author], line.text)
			if touched[author] == nil {
				touched[author] = map[string]int{}
			}
			touched[author][f.new]++
		}
		var gone []string
		for _, line := range f.removed {
			gone = append(gone, line.text)
		}
		if f.new == "" {
			gone = append(gone, "") // the file itself
		}
		for _, name := range []string{f.new, f.old} {
			for _, line := range gone {
				for who := range w.ledger.removed[place{name, line}] {
					maybe[who] = true
					mayTouch[who+" "+f.new] = true
					mayTouch[who+" "+f.old] = true
				}
			}
		}
	}
	l := w.links(id)
	for _, s := range slices.Sorted(maps.Keys(wrote)) {
		switch _, there := l.touched[s]; {
		case there:
			w.tally.Links++
			for f, lines := range touched[s] {
				if lines < 2 {
					continue // one line alone need be no evidence
				}
				w.tally.Files++
				if !slices.Contains(l.touched[s], f) && !(w.replays && l.kept[s] && hasOther(files, l.touched[s])) {
					w.fail(missedFile, fmt.Sprintf("%s of %s in %s", f, s, short(id)))
				}
			}
		case len(wrote[s]) == 1 && !significant(wrote[s][0]):
			w.tally.Skipped++
		default:
			w.tally.Links++
			w.fail(missedLink, fmt.Sprintf("%s to %s, which wrote %q", short(id), s, wrote[s]))
		}
	}
	for s := range l.touched {
		if _, ok := wrote[s]; ok {
			continue
		}
		changed := slices.ContainsFunc(files, func(f fileDiff) bool { return w.at.touched[s][f.new] || w.at.touched[s][f.old] })
		beside := slices.ContainsFunc(l.with[s], func(other string) bool { return len(wrote[other]) > 0 })
		if maybe[s] || changed || l.lax[s] || l.kept[s] && (w.replays || beside) {
			w.tally.Skipped++
			for _, checkpoint := range l.checkpoints {
				w.lax[checkpoint+s] = true
			}
			continue
		}
		w.fail(wrongLink, fmt.Sprintf("%s to %s, which wrote none of its lines", short(id), s))
	}
	for s, names := range l.touched {
		for _, f := range names {
			changed := w.at.touched[s][f] || w.ledger.strict && w.at.edited[s][f] // or git brings a version of then
			if !mayTouch[s+" "+f] && !changed && !l.again[s] && slices.ContainsFunc(files, func(d fileDiff) bool { return d.new == f || d.old == f }) {
				w.fail(wrongFile, fmt.Sprintf("%s of %s in %s", f, s, short(id)))
			}
		}
	}
}
