package redact

import (
	"slices"
	"strings"
)

// prefix is what tools put before a line: its number, where it is, when it was written and by what,
// a diff's sign, a quote's.
var prefix = compiled(`^(?:` +
	`\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,\d]{0,12}(?:Z|[+-]\d\d:?\d\d)?\]?\s|` +
	`\s{0,8}\d{1,7}(?:→|\t|: ?| ?\| )|` + // cat -n, and what agents read
	`[\w./@~+-]{0,150}[./][\w./@~+-]{0,80}?(?::\d{1,7}:|-\d{1,7}-)|[\w./@~+-]{0,150}[./][\w./@~+-]{0,80}:|\d{1,7}[:-]|` + // grep
	`\^?[0-9a-f]{7,40} (?:[^\s()]{1,100} {1,20})?\([^()\n]{5,80}\d\) |` + // git blame
	`[A-Za-z][\w.-]{0,40}\s{0,20}\| |` + // docker compose logs
	`(?:stdout|stderr) [FP] |` +
	`[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S{1,60} \S{1,60}: |` + // syslog
	`> ?|\| ` +
	`){0,4}`)

// linePrefix is how long that is on a line. A line that is a rule for a table or the beginning of a
// key has none.
func linePrefix(line string) int {
	if line == "" || strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "------") {
		return 0
	}
	if !mayHavePrefix(line[:min(len(line), 200)]) {
		return 0
	}
	n := len(prefix().FindString(line[:min(len(line), 400)]))
	if diffSign(line[n:]) {
		n++
	}
	return n
}

// diffSign reports whether a line begins with the sign of a diff, which may stand before a key's
// first or last line.
func diffSign(line string) bool {
	return strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-") &&
		(!strings.HasPrefix(line, "--") || strings.HasPrefix(line, "------BEGIN") || strings.HasPrefix(line, "------END"))
}

// mayHavePrefix is quick: most lines have none.
func mayHavePrefix(line string) bool {
	i := 0
	for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
		i++
	}
	if i == len(line) {
		return false
	}
	c := line[i]
	if c >= '0' && c <= '9' {
		return true
	}
	if i > 0 {
		return false
	}
	if strings.IndexByte("+->|[^", c) >= 0 {
		return true
	}
	if !wordChar(c) && c != '.' && c != '/' && c != '~' && c != '@' {
		return false
	}
	path := false
	for i := 1; i+1 < len(line); i++ {
		next := line[i+1] >= '0' && line[i+1] <= '9'
		switch line[i] {
		case ':':
			if next || path {
				return true
			}
		case '-':
			if next {
				return true
			}
		case '|', '(':
			return true
		case '/', '.':
			path = true
		case '"', '\'', '=', '{', ';':
			return false
		case ' ':
			if line[i+1] == ' ' && !strings.Contains(line, "| ") {
				return false
			}
		}
	}
	return false
}

// overLines are signs of secrets whose name or beginning is on another line than they are, and how
// many lines on those may be.
var overLines = []struct {
	sign  string
	lines int
}{{"PRIVATE KEY", 130}, {": |", 12}, {": >", 12}, {"name:", 3}, {"machine ", 5}, {"variable \"", 8}, {"<key>", 3}, {"\"name\"", 3}, {"\"Name\"", 3},
	{"kind: Secret", 16}, {",password", 40}, {",passwd", 40}, {",secret", 40}, {"password,", 40}, {",token", 40}, {"PuTTY-User", 60}}

// stripped is a view of the lines of a text that may have something in common, without what tools
// put before them; nil if there are none.
func stripped(text string) *view {
	if strings.IndexByte(text, '\n') < 0 {
		return nil
	}
	var v *view
	for _, s := range together(text) {
		for at := s.from; at < s.to; {
			end := lineEnd(text, at, len(text))
			n := linePrefix(text[at:end])
			if n > 0 && v == nil {
				v = &view{}
				v.add(text[s.from:at], s.from, at-s.from)
			}
			if v != nil {
				v.add(text[at+n:end], at+n, end-at-n)
				// It stands for nothing of the text: no mark can take it away.
				v.add("\n", end, 0)
			}
			at = end + 1
		}
	}
	return v
}

// lineStart is where the line begins that a place is on, of the last so many bytes before it.
func lineStart(text string, at, most int) int {
	low := max(0, at-most)
	return low + strings.LastIndexByte(text[low:at], '\n') + 1
}

// lineEnd is where the line ends that a place is on, of the next so many bytes.
func lineEnd(text string, at, most int) int {
	end := min(len(text), at+most)
	if i := strings.IndexByte(text[at:end], '\n'); i >= 0 {
		return at + i
	}
	return end
}

// linesFrom is where so many lines end.
func linesFrom(text string, to, lines int) int {
	for n := 0; n < lines && to < len(text); n++ {
		end := strings.IndexByte(text[to:], '\n')
		if end < 0 {
			return len(text)
		}
		to += end + 1
	}
	return to
}

// together returns the parts of a text where what stands on several lines may belong together.
func together(text string) []span {
	var all []span
	for _, over := range overLines {
		sign, lines := over.sign, over.lines
		for at := 0; ; {
			i := strings.Index(text[at:], sign)
			if i < 0 {
				break
			}
			from := lineStart(text, at+i, i)
			all = append(all, span{from: from, to: linesFrom(text, from, lines)})
			at += i + len(sign)
			// One sign on a line is enough.
			if end := strings.IndexByte(text[at:], '\n'); end >= 0 {
				at += end
			}
		}
	}
	slices.SortFunc(all, func(a, b span) int { return a.from - b.from })
	var out []span
	for _, s := range all {
		if n := len(out) - 1; n >= 0 && out[n].to >= s.from {
			out[n].to = max(out[n].to, s.to)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// escapedLines is a view of the lines that have a string's escapes in them, without those; nil if
// there are none.
func escapedLines(text string) *view {
	if strings.IndexByte(text, '\\') < 0 {
		return nil
	}
	var v *view
	for at := 0; at < len(text); {
		i := strings.IndexByte(text[at:], '\\')
		if i < 0 {
			break
		}
		from, to := lineStart(text, at+i, i), lineEnd(text, at+i, len(text))
		if hasEscape(text[from:to]) {
			if v == nil {
				v = &view{}
			}
			unescaped(text[from:to], from, v)
			// Lines that are not beside each other in the text must not be read as if they were.
			v.add("\n\n", to, 0)
		}
		at = to
	}
	return v
}

// hasEscape reports whether a line has one of those that change what can be found.
func hasEscape(line string) bool {
	for i := 0; i+1 < len(line); i++ {
		if line[i] == '\\' && strings.IndexByte(`n"\/u't`, line[i+1]) >= 0 {
			return true
		}
	}
	return false
}
