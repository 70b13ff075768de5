package suffix

import (
	"strings"

	"entire-plumb/gitexec"
)

// Texts gives the lines of a file's version, without their ends. ok is false for what has no lines
// to compare: nothing, a binary file, a symlink, a submodule, a file too large to read in a hook.
type Texts interface {
	Lines(e gitexec.Entry) (lines []string, ok bool, err error)
}

// Match says how lines are compared.
type Match string

// The ways to compare. Exact is the default; Fuzzy takes no account of white space (seed 000, Line
// Matching Approaches).
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

// agentLines are the lines that the agent's turns added and that are still in its last version, and
// those that they took out and that are not in it: what others did in between is not evidence.
func agentLines(changes []Change, after []string, texts Texts, match Match) (added, removed []string, err error) {
	in := keys(after, match)
	addedKeys, removedKeys, own := map[string]bool{}, map[string]bool{}, map[string]bool{}
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
		ofAdded, ofRemoved, err := c.of(texts, match)
		if err != nil {
			return nil, nil, err
		}
		for _, line := range then {
			k := match.key(line)
			if k == "" || had[k] || ofAdded != nil && !ofAdded[k] {
				continue
			}
			own[k] = true
			if in[k] && !addedKeys[k] {
				added, addedKeys[k] = append(added, line), true
			}
		}
		for _, line := range before {
			if k := match.key(line); k != "" && !has[k] && !in[k] && !removedKeys[k] && !own[k] && (ofRemoved == nil || ofRemoved[k]) {
				removed, removedKeys[k] = append(removed, line), true
			}
		}
	}
	return added, removed, nil
}

// of gives the lines that what the change carries on added and took out; nil where it carries
// nothing on.
func (c Change) of(texts Texts, match Match) (added, removed map[string]bool, err error) {
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
		had, has := keys(before, match), keys(after, match)
		for k := range has {
			added[k] = added[k] || !had[k]
		}
		for k := range had {
			removed[k] = removed[k] || !has[k]
		}
	}
	return added, removed, nil
}

// pairTexts gives what follows on what in a text, in place of its lines.
type pairTexts struct{ Texts }

func (t pairTexts) Lines(e gitexec.Entry) ([]string, bool, error) {
	lines, ok, err := t.Texts.Lines(e)
	return pairs(lines), ok, err
}

// pairs joins each line with the one before it; blank ones don't count.
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
