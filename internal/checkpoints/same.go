package checkpoints

import (
	"strings"

	"entire-plumb/gitexec"
)

// largestCompared is up to how many bytes files are compared line by line.
const largestCompared = 8 << 20

// Same reports whether two commits, given by what they change, put in and take out the same lines
// of the same files, wherever in them: so does one that git has replayed without a conflict. Where
// it costs too much to tell, it says no.
func Same(db *gitexec.ODB, was, now []gitexec.Change) (bool, error) {
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
		same, err := sameLines(db, a, b)
		if err != nil || !same {
			return false, err
		}
	}
	return true, nil
}

func sameLines(db *gitexec.ODB, was, now gitexec.Change) (bool, error) {
	counts := map[string]int{} // of each line: how many more there are than there would be if both did the same
	sides := []struct {
		gitexec.Entry
		by int
	}{{was.New, 1}, {was.Old, -1}, {now.New, -1}, {now.Old, 1}}
	var ids []gitexec.OID
	for _, s := range sides {
		if s.Exists() {
			ids = append(ids, s.ID)
		}
	}
	info, err := db.Info(ids...)
	if err != nil {
		return false, err
	}
	for _, o := range info {
		if o.Type != "blob" || o.Size > largestCompared {
			return false, nil
		}
	}
	if was.New.Mode != now.New.Mode || was.Old.Mode != now.Old.Mode {
		return false, nil
	}
	for _, s := range sides {
		if !s.Exists() {
			continue
		}
		text, err := db.Blob(s.ID, largestCompared)
		if err != nil {
			return false, err
		}
		for line := range strings.Lines(string(text)) {
			if counts[line] += s.by; counts[line] == 0 {
				delete(counts, line)
			}
		}
	}
	return len(counts) == 0, nil
}
