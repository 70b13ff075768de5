package redact

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"

	ahocorasick "github.com/BobuSumisu/aho-corasick"
	"github.com/pelletier/go-toml/v2"
)

// The rules are gitleaks' own file, byte for byte (MIT licence, see gitleaks.LICENSE), not its package: that one reads all of them at every
// start, and its dependencies cost each hook a millisecond. To bring it up to date, name a later version in update.sh and run go generate.
//
//go:generate sh update.sh
//go:embed gitleaks.toml
var gitleaksRules []byte

// rule is one of gitleaks' rules. Those that go by file names have no use here.
type rule struct {
	ID          string
	Regex       string
	SecretGroup int
	Entropy     float64
	Keywords    []string
	Allowlists  []allowlist

	compiled func() *regexp.Regexp
}

// allowlist says what of a rule's findings is no secret. What goes by paths or commits says nothing of a text.
type allowlist struct {
	Condition   string
	RegexTarget string
	Regexes     []string
	StopWords   []string
	Paths       []string
	Commits     []string

	compiled func() []*regexp.Regexp
}

// ruleset is all rules, and what finds the keywords without which none of a rule's secrets can be.
type ruleset struct {
	rules  []*rule
	allow  allowlist
	words  *ahocorasick.Trie
	byWord [][]int // rules, by the keyword's place
}

// gitleaks are its default rules, read when they are first asked for: a millisecond. Expressions are compiled one by one, when
// a keyword of theirs was seen.
var gitleaks = sync.OnceValue(func() *ruleset {
	var file struct {
		Allowlist allowlist
		Rules     []*rule
	}
	if err := toml.Unmarshal(gitleaksRules, &file); err != nil {
		panic("gitleaks' rules: " + err.Error()) // they are part of this program, and a test reads them
	}
	set := &ruleset{allow: file.Allowlist}
	set.allow.prepare()
	var words []string
	at := map[string]int{}
	for _, r := range file.Rules {
		if r.Regex == "" || len(r.Keywords) == 0 {
			continue
		}
		r.compiled = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(r.Regex) })
		for i := range r.Allowlists {
			r.Allowlists[i].prepare()
		}
		for _, word := range r.Keywords {
			word = strings.ToLower(word)
			if _, ok := at[word]; !ok {
				at[word] = len(words)
				words = append(words, word)
				set.byWord = append(set.byWord, nil)
			}
			set.byWord[at[word]] = append(set.byWord[at[word]], len(set.rules))
		}
		set.rules = append(set.rules, r)
	}
	set.words = ahocorasick.NewTrieBuilder().AddStrings(words).Build()
	return set
})

func (a *allowlist) prepare() {
	a.compiled = sync.OnceValue(func() []*regexp.Regexp {
		var all []*regexp.Regexp
		for _, text := range a.Regexes {
			all = append(all, regexp.MustCompile(text))
		}
		return all
	})
}

// allows reports whether the list says that a finding is no secret.
func (a *allowlist) allows(secret, match, line string) bool {
	target := secret
	switch a.RegexTarget {
	case "match":
		target = match
	case "line":
		target = line
	}
	byRegex := slices.ContainsFunc(a.compiled(), func(re *regexp.Regexp) bool { return re.MatchString(target) })
	byWord := slices.ContainsFunc(a.StopWords, func(word string) bool { return strings.Contains(strings.ToLower(secret), strings.ToLower(word)) })
	if a.Condition == "AND" || a.Condition == "&&" {
		return len(a.Paths)+len(a.Commits) == 0 && (len(a.Regexes) == 0 || byRegex) && (len(a.StopWords) == 0 || byWord)
	}
	return byRegex || byWord
}

// Warm reads the rules in the background, before they are needed.
func Warm() { go gitleaks() }

// generic is the rule that looks for names like token and api beside something random. Its keywords are in most lines of code, so
// what surrounds one is looked at first.
const generic = "generic-api-key"

