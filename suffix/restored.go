package suffix

import "entire-plumb/gitexec"

// mostRestored returns how many of the changes lead to the version, before the agent's last one, of
// which a version has most lines, by weight: such as the agent added and took out itself, in its
// next change, and that the version under it has not; 0 if there is none. Of equals it is the latest.
func mostRestored(changes []Change, version gitexec.Change, texts Texts, match Match) (upTo int, err error) {
	if len(changes) < 2 || !version.New.Exists() {
		return 0, nil
	}
	now, ok, err := texts.Lines(version.New)
	if err != nil || !ok {
		return 0, err
	}
	under, _, err := texts.Lines(version.Old)
	if err != nil {
		return 0, err
	}
	_, now = split(now, keys(under, match), match)
	sought := keys(now, match)
	if len(sought) == 0 {
		return 0, nil
	}
	soughtIn := func(e gitexec.Entry) (map[string]bool, error) {
		lines, _, err := texts.Lines(e)
		found := map[string]bool{}
		for _, line := range lines {
			if k := match.key(line); sought[k] {
				found[k] = true
			}
		}
		return found, err
	}
	before, err := soughtIn(changes[0].Before)
	if err != nil {
		return 0, err
	}
	own, most := map[string]bool{}, 0
	for i, c := range changes[:len(changes)-1] {
		after, err := soughtIn(c.After)
		if err != nil {
			return 0, err
		}
		next, err := soughtIn(changes[i+1].Before)
		if err != nil {
			return 0, err
		}
		sum := 0
		for k := range after {
			own[k] = own[k] || !before[k]
			if own[k] && next[k] {
				sum += weight(k)
			}
		}
		if sum > 0 && sum >= most {
			most, upTo = sum, i+1
		}
		before = next
	}
	return upTo, nil
}
