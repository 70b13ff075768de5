package lineage

import (
	"entire-plumb/gitexec"
	"entire-plumb/suffix"
)

// Same reports whether two commits, given by what they change, put in and take out the same lines
// of the same files, wherever in them: so does one that git has replayed without a conflict. What
// has no lines to compare is the same where its versions are. Its errors are those of texts.
func Same(was, now []gitexec.Change, texts suffix.Texts) (bool, error) {
	if len(was) != len(now) {
		return false, nil
	}
	for i, a := range was {
		b := now[i]
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

func sameLines(was, now gitexec.Change, texts suffix.Texts) (bool, error) {
	if was.New.Mode != now.New.Mode || was.Old.Mode != now.Old.Mode {
		return false, nil
	}
	counts := map[string]int{} // of each line: how many more there are than there would be if both did the same
	for _, side := range []struct {
		gitexec.Entry
		by int
	}{{was.New, 1}, {was.Old, -1}, {now.New, -1}, {now.Old, 1}} {
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
