package redact

import (
	"math"
	"slices"
	"strings"
)

// Bounds of what is taken for random: as long as keys are, and no data.
const (
	shortest = 24 // of those with a prefix; of others
	unmarked = 32
	longest  = 160
	mostly   = 4.6 // bits a character; words and names of code have less
)

// random finds runs of characters that look like a key of whatever kind: letters of both cases and
// digits, mixed as nobody writes them. Hashes are hex or stand behind the name of their kind.
func random(text string) []span {
	var found []span
	blocks := &publicBlocks{}
	for at := 0; at < len(text); {
		// A run of shortest characters has the one here, so most of the text need not be looked at.
		probe := at + shortest - 1
		if probe >= len(text) {
			break
		}
		if !keyChar(text[probe]) {
			at = probe + 1
			continue
		}
		var end int
		at, end = runAround(text, at, probe)
		if n := end - at; n >= shortest && n <= longest && likeKey(text[at:end]) && !public(text, at, end) && !blocks.within(text, at) {
			found = append(found, span{from: at, to: end, random: true})
		}
		at = end
	}
	return found
}

// runAround is the run that a character of it is in; it begins no earlier than low.
func runAround(text string, low, at int) (from, to int) {
	for to = at; to < len(text) && keyChar(text[to]); {
		to++
	}
	for from = at; from > low && keyChar(text[from-1]); {
		from--
	}
	if (text[from] == '+' || text[from] == '-') && (from == 0 || text[from-1] == '\n') {
		from++ // a diff's sign
	}
	return from, to
}

// likeKey reports whether a run looks like a key by itself.
func likeKey(run string) bool {
	return (len(run) >= unmarked && looksRandom(run) || prefixed(run)) && !sequence(run) && !publicKey(run)
}

// public reports whether a run is no secret because of where it stands: behind the name of a kind
// of hash, in a URL, among the lines of a file.
func public(text string, at, end int) bool {
	i := strings.IndexByte(text[at:end], '-') // sha512-…
	return i > 0 && hash(text[:at+i+1]) || hash(text[:at]) || inURL(text[max(0, at-200):at]) || wrapped(text, at, end)
}

var (
	// What services put before their tokens: a few letters, a word for the kind or the place
	// perhaps, and what is random.
	prefixForm = compiled(`^([a-z]{2,10}\d?)[_-](?:[a-z]{2,8}\d?[_-]){0,2}([A-Za-z0-9]{18,120})$`)
	// What they put before names of records, and of keys that are public.
	namePrefix = compiled(`^(?:toolu|msg|call|fco?|req|run|thread|asst|resp|item|rs|chatcmpl|cmpl|cus|acct|evt|pi|sub|price|prod|pm|ch|txn|org|user|usr|proj|prj|sess|session|file|batch|step|conv|agent|task|job|inv|in|ws|pub|pk|cs|seti|si|card|ba|src|dpl|team|vs|ft|ftjob|gen|rec|app|tbl|fld|viw|id|uuid|sha|md|hash|trace|span|event|node|commit|ref|img|image|sg|vpc|subnet|ami|vol|eni|rtb|igw|snap|arn|x|v)\d*$`)
)

// prefixed reports whether a run is a token with a service's prefix.
func prefixed(run string) bool {
	// Quick: most runs have no prefix.
	if sep := strings.IndexAny(run[:min(len(run), 12)], "_-"); sep < 2 || !small(run[0]) {
		return false
	}
	m := prefixForm().FindStringSubmatch(run)
	return m != nil && !namePrefix().MatchString(m[1]) && numbers(m[2]) >= 2 && mixedCase(m[2]) && gibberish(m[2]) && !identifier(m[2]) && entropy(m[2]) >= 3.5
}

// identifier reports whether a text is a name as code has them, in camel case or with underscores:
// its letters and digits stand in groups.
func identifier(s string) bool {
	n, changes := countKinds(s)
	if n[kindSign] != strings.Count(s, "_")+strings.Count(s, ".") {
		return false
	}
	return (n[kindSign] > 0 || n[kindUpper] > 0 && n[kindLower] > 0) && s[0] > '9' && 3*changes < len(s)
}

// The kinds of characters.
const (
	kindSign = iota
	kindUpper
	kindLower
	kindDigit
	kindCount
)

var kindOf = func() (kind [256]uint8) {
	for c := range kind {
		switch {
		case capital(byte(c)):
			kind[c] = kindUpper
		case small(byte(c)):
			kind[c] = kindLower
		case c >= '0' && c <= '9':
			kind[c] = kindDigit
		}
	}
	return kind
}()

