package redact

import (
	_ "embed"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

// The rules are gitleaks' own file, byte for byte (MIT licence, see gitleaks.LICENSE), not its
// package: that one reads all of them at every start, and its dependencies cost each hook a
// millisecond. To bring it up to date, name a later version in update.sh and run go generate.
//
//go:generate sh update.sh
//go:embed gitleaks.toml
var gitleaksRules []byte

// rule is one of gitleaks' rules. Those that go by file names have no use here.
type rule struct {
	ID          string
	Regex       string
	Path        string // of the files that it is meant for
	SecretGroup int
	Entropy     float64
	Keywords    []string
	Allowlists  []allowlist
	Start       bool // of ours: its secrets begin with a keyword

	compiled func() *regexp.Regexp
	assigned bool // its secrets are given to a name
	starts   bool // its secrets begin with a keyword
	longest  int  // bytes of those; 0 if there is no bound
	boundary bool // and no letter or digit stands before it
}

// allowlist says what of a rule's findings is no secret. What goes by paths or commits says nothing
// of a text.
type allowlist struct {
	Condition   string
	RegexTarget string
	Regexes     []string
	StopWords   []string
	Paths       []string
	Commits     []string

	compiled func() []*regexp.Regexp
}

// Rules of our own, for what gitleaks has none for, in the form that its file has.
//
//go:embed rules.toml
var ownRules []byte

// ruleset is all rules, and what finds the words without which none of a rule's secrets can be.
type ruleset struct {
	rules    []*rule
	patterns []pattern
	allow    allowlist
	words    *words
	uses     []uses // by the word
}

// uses are what a word is a sign of.
type uses struct {
	rules    []int
	patterns []int
	stem     bool // of a name
}

// rules are read when they are first asked for: two milliseconds. Expressions are compiled one by
// one, when a word of theirs was seen.
var rules = sync.OnceValue(func() *ruleset {
	set := &ruleset{}
	var list []string
	at := map[string]int{}
	use := func(word string) *uses {
		word = strings.ToLower(word)
		if _, ok := at[word]; !ok {
			at[word] = len(list)
			list = append(list, word)
			set.uses = append(set.uses, uses{})
		}
		return &set.uses[at[word]]
	}
	for _, text := range [][]byte{gitleaksRules, ownRules} {
		var file struct {
			Allowlist allowlist
			Rules     []*rule
		}
		if err := toml.Unmarshal(text, &file); err != nil {
			panic("redaction rules: " + err.Error()) // they are part of this program, and a test reads them
		}
		if file.Allowlist.Regexes != nil {
			set.allow = file.Allowlist
			set.allow.prepare()
		}
		for _, r := range file.Rules {
			// A rule for names of files; or one without words that tell where to try it, which
			// would be tried everywhere.
			if r.Regex == "" || len(r.Keywords) == 0 {
				continue
			}
			r.prepare()
			for _, word := range r.Keywords {
				u := use(word)
				u.rules = append(u.rules, len(set.rules))
			}
			set.rules = append(set.rules, r)
		}
	}
	set.patterns = patterns()
	for i, p := range set.patterns {
		for _, word := range p.signs {
			u := use(word)
			u.patterns = append(u.patterns, i)
		}
	}
	for _, word := range nameStems {
		use(word).stem = true
	}
	set.words = newWords(list)
	return set
})

// What gitleaks' expressions have between a name and its value, and behind a value, is what code
// has there. A transcript has more: other quotes, escaped ones, tables, prose, XML.
const (
	codeOperator = `[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}`
	anyOperator  = "[\\s'\"`\\\\\\])*]{0,8}(?:=|>|:{1,3}=|\\|\\||:|=>|\\?=|,|[|│]|\\sis\\s|\\sto\\s|\\(|[,\\s+-]{0,40}[\"'\\\\]{0,4}(?:[Vv]alue|default)[\"'\\\\]{0,4}\\s?[:=])[\\x60'\"\\s=\\\\(*]{0,8}"
	codeEnd      = `(?:[\x60'"\s;]|\\[nr]|$)`
	anyEnd       = "(?:[\\x60'\"\\s;,.:!)\\]}<>&|\\\\*#@/?]|$)"
)

func (r *rule) prepare() {
	r.assigned = strings.Contains(r.Regex, codeOperator)
	bare, bounded := strings.CutPrefix(strings.TrimPrefix(r.Regex, "(?i)"), `\b`)
	bare = strings.TrimLeft(bare, "(?:")
	r.boundary = bounded
	// A private key is longer than other secrets: see search.rule.
	r.starts = r.ID != "private-key" && (r.Start || r.ID == "vault-service-token" || !slices.ContainsFunc(r.Keywords, func(word string) bool {
		return !strings.HasPrefix(strings.ToLower(bare), strings.ToLower(regexp.QuoteMeta(word)))
	}))
	r.compiled = sync.OnceValue(func() *regexp.Regexp {
		text := strings.Replace(r.Regex, codeOperator, anyOperator, 1)
		if before, ok := strings.CutSuffix(text, codeEnd); ok {
			text = before + anyEnd
		}
		if r.starts {
			// Tried at its keyword alone, and no further on.
			text = "^(?:" + text + ")"
			if tree, err := syntax.Parse(text, syntax.Perl); err == nil {
				r.longest, _ = longestMatch(tree)
			}
		}
		return regexp.MustCompile(text)
	})
	for i := range r.Allowlists {
		r.Allowlists[i].prepare()
	}
}

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
		// All conditions of such a list must hold: a path or a commit never does here.
		return len(a.Paths)+len(a.Commits) == 0 && (len(a.Regexes) == 0 || byRegex) && (len(a.StopWords) == 0 || byWord)
	}
	return byRegex || byWord
}

