package main

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/shadow"
)

// stream is a shadow branch: its checkpoints' trees, oldest first, with the agents' work marked in
// them.
type stream struct {
	name  shadow.Name
	steps []step
}

// step is one checkpoint: the human's part and the agent's together, except in a carried remainder.
type step struct {
	session       string
	part          shadow.Part
	turn          int
	before, after tree
	of            map[gitexec.Path][]shadow.Change // what of a file it carries on
}

// changes are what the agents did on the stream.
func (s *stream) changes() []shadow.Change {
	var changes []shadow.Change
	for _, k := range s.steps {
		if k.part == shadow.Human {
			continue
		}
		for _, c := range diff(k.before, k.after) {
			changes = append(changes, shadow.Change{Change: c, Session: k.session, Of: k.of[c.Path]})
		}
	}
	return changes
}

// work are the traces of what the agents did on the stream.
func (s *stream) work(w *world) map[mark]bool {
	all := map[mark]bool{}
	for _, k := range s.steps {
		if k.part == shadow.Human {
			continue
		}
		for _, c := range diff(k.before, k.after) {
			for _, m := range k.after[string(c.Path)].beyond(k.before[string(c.Path)]) {
				if w.units[m.unit].session == k.session {
					all[m] = true
				}
			}
		}
	}
	return all
}

// holds reports whether a trace is in any of the stream's checkpoints.
func (s *stream) holds(m mark) bool {
	for _, k := range s.steps {
		if k.after.holds(m) {
			return true
		}
	}
	return false
}

// brings reports whether any agent, in any turn, made exactly this version of a file.
func (s *stream) brings(path string, version gitexec.Entry) bool {
	return slices.ContainsFunc(s.changes(), func(c shadow.Change) bool { return string(c.Path) == path && c.New == version })
}

func (t tree) holds(m mark) bool {
	for _, f := range t {
		if f.has(m) {
			return true
		}
	}
	return false
}

// streams are all shadow branches of a repository.
type streams map[shadow.Name]*stream

// hold reports whether a trace of work is on any of the streams, or the version of the file that it
// is in.
func (s streams) hold(m mark, path string, version gitexec.Entry) bool {
	for _, one := range s {
		if one.holds(m) || one.brings(path, version) {
			return true
		}
	}
	return false
}

// on lists the streams of a base, lowest suffix first.
func (s streams) on(base gitexec.OID) []*stream {
	var found []*stream
	for n := 1; n <= s.highest(base); n++ {
		if one := s[shadow.NewName(base, "", n)]; one != nil {
			found = append(found, one)
		}
	}
	return found
}

// onStreams names the sessions that are on a base's streams.
func (p *plumb) onStreams(base gitexec.OID) []string {
	var all []string
	for _, one := range p.streams.on(base) {
		for _, k := range one.steps {
			all = append(all, k.session)
		}
	}
	return all
}

func (s streams) highest(base gitexec.OID) int {
	highest := 0
	for name := range s {
		if name.Base == base.Short() {
			highest = max(highest, name.Suffix)
		}
	}
	return highest
}
