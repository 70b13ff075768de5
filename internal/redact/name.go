package redact

import "strings"

// longestPart is how many letters and digits in a row a name may have that is not looked at closer:
// known tokens have more. mostTurns is how often letters and digits may take turns in them.
const longestPart, mostTurns = 15, 1

// Name redacts the name of a branch or of a model. Most of them plainly hold no secret, and then
// the rules, which take milliseconds to read, are left alone: a hook that writes nothing of a
// conversation needs no others.
func (r *Redactor) Name(name string) string {
	if (r == nil || len(r.own)+len(r.purged)+len(r.purgedRegex) == 0) && plainName(name) {
		return name
	}
	return r.Text(name)
}

// plainName reports whether a name consists of short words with simple signs between them.
func plainName(name string) bool {
	part, turns := 0, 0
	for i, c := range []byte(name) {
		switch kind := kindOf[c]; {
		case kind != kindSign:
			if part > 0 && (kind == kindDigit) != (kindOf[name[i-1]] == kindDigit) {
				turns++
			}
			if part++; part > longestPart || turns > mostTurns {
				return false
			}
		case strings.IndexByte("/._-#", c) >= 0:
			part, turns = 0, 0
		default:
			return false
		}
	}
	return true
}
