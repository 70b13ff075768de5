package suffix

import (
	"strings"

	"entire-plumb/gitexec"
)

// Texts gives the lines of a file's version, without their ends. ok is false for what has no lines to compare: nothing,
// a binary file, a symlink, a submodule, a file too large to read in a hook.
type Texts interface {
	Lines(e gitexec.Entry) (lines []string, ok bool, err error)
}

// Match says how lines are compared.
type Match string

// The ways to compare. Exact is the default; Fuzzy takes no account of white space (seed 000, Line Matching Approaches).
const (
	Exact Match = "exact"
	Fuzzy Match = "fuzzy"
)

// key is what of a line is compared; blank lines have none.
func (m Match) key(line string) string {
	if m == Fuzzy {
		return strings.Join(strings.Fields(line), " ")
	}
	if strings.TrimSpace(line) == "" {
		return ""
	}
	return line
}

// weigh finds what of the agent's changes to a file is there in the version now.
//
// The same object and mode settle it, and so does the absence of a file that the agent deleted. Otherwise lines decide:
// one that the agent added and that says something (see telling) must be there; where it added none such, all that it
// added must be; where it added nothing, the lines that it took out must still be out.
func weigh(changes []Change, now gitexec.Entry, texts Texts, match Match) (File, error) {
	first, last := changes[0], changes[len(changes)-1]
	f := File{Path: first.Path, Before: first.Before, After: last.After, Now: now}
	if now == last.After {
		f.Evidence, f.Present, f.Score = SameObject, true, 1
		return f, nil
	}
	f.Evidence = OtherWhole
	if !last.After.Exists() || !now.Exists() {
		return f, nil
	}
	if first.Before.ID == last.After.ID && first.Before.Mode != last.After.Mode {
		f.Evidence, f.Present = ModeOnly, now.Mode == last.After.Mode
		if f.Present {
			f.Score = 1
		}
		return f, nil
	}
	after, ok, err := texts.Lines(last.After)
	if err != nil || !ok {
		return f, err
	}
	present, ok, err := texts.Lines(now)
	if err != nil || !ok {
		return f, err
	}
	added, removed, err := agentLines(changes, after, texts, match)
	if err != nil {
		return f, err
	}
	f.Evidence = ByLines
	here := keys(present, match)
	f.AddedFound, f.AddedGone = split(added, here, match)
	f.RemovedBack, f.RemovedStill = split(removed, here, match)
	f.Present = f.judge()
	if all := len(added) + len(removed); all > 0 && f.Present {
		f.Score = float64(len(f.AddedFound)+len(f.RemovedStill)) / float64(all)
	}
	return f, nil
}

// agentLines are the lines that the agent's turns added and that are still in its last version, and those that they took
// out and that are not in it: what others did in between is not evidence.
func agentLines(changes []Change, after []string, texts Texts, match Match) (added, removed []string, err error) {
	in := keys(after, match)
	addedKeys, removedKeys := map[string]bool{}, map[string]bool{}
	for _, c := range changes {
		before, _, err := texts.Lines(c.Before)
		if err != nil {
			return nil, nil, err
		}
		then, _, err := texts.Lines(c.After)
		if err != nil {
			return nil, nil, err
		}
		had, has := keys(before, match), keys(then, match)
		for _, line := range then {
			if k := match.key(line); k != "" && !had[k] && in[k] && !addedKeys[k] {
				added, addedKeys[k] = append(added, line), true
			}
		}
		for _, line := range before {
			if k := match.key(line); k != "" && !has[k] && !in[k] && !removedKeys[k] {
				removed, removedKeys[k] = append(removed, line), true
			}
		}
	}
	return added, removed, nil
}

func keys(lines []string, match Match) map[string]bool {
	set := make(map[string]bool, len(lines))
	for _, line := range lines {
		set[match.key(line)] = true
	}
	return set
}

// split sorts lines into those whose keys a set has and those whose keys it doesn't.
func split(lines []string, set map[string]bool, match Match) (in, out []string) {
	for _, line := range lines {
		if set[match.key(line)] {
			in = append(in, line)
		} else {
			out = append(out, line)
		}
	}
	return in, out
}

// judge decides by lines.
func (f File) judge() bool {
	if len(f.AddedFound)+len(f.AddedGone) == 0 {
		return len(f.RemovedStill) > 0 && len(f.RemovedBack) == 0
	}
	if len(f.AddedGone) == 0 {
		return true
	}
	for _, line := range f.AddedFound {
		if telling(line) {
			return true
		}
	}
	return false
}

// telling reports whether a line alone can show where it came from. A brace, `return nil` or `} else {` cannot.
func telling(line string) bool {
	letters := 0
	for _, c := range line {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80 {
			letters++
		}
	}
	return letters >= 10
}
