package suffix

import (
	"strings"

	"entire-plumb/gitexec"
)

// Texts reads the lines of a file's version, without line ends. ok is false for what has no lines
// to compare: a missing or binary file, a symlink, a submodule, a file too large to read in a hook.
type Texts interface {
	Lines(e gitexec.Entry) (lines []string, ok bool, err error)
}

// Match says how lines are compared.
type Match string

// The ways to compare. Exact is the default; Fuzzy ignores white space (seed 000, Line Matching
// Approaches).
const (
	Exact Match = "exact"
	Fuzzy Match = "fuzzy"
)

// key is the part of a line that is compared; empty for a blank line.
func (m Match) key(line string) string {
	if m == Fuzzy {
		return strings.Join(strings.Fields(line), " ")
	}
	if strings.TrimSpace(line) == "" {
		return ""
	}
	return line
}

// agentLines are the lines that the agent's turns added and that its last version still has, and
// those that they removed and that it does not have: changes of others in between are not evidence.
func agentLines(changes []Change, after []string, texts Texts, match Match) (added, removed []string, err error) {
	final := keys(after, match)
	addedKeys, removedKeys, own := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, c := range changes {
		before, _, err := texts.Lines(c.Before)
		if err != nil {
			return nil, nil, err
		}
		version, _, err := texts.Lines(c.After)
		if err != nil {
			return nil, nil, err
		}
		had, has := keys(before, match), keys(version, match)
		ofAdded, ofRemoved, err := c.carriedLines(texts, match)
		if err != nil {
			return nil, nil, err
		}
		for _, line := range version {
			k := match.key(line)
			if k == "" || had[k] || ofAdded != nil && !ofAdded[k] {
				continue
			}
			own[k] = true
			if final[k] && !addedKeys[k] {
				added, addedKeys[k] = append(added, line), true
			}
		}
		for _, line := range before {
			k := match.key(line)
			if k != "" && !has[k] && !final[k] && !removedKeys[k] && !own[k] && (ofRemoved == nil || ofRemoved[k]) {
				removed, removedKeys[k] = append(removed, line), true
			}
		}
	}
	return added, removed, nil
}

// carriedLines are the lines that the changes in c.Of added and removed; nil where there are none.
func (c Change) carriedLines(texts Texts, match Match) (added, removed map[string]bool, err error) {
	if len(c.Of) == 0 {
		return nil, nil, nil
	}
	added, removed = map[string]bool{}, map[string]bool{}
	for _, o := range c.Of {
		before, _, err := texts.Lines(o.Before)
		if err != nil {
			return nil, nil, err
		}
		after, _, err := texts.Lines(o.After)
		if err != nil {
			return nil, nil, err
		}
		ofAdded, ofRemoved, err := o.carriedLines(texts, match)
		if err != nil {
			return nil, nil, err
		}
		had, has := keys(before, match), keys(after, match)
		for k := range has {
			added[k] = added[k] || !had[k] && (ofAdded == nil || ofAdded[k])
		}
		for k := range had {
			removed[k] = removed[k] || !has[k] && (ofRemoved == nil || ofRemoved[k])
		}
	}
	return added, removed, nil
}

// pairTexts has pairs of consecutive lines in place of lines.
type pairTexts struct{ Texts }

func (t pairTexts) Lines(e gitexec.Entry) ([]string, bool, error) {
	lines, ok, err := t.Texts.Lines(e)
	return pairs(lines), ok, err
}

// pairs joins each line with the one before it, without blank lines.
func pairs(lines []string) []string {
	var pairs []string
	last := ""
	for _, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if last != "" {
			pairs = append(pairs, last+"\n"+line)
		}
		last = line
	}
	return pairs
}

func keys(lines []string, match Match) map[string]bool {
	set := make(map[string]bool, len(lines))
	for _, line := range lines {
		set[match.key(line)] = true
	}
	return set
}

// split separates lines whose keys are in a set from the others.
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
