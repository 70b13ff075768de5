package redact

import (
	"math"
	"strings"
)

// Bounds of what is taken for random: as long as keys are, and no data.
const (
	shortest = 32
	longest  = 160
	mostly   = 4.6 // bits a character; words and names of code have less
)

// random finds runs of characters that look like a key of whatever kind: letters of both cases and digits, mixed as nobody
// writes them. Hashes are hex or stand behind the name of their kind.
func random(text string) []span {
	var found []span
	for at := 0; at < len(text); {
		for at < len(text) && !keyChar(text[at]) {
			at++
		}
		end := at
		for end < len(text) && keyChar(text[end]) {
			end++
		}
		if i := strings.IndexByte(text[at:end], '-'); i > 0 && hash(text[:at+i+1]) {
			at = end // sha512-…
			continue
		}
		if n := end - at; n >= shortest && n <= longest && looksRandom(text[at:end]) && !hash(text[:at]) && !sequence(text[at:end]) && !public(text[:at]) {
			found = append(found, span{at, end})
		}
		at = end
	}
	return found
}

// identifier reports whether a text is a name as code has them, in camel case or with underscores: its letters and digits stand in
// groups.
func identifier(s string) bool {
	joined, upper, lower, changes, last := false, false, false, 0, 0
	for i := range len(s) {
		kind := 0
		switch c := s[i]; {
		case c >= 'A' && c <= 'Z':
			upper, kind = true, 1
		case c >= 'a' && c <= 'z':
			lower, kind = true, 2
		case c >= '0' && c <= '9':
			kind = 3
		case c == '_' || c == '.':
			joined = true
		default:
			return false
		}
		if kind != last {
			changes++
		}
		last = kind
	}
	return (joined || upper && lower) && s[0] > '9' && 3*changes < len(s)
}

// sequence reports whether a text is an alphabet.
func sequence(s string) bool {
	lower := strings.ToLower(s)
	return strings.Contains(lower, "0123456789") || strings.Contains(lower, "abcdefghij")
}

func keyChar(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '=' || c == '_' || c == '-'
}

func looksRandom(s string) bool {
	upper, lower, digits, changes := 0, 0, 0, 0
	last := 0
	for i := range len(s) {
		kind := 0
		switch c := s[i]; {
		case c >= 'A' && c <= 'Z':
			upper++
			kind = 1
		case c >= 'a' && c <= 'z':
			lower++
			kind = 2
		case c >= '0' && c <= '9':
			digits++
			kind = 3
		}
		if kind != last {
			changes++
		}
		last = kind
	}
	return upper >= 3 && lower >= 3 && digits >= 2 && 3*changes >= len(s) && strings.Count(s, "/") <= 3 && entropy(s) >= mostly
}

// public reports whether a text ends within a block of public data, as a certificate.
func public(before string) bool {
	const within = 64 << 10
	before = before[max(0, len(before)-within):]
	begin := strings.LastIndex(before, "-----BEGIN ")
	return begin >= 0 && !strings.Contains(before[begin:], "-----END ") && !privateBegin().MatchString(before[begin:])
}

// hash reports whether what stands before a run says that it is one.
func hash(before string) bool {
	before = strings.ToLower(before[max(0, len(before)-12):])
	for _, sign := range []string{"h1:", "sha1-", "sha256-", "sha384-", "sha512-", "sha256:", "sha512:"} {
		if strings.HasSuffix(before, sign) {
			return true
		}
	}
	return strings.Contains(before, "base64,")
}

// entropy is Shannon's, in bits a character.
func entropy(s string) float64 {
	var count [256]int
	for i := range len(s) {
		count[s[i]]++
	}
	sum := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}