// countKinds counts the characters of each kind, and how often another kind follows.
func countKinds(s string) (n [kindCount]int, changes int) {
	var last uint8
	for i := range len(s) {
		kind := kindOf[s[i]]
		n[kind]++
		if kind != last {
			changes++
		}
		last = kind
	}
	return n, changes
}

// sequence reports whether a text is an alphabet.
func sequence(s string) bool {
	lower := strings.ToLower(s)
	return strings.Contains(lower, "0123456789") || strings.Contains(lower, "abcdefghij")
}

func keyChar(c byte) bool {
	return wordChar(c) || c == '+' || c == '/' || c == '=' || c == '-'
}

func looksRandom(s string) bool {
	n, changes := countKinds(s)
	return n[kindUpper] >= 3 && n[kindLower] >= 3 && n[kindDigit] >= 2 && 3*changes >= len(s) && strings.Count(s, "/") <= 3 && entropy(s) >= mostly
}

// publicBlocks are blocks of public data in a text, as certificates, looked for once.
type publicBlocks struct {
	seen  bool
	spans []span
}

func (b *publicBlocks) within(text string, at int) bool {
	if !b.seen {
		b.seen = true
		const begin, longestBlock = "-----BEGIN ", 64 << 10
		for i := 0; ; {
			n := strings.Index(text[i:], begin)
			if n < 0 {
				break
			}
			from := i + n
			i = from + len(begin)
			// A private key's block is none of what is public.
			if m := privateBegin().FindStringIndex(text[from:min(len(text), from+160)]); m != nil && m[0] == 0 {
				continue
			}
			to := min(len(text), from+longestBlock)
			if n := strings.Index(text[i:to], "-----END "); n >= 0 {
				to = i + n
			}
			b.spans = append(b.spans, span{from: from, to: to})
			i = max(i, to)
		}
	}
	n, _ := slices.BinarySearchFunc(b.spans, at, func(s span, at int) int { return s.to - at })
	return n < len(b.spans) && b.spans[n].from <= at
}

// publicKey reports whether a run is the public half of a key, as ssh writes it.
func publicKey(run string) bool {
	return strings.HasPrefix(run, "AAAA") && (strings.HasPrefix(run[4:], "B3NzaC1") || strings.HasPrefix(run[4:], "C3NzaC1") || strings.HasPrefix(run[4:], "E2VjZHNh") ||
		strings.HasPrefix(run[4:], "GnNrLXNz") || strings.HasPrefix(run[4:], "InNrLWVj"))
}

// inURL reports whether a text ends within a URL's path.
func inURL(before string) bool {
	i := strings.LastIndex(before, "://")
	return i >= 0 && !strings.ContainsAny(before[i:], " \t\n\"'`<>?#@=&,;)")
}

// shortestLine is the length from which on lines may be those of a file in base64.
const shortestLine = 40

// wrapped reports whether a run is a line of many that are alike: a file in base64, whose lines are
// of the same length but for the last one.
func wrapped(text string, from, to int) bool {
	if to-from < shortestLine {
		return false
	}
	const longestPrefix = 300
	start, end := lineStart(text, from, longestPrefix), lineEnd(text, to, longestPrefix)
	before, ok := lineBefore(text, start)
	if ok && base64Line(before, to-from, false) {
		return true
	}
	after, ok := lineAfter(text, end)
	return ok && base64Line(after, to-from, true)
}

func lineBefore(text string, start int) (string, bool) {
	if start == 0 || text[start-1] != '\n' {
		return "", false
	}
	return text[lineStart(text, start-1, 499) : start-1], true
}

func lineAfter(text string, end int) (string, bool) {
	if end >= len(text) || text[end] != '\n' {
		return "", false
	}
	return text[end+1 : lineEnd(text, end+1, 499)], true
}

// base64Line reports whether a line ends in a run of base64 that is as long as another one; the
// last line of a file may be shorter.
func base64Line(line string, size int, last bool) bool {
	line = strings.TrimRight(line, "\r \"',\\+;`|$n")
	n := 0
	for n < len(line) && keyChar(line[len(line)-1-n]) {
		n++
	}
	if n > size { // what stands before a line may look alike
		n = size
	}
	const shortestWrap = 56 // of lines that only a shorter one follows
	return n == size || last && size >= shortestWrap && n >= 4 && n < size && len(line)-n < 60
}

// hash reports whether what stands before a run says that it is one.
func hash(before string) bool {
	before = strings.ToLower(before[max(0, len(before)-12):])
	return hasSuffix(before, "h1:", "sha1-", "sha256-", "sha384-", "sha512-", "sha256:", "sha512:") || strings.Contains(before, "base64,")
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
