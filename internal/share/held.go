package share

import (
	"os"
	"path/filepath"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/sets"
)

// held remembers of a target what an earlier look at its commits came to, so that what stays here
// for long is not sought in all of them again. Without it more is read.
type held struct {
	Examined []gitexec.OID  `json:"examined,omitempty"` // commits and tags
	Stays    []gitexec.Path `json:"stays,omitempty"`    // entries of the branch that no commit in their histories is about

	// Remote-tracking branches that did not count then, and whether a commit in their histories is
	// about any of Stays: a push that brings it would not be seen to.
	Uncounted []gitexec.OID `json:"uncounted,omitempty"`
	Hides     bool          `json:"hides,omitempty"`

	// The target was asked for its branches, and has not got these remote-tracking branches: they
	// are another repository's until they move.
	Asked bool          `json:"asked,omitempty"`
	Lacks []gitexec.OID `json:"lacks,omitempty"`

	// What the user has pushed to it, and whose checkpoints are not there yet: no remote-tracking
	// branch may say so.
	Pushed []gitexec.OID `json:"pushed,omitempty"`

	// Up to which commit all of the branch may go to it: what does not arrive in one push is not
	// looked at again by the next one.
	Cleared gitexec.OID `json:"cleared,omitempty"`

	// At a push to a remote nothing was to be sent, and all of Stays stayed: see [Place.Stays].
	Files   string   `json:"files,omitempty"` // Place.Files then
	Elected string   `json:"elected,omitempty"`
	Remotes []string `json:"remotes,omitempty"` // as git names them to the hook, hashed
}

// Limits: bytes of the file, tips in each list, entries, and pushes. 80,000 IDs and paths have some
// 4 MB; a clone in which more stay has a branch that nobody pushes. A hundred pushes that are owed
// are a target that is gone: the newest ones mostly have the others in their history.
const mostHeld, mostExamined, mostStays, mostOwed = 8 << 20, 20_000, 20_000, 100

func heldFile(dir string) string { return filepath.Join(dir, "held.json") }

func (s *View) readHeld() held { return readAllHeld(s.w.Repo.SharedDir())[s.place()] }

func (s *View) writeHeld(h held) { writeHeld(s.w.Repo.SharedDir(), s.place(), h) }

// readAllHeld reads it from our directory for all worktrees, by target and address. What is no
// commit's ID is left out.
func readAllHeld(dir string) map[string]held {
	all, err := safefile.ReadPrivate[map[string]held](heldFile(dir), mostHeld)
	if err != nil || all == nil {
		return map[string]held{}
	}
	// They become arguments of git: a file that others have written must not name options or
	// revisions.
	invalid := func(id gitexec.OID) bool { return !gitexec.ValidOID(string(id)) }
	for target, h := range all {
		h.Examined, h.Pushed = slices.DeleteFunc(h.Examined, invalid), slices.DeleteFunc(h.Pushed, invalid)
		if invalid(h.Cleared) {
			h.Cleared = ""
		}
		all[target] = h
	}
	return all
}

// writeHeld writes what is known of one target. If that fails, the next push looks again.
func writeHeld(dir, target string, h held) {
	all := readAllHeld(dir)
	all[target] = h
	writeAllHeld(dir, all, target)
}

// writeAllHeld writes all. Of too much, only what is known of one target stays.
func writeAllHeld(dir string, all map[string]held, one string) {
	total := 0
	for target, h := range all {
		h.limit()
		if all[target] = h; h.empty() {
			delete(all, target)
		}
		total += len(h.Examined) + len(h.Uncounted) + len(h.Stays) + len(h.Lacks)
	}
	if h, ok := all[one]; ok && (len(all) > mostTargets || total > 3*mostExamined+mostStays) {
		all = map[string]held{one: h}
	}
	if len(all) == 0 {
		_ = os.Remove(heldFile(dir))
		return
	}
	_ = safefile.WritePrivate(heldFile(dir), all)
}

func (h *held) limit() {
	h.Examined = h.Examined[:min(len(h.Examined), mostExamined)]
	h.Uncounted = h.Uncounted[:min(len(h.Uncounted), mostExamined)]
	h.Lacks = h.Lacks[:min(len(h.Lacks), mostExamined)]
	h.Stays = h.Stays[:min(len(h.Stays), mostStays)]
	// What was examined is of use only for what stays: anything new is sought everywhere.
	if len(h.Stays) == 0 {
		h.Examined, h.Uncounted, h.Hides, h.Files, h.Elected, h.Remotes = nil, nil, false, "", "", nil
	}
	// The newest stay: mostly their histories have the older ones.
	if n := len(h.Pushed) - mostOwed; n > 0 {
		h.Pushed = h.Pushed[n:]
	}
}

func (h *held) empty() bool {
	return !h.Asked && len(h.Stays)+len(h.Pushed)+len(h.Cleared) == 0
}

// clear remembers up to which commit all of the branch may go to the target.
func (s *View) clear(commit gitexec.OID) {
	h := s.readHeld()
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
	h.Pushed = sets.With(h.Pushed, sent.Tips...)
	s.writeHeld(h)
}

// owe is Owe where pushes to a target wait.
func (p Place) owe(target string, sent Sent) {
	h := readAllHeld(p.Shared)[target]
	h.Pushed = sets.With(h.Pushed, sent.Tips...)
	writeHeld(p.Shared, target, h)
}

// paid forgets what was owed: all that belongs there is there.
func (s *View) paid() {
	if h := s.readHeld(); len(h.Pushed)+len(h.Cleared) > 0 {
		h.Pushed, h.Cleared = nil, ""
		s.writeHeld(h)
	}
}
