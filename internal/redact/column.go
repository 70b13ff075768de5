package redact

import "strings"

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
