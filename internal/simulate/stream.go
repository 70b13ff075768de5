package main

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// stream is a shadow branch: its checkpoints' trees, oldest first, with the agents' work marked in
// them.
type stream struct {
	name  shadow.Name
	steps []step
}

// step is one checkpoint of an agent's, with the worktree before.
type step struct {
	session       string
	turn          int
	before, after tree
	of            map[gitexec.Path][]suffix.Change // what of a file it carries on
}

// changes are what the agents did on the stream; of one session, or of all.
func (s *stream) changes(session string) []suffix.Change {
	var changes []suffix.Change
	for _, k := range s.steps {
		if session == "" || k.session == session {
			for _, c := range diff(k.before, k.after) {
				changes = append(changes, suffix.Change{Path: c.Path, Before: c.Old, After: c.New, Of: k.of[c.Path]})
			}
		}
	}
	return changes
}

// sessions lists whose work is on the stream, in the order in which they came.
func (s *stream) sessions() []string {
	var names []string
	seen := map[string]bool{}
	for _, k := range s.steps {
		if !seen[k.session] {
			names, seen[k.session] = append(names, k.session), true
		}
	}
	return names
}

// work are the traces of what the agents did on the stream.
func (s *stream) work(w *world) map[mark]bool {
	all := map[mark]bool{}
	for _, k := range s.steps {
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

// brings reports whether an agent brought a file to just this version, whoever did and in whichever
// turn.
func (s *stream) brings(path string, version gitexec.Entry) bool {
	return slices.ContainsFunc(s.changes(""), func(c suffix.Change) bool { return string(c.Path) == path && c.After == version })
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

func (s streams) highest(base gitexec.OID) int {
	highest := 0
	for name := range s {
		if name.Base == base.Short() {
			highest = max(highest, name.Suffix)
		}
	}
	return highest
}

// fileWork is what a session did to one file on a stream, turn by turn.
type fileWork struct {
	changes       []suffix.Change
	before, after []*file
}

// last is the file as the session left it.
func (f fileWork) last() *file { return f.after[len(f.after)-1] }

func byFile(s *stream, session string) []fileWork {
	var works []fileWork
	for _, changes := range suffix.ByFile(s.changes(session)) {
		f := fileWork{changes: changes}
		for _, k := range s.steps {
			path := string(changes[0].Path)
			if k.session == session && k.before.version(path) != k.after.version(path) {
				f.before, f.after = append(f.before, k.before[path]), append(f.after, k.after[path])
			}
		}
		works = append(works, f)
	}
	return works
}
