package redact

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// pattern is a kind of secret that its surroundings tell of.
type pattern struct {
	signs []string // lower-case; one of them is within each match: the expression is tried around them alone
	re    func() *regexp.Regexp
	is    func(value string) bool // whether what the first group with a match found is a secret
}

var nameSigns = []string{"passw", "passphrase", "secret", "token", "api_key", "apikey", "api-key", "private_key", "access_key", "pwd"}

// name is what secrets are called in code and settings, quote one that may be escaped, literal what stands in such quotes.
const (
	name    = `(?:password|passwd|passphrase|pwd|client_?secret|secret_?key|api[_-]?key|auth_?token|access_?token|refresh_?token|private_?key)`
	quote   = `\\{0,3}["'\x60]`
	literal = `\\{0,3}(?:"([^"'\x60\n\\]{6,200})\\{0,3}"|'([^"'\x60\n\\]{6,200})\\{0,3}'|\x60([^"'\x60\n\\]{6,200})\x60)`
)

var patterns = []pattern{
	// URLs, and what has parameters as they have
	{[]string{"://"}, compiled(`[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s/:@"'<>\x60]*:([^\s/"'<>\x60]{3,})@`), urlPassword},
	{[]string{"://"}, compiled(`(?:[a-gi-zA-GI-Z][a-z0-9+]{2,20})://[^\s/:@"'<>\x60]*:([^\s/:@"'<>\x60]*[^\s/:@"'<>\x600-9](?:/[^\s/@"'<>\x60]*){1,3})@[\w.\[]`), urlPassword},
	{[]string{"://"}, compiled(`://([A-Za-z0-9_.~+-]{20,})(?::[^\s/@"'<>]*)?@[A-Za-z0-9]`), tokenLike},
	{[]string{"token=", "key=", "auth=", "secret=", "password=", "passwd=", "pwd=", "sig=", "signature=", "credential="},
		compiled(`(?i)(?:[?&;]|\\u0026)(?:access_token|api_key|apikey|auth|auth_token|client_secret|key|secret|sig|signature|token|x-(?:amz|goog)-(?:signature|security-token))=([^&;\s"'\x60#<>\\]{8,})`), urlPassword},
	{[]string{"password=", "passwd=", "pwd="}, compiled(`(?i)(?:[?&;]|\\u0026)\s?(?:password|passwd|pwd)=([^&;\s"'\x60#<>\\/.][^&;\s"'\x60#<>\\]{3,})`), urlPassword},

	// What is given to names
	{nameSigns, compiled(`(?i)` + name + `(?:` + quote + `)?\]?\s{0,3}(?::=|=>|[:=])\s{0,3}` + literal), literalSecret},
	{nameSigns, compiled(`(?m)(?:^|[\s→])(?:export\s+)?(?:[A-Z][A-Z0-9_]*)?(?:PASSWORD|PASSWD|SECRET|TOKEN|API_KEY|PRIVATE_KEY|ACCESS_KEY)=([^\s"'\x60<>(){}]{6,})`), filled},
	// As people write them: without quotes, and so it must look like a secret itself.
	{nameSigns, compiled(`(?i)\b(?:password|passwd|passphrase|client_secret|secret|api[_-]?key|auth[_-]?token|access[_-]?token)\s{0,2}(?:=|:|\bis\b)\s{0,2}([^\s"'\x60<>(){}\[\],;.:/\\]{8,64})(?:[\s,;.]|$)`), mixedCase},
	{[]string{"password=", "passwd=", "pwd="}, compiled(`(?im)(?:^|[\s,"'\x60])(?:password|passwd|pwd)=([^\s"'\x60<>(){}\[\],;&/\\.][^\s"'\x60<>(){}\[\],;&\\]{3,})`), filled},
	{[]string{"password '", "password \"", "password n'", "password e'"}, compiled(`(?i)\bpassword\s[NE]?(?:'([^'\n]{3,80})'|"([^"\n]{3,80})")`), literalSecret},
	{[]string{"identified"}, compiled(`(?i)\bidentified\s+(?:with\s+\S{1,40}\s+(?:by|as)|by)\s+(?:password\s+)?'([^'\n]+)'`), given},
	{[]string{"identified by "}, compiled(`(?i)\bidentified\s+by\s+"([^"\n]+)"`), literalSecret},
	{[]string{"</"}, compiled(`(?i)<(?:[\w:.-]*(?:password|passwd|passphrase|secret|token|api-?key|private-?key))>([^<>\s][^<>\n]{2,200})</`), filled},
	{[]string{"client-key-data"}, compiled(`client-key-data(?:` + quote + `)?\s{0,3}:\s{0,3}(?:` + quote + `)?([A-Za-z0-9+/]{16,}=*)`), given},

	// Headers
	{[]string{"bearer "}, compiled(`(?i)\bbearer\s{1,3}([A-Za-z0-9._~+/-]{16,}=*)`), carried},
	{[]string{"basic "}, compiled(`(?i)\bbasic\s{1,3}([A-Za-z0-9+/_-]{4,}=*)`), basic},
	{[]string{"authorization"}, compiled(`(?i)authorization(?:` + quote + `)?\s{0,2}[:=,]\s{0,2}(?:` + quote + `)?(?:[ac-z][a-z]{1,11}\s{1,3})?([A-Za-z0-9._~+/:-]{12,}=*)`), carried},
	// From the first long value on: which of the others tell who someone is nobody knows.
	{[]string{"cookie"}, compiled(`(?i)cookie(?:` + quote + `)?\s{0,2}[:=,]\s{0,2}(?:` + quote + `)?(?:[^=;\s"'\\]+=[^;\s"'\\]{0,15};\s?){0,12}[^=;\s"'\\]+=([^;\s"'\\]{16,}(?:;\s?[^;\s"'\\]+)*)`), filled},

	// What tools are called with, and read
	{[]string{" --", "\t--", "\n--"}, compiled(`(?i)\s--(?:[a-z0-9]+-){0,3}(?:password|passwd|passphrase|pass|secret|api-?key)(?:=|\s{1,3})(?:\\{0,3}"([^"\n\\]{4,80})\\{0,3}"|\\{0,3}'([^'\n\\]{4,80})\\{0,3}'|([^\s"'\x60\\()<>-][^\s"'\x60\\()<>]{3,}))`), literalSecret},
	{[]string{"token"}, compiled(`(?i)\s--(?:[a-z0-9]+-){0,3}token(?:=|\s{1,3})(?:` + quote + `)?([^\s"'\x60\\()<>-][^\s"'\x60\\()<>]{7,})`), lettersToo},
	{[]string{"sshpass"}, compiled(`\bsshpass\s+-p\s{0,3}(?:\\{0,3}"([^"\n\\]+)|\\{0,3}'([^'\n\\]+)|([^\s"'\x60\\]+))`), given},
	{[]string{"mysql", "mariadb"}, compiled(`\b(?:mysql|mariadb)[\w-]{0,12}\s(?:[^\n|;&]{0,120}?\s)?-p(?:\\{0,3}"([^"\n\\]+)|\\{0,3}'([^'\n\\]+)|([^\s"'\x60\\|;&]{3,}))`), given},
	{[]string{"machine "}, compiled(`\bmachine\s+\S+\s+login\s+\S+\s+password\s+(\S{2,})`), urlPassword},
	{[]string{"login "}, compiled(`\blogin\s+\S+\s+password\s+(\S{4,})`), filled},
	{[]string{"$apr1$", "$1$", "$2a$", "$2b$", "$2y$", "$5$", "$6$", "$y$", "$argon2", "{sha}", "{ssha}"},
		compiled(`(\$(?:apr1|1)\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}|\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}|\$[56]\$(?:rounds=\d+\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43,86}|\$y\$[./A-Za-z0-9]+\$[./A-Za-z0-9]+\$[./A-Za-z0-9]{43}|\$argon2id?\$[\w=,$+/]{40,}|\{S?SHA\}[A-Za-z0-9+/]{27,}=*)`),
		func(string) bool { return true }},
}