// Warm reads the rules in the background, before they are needed.
func Warm() { go rules() }

// generic is the rule that looks for names like token and api beside something random. Its keywords
// are in most lines of code, so what surrounds one is looked at first.
const generic = "generic-api-key"

// curlUser is the rule whose secrets are a user and a password.
const curlUser = "curl-auth-user"

// find finds a rule's secrets in a part of a text.
func (r *rule) find(part string, offset int, global allowlist) []span {
	var found []span
	for _, m := range r.compiled().FindAllStringSubmatchIndex(part, -1) {
		s := unquoted(part, group(m, max(1, r.SecretGroup)))
		secret, match := part[s.from:s.to], part[m[0]:m[1]]
		line := lineOf(part, m[0], m[1])
		no := func(a allowlist) bool { return a.allows(secret, match, line) }
		switch {
		case r.refuses(secret), example(secret), no(global), slices.ContainsFunc(r.Allowlists, no):
		default:
			found = append(found, span{from: s.from + offset, to: s.to + offset, rule: r.ID})
		}
	}
	return found
}

// refuses reports whether what the rule's expression finds is too plain for a secret.
func (r *rule) refuses(secret string) bool {
	switch {
	case r.Entropy > 0 && entropy(secret) <= r.Entropy, r.Path != "" && !filled(secret):
		return true
	case r.ID == generic:
		return !strings.ContainsAny(secret, digits) || identifier(secret) || sequence(secret) || wordlike(secret)
	}
	return r.ID == curlUser && placeholder(secret[strings.IndexByte(secret, ':')+1:])
}

// unquoted is a place without the quotes around it, which some rules take along.
func unquoted(text string, s span) span {
	if s.to-s.from > 2 && strings.IndexByte("\"'`", text[s.from]) >= 0 && text[s.to-1] == text[s.from] {
		return span{from: s.from + 1, to: s.to - 1}
	}
	return s
}

func lineOf(text string, from, to int) string {
	return text[lineStart(text, from, from):lineEnd(text, to, len(text))]
}

// assigns reports whether what follows a name may be given to it: an operator soon, and something
// long with a digit in it.
func assigns(rest string, digit bool) bool {
	const near, far = 28, 48
	head := rest[:min(near, len(rest))]
	op := strings.IndexAny(head, "=:>|,(\"")
	for _, word := range []string{" is ", " to "} {
		if op < 0 {
			op = strings.Index(head, word)
		}
	}
	return op >= 0 && longRun(rest[op:min(len(rest), op+far+16)], digit)
}

// longRun reports whether a text has many characters of a secret in a row, with a digit among them
// if there is to be one.
func longRun(rest string, digit bool) bool {
	run, digits := 0, 0
	for i := range len(rest) {
		c := rest[i]
		switch {
		case c >= '0' && c <= '9':
			digits++
			run++
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', strings.IndexByte("_.-+/=:", c) >= 0:
			run++
		default:
			run, digits = 0, 0
		}
		if run >= 10 && (digits > 0 || !digit) {
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
		b[i] = lowered(c)
	}
	return string(b)
}
