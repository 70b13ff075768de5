package lineage

import (
	"entire-plumb/gitexec"
	"entire-plumb/suffix"
)

// Same reports whether two commits, given by their changes, add and remove the same lines of the
// same files, wherever in them: as a commit that git replayed without a conflict does. A file
// without lines to compare is the same if its versions are. Its errors are those of texts.
func Same(old, new []gitexec.Change, texts suffix.Texts) (bool, error) {
	if len(old) != len(new) {
		return false, nil
	}
	for i, a := range old {
		b := new[i]
		switch {
		case a.Path != b.Path:
			return false, nil
		case a.Old == b.Old && a.New == b.New:
			continue
		}
		same, err := sameLines(a, b, texts)
		if err != nil || !same {
			return false, err
		}
	}
	return true, nil
}

func sameLines(old, new gitexec.Change, texts suffix.Texts) (bool, error) {
	if old.New.Mode != new.New.Mode || old.Old.Mode != new.Old.Mode {
		return false, nil
	}
	counts := map[string]int{} // of each line: zero if both changes do the same
	for _, side := range []struct {
		gitexec.Entry
		by int
	}{{old.New, 1}, {old.Old, -1}, {new.New, -1}, {new.Old, 1}} {
		if !side.Exists() {
			continue
		}
		lines, ok, err := texts.Lines(side.Entry)
		if err != nil || !ok {
			return false, err
		}
		for _, line := range lines {
			if counts[line] += side.by; counts[line] == 0 {
				delete(counts, line)
			}
		}
	}
	return len(counts) == 0, nil
}
