package redact

import "strings"

// assignments finds what is given to names that tell of a secret: in code, in settings of all kinds, in tables and in prose. It goes by the
// name, by what joins the two, and by the value, and so needs to know neither the language nor how often the text was quoted.
type assignments struct {
	text  string
	done  int // names up to here were looked at
	kinds map[string]kind
	read  int // bytes of values that were looked at
	found []span
}

// stem looks at the name around a stem.
func (a *assignments) stem(at int) {
	if at < a.done {
		return
	}
	name := identifierAt(a.text, at)
	a.done = max(at+1, name.to)
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
		a.column(name)
	}
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
	inline  form = iota // among other text
	quoted              // in quotes
	settled             // on a line of its own, or in a shell's way
	said                // after a verb
	flagged             // after a flag
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
	// <key>NAME</key> <string>value</string>
	element = compiled("^(?:\\\\{0,7}[\"'])?[^<>\\n]{0,40}(?:</\\w{1,20}>\\s{0,40})?<?(?:[\\w:]{1,20})?>(?:\\s{0,20}<value>)?")
	// variable "NAME" { … default = "…"
	block   = compiled("^\"\\s{0,2}\\{[^{}]{0,240}?\\bdefault\\s{0,20}=\\s{0,4}")
	sibling = compiled("^</[\\w:]{1,30}>\\s{0,80}<[\\w:]{1,30}")
	space   = compiled("^(?:=|[ \\t]{1,8})")
)

// values gives the value that may be meant for the name.
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
			v := a.value(after, inline)
			if len(v) == 1 && (v[0].form == quoted && !a.open(name, text[after]) || a.first(name) && strong(text[v[0].from:v[0].to])) {
				return v
			}
		}
		return nil
	case comma:
		if !quotedName {
			return nil
		}
		if v := literal(inline); v != nil && strings.ContainsAny(text[v[0].from:v[0].to], digits) {
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
		return a.value(after, said)
	case colon, equals:
		if a.first(name) || op == equals && n == 1 && upperCase(text[name.from:name.to]) {
			if v := a.indented(name, after); v != nil {
				return v
			}
			return a.value(after, settled)
		}
	}
	return a.value(after, inline)
}

// inTable reports whether a name is in a table's row: the row begins as one, or has more columns.
func (a *assignments) inTable(name span) bool {
	start := max(0, name.from-300)
	start += strings.LastIndexByte(a.text[start:name.from], '\n') + 1
	end := min(len(a.text), name.to+400)
	if i := strings.IndexByte(a.text[name.to:end], '\n'); i >= 0 {
		end = name.to + i
	}
	line := a.text[start:end]
	return strings.Count(line, "|") > 2 || strings.Count(line, "│") > 1 || strings.HasSuffix(strings.TrimSpace(line), "|")
}

// open reports whether a quote that stands behind a name ends a string that the name is in.
func (a *assignments) open(name span, quote byte) bool {
	start := max(0, name.from-400)
	start += strings.LastIndexByte(a.text[start:name.from], '\n') + 1
	return strings.Count(a.text[start:name.from], string(quote))%2 == 1
}

// closing is the length of what closes a name's quotes, brackets and emphasis.
func closing(rest string) int {
	at := 0
	for range 4 {
		n := at
		for n < len(rest) && rest[n] == '\\' && n-at < 8 {
			n++
		}
		if n < len(rest) && strings.IndexByte("\"'`", rest[n]) >= 0 || n == at && n < len(rest) && strings.IndexByte("])*", rest[n]) >= 0 {
			at = n + 1
			continue
		}
		break
	}
	return at
}

// annotated is the length of a type between a name and a literal, and of what gives the one to the other.
func annotated(rest string) int {
	i := strings.IndexByte(rest[:min(len(rest), 60)], '=')
	if i < 1 {
		return 0
	}
	n := i + 1
	for n < len(rest) && (rest[n] == ' ' || rest[n] == '\t') {
		n++
	}
	if n < len(rest) && strings.IndexByte("\"'`\\", rest[n]) >= 0 && annotation().MatchString(rest) {
		return n
	}
	return 0
}

// mayBePair is quick: most names are followed by nothing of the kind.
func mayBePair(rest string) bool {
	rest = rest[:min(len(rest), 100)]
	for _, word := range []string{"alue", "default", "ontent", "val", "plaintext", "string"} {
		if strings.Contains(rest, word) {
			return true
		}
	}
	return false
}

// join is what stands between a name and its value.
type join int

const (
	none   join = iota
	equals      // =
	colon       // :
	other       // := => == != ?? ||
	comma
	call // (
	tag  // >
	cell // |
	verb // is, to
	gap  // several spaces, a tab
)

