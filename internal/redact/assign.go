package redact

import "strings"

// assignments finds what is given to names that tell of a secret: in code, in settings of all
// kinds, in tables and in prose. It goes by the name, by what joins the two, and by the value, and
// so needs to know neither the language nor how often the text was quoted.
type assignments struct {
	text  string
	done  int // names up to here were looked at
	kinds map[string]kind
	read  int // bytes of values that were looked at
	rows  int // and of the rows of tables
	found []span
}

// stem looks at the name around a stem.
func (a *assignments) stem(at int) {
	if at < a.done {
		return
	}
	name := a.name(at)
	// -password: … of a patch: the dash is no part of the name.
	if deletedLine(a.text, name) {
		name.from++
	}
	if !name.sized() {
		return
	}
	k := a.kind(a.text[name.from:name.to])
	// "api key" says more than "key" does.
	if k == weak || k == nothing {
		k = max(k, a.spoken(name))
	}
	if k == nothing {
		return
	}
	if k >= token {
		// The value may be in another line than the name.
		a.column(name, k)
	}
	a.told(name, k)
	a.judge(name, k)
}

// name is the name around a stem, which is looked at once.
func (a *assignments) name(at int) span {
	name := identifierAt(a.text, at)
	a.done = max(at+1, name.to)
	return name
}

// sized reports whether a name has a length that names have.
func (s span) sized() bool { return s.to > s.from && s.to-s.from <= 100 }

// judge looks at the value that may be meant for a name.
func (a *assignments) judge(name span, k kind) {
	for _, v := range a.values(name) {
		a.read += v.to - v.from
		if text := a.text[v.from:v.to]; a.secret(k, v, text) {
			a.found = append(a.found, v.span)
		} else if k >= token && v.form != quoted && v.form != said {
			// What stands there is an expression, which may have a literal at its end.
			a.fallback(v)
		}
	}
}

// kind reports what a name says; most names of a text are there many times.
func (a *assignments) kind(name string) kind {
	k, ok := a.kinds[name]
	if !ok {
		if a.kinds == nil {
			a.kinds = map[string]kind{}
		}
		k = nameKind(name)
		a.kinds[name] = k
	}
	return k
}

// spoken reports what a name of two words says, as people write it: "api key".
func (a *assignments) spoken(name span) kind {
	if name.from < 3 || a.text[name.from-1] != ' ' {
		return nothing
	}
	before := identifierAt(a.text, name.from-2)
	// It ends where the space is.
	if before.to >= name.from-1 && before.to-before.from < 24 {
		return nameKind(a.text[before.from:before.to] + "_" + a.text[name.from:name.to])
	}
	return nothing
}

// form is how a value is written.
type form int

const (
	inline   form = iota // among other text
	quoted               // in quotes
	settled              // on a line of its own, or in a shell's way
	said                 // after a verb
	flagged              // after a flag
	exported             // in an environment: NAME=value
)

type value struct {
	span
	form form
}

// Between a name and its value. All are tried right behind the name.
var (
	annotation = compiled("^(?:\\s{0,2}:\\s{0,2}[&\\w'<>\\[\\].?| ]{1,40}|\\s[Aa]s\\s\\w{1,20}|\\s(?:[\\w.*]|\\[\\]){1,24}|\\[\\]|\\s?\\{[^{}\\n\"'`]{1,30}\\})\\s{0,4}=\\s{0,4}(?:\\\\{0,7}[\"'`])")
	// NAME "…" value "…" of XML, JSON and YAML, on one line or two.
	pair = compiled("^\\\\{0,7}[\"'`]?\\s{0,2},?(?:\\s|\\\\{1,7}[nr]|(?:^|\\n)[+\\-> ]{0,3}){0,40}(?:[+\\->|]?\\s{0,40})?\\\\{0,7}[\"']?(?i:value|default|content|val|plaintext|string)\\\\{0,7}[\"']?\\s{0,3}[:=]\\s{0,3}")
	// "NAME": { … "value": "…"
	object = compiled("^\\\\{0,7}[\"'`]?\\s{0,3}[:=]\\s{0,3}\\{[^{}]{0,200}?\\b(?:value|default|result|plaintext)\\\\{0,7}[\"']?\\s{0,3}[:=]\\s{0,3}")
	// variable "NAME" { … default = "…"
	block   = compiled("^\"\\s{0,2}\\{[^{}]{0,240}?\\bdefault\\s{0,20}=\\s{0,4}")
	sibling = compiled("^</[\\w:]{1,30}>\\s{0,80}<[\\w:]{1,30}")
	space   = compiled("^(?:=|[ \\t]{1,8})")
)

