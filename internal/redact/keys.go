package redact

import "strings"

// longestKey is how many bytes behind the words that begin it a private key is looked for.
const longestKey = afterKeyBlock

var (
	privateBegin = compiled(`-----BEGIN[ A-Z0-9_-]{0,100}(?:PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----`)
	// Between lines of a key: newlines, also as code has them, what tools put before a line (its
	// number, a diff's sign), quotes.
	betweenKeyLines = compiled(`^(?:\s|\\{1,3}[nrt]|\\$|["'+>|,\\]|\d{1,6}(?:→|\t|: ?|- ?|\| ?)|(?:Proc-Type|DEK-Info|Version|Comment): [^\n\\]{0,80})*`)
	keyLine         = compiled(`^[A-Za-z0-9+/]+={0,2}`)
)

// truncated finds private keys as far as they go, without the words that end one: one secret from
// those that begin it on. A whole one comes out the same, so nothing that was redacted changes with
// what comes after it. Where no line of a key follows there is none.
func truncated(text string) []span {
	const begin = "-----BEGIN"
	var found []span
	for at := 0; ; {
		i := strings.Index(text[at:], begin)
		if i < 0 {
			return found
		}
		at += i
		// Looked for around its first word alone: the expression is slow on a whole text.
		m := privateBegin().FindStringIndex(text[at:min(len(text), at+160)])
		if m == nil || m[0] != 0 {
			at += len(begin)
			continue
		}
		s := span{from: at, to: at + m[1]}
		at = s.to
		if s.to = keyEnd(text, at); s.to > at {
			found = append(found, s)
			at = s.to
		}
	}
}

// keyEnd is where the lines of a key end that follow the words that begin it.
func keyEnd(text string, at int) int {
	const line = 16
	begun := at
	for end := min(len(text), at+longestKey); at < end; {
		gap := len(betweenKeyLines().FindString(text[at:end]))
		n := len(keyLine().FindString(text[at+gap : end]))
		// Lines of a key are long, but for the last one.
		if gap == 0 || n == 0 || n < line && (at == begun || !lastOfKey(text[at+gap:], n)) {
			break
		}
		at += gap + n
	}
	return at
}

// lastOfKey reports whether a short run of a key's characters may be its last line: it stands
// alone, and is no word.
func lastOfKey(rest string, n int) bool {
	alone := n == len(rest) || strings.IndexByte("\r\n\"'\\", rest[n]) >= 0
	return alone && (strings.ContainsAny(rest[:n], digits+"+/=") || strings.ToLower(rest[1:n]) != rest[1:n])
}