// before and after are how many bytes around a keyword an expression is tried on; a window then ends at the next white space or
// quote, lest a secret be cut.
const (
	before        = 96
	after         = 2048
	afterGeneric  = 256
	afterKeyBlock = 64 << 10
)

// known finds what gitleaks' rules find. lower is the text in lower case.
func known(text, lower string) []span {
	set := gitleaks()
	windows := map[int][]span{}
	for _, hit := range set.words.MatchString(lower) {
		from := int(hit.Pos())
		to := from + len(hit.Match())
		for _, i := range set.byWord[hit.Pattern()] {
			w := span{max(0, from-before), min(len(text), to+after)}
			switch r := set.rules[i]; {
			case r.ID == generic && !assigns(text[to:]):
				continue
			case r.ID == generic:
				w.to = min(len(text), to+afterGeneric)
			case r.ID == "private-key":
				w.to = min(len(text), to+afterKeyBlock)
			}
			w.to += len(word(text[w.to:]))
			if last := len(windows[i]) - 1; last >= 0 && windows[i][last].to >= w.from {
				windows[i][last].to = max(windows[i][last].to, w.to)
			} else {
				windows[i] = append(windows[i], w)
			}
		}
	}
	var found []span
	for i, at := range windows {
		for _, w := range at {
			found = append(found, set.rules[i].find(text[w.from:w.to], w.from, set.allow)...)
		}
	}
	return found
}

// find finds a rule's secrets in a part of a text.
func (r *rule) find(part string, offset int, global allowlist) []span {
	var found []span
	for _, m := range r.compiled().FindAllStringSubmatchIndex(part, -1) {
		s := unquoted(part, group(m, max(1, r.SecretGroup)))
		secret, match := part[s.from:s.to], part[m[0]:m[1]]
		line := lineOf(part, m[0], m[1])
		no := func(a allowlist) bool { return a.allows(secret, match, line) }
		switch {
		case r.Entropy > 0 && entropy(secret) <= r.Entropy:
		case r.ID == generic && (!strings.ContainsAny(secret, "0123456789") || identifier(secret) || sequence(secret)):
		case example(secret), no(global), slices.ContainsFunc(r.Allowlists, no):
		default:
			found = append(found, span{s.from + offset, s.to + offset})
		}
	}
	return found
}

// unquoted is a place without the quotes around it, which some rules take along.
func unquoted(text string, s span) span {
	if s.to-s.from > 2 && strings.IndexByte("\"'`", text[s.from]) >= 0 && text[s.to-1] == text[s.from] {
		return span{s.from + 1, s.to - 1}
	}
	return s
}

func lineOf(text string, from, to int) string {
	if i := strings.LastIndexByte(text[:from], '\n'); i >= 0 {
		from = i + 1
	} else {
		from = 0
	}
	if i := strings.IndexByte(text[to:], '\n'); i >= 0 {
		return text[from : to+i]
	}
	return text[from:]
}

// assigns reports whether what follows a name may be given to it: an operator soon, and something long with a digit in it.
func assigns(rest string) bool {
	const near, far = 28, 48
	op := strings.IndexAny(rest[:min(near, len(rest))], "=:>|,")
	if op < 0 {
		return false
	}
	rest = rest[op:min(len(rest), op+far+16)]
	run, digits := 0, 0
	for i := range len(rest) {
		c := rest[i]
		switch {
		case c >= '0' && c <= '9':
			digits++
			run++
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', strings.IndexByte("_.-+/=", c) >= 0:
			run++
		default:
			run, digits = 0, 0
		}
		if run >= 10 {
			return true
		}
	}
	return false
}

// word is the text up to the next white space or quote, within reason.
func word(text string) string {
	const longest = 16 << 10
	text = text[:min(longest, len(text))]
	if i := strings.IndexAny(text, " \t\r\n\"'`"); i >= 0 {
		return text[:i]
	}
	return text
}

// asciiLower leaves every byte in its place.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