// values returns the value that may be meant for the name.
func (a *assignments) values(name span) []value {
	text := a.text
	rest := text[name.to:min(len(text), name.to+160)]
	// The name is a longer one, was cut at its longest, or is a part of a path or of a chain of
	// calls.
	if rest == "" || wordChar(rest[0]) || strings.IndexByte(".;/", rest[0]) >= 0 {
		return nil
	}
	if at, how := a.apart(name, rest); at > 0 {
		return a.value(at, how)
	}
	// <key>PASSWORD</key><string>…</string>, as property lists have it.
	if strings.HasPrefix(rest, "</") {
		if n := len(sibling().FindString(rest)); n > 0 && name.to+n < len(text) && text[name.to+n] == '>' {
			return a.element(name.to + n + 1)
		}
		return nil
	}
	at := name.to + closing(rest)
	rest = text[at:min(len(text), at+160)]
	if n := annotated(rest); n > 0 {
		return a.value(at+n, inline)
	}
	return a.operated(name, at, rest)
}

// operated is the value behind an operator. at is behind what closes the name's quotes.
func (a *assignments) operated(name span, at int, rest string) []value {
	text := a.text
	op, n := operator(rest)
	after := at + n
	switch op {
	case none:
		if n != 1 {
			return nil
		}
		return a.spaced(name, after)
	case comma:
		if at == name.to {
			// A list of names without quotes: the next one is no value.
			return nil
		}
		return a.listed(name, after)
	// A variable or an expression in a call is not this one's value.
	case call:
		return a.literal(after)
	case tag:
		return a.element(after)
	case cell:
		if !a.inTable(name) {
			return nil
		}
		return a.value(after, said)
	case gap:
		// The name begins the line, as a setting does that blanks part from its value.
		return a.changed(a.value(after, said), settled, func(v value) bool { return v.form != quoted && a.first(name) })
	case verb:
		// NAME in capitals is a variable's, which prose speaks of: more is believed of its value.
		return a.changed(a.value(after, said), exported, func(v value) bool {
			return v.form == said && upperCase(text[name.from:name.to]) && signed(text[v.from:v.to])
		})
	case colon:
		if strings.IndexByte(text[name.to:at], ')') >= 0 {
			return nil // of a condition: a ? b(token) : "x"
		}
		return a.assigned(name, after, false)
	case equals:
		return a.assigned(name, after, n == 1 && upperCase(text[name.from:name.to]))
	}
	return a.value(after, inline)
}

// changed gives a value another form, if it is to have that.
func (a *assignments) changed(v []value, how form, is func(value) bool) []value {
	if len(v) == 1 && is(v[0]) {
		v[0].form = how
	}
	return v
}

// apart is where a value stands, and how it is written, that more than an operator parts from its
// name; 0: nowhere.
func (a *assignments) apart(name span, rest string) (at int, how form) {
	// --password VALUE
	if a.isFlag(name) {
		if n := len(space().FindString(rest)); n > 0 {
			return name.to + n, flagged
		}
	}
	n := 0
	wide := a.text[name.to:min(len(a.text), name.to+300)]
	if mayBePair(rest) {
		n = len(pair().FindString(rest))
	}
	if n == 0 && mayBeObject(rest, wide) {
		n = len(object().FindString(wide))
	}
	if n == 0 && rest[0] == '"' {
		n = len(block().FindString(wide))
	}
	if n == 0 {
		return 0, inline
	}
	return name.to + n, settled
}

