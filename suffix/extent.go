package suffix

import "entire-plumb/gitexec"

// Extent counts how much the agent did to a file, and how much of it a version does again: distinct
// lines that the agent added; where it added none, those that it removed; 1 for a file without
// lines of its own to compare. version is the change from the version under it to this one; nil:
// the file is unchanged. Lines of others, each a piece of work on the same file, are not found. Its
// errors are those of texts.
func Extent(changes []Change, version *gitexec.Change, others [][]Change, texts Texts, match Match) (found, sought int, err error) {
	added, removed, err := ownLines(changes, texts, match)
	if err != nil {
		return 0, 0, err
	}
	if sought = len(added); sought == 0 {
		sought = max(1, len(removed))
	}
	if version == nil {
		return 0, sought, nil
	}
	if len(added)+len(removed) == 0 {
		inEffect, err := InEffect(changes, *version, texts, match)
		for _, o := range others {
			if err != nil || !inEffect {
				break
			}
			inEffect, err = InEffect(o, *version, texts, match)
			inEffect = !inEffect
		}
		if inEffect && err == nil {
			found = 1
		}
		return found, sought, err
	}
	now, _, err := texts.Lines(version.New)
	if err != nil {
		return 0, 0, err
	}
	under, _, err := texts.Lines(version.Old)
	if err != nil {
		return 0, 0, err
	}
	claimed := map[string]bool{} // a line that others removed, and that is there, is none of theirs
	for _, o := range others {
		theirs, gone, err := ownLines(o, texts, match)
		if err != nil {
			return 0, 0, err
		}
		if len(added) == 0 {
			theirs = gone
		}
		for _, line := range theirs {
			claimed[match.key(line)] = true
		}
	}
	before, after := keys(under, match), keys(now, match)
	if len(added) > 0 {
		added, _ = split(added, after, match)
		_, added = split(added, before, match)
		_, added = split(added, claimed, match)
		return len(added), sought, nil
	}
	_, removed = split(removed, after, match)
	removed, _ = split(removed, before, match)
	_, removed = split(removed, claimed, match)
	return len(removed), sought, nil
}

// ownLines is agentLines for changes that may leave no lines.
func ownLines(changes []Change, texts Texts, match Match) (added, removed []string, err error) {
	after, ok, err := texts.Lines(changes[len(changes)-1].After)
	if err != nil || !ok {
		return nil, nil, err
	}
	return agentLines(changes, after, texts, match)
}