// operator reads what joins a name and its value, and the spaces around it.
func operator(rest string) (join, int) {
	at := 0
	for at < len(rest) && at < 20 && (rest[at] == ' ' || rest[at] == '\t') {
		at++
	}
	if at == len(rest) {
		return none, 0
	}
	end := func(op join, n int) (join, int) {
		n += at
		for spaces := 0; n < len(rest) && (rest[n] == ' ' || rest[n] == '\t') && spaces < 24; spaces++ {
			n++
		}
		return op, n
	}
	for _, long := range []string{"===", "!==", "||=", "??=", "::=", "=>", "==", ":=", "!=", "??", "||", "?=", "?:", "+=", "<-", "│"} {
		if strings.HasPrefix(rest[at:], long) {
			if long == "│" {
				return end(cell, len(long))
			}
			return end(other, len(long))
		}
	}
	switch c := rest[at]; c {
	case '=':
		return end(equals, 1)
	case ':':
		if strings.HasPrefix(rest[at:], "::") {
			return none, 0
		}
		return end(colon, 1)
	case '|':
		return end(cell, 1)
	case ',':
		return end(comma, 1)
	case '(':
		return end(call, 1)
	case '>':
		if at == 0 {
			return tag, 1
		}
		return none, 0
	case 'i', 'w', 't', 'a', 'e':
		if at > 0 {
			for _, word := range []string{"is ", "was ", "to ", "as ", "equals ", "is: "} {
				if strings.HasPrefix(rest[at:], word) {
					return end(verb, len(word))
				}
			}
		}
	}
	switch {
	case at > 1 || at == 1 && rest[0] == '\t':
		return gap, at
	case at == 1:
		return none, 1
	}
	return none, 0
}

// indented gives the lines below a name that YAML makes its value.
func (a *assignments) indented(name span, at int) []value {
	line, rest, ok := strings.Cut(a.text[at:min(len(a.text), at+4096)], "\n")
	if !ok || !blockScalar().MatchString(line) {
		return nil
	}
	var all []value
	indent := ""
	at += len(line) + 1
	for range 20 {
		line, more, ok := strings.Cut(rest, "\n")
		body := strings.TrimLeft(line, " \t")
		if body == "" || len(line) == len(body) || indent != "" && !strings.HasPrefix(line, indent) {
			break
		}
		indent = line[:len(line)-len(body)]
		all = append(all, value{span{from: at + len(indent), to: at + len(strings.TrimRight(line, " \r"))}, settled})
		if !ok {
			break
		}
		at, rest = at+len(line)+1, more
	}
	return all
}

var blockScalar = compiled(`^[|>][-+]?\d?\s*$`)

// element is what an XML element holds.
func (a *assignments) element(at int) []value {
	end := strings.IndexAny(a.text[at:min(len(a.text), at+4096)], "<\n")
	if end <= 0 || a.text[at+end] != '<' {
		return nil
	}
	return []value{{span{from: at, to: at + end}, quoted}}
}

func upperCase(name string) bool { return strings.ToUpper(name) == name }

