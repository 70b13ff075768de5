package redact

import (
	"encoding/base64"
	"strings"
)

// Tokens of three parts with dots between them: Discord's for bots, and what frameworks sign.
const shortestSigned, longestSigned = 27, 43

var dottedToken = compiled(`^([A-Za-z0-9_-]{18,200})\.([A-Za-z0-9_-]{6,7})\.([A-Za-z0-9_-]{27,43})$`)

// dotted finds them: a part of six or seven characters between dots is looked at closer.
func dotted(text string) []span {
	var found []span
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '.')
		if i < 0 {
			return found
		}
		at += i + 1
		first, second := at-1, at+6
		if second < len(text) && text[second] != '.' {
			second++
		}
		if second >= len(text) || text[second] != '.' || first < 18 || second+shortestSigned >= len(text) {
			continue
		}
		from, to := first, second+1
		for from > 0 && first-from < 200 && tokenChar(text[from-1]) {
			from--
		}
		for to < len(text) && to-second <= longestSigned+1 && tokenChar(text[to]) {
			to++
		}
		m := dottedToken().FindStringSubmatch(text[from:to])
		if m != nil && !(to < len(text) && text[to] == '.' && to+1 < len(text) && tokenChar(text[to+1])) && (identity(m[1]) || mixedCase(m[1]) && generatedPart(m[3]) && (m[1][0] == 'e' || strings.IndexByte("MNO", m[1][0]) >= 0 && len(m[1]) <= 28)) {
			found = append(found, span{from: from, to: to})
		}
	}
}

// identity reports whether a part is a number, in base64: a bot's.
func identity(part string) bool {
	text, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(part, "="))
	return err == nil && strings.Trim(string(text), digits) == ""
}

func tokenChar(c byte) bool { return wordChar(c) || c == '-' }

// generatedPart reports whether a part is no name of code.
func generatedPart(s string) bool {
	return numbers(s) >= 1 && mixedLetterCase(s) && !identifier(s) && entropy(s) >= 3.5
}