func (a *assignments) isFlag(name span) bool {
	return a.text[name.from] == '-' && (name.from == 0 || strings.IndexByte(" \t\n\"'`(=", a.text[name.from-1]) >= 0)
}

// mayBeObject is quick, as mayBePair is.
func mayBeObject(rest, wide string) bool {
	i := strings.IndexByte(rest[:min(len(rest), 24)], '{')
	return i > 0 && strings.Trim(rest[:i], "\\\"'`:= ") == "" && mayBePair(wide[i:])
}

// literal is a value in quotes.
func (a *assignments) literal(at int) []value {
	if v := a.value(at, inline); len(v) == 1 && v[0].form == quoted {
		return v
	}
	return nil
}

// spaced is a value that one space parts from its name.
func (a *assignments) spaced(name span, at int) []value {
	if upperCase(a.text[name.from:name.to]) && a.declared(name) {
		return a.value(at, exported)
	}
	v := a.value(at, inline)
	if len(v) != 1 {
		return nil
	}
	text := a.text[v[0].from:v[0].to]
	if v[0].form == quoted && !a.open(name, a.text[at]) && filled(text) || a.first(name) && strongOrSigned(text) {
		return v
	}
	return nil
}

// listed is a literal behind a quoted name and a comma.
func (a *assignments) listed(name span, at int) []value {
	// The end of a path in quotes, in a list of such.
	if name.from > 0 && a.text[name.from-1] == '/' {
		return nil
	}
	v := a.literal(at)
	// Lists of words are common in code: a literal has to look like more than one.
	if v == nil || !strings.ContainsAny(a.text[v[0].from:v[0].to], digits) && !signed(a.text[v[0].from:v[0].to]) {
		return nil
	}
	return v
}

// assigned is a value behind a colon or an equals sign; variable says that it is an environment's:
// NAME=value.
func (a *assignments) assigned(name span, at int, variable bool) []value {
	if a.outcome(name, a.text[at:]) {
		return nil
	}
	if !variable && !a.first(name) {
		return a.value(at, inline)
	}
	if v := a.indented(at); v != nil {
		return v
	}
	return a.changed(a.value(at, settled), exported, func(v value) bool { return variable && v.form == settled })
}

// value reads a value: what stands in quotes, however often they are escaped, or what goes on to
// the next space.
func (a *assignments) value(at int, how form) []value {
	text := a.text
	toEnd := how == settled || how == exported
	at, slashes := stringStart(text, at)
	if open := at + slashes; open < len(text) && isQuote(text[open]) {
		if v := a.inQuotes(open, slashes); v != nil || !toEnd {
			return v
		}
	}
	if slashes > 0 {
		return nil
	}
	ends := ",;.:)" // of the sentence
	if toEnd {
		ends = ",;."
	}
	value := strings.TrimRight(text[at:a.valueEnd(at, how, toEnd)], ends)
	if value == "" {
		return nil
	}
	return valueAt(at, at+len(value), how)
}

func valueAt(from, to int, how form) []value { return []value{{span{from: from, to: to}, how}} }