// value reads a value: what stands in quotes, however often they are escaped, or what goes on to the next space.
func (a *assignments) value(at int, how form) []value {
	text := a.text
	start := at
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
		if how != settled || slashes > 0 {
			return nil
		}
	}
	if slashes > 0 {
		return nil
	}
	to := at
	limit := min(len(text), at+a.longestValue())
	for to < limit && text[to] > ' ' && strings.IndexByte("\"'`\\", text[to]) < 0 {
		if how != settled && strings.IndexByte(",)}]<>|&", text[to]) >= 0 || text[to] == ';' && how != settled && (to+1 == limit || text[to+1] <= ' ') {
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
		if c := text[to-1]; how == settled && c != ',' && c != ';' && c != '.' {
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

// longestValue is how far a value may go. Values may hold names that have values: a text that is made of such is not read over and over.
func (a *assignments) longestValue() int {
	const longest, short = 4096, 100
	if a.read > 4*len(a.text)+longest {
		return short
	}
	return longest
}

// closed finds the quote that ends a string: one that has as many backslashes before it as the first one.
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

// first reports whether a name is the first thing on its line, but for what tools put before it.
func (a *assignments) first(name span) bool {
	start := max(0, name.from-200)
	if i := strings.LastIndexByte(a.text[start:name.from], '\n'); i >= 0 {
		start += i + 1
	} else if start > 0 {
		return false
	}
	head := a.text[start:name.from]
	head = head[linePrefix(head):]
	return firstHead().MatchString(head)
}

var firstHead = compiled(`^\s*(?:[-+*#/;>|?]{1,3}\s*)?(?:(?i:export|set|setenv|env|arg|local|declare|readonly|setx|default)\s+(?:-\w+\s+)?)?["']?$`)

// secret reports whether a value is one, as far as its name and its own look tell.
func (a *assignments) secret(k kind, v value, text string) bool {
	if len(text) < 4 || charsets().MatchString(text) || !given(text) || strings.Contains(text, "://") || strings.Contains(text, "REDACTED") {
		return false
	}
	if v.form == quoted {
		return quotedSecret(k, text)
	}
	if codeLike(text) || v.form != settled && index().MatchString(text) {
		return false
	}
	switch k {
	case password:
		switch v.form {
		case settled, flagged:
			if plainIdentifier(text) && common().MatchString(text) {
				return false
			}
			return len(text) >= 12 && mixedLetters(text) || filled(text) && (len(text) >= 6 || strings.Trim(text, digits) != "")
		case said:
			return len(text) >= 6 && strings.ContainsAny(text, digits) && strings.Trim(text, digits+".,-") != "" && filled(text)
		}
		return len(text) >= 6 && strings.ContainsAny(text, digits+"!@#$%^*+=") && !plainIdentifier(text)
	case token:
		if v.form == settled || v.form == flagged {
			return len(text) >= 6 && (numbers(text) >= 2 || numbers(text) == 1 && len(text) >= 12) && letters(text) >= 2 && filled(text) && !wordlike(text) || generated(text)
		}
		return !wordlike(text) && len(text) >= 10 && (mixedCase(text) || tokenLike(text) || len(text) >= 16 && generated(text)) || len(text) >= 16 && mixedLetters(text)
	}
	if v.form == said && len(text) < 20 {
		return false
	}
	if i := strings.IndexByte(strings.TrimRight(text, "="), '='); i >= 0 || strings.HasPrefix(text, "S-1-") {
		return false
	}
	return len(text) >= 16 && generated(text) && (v.form == settled || v.form == flagged || !hashLike(text))
}

// quotedSecret reports whether a literal is a secret.
func quotedSecret(k kind, text string) bool {
	if text[0] == ' ' || strings.Contains(text, " + ") || strings.ContainsAny(text, "();{}") && codeInside().MatchString(text) {
		return false // what stands between two literals
	}
	if spaces := strings.Count(text, " "); spaces > 4 || spaces > 0 && prose().MatchString(text) {
		return false
	}
	switch k {
	case password:
		return len(text) >= 5 && filled(text)
	case token:
		return len(text) >= 16 && mixedLetters(text) || len(text) >= 6 && filled(text) && letters(text) >= 2 && (numbers(text) >= 2 || numbers(text) == 1 && strings.ContainsAny(text, "!#$%&*+^~@")) && (text[0] != '/' || generated(text)) && !plainIdentifier(text)
	}
	return len(text) >= 16 && !strings.Contains(text, " ") && generated(text) && !hashLike(text)
}

var codeInside = compiled(`\w\([^()]*\)[;,.{]|\)\s?[{;]`)

func letters(s string) int {
	n := 0
	for i := range len(s) {
		if small(lowered(s[i])) {
			n++
		}
	}
	return n
}

func numbers(s string) int {
	n := 0
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			n++
		}
	}
	return n
}

// index is the beginning of an index or a slice; values among other text end at its bracket.
var index = compiled(`^[A-Za-z_][\w.]*\[`)

// charsets and their like have digits and are no secrets.
var charsets = compiled(`(?i)^(?:utf-?\d+(?:-?[lb]e)?|utf8mb4|iso-?8859-\d+|latin-?\d|cp\d+|windows-\d+|sha-?\d+|md5|base64|base32|x509|oauth2?|aes-?\d+(?:-\w+)*|rs256|hs256|es256|ed25519|x25519|p-?256|pbkdf2|argon2\w*|http2?|ipv[46]|urllib[23]|python[23])$`)

// codeLike reports whether a value without quotes is an expression: a call, a path of names, an index.
var codeLike_ = compiled(`^[&*!]?[A-Za-z_$]+\d{0,2}(?:(?:\.|->|::)[A-Za-z_$]+\d{0,2})+[,;)\]]*$|^[\w$.:>-]*[A-Za-z_]\w*(?:\(|\[[\w"':+*.-]*\])|^[(\[{]|^<[%\w]|^\$[\w({]|^@?[A-Za-z_]+[,;)]*$`)

func codeLike(text string) bool {
	return codeLike_().MatchString(text) && (strings.IndexByte(text, '(') >= 0 || !tokenLike(text)) && !(len(text) >= 16 && mixedLetters(text))
}

// mixedLetters reports whether letters of both cases stand side by side as in no name.
func mixedLetters(s string) bool {
	changes, last := 0, 0
	for i := range len(s) {
		kind := 0
		switch {
		case capital(s[i]):
			kind = 1
		case small(s[i]):
			kind = 2
		case wordChar(s[i]):
			kind = 3
		default:
			return false
		}
		if kind != last {
			changes++
		}
		last = kind
	}
	return 3*changes >= len(s) && gibberish(s)
}

// plainIdentifier reports whether a value is a name as code has them, with a number at its end at most.
func plainIdentifier(text string) bool {
	trimmed := strings.TrimRight(text, digits)
	if len(text)-len(trimmed) > 3 {
		return false
	}
	for i := range len(trimmed) {
		if !wordChar(trimmed[i]) && trimmed[i] != '.' && trimmed[i] != '-' || trimmed[i] >= '0' && trimmed[i] <= '9' {
			return false
		}
	}
	return true
}

// generated reports whether a value looks like one that a program made.
func generated(s string) bool {
	if len(s) >= 16 && mixedLetters(s) {
		return true
	}
	if numbers(s) < 2 || wordlike(s) || identifier(s) || sequence(s) || strings.ContainsAny(s, " ()[]{}<>") {
		return false
	}
	return entropy(s) >= 3 && tokenLike(s) || len(s) < 20 && entropy(s) >= 3.2 && mixedCase(s)
}

var hashLike_ = compiled(`^(?:0x)?[0-9a-fA-F]+$|^[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}$|^(?:sha\d+|md5)[-:]|^h1:`)

// hashLike reports whether a value is hex or a UUID, as what is no secret mostly is.
func hashLike(s string) bool { return hashLike_().MatchString(s) }

var otherwise = compiled(`^[^\n"'\x60]{0,80}?(?:["'][\w.]{1,60}["'][^\n"']{0,24}?)?(?:\|\||\?\?|\?:|\bor\s|,|:-|:=)\s{0,3}` + literal)

// fallback looks for a literal that an expression has for want of anything else.
func (a *assignments) fallback(v value) {
	rest := a.text[v.from:min(len(a.text), v.from+300)]
	if m := otherwise().FindStringSubmatchIndex(rest); m != nil {
		s := group(m, 1)
		if strong(rest[s.from:s.to]) || filled(rest[s.from:s.to]) && s.to-s.from >= 8 {
			a.found = append(a.found, span{from: v.from + s.from, to: v.from + s.to})
		}
	}
}

// column looks at the rows below a name that heads a column of comma-separated values.
func (a *assignments) column(name span) {
	const longestLine, rows = 400, 1000
	from := max(0, name.from-longestLine)
	if i := strings.LastIndexByte(a.text[from:name.from], '\n'); i >= 0 {
		from += i + 1
	}
	head, rest, ok := strings.Cut(a.text[from:], "\n")
	if !ok || len(head) > longestLine || strings.IndexByte(head, ',') < 0 || !csvHead().MatchString(head) {
		return
	}
	from += linePrefix(head)
	if name.from > from && strings.IndexByte(",\"", a.text[name.from-1]) < 0 || name.to < len(a.text) && strings.IndexByte(",\"\r\n", a.text[name.to]) < 0 {
		return
	}
	n, columns := strings.Count(a.text[from:name.from], ","), strings.Count(head, ",")
	at := len(a.text) - len(rest)
	for range rows {
		line, more, ok := strings.Cut(a.text[at:], "\n")
		if len(line) > 10*longestLine || strings.Count(line, ",") != columns {
			return
		}
		start := at
		for range n {
			start += strings.IndexByte(a.text[start:], ',') + 1
		}
		end := start
		for end < at+len(line) && a.text[end] != ',' {
			end++
		}
		field := strings.Trim(a.text[start:end], " \t\r\"")
		start += strings.Index(a.text[start:end], field)
		if len(field) >= 4 && filled(field) && strings.IndexByte(field, ' ') < 0 && !codeLike(field) {
			a.found = append(a.found, span{from: start, to: start + len(field)})
		}
		if !ok {
			return
		}
		at = len(a.text) - len(more)
	}
}

var csvHead = compiled(`^[^\w\n]{0,3}(?:\S{0,200}?[:→|] ?)?"?[\w .-]{1,40}"?(?:,"?[\w .-]+"?)+\r?$`)
