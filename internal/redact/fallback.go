package redact

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