// stringStart is the place behind a string's prefix, and how many backslashes stand there.
func stringStart(text string, at int) (start, slashes int) {
	start = at
	// Prefixes of strings in Python, C#, C++, SQL: r"…", @"…", N'…'.
	for start+1 < len(text) && start-at < 3 && strings.IndexByte("@$rbfuLNE", text[start]) >= 0 && isQuote(text[start+1]) {
		start++
	}
	for start+slashes < len(text) && text[start+slashes] == '\\' && slashes < 16 {
		slashes++
	}
	return start, slashes
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// inQuotes is what stands behind a quote that as many backslashes escape; nil: the string has no
// end, or is empty.
func (a *assignments) inQuotes(open, slashes int) []value {
	quote, from := a.text[open], open+1
	// Three quotes begin a string of several lines.
	if strings.HasPrefix(a.text[from:], string([]byte{quote, quote})) {
		from += 2
	}
	to, ok := closed(a.text[:min(len(a.text), from+a.longestValue())], from, quote, slashes)
	if !ok || to <= from {
		return nil
	}
	return valueAt(from, to, quoted)
}

// valueEnd is where a value without quotes ends; toEnd: it may have any sign.
func (a *assignments) valueEnd(at int, how form, toEnd bool) int {
	text := a.text[:min(len(a.text), at+a.longestValue())]
	for to := at; to < len(text); to++ {
		c := text[to]
		if c <= ' ' || c == '\\' || isQuote(c) {
			return to
		}
		next := byte(' ')
		if to+1 < len(text) {
			next = text[to+1]
		}
		switch {
		// In prose they are no signs of code, and a password may have them.
		case how == said && to > at && (c == '>' || c == '|') && wordChar(next):
		case !toEnd && endsInline(c, next), c == '<' && next == '/':
			return to
		// The next parameter of a URL, or the next setting of a connection string.
		case (c == '&' || c == ';') && nextPair().MatchString(text[to:min(len(text), to+40)]):
			return to
		}
	}
	return len(text)
}

// endsInline reports whether a sign ends a value among other text.
func endsInline(c, next byte) bool {
	switch c {
	case ',', ')', '}', ']', '<', '>', '|':
		return true
	case '&':
		return !wordChar(next)
	case ';':
		return next <= ' '
	}
	return false
}

var nextPair = compiled(`^[&;]\s?[\w.-]{1,30}=|^&&|^&$`)

// longestValue is how far a value may go. Values may hold names that have values: a text that is
// made of such is not read over and over.
func (a *assignments) longestValue() int {
	const longest, short = 4096, 100
	if a.read > 4*len(a.text)+longest {
		return short
	}
	return longest
}

// closed finds the quote that ends a string: one that has as many backslashes before it as the
// first one.
func closed(text string, from int, quote byte, slashes int) (int, bool) {
	limit := len(text)
	for i := from; i < limit; i++ {
		switch text[i] {
		case '\n':
			// A quote that isn't closed on its line is an apostrophe more likely.
			return 0, false
		case '\\':
			n := 1
			for i+n < limit && text[i+n] == '\\' {
				n++
			}
			if i+n < limit && text[i+n] == quote {
				if n <= slashes {
					return i, true
				}
				n++
			}
			i += n - 1
		case quote:
			return i, true
		}
	}
	return 0, false
}

// deletedLine reports whether the dash before a name is a patch's: the name begins a line, and is
// given something. A flag at such a place is not.
func deletedLine(text string, name span) bool {
	if text[name.from] != '-' || name.from+1 < len(text) && text[name.from+1] == '-' || name.from > 0 && text[name.from-1] != '\n' {
		return false
	}
	rest := strings.TrimLeft(text[name.to:min(len(text), name.to+8)], " \t\"'")
	return rest != "" && strings.IndexByte(":=<(,", rest[0]) >= 0
}

var otherwise = compiled(`^[^\n"'\x60]{0,80}?(?:["'][\w.]{1,60}["'][^\n"']{0,24}?)?(?:\|\||\?\?|\?:|\bor\s|,|:-|:=)\s{0,3}` + literal)

// fallback looks for a literal that an expression has for want of anything else.
func (a *assignments) fallback(v value) {
	rest := a.text[v.from:min(len(a.text), v.from+300)]
	if m := otherwise().FindStringSubmatchIndex(rest); m != nil {
		s := group(m, 1)
		// Behind a name that tells of a secret: less is enough than without.
		if strong(rest[s.from:s.to]) || filled(rest[s.from:s.to]) && s.to-s.from >= 8 {
			a.found = append(a.found, span{from: v.from + s.from, to: v.from + s.to})
		}
	}
}
