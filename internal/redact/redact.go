// Package redact takes secrets out of texts before anything of them is stored.
package redact

// The rule: a text is redacted record by record, each by itself, so that what was redacted once
// never comes out otherwise when more is appended.

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Mark stands in the place of a secret.
const Mark = "REDACTED"

// Rule is a rule of the user's own: what the regular expression finds, or its first group if it has
// one, is a secret.
type Rule struct {
	ID    string `json:"id"`
	Regex string `json:"regex"`
}

// Options are what a user can choose.
type Options struct {
	Rules []Rule   `json:"rules,omitempty"` // for further secrets; empty: none
	Allow []string `json:"allow,omitempty"` // regular expressions; a secret that one of them matches whole is none; empty: each is
	// Optional names rules that not everybody wants, see optionalRules; empty: none.
	Optional []string `json:"optional,omitempty"`
	// Others says that the rules are of a file that others can commit: their time is limited.
	Others bool `json:"-"`
}

// Redactor redacts. It loads its rules when it first needs them; nil is one without any of the
// user's.
type Redactor struct {
	own         []*regexp.Regexp
	ids         []string // of those
	allow       []*regexp.Regexp
	optional    []optionalRule
	purged      []Purged
	purgedRegex []*regexp.Regexp
	clock       *clock       // of others' rules; nil: there is no limit
	found       func([]span) // gets what writeLong finds; nil: nobody wants it
}

// Check checks the user's expressions without compiling them, which takes longer.
func Check(o Options) error {
	for _, rule := range o.Rules {
		if rule.Regex == "" {
			return fmt.Errorf("redaction rule %q has no \"regex\"", rule.ID)
		}
		if _, err := syntax.Parse(rule.Regex, syntax.Perl); err != nil {
			return fmt.Errorf("redaction rule %q: %w\nhint: https://golang.org/s/re2syntax", rule.ID, err)
		}
	}
	for _, name := range o.Optional {
		if _, ok := optionalRules()[name]; !ok {
			return fmt.Errorf("there is no optional redaction rule %q\nhint: there are %s", name,
				strings.Join(slices.Sorted(maps.Keys(optionalRules())), ", "))
		}
	}
	for _, text := range o.Allow {
		if _, err := syntax.Parse(whole(text), syntax.Perl); err != nil {
			return fmt.Errorf("redaction allow list: %w\nhint: https://golang.org/s/re2syntax", err)
		}
	}
	return nil
}

// whole is an expression that matches a text from its beginning to its end.
func whole(expression string) string { return `\A(?:` + expression + `)\z` }

// New compiles the user's expressions, after it checked them.
func New(o Options) (*Redactor, error) {
	if err := Check(o); err != nil {
		return nil, err
	}
	r := &Redactor{}
	for _, rule := range o.Rules {
		re, err := regexp.Compile(rule.Regex)
		if err != nil {
			return nil, err
		}
		r.own, r.ids = append(r.own, re), append(r.ids, cmp.Or(rule.ID, "rule"))
	}
	if o.Others {
		r.clock = &clock{spent: make([]atomic.Int64, len(r.own))}
	}
	for _, name := range o.Optional {
		r.optional = append(r.optional, optionalRules()[name])
	}
	for _, text := range o.Allow {
		re, err := regexp.Compile(whole(text))
		if err != nil {
			return nil, err
		}
		r.allow = append(r.allow, re)
	}
	return r, nil
}

// Text redacts a text. One without a secret comes back as it is.
func (r *Redactor) Text(text string) string {
	if r == nil {
		r = &Redactor{}
	}
	return repeatedly(text, r.inText)
}

func (r *Redactor) inText(text string, left *effort) []span { return r.within("", text, left, 0) }

// repeatedly redacts what is found in a text, and what is found then.
func repeatedly(text string, find func(string, *effort) []span) string {
	for range rounds {
		left := budget(len(text))
		next := replace(text, find(text, &left))
		if next == text {
			break
		}
		text = next
	}
	return text
}

// rounds is how often a text is looked at again after something was found in it: what stands beside
// the marks then may look otherwise. So a text that was redacted comes out the same when it is
// redacted again.
const rounds = 4

// span is a secret's place in a text, in bytes.
type span struct {
	from, to int
	mark     string // what takes its place; Mark, if empty
	random   bool   // nothing but its own look tells of it
	rule     string // that found it
}

// secrets finds all secrets of a text as it stands there; they may overlap.
func (r *Redactor) secrets(text string) []span {
	return r.kept(text, slices.Concat(ofRule("assigned", known(text)), ofRule("private-key", truncated(text)), ofRule("random", random(text)),
		ofRule("seed-phrase", phrases(text)), ofRule("token", dotted(text)), ofRule("json-web-key", webKeys(text)), ofRule("manifest", manifests(text)),
		r.users(text), r.personal(text), r.purgedIn(text)))
}

// kept leaves out what is none: what was redacted, and what the user allows.
func (r *Redactor) kept(text string, all []span) []span {
	var found []span
	for _, s := range all {
		if s.to > s.from && text[s.from:s.to] != Mark && !r.allowed(text[s.from:s.to]) {
			found = append(found, s)
		}
	}
	return found
}

// users finds what the user's own rules say.
func (r *Redactor) users(text string) []span {
	var found []span
	for i, re := range r.own {
		for from, to := range r.clock.pieces(text) {
			if r.clock.late(i) {
				// What is left of the text is not looked at by this rule: Late names it.
				break
			}
			begun := time.Now()
			for _, m := range re.FindAllStringSubmatchIndex(text[from:to], -1) {
				s := group(m, 1)
				found = append(found, span{from: from + s.from, to: from + s.to, rule: r.ids[i]})
			}
			r.clock.add(i, begun)
		}
	}
	return found
}

// ofRule names the rule of those that name none.
func ofRule(rule string, found []span) []span {
	for i := range found {
		found[i].rule = cmp.Or(found[i].rule, rule)
	}
	return found
}

// group returns the place of a group, or of the first one that matched, or of the whole match.
func group(m []int, n int) span {
	// An alternative of the expression may have another group.
	if 2*n+1 < len(m) && m[2*n] >= 0 {
		return span{from: m[2*n], to: m[2*n+1]}
	}
	for i := 2; i+1 < len(m); i += 2 {
		if m[i] >= 0 && m[i+1] > m[i] {
			return span{from: m[i], to: m[i+1]}
		}
	}
	return span{from: m[0], to: m[1]}
}

func (r *Redactor) allowed(secret string) bool {
	return slices.ContainsFunc(r.allow, func(re *regexp.Regexp) bool { return re.MatchString(secret) })
}

// replace puts the marks in the place of the spans.
func replace(text string, spans []span) string {
	if len(spans) == 0 {
		return text
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	var out strings.Builder
	at := 0
	for _, s := range spans {
		if s.to <= at {
			continue
		}
		if s.from >= at {
			// One that overlaps the last one has its mark.
			out.WriteString(text[at:s.from] + cmp.Or(s.mark, Mark))
		}
		at = s.to
	}
	return out.String() + text[at:]
}
