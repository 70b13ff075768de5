package share

import (
	"os"
	"path/filepath"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/sets"
)

// held remembers what an earlier look at the remote's commits came to, so that what stays here for
// long is not sought in all of them again. Without it more is read.
type held struct {
	Examined []gitexec.OID  `json:"examined,omitempty"` // commits and tags
	Stays    []gitexec.Path `json:"stays,omitempty"`    // entries of the branch that no commit in their histories is about

	// Remote-tracking branches that did not count then, and whether a commit in their histories is
	// about any of Stays: a push that brings it would not be seen to.
	Uncounted []gitexec.OID `json:"uncounted,omitempty"`
	Hides     bool          `json:"hides,omitempty"`

	// The targets that were asked for their branches, at their addresses, and of each the
	// remote-tracking branches that it had not got: they are another repository's until they move.
	Asked map[string][]gitexec.OID `json:"asked,omitempty"`

	// What the user has pushed to a target, and whose checkpoints are not there yet: no
	// remote-tracking branch may say so.
	To     string        `json:"to,omitempty"` // the target, at its address
	Pushed []gitexec.OID `json:"pushed,omitempty"`

	// Up to which commit all of the branch may go to To: what does not arrive in one push is not
	// looked at again by the next one.
	Cleared gitexec.OID `json:"cleared,omitempty"`

	// At a push to a remote nothing was to be sent, and all of Stays stayed: see [Place.Stays].
	Files   string   `json:"files,omitempty"` // Place.Files then
	Elected string   `json:"elected,omitempty"`
	Remotes []string `json:"remotes,omitempty"` // as git names them to the hook, hashed
}

// Limits: bytes of the file, tips in each list, entries, and pushes. 60,000 IDs and paths have some
// 3 MB; a clone in which more stay has a branch that nobody pushes. A hundred pushes that are owed
// are a target that is gone: the newest ones mostly have the others in their history.
const mostHeld, mostExamined, mostStays, mostOwed = 4 << 20, 20_000, 20_000, 100

func heldFile(dir string) string { return filepath.Join(dir, "held.json") }

func (s *View) readHeld() held   { return readHeld(s.w.Repo.SharedDir()) }
func (s *View) writeHeld(h held) { h.write(s.w.Repo.SharedDir()) }

// readHeld reads it from our directory for all worktrees. What is no commit's ID is left out.
func readHeld(dir string) (h held) {
	h, _ = safefile.ReadPrivate[held](heldFile(dir), mostHeld)
	// They become arguments of git: a file that others have written must not name options or
	// revisions.
	invalid := func(id gitexec.OID) bool { return !gitexec.ValidOID(string(id)) }
	for _, ids := range []*[]gitexec.OID{&h.Examined, &h.Pushed} {
		*ids = slices.DeleteFunc(*ids, invalid)
	}
	if !gitexec.ValidOID(string(h.Cleared)) {
		h.Cleared = ""
	}
	return h
}

// clears is up to which commit all of the branch may go to a target; empty: it is not known.
func (h held) clears(to string) gitexec.OID {
	// What one target may have says nothing of another one.
	if h.To != to {
		return ""
	}
	return h.Cleared
}

// owed are the tips whose checkpoints the target lacks.
func (h held) owed(to string) []gitexec.OID {
	if h.To != to {
		return nil
	}
	return h.Pushed
}

// write writes it. If that fails, the next push looks again.
func (h held) write(dir string) {
	h.Examined = h.Examined[:min(len(h.Examined), mostExamined)]
	h.Uncounted = h.Uncounted[:min(len(h.Uncounted), mostExamined)]
	if len(h.Stays) > mostStays {
		h.Stays = h.Stays[:mostStays]
	}
	// What was examined is of use only for what stays: anything new is sought everywhere.
	if len(h.Stays) == 0 {
		h.Examined, h.Uncounted, h.Hides, h.Files, h.Elected, h.Remotes = nil, nil, false, "", "", nil
	}
	// The newest stay: mostly their histories have the older ones.
	if n := len(h.Pushed) - mostOwed; n > 0 {
		h.Pushed = h.Pushed[n:]
	}
	if len(h.Stays)+len(h.Asked)+len(h.Pushed)+len(h.Cleared) == 0 {
		_ = os.Remove(heldFile(dir))
		return
	}
	_ = safefile.WritePrivate(heldFile(dir), h)
}

// turnTo makes a target the one that To and what belongs to it are about.
func (h *held) turnTo(to string) {
	if h.To != to {
		h.To, h.Pushed, h.Cleared = to, nil, ""
	}
}

// clear remembers up to which commit all of the branch may go to the target.
func (s *View) clear(commit gitexec.OID) {
	h := s.readHeld()
	h.turnTo(s.place())
	h.Cleared = commit
	s.writeHeld(h)
}

// Owe remembers that the remote gets commits whose checkpoints could not go along, so that they go
// with the next push or sync.
func (s *View) Owe(sent Sent) {
	if s.Target.Why != "" || len(sent.Tips) == 0 {
		return
	}
	h := s.readHeld()
	h.turnTo(s.place())
	h.Pushed = withTips(h.Pushed, sent.Tips)
	s.writeHeld(h)
}

// owe is Owe where pushes to a target wait: the first of them has noted the target.
func (p Place) owe(sent Sent) {
	if h := readHeld(p.Shared); h.To != "" {
		h.Pushed = withTips(h.Pushed, sent.Tips)
		h.write(p.Shared)
	}
}

func withTips(all, tips []gitexec.OID) []gitexec.OID {
	all = sets.With(all, tips...)
	return all
}

// paid forgets what was owed: all that belongs there is there.
func (s *View) paid() {
	if h := s.readHeld(); len(h.Pushed)+len(h.Cleared) > 0 {
		h.turnTo("")
		s.writeHeld(h)
	}
}
