package redact

import (
	"regexp"
	"slices"
	"strings"
)

// What Terraform's state has, and what resembles it: objects that hold a value and say of what kind
// it is. Both the state itself, which is JSON, and parts of it in a text are read by these.
const (
	sensitiveFirst = `sensitive\\{0,7}"\s{0,3}:\s{0,3}true\b[^{}]{0,240}?value\\{0,7}"\s{0,3}:\s{0,3}\\{0,7}"([^"\\\n]{6,400})`
	sensitiveLast  = `value\\{0,7}"\s{0,3}:\s{0,3}\\{0,7}"([^"\\\n]{6,400})\\{0,7}"[^{}]{0,160}?sensitive\\{0,7}"\s{0,3}:\s{0,3}true\b`
	madeByRandom   = `random_(?:password|string)[^@]{0,300}?\bresult\\{0,7}"\s{0,3}:\s{0,3}\\{0,7}"([^"\\\n]{6,200})`
)

var (
	stateValues = []struct {
		sign string
		re   func() *regexp.Regexp
	}{
		{`"sensitive"`, compiled(sensitiveFirst)}, {`"sensitive"`, compiled(sensitiveLast)}, {`random_`, compiled(madeByRandom)},
	}
	valueOf = compiled(`"([\w.-]{1,60})"\s{0,3}:\s{0,20}\{[^{}]{0,200}?"(?:value|default|result|plaintext)"\s{0,3}:\s{0,3}"([^"\\\n]{4,400})"`)
)

// stateSecrets finds them in JSON.
func stateSecrets(text string) []span {
	var found []span
	for _, v := range stateValues {
		if !strings.Contains(text, v.sign) {
			continue
		}
		for _, m := range v.re().FindAllStringSubmatchIndex(text, -1) {
			if filledOrMixed(text[m[2]:m[3]]) {
				found = append(found, span{from: m[2], to: m[3]})
			}
		}
	}
	return append(found, namedObjects(text)...)
}

// namedObjects finds the secrets of objects that stand behind a name.
func namedObjects(text string) (found []span) {
	keys := []string{`"value"`, `"default"`, `"result"`, `"plaintext"`}
	if !slices.ContainsFunc(keys, func(key string) bool { return strings.Contains(text, key) }) {
		return nil
	}
	for _, m := range valueOf().FindAllStringSubmatchIndex(text, -1) {
		value := text[m[4]:m[5]]
		switch k := nameKind(text[m[2]:m[3]]); {
		case k >= secret && filledOrMixed(value), k == token && len(value) >= 12 && (generated(value) || mixedCase(value)):
			found = append(found, span{from: m[4], to: m[5]})
		}
	}
	return found
}
