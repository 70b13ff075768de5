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
	sought, own, most := keys(now, match), map[string]bool{}, 0
	for i, c := range changes[:len(changes)-1] {
		var versions [3]map[string]bool
		for k, e := range []gitexec.Entry{c.Before, c.After, changes[i+1].Before} {
			lines, _, err := texts.Lines(e)
			if err != nil {
				return 0, err
			}
			versions[k] = keys(lines, match)
		}
		sum := 0
		for k := range versions[1] {
			own[k] = own[k] || !versions[0][k]
			if own[k] && sought[k] && versions[2][k] {
				sum += weight(k)
			}
		}
		if sum > 0 && sum >= most {
			most, upTo = sum, i+1
		}
	}
	return upTo, nil
}
