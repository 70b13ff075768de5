package share

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/sets"
)

// Stays reports whether a push to a remote has nothing to share but what stays here: it sends no
// commit that is about any of it, and nothing has changed since an earlier push found so. It looks
// at stat data and at the remote-tracking branches, which say what others or a push without hooks
// have brought there. No process.
func (p Place) Stays(remote string, sent Sent) bool {
	for target, h := range readAllHeld(p.Shared) {
		if slices.Contains(h.Remotes, hashed(remote)) && p.stays(target, h, sent) {
			return true
		}
	}
	return false
}

func (p Place) stays(target string, h held, sent Sent) bool {
	if h.Files == "" || h.Hides || h.Files != p.Files() || !sent.complete() || h.about(sent) {
		return false
	}
	// Loose refs have no file whose stat data tells of them all: they are read.
	tips, ok := looseTips(filepath.Join(filepath.Dir(p.Shared), "refs", "remotes", filepath.FromSlash(h.Elected)))
	examined, uncounted := sets.Of(h.Examined), sets.Of(h.Uncounted)
	tips = slices.DeleteFunc(tips, func(id gitexec.OID) bool { return uncounted[id] })
	if !ok || slices.ContainsFunc(append(tips, sent.Had...), func(id gitexec.OID) bool { return !examined[id] }) {
		return false
	}
	// Its commits are about nothing that stays: so much is known now. With it noted, the next push
	// is as quiet.
	for _, tip := range sent.Tips {
		if !examined[tip] {
			h.Examined = append(h.Examined, tip)
		}
	}
	writeHeld(p.Shared, target, h)
	return true
}

// SettleStays notes that a push to a remote had nothing to share with the target but what stays
// here. before is Files as it was before that was looked for.
func (s *View) SettleStays(p Place, remote, before string) {
	p.settleStays(s.place(), remote, s.Target.Elected, before)
}

func (p Place) settleStays(target, remote, elected, before string) {
	h := readAllHeld(p.Shared)[target]
	if before == "" || before != p.Files() || len(h.Stays) == 0 || len(h.Remotes) > 100 {
		return
	}
	if h.Files != before || h.Elected != elected {
		h.Remotes = nil
	}
	h.Files, h.Elected, h.Remotes = before, elected, append(h.Remotes, hashed(remote))
	writeHeld(p.Shared, target, h)
}

// about reports whether a push sends commits that anything is about which stays here.
func (h held) about(sent Sent) bool {
	return slices.ContainsFunc(h.Stays, func(entry gitexec.Path) bool {
		return sent.Links[checkpoints.EntryID(entry)] || sent.Commits[checkpoints.EntryCommit(entry)]
	})
}

// mostLoose is how many remote-tracking branches are read one by one. Those in packed-refs are in
// [Place.Files]. With more of them each push looks again, for six processes: git pack-refs helps.
const mostLoose = 500

// looseTips are the remote-tracking branches below a directory; not ok: there are too many, or one
// cannot be read.
func looseTips(dir string) (tips []gitexec.OID, ok bool) {
	read := 0
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		switch {
		// The remote's own branches of this program: a push or fetch of them says nothing of the
		// user's commits.
		case errors.Is(err, fs.ErrNotExist) || err == nil && d.IsDir() && file == filepath.Join(dir, "entire"):
			return filepath.SkipDir
		case err != nil || d.IsDir():
			return err
		}
		if read++; read > mostLoose {
			return fs.ErrInvalid
		}
		tip, err := looseTip(file)
		if tip != "" {
			tips = append(tips, tip)
		}
		return err
	})
	return tips, err == nil
}

// looseTip is what a ref's file says; empty: it names another ref.
func looseTip(file string) (gitexec.OID, error) {
	text, err := safefile.Read(file, 1<<10)
	if err != nil || strings.HasPrefix(string(text), "ref: ") {
		return "", err
	}
	id := strings.TrimSpace(string(text))
	if !gitexec.ValidOID(id) {
		return "", fs.ErrInvalid
	}
	return gitexec.OID(id), nil
}