func compiled(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// told finds what the patterns tell of. lower is the text in lower case.
func told(text, lower string) []span {
	var found []span
	for _, p := range patterns {
		found = append(found, p.find(text, lower)...)
	}
	return found
}

// find finds what the pattern's expression finds around its signs.
func (p pattern) find(text, lower string) []span {
	const back, on = 64, 320
	var places []span
	for _, sign := range p.signs {
		for at, covered := 0, 0; ; at += len(sign) {
			i := strings.Index(lower[at:], sign)
			if i < 0 {
				break
			}
			at += i
			if at+on <= covered { // lest a line of dashes take for ever
				continue
			}
			from := max(0, at-back)
			start := max(0, from-back+1)
			if space := strings.LastIndexAny(text[start:from], " \t\n"); space >= 0 {
				from = start + space
			}
			to := min(len(text), at+on)
			covered = to + len(word(text[to:]))
			places = append(places, span{from, covered})
		}
	}
	slices.SortFunc(places, func(a, b span) int { return a.from - b.from })
	var found []span
	for i := 0; i < len(places); {
		w := places[i]
		for i++; i < len(places) && places[i].from <= w.to; i++ {
			w.to = max(w.to, places[i].to)
		}
		for _, m := range p.re().FindAllStringSubmatchIndex(text[w.from:w.to], -1) {
			s := group(m, 1)
			if s = (span{s.from + w.from, s.to + w.from}); p.is(text[s.from:s.to]) {
				found = append(found, s)
			}
		}
	}
	return found
}
