package redact

import (
	"regexp/syntax"
	"unicode/utf8"
)

// before and after are how many bytes around a keyword an expression is tried on; a window then
// ends at the next white space or quote, lest a secret be cut.
const (
	before        = 96
	after         = 2048
	afterName     = 320
	afterKeyBlock = 64 << 10
)

// windows are the places of a text that an expression is tried on.
type windows []span

// add adds a place that begins no earlier than the last one did.
func (w *windows) add(text string, from, to int) {
	if n := len(*w) - 1; n >= 0 && (*w)[n].to >= to {
		return
	}
	// Up to the end of a word: what is cut would not match, or match in part.
	to += len(word(text[to:]))
	if n := len(*w) - 1; n >= 0 && (*w)[n].to >= from {
		(*w)[n].from, (*w)[n].to = min((*w)[n].from, from), max((*w)[n].to, to)
		return
	}
	*w = append(*w, span{from: from, to: to})
}

// known finds what the rules, the patterns and the names tell of.
func known(text string) []span {
	set := rules()
	k := search{text: text, set: set, left: 4*len(text) + afterKeyBlock, byRule: map[int]*windows{}, byPattern: map[int]*windows{}}
	named := assignments{text: text}
	set.words.each(text, func(word, from, to int) {
		u := &set.uses[word]
		for _, i := range u.rules {
			k.rule(i, from, to)
		}
		for _, i := range u.patterns {
			k.pattern(i, from, to)
		}
		if u.stem {
			named.stem(from)
		}
	})
	found := append(k.found, named.found...)
	for i, all := range k.byRule {
		for _, w := range *all {
			found = append(found, set.rules[i].find(text[w.from:w.to], w.from, set.allow)...)
		}
	}
	for i, all := range k.byPattern {
		for _, w := range *all {
			found = append(found, set.patterns[i].find(text, w)...)
		}
	}
	return found
}

// search is what known has found so far, and where the other rules and patterns are to be tried.
type search struct {
	text              string
	set               *ruleset
	left              int // see findStart
	found             []span
	byRule, byPattern map[int]*windows
}

func window(all map[int]*windows, i int) *windows {
	if all[i] == nil {
		all[i] = &windows{}
	}
	return all[i]
}

// rule looks at a keyword of a rule.
func (k *search) rule(i, from, to int) {
	r, end := k.set.rules[i], after
	switch {
	case r.starts:
		if from == 0 || (!r.boundary || !wordChar(k.text[from-1])) && !inBase64(k.text, from) {
			k.found = append(k.found, r.findStart(k.text, from, k.set.allow, &k.left)...)
		}
		return
	case r.assigned || r.ID == generic:
		if !assigns(k.text[to:], r.ID == generic) {
			return
		}
		end = afterName
	case r.ID == "private-key":
		end = afterKeyBlock
	}
	// Tried later: windows of neighbouring words become one.
	window(k.byRule, i).add(k.text, max(0, from-before), min(len(k.text), to+end))
}

// pattern looks at a sign of a pattern.
func (k *search) pattern(i, from, to int) {
	if p := &k.set.patterns[i]; !p.command {
		window(k.byPattern, i).add(k.text, wordStart(k.text, from), min(len(k.text), to+patternLength))
	} else if isCommand(k.text, from, to) {
		k.found = append(k.found, p.find(k.text, span{from: from, to: commandEnd(k.text, to)})...)
	}
}

// inBase64 reports whether a place is within a long run of base64, where any three letters turn up.
func inBase64(text string, at int) bool {
	const long = 60
	if c := text[at-1]; c != '+' && c != '/' && !wordChar(c) {
		return false
	}
	n := 0
	for n < long && at-n > 0 && (wordChar(text[at-n-1]) || text[at-n-1] == '+' || text[at-n-1] == '/') {
		n++
	}
	return n == long
}

// findStart finds a secret that begins at a place. Few are long, and an expression costs as much as
// what it is tried on. left bounds the bytes of those that were begun.
func (r *rule) findStart(text string, at int, global allowlist, left *int) []span {
	re := r.compiled()
	if n := r.longest; n > 0 && n < afterKeyBlock {
		return r.find(text[at:min(len(text), at+n+1)], at, global)
	}
	const most = 320
	found := r.find(text[at:min(len(text), at+most)], at, global)
	if *left > 0 && len(text) > at+most && (len(found) > 0 && found[0].to > at+most-8 || len(found) == 0 && !re.MatchString(text[at:at+most])) {
		*left -= afterKeyBlock
		return r.find(text[at:min(len(text), at+afterKeyBlock)], at, global)
	}
	return found
}

// longestMatch is how many bytes an expression can match; 0 if there is no bound.
func longestMatch(re *syntax.Regexp) (n int, bounded bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return utf8.UTFMax * len(re.Rune), true
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return utf8.UTFMax, true
	case syntax.OpStar, syntax.OpPlus:
		return 0, false
	}
	for _, sub := range re.Sub {
		m, ok := longestMatch(sub)
		if !ok {
			return 0, false
		}
		if re.Op == syntax.OpAlternate {
			n = max(n, m)
		} else {
			n += m
		}
	}
	if re.Op == syntax.OpRepeat {
		return n * re.Max, re.Max >= 0
	}
	return n, true
}
