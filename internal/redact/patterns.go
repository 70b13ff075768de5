package redact

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
)

var (
	inURL   = compiled(`[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s/:@"'<>]*:([^\s/@"'<>]{3,})@`)
	inQuery = compiled(`(?i)[?&](?:access_token|api_key|apikey|auth|auth_token|client_secret|key|password|secret|sig|signature|token)=([^&\s"'#<>\\]{8,})`)
	quoted  = compiled("(?i)(?:password|passwd|passphrase|client_secret|secret_key|api_?key|auth_token|access_token|private_key)[\"']?\\s{0,3}(?::=|[:=])\\s{0,3}[\"'`]([^\"'`\\s]{6,})[\"'`]")
	// As people write them: without quotes, and so it must look like a secret itself.
	said    = compiled(`(?i)\b(?:password|passwd|passphrase|client_secret|secret|api[_-]?key|auth[_-]?token|access[_-]?token)\s{0,2}(?:=|:|\bis\b)\s{0,2}([^\s"'\x60<>(){}\[\],;.:/\\]{8,64})(?:[\s,;.]|$)`)
	carried = compiled(`(?i)\bbearer\s{1,3}([A-Za-z0-9._~+/-]{16,}=*)`)
	bare    = compiled(`(?m)(?:^|\s)(?:export\s+)?[A-Z][A-Z0-9_]*(?:PASSWORD|PASSWD|SECRET|TOKEN|API_KEY|PRIVATE_KEY|ACCESS_KEY)=([^\s"'$<>(){}]{6,})`)
)

func compiled(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// Signs without which none of the patterns can match, lower-case: expressions are tried around them alone.
var (
	urlSigns    = []string{"://"}
	querySigns  = []string{"token=", "key=", "auth=", "secret=", "password=", "sig=", "signature="}
	bearerSigns = []string{"bearer "}
	nameSigns   = []string{"passw", "passphrase", "secret", "token", "api_key", "apikey", "private_key", "access_key"}
)

// credentials finds passwords and tokens in URLs.
func credentials(text string) []span {
	lower := asciiLower(text)
	found := near(text, lower, urlSigns, inURL)
	return append(found, near(text, lower, querySigns, inQuery)...)
}

// assigned finds literals that are given to names like password. A literal of letters alone is more likely a word.
func assigned(text string) []span {
	lower := asciiLower(text)
	found := near(text, lower, nameSigns, quoted)
	found = append(found, near(text, lower, nameSigns, bare)...)
	for _, s := range append(near(text, lower, nameSigns, said), near(text, lower, bearerSigns, carried)...) {
		if mixedCase(text[s.from:s.to]) {
			found = append(found, s)
		}
	}
	return found
}

// mixedCase reports whether a value has letters of both cases and digits in it, as few words and names have.
func mixedCase(value string) bool {
	return strings.ContainsAny(value, "0123456789") && strings.ToLower(value) != value && strings.ToUpper(value) != value
}

// near finds what an expression finds around signs, placeholders left out.
func near(text, lower string, signs []string, re func() *regexp.Regexp) []span {
	const back, on = 64, 320
	var places []span
	for _, sign := range signs {
		for at := 0; ; {
			i := strings.Index(lower[at:], sign)
			if i < 0 {
				break
			}
			at += i
			from := max(0, at-back)
			if space := strings.LastIndexAny(text[:from], " \t\n"); space >= 0 && from-space < back {
				from = space
			}
			to := min(len(text), at+on)
			places = append(places, span{from, to + len(word(text[to:]))})
			at += len(sign)
		}
	}
	slices.SortFunc(places, func(a, b span) int { return a.from - b.from })
	var found []span
	for i := 0; i < len(places); {
		w := places[i]
		for i++; i < len(places) && places[i].from <= w.to; i++ {
			w.to = max(w.to, places[i].to)
		}
		for _, m := range re().FindAllStringSubmatchIndex(text[w.from:w.to], -1) {
			s := group(m, 1)
			if s = (span{s.from + w.from, s.to + w.from}); !placeholder(text[s.from:s.to]) {
				found = append(found, s)
			}
		}
	}
	return found
}

// placeholder reports whether a value is what examples and code have in the place of a secret.
func placeholder(value string) bool {
	lower := strings.ToLower(value)
	for _, sign := range []string{"$", "<", "{", "%", "your", "...", "process.env", "os.environ", "getenv"} {
		if strings.Contains(lower, sign) {
			return true
		}
	}
	return example(lower) || !strings.ContainsAny(value, "0123456789!#&*+^~@")
}

// example reports whether a value says itself that it is none.
func example(value string) bool {
	lower := strings.ToLower(value)
	for _, sign := range []string{"example", "changeme", "placeholder", "xxxx", "****", "redacted"} {
		if strings.Contains(lower, sign) {
			return true
		}
	}
	return false
}

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

// public reports whether a text ends within a block of public data, as a certificate. Private keys have a rule of their own.
func public(before string) bool {
	const within = 64 << 10
	before = before[max(0, len(before)-within):]
	begin := strings.LastIndex(before, "-----BEGIN ")
	return begin >= 0 && !strings.Contains(before[begin:], "-----END ")
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
