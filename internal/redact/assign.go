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
	name := identifierAt(a.text, at)
	a.done = max(at+1, name.to)
	if deletedLine(a.text, name) {
		name.from++
	}
	if name.to-name.from > 100 || name.to <= name.from {
		return
	}
	k := a.kind(a.text[name.from:name.to])
	if k == weak || k == nothing {
		k = max(k, a.spoken(name))
	}
	if k == nothing {
		return
	}
	if k >= token {
		a.column(name, k)
	}
	a.told(name, k)
	for _, v := range a.values(name) {
		a.read += v.to - v.from
		if text := a.text[v.from:v.to]; a.secret(k, v, text) {
			a.found = append(a.found, v.span)
		} else if k >= token && v.form != quoted && v.form != said {
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
	if rest == "" || wordChar(rest[0]) || rest[0] == '.' || rest[0] == ';' || rest[0] == '/' {
		return nil
	}
	isFlag := text[name.from] == '-' && (name.from == 0 || strings.IndexByte(" \t\n\"'`(=", text[name.from-1]) >= 0)
	if isFlag {
		if n := len(space().FindString(rest)); n > 0 {
			return a.value(name.to+n, flagged)
		}
	}
	if mayBePair(rest) {
		if n := len(pair().FindString(rest)); n > 0 {
			return a.value(name.to+n, settled)
		}
	}
	if i := strings.IndexByte(rest[:min(len(rest), 24)], '{'); i > 0 && strings.Trim(rest[:i], "\\\"'`:= ") == "" && mayBePair(text[name.to+i:min(len(text), name.to+i+100)]) {
		if n := len(object().FindString(text[name.to:min(len(text), name.to+300)])); n > 0 {
			return a.value(name.to+n, settled)
		}
	}
	if strings.HasPrefix(rest, `"`) {
		if n := len(block().FindString(text[name.to:min(len(text), name.to+300)])); n > 0 {
			return a.value(name.to+n, settled)
		}
	}
	if strings.HasPrefix(rest, "</") {
		if n := len(sibling().FindString(rest)); n > 0 && name.to+n < len(text) && text[name.to+n] == '>' {
			return a.element(name.to + n + 1)
		}
		return nil
	}
	at := name.to + closing(rest)
	quotedName := at > name.to
	rest = text[at:min(len(text), at+160)]
	if n := annotated(rest); n > 0 {
		return a.value(at+n, inline)
	}
	op, n := operator(rest)
	if op == colon && strings.IndexByte(text[name.to:at], ')') >= 0 {
		return nil // of a condition: a ? b(token) : "x"
	}
	after := at + n
	literal := func(how form) []value {
		if v := a.value(after, how); len(v) == 1 && v[0].form == quoted {
			return v
		}
		return nil
	}
	switch op {
	case none:
		if n == 1 {
			if upperCase(text[name.from:name.to]) && a.declared(name) {
				return a.value(after, exported)
			}
			v := a.value(after, inline)
			if len(v) == 1 && (v[0].form == quoted && !a.open(name, text[after]) && filled(text[v[0].from:v[0].to]) || a.first(name) && strongOrSigned(text[v[0].from:v[0].to])) {
				return v
			}
		}
		return nil
	case comma:
		if !quotedName || name.from > 0 && text[name.from-1] == '/' {
			return nil
		}
		if v := literal(inline); v != nil && (strings.ContainsAny(text[v[0].from:v[0].to], digits) || signed(text[v[0].from:v[0].to])) {
			return v
		}
		return nil
	case call:
		return literal(inline)
	case tag:
		return a.element(after)
	case cell:
		if a.inTable(name) {
			return a.value(after, said)
		}
		return nil
	case gap:
		v := a.value(after, said)
		if len(v) == 1 && v[0].form != quoted && a.first(name) {
			v[0].form = settled
		}
		return v
	case verb:
		v := a.value(after, said)
		if len(v) == 1 && v[0].form == said && upperCase(text[name.from:name.to]) && signed(text[v[0].from:v[0].to]) {
			v[0].form = exported
		}
		return v
	case colon, equals:
		if a.outcome(name, text[after:]) {
			return nil
		}
		if a.first(name) || op == equals && n == 1 && upperCase(text[name.from:name.to]) {
			if v := a.indented(name, after); v != nil {
				return v
			}
			v := a.value(after, settled)
			if len(v) == 1 && v[0].form == settled && op == equals && n == 1 && upperCase(text[name.from:name.to]) {
				v[0].form = exported
			}
			return v
		}
	}
	return a.value(after, inline)
}

// value reads a value: what stands in quotes, however often they are escaped, or what goes on to
// the next space.
func (a *assignments) value(at int, how form) []value {
	text := a.text
	start, toEnd := at, how == settled || how == exported
	for at < len(text) && at-start < 3 && strings.IndexByte("@$rbfuLNE", text[at]) >= 0 && at+1 < len(text) && strings.IndexByte("\"'`", text[at+1]) >= 0 {
		at++ // a string's prefix
	}
	slashes := 0
	for at+slashes < len(text) && text[at+slashes] == '\\' && slashes < 16 {
		slashes++
	}
	if open := at + slashes; open < len(text) && strings.IndexByte("\"'`", text[open]) >= 0 {
		quote := text[open]
		from := open + 1
		if strings.HasPrefix(text[from:], string([]byte{quote, quote})) {
			from += 2
		}
		if to, ok := closed(text[:min(len(text), from+a.longestValue())], from, quote, slashes); ok && to > from {
			return []value{{span{from: from, to: to}, quoted}}
		}
		if !toEnd || slashes > 0 {
			return nil
		}
	}
	if slashes > 0 {
		return nil
	}
	to := at
	limit := min(len(text), at+a.longestValue())
	for to < limit && text[to] > ' ' && strings.IndexByte("\"'`\\", text[to]) < 0 {
		if how == said && to > at && strings.IndexByte(">|", text[to]) >= 0 && to+1 < limit && wordChar(text[to+1]) {
			to++
			continue
		}
		if !toEnd && (strings.IndexByte(",)}]<>|", text[to]) >= 0 || text[to] == '&' && (to+1 == limit || !wordChar(text[to+1]))) || text[to] == ';' && !toEnd && (to+1 == limit || text[to+1] <= ' ') {
			break
		}
		if text[to] == '<' && to+1 < limit && text[to+1] == '/' {
			break
		}
		if (text[to] == '&' || text[to] == ';') && nextPair().MatchString(text[to:min(limit, to+40)]) {
			break
		}
		to++
	}
	for to > at && strings.IndexByte(",;.:)", text[to-1]) >= 0 {
		if c := text[to-1]; toEnd && c != ',' && c != ';' && c != '.' {
			break
		}
		to--
	}
	if to == at {
		return nil
	}
	return []value{{span{from: at, to: to}, how}}
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
