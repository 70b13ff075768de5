package relink

import (
	"path/filepath"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/index"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/sets"
)

// state is what was compared, in a file of ours.
type state struct {
	Tips    []gitexec.OID `json:"tips"`    // of histories that were compared, latest first
	Fetched gitexec.OID   `json:"fetched"` // the tree of the checkpoints on "origin" then
	// Open are commits without a link, oldest first: checkpoints that are fetched later may concern
	// them.
	Open []gitexec.OID `json:"open"`
	// None says that there was no checkpoint yet: once some are fetched, all is compared.
	None bool `json:"none,omitempty"`
}

// Limits: tips and commits in a state, the latest, and bytes of its file, of which they need a
// tenth. A branch that is not among the last twenty that were checked out is compared again.
// Commits that no checkpoint matched are compared with each one that is fetched later: of a
// thousand, each fetch costs what a pull of a thousand commits does.
const mostTips, mostOpen, largestState = 20, 1000, 1 << 20

func stateFile(dir string) string { return filepath.Join(dir, "relink.json") }

// readState is the zero value where nothing was compared yet.
func readState(dir string) (s state) {
	s, _ = safefile.ReadPrivate[state](stateFile(dir), largestState)
	valid := func(all []gitexec.OID) []gitexec.OID {
		return slices.DeleteFunc(all, func(id gitexec.OID) bool { return !gitexec.ValidOID(string(id)) })
	}
	s.Tips, s.Open = valid(s.Tips), valid(s.Open)
	return s
}

func (s state) write(dir string) error {
	if err := safefile.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	_ = safefile.MkdirAll(index.Fingerprints(dir), 0o700) // it follows, where the repository has become shared
	return safefile.WritePrivate(stateFile(dir), s)
}

// Advance records that a commit for which our hooks ran follows one up to which a history was
// compared, or replaces it: where the history goes on from there, with nothing that came from
// elsewhere.
func Advance(dir string, from []gitexec.OID, to gitexec.OID, carriesOn func(tip gitexec.OID) bool) error {
	s := readState(dir)
	for i, tip := range s.Tips {
		// While only commits with hooks are made, the tip moves with HEAD: the next command has
		// nothing to compare.
		if tip != to && slices.Contains(from, tip) && carriesOn(tip) {
			s.Tips[i] = to
			return s.write(dir)
		}
	}
	return nil
}

// Compared reports whether the history of a commit was compared, as far as that is known without
// reading the repository; also where none was yet, since that may take long.
func Compared(dir string, commit gitexec.OID) bool {
	return len(Uncompared(dir, []gitexec.OID{commit})) == 0
}

// Uncompared are those of commits for which Compared is false. A push may have a hundred thousand.
func Uncompared(dir string, commits []gitexec.OID) []gitexec.OID {
	tips := readState(dir).Tips
	// Nothing was compared yet: that is for a command to begin, not for a push.
	if len(tips) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(commits), func(id gitexec.OID) bool { return slices.Contains(tips, id) })
}

// compared records that a history was compared up to a commit, if up to any, and which of its
// commits have no link.
func (s *state) compared(tip gitexec.OID, open []gitexec.OID) {
	if tip != "" {
		s.Tips = slices.DeleteFunc(s.Tips, func(id gitexec.OID) bool { return id == tip })
		s.Tips = append([]gitexec.OID{tip}, s.Tips[:min(mostTips-1, len(s.Tips))]...)
	}
	s.Open = sets.With(s.Open, open...)
	// The latest ones are kept: those that are dropped are not compared again when other
	// checkpoints come.
	s.Open = s.Open[max(0, len(s.Open)-mostOpen):]
}
