package share

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/message"
)

// Sent is what a push of the user's sends, beside which the branch of the checkpoints may go.
type Sent struct {
	Tips    []gitexec.OID        // what it pushes: commits and tags
	Had     []gitexec.OID        // what the remote had in their place, or in that of what it deletes
	Links   map[string]bool      // the checkpoints that commits link which the remote gets by it
	Commits map[gitexec.OID]bool // these commits; of many, some
}

// mostSent is how many commits of a push are remembered one by one, as keys of a map. They say
// which links beside commits go along with this push; those of the others go with a later one.
const mostSent = 10_000

// Add adds a commit that the remote gets, with its message.
func (s *Sent) Add(commit gitexec.OID, text []byte) {
	if s.Commits == nil {
		s.Links, s.Commits = map[string]bool{}, map[gitexec.OID]bool{}
	}
	for _, id := range message.Links(text) {
		s.Links[id] = true
	}
	if len(s.Commits) < mostSent {
		s.Commits[commit] = true
	}
}

// complete reports whether all commits are known.
func (s Sent) complete() bool { return len(s.Commits) < mostSent }

// facts are what decides which entries of the branch may leave.
type facts struct {
	all    bool                  // the user lets all of them leave
	there  map[gitexec.Path]bool // entries that the target has
	links  map[string]bool       // checkpoints that commits link which the remote has or gets
	public map[gitexec.OID]bool  // of the commits with links beside them, those that it has or gets
}

// belongs reports whether an entry that the branch here has otherwise than the target's may leave:
// the target has it already, in another form, or the remote has or gets a commit that it is about.
// What is taken out of the branch there, or is neither a conversation nor a link, always may.
func (f facts) belongs(c gitexec.Change) bool {
	if f.all || c.Old.Exists() || !c.New.Exists() || f.there[c.Path] {
		return true
	}
	if id := checkpoints.EntryID(c.Path); id != "" {
		return f.links[id]
	}
	if commit := checkpoints.EntryCommit(c.Path); commit != "" {
		return f.public[commit]
	}
	return true
}

// unexplained are the changes that must stay, as far as it is known.
func (f facts) unexplained(changes []gitexec.Change) []gitexec.Change {
	return slices.DeleteFunc(slices.Clone(changes), f.belongs)
}

// goes are the entries of changes that may leave.
func (f facts) goes(changes []gitexec.Change) map[gitexec.Path]bool {
	goes := map[gitexec.Path]bool{}
	for _, c := range changes {
		goes[c.Path] = f.belongs(c)
	}
	return goes
}
