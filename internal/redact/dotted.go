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
		s, ok := betweenDots(text, at-1)
		if !ok {
			continue
		}
		m := dottedToken().FindStringSubmatch(text[s.from:s.to])
		if m != nil && !continued(text[s.to:]) && (identity(m[1]) || signedToken(m[1], m[3])) {
			found = append(found, s)
		}
	}
}

// betweenDots is the place of what may be such a token, from its first dot.
func betweenDots(text string, first int) (span, bool) {
	// The second part has six or seven characters: most dots have none that far behind, and are
	// passed over.
	second := first + 7
	if second < len(text) && text[second] != '.' {
		second++
	}
	if second >= len(text) || text[second] != '.' || first < 18 || second+shortestSigned >= len(text) {
		return span{}, false
	}
	last := text[second+1 : min(len(text), second+2+longestSigned)]
	n := strings.IndexFunc(last, func(c rune) bool { return c >= 0x80 || !tokenChar(byte(c)) })
	if n < 0 {
		n = len(last)
	}
	return span{from: tokenStart(text, first), to: second + 1 + n}, true
}

func tokenStart(text string, at int) int {
	from := at
	for from > 0 && at-from < 200 && tokenChar(text[from-1]) {
		from--
	}
	return from
}

// continued reports whether a fourth part follows.
func continued(rest string) bool { return len(rest) > 1 && rest[0] == '.' && tokenChar(rest[1]) }

// signedToken reports whether the first part begins as that of a token, and the last one is a
// signature.
func signedToken(first, last string) bool {
	// A header of JSON begins with eyJ in base64, and digits, as those of a Discord bot's number,
	// with M, N or O.
	return mixedCase(first) && generatedPart(last) && (first[0] == 'e' || strings.IndexByte("MNO", first[0]) >= 0 && len(first) <= 28)
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
