package redact

import (
	"slices"
	"strings"
)

// Bounds of tables.
const (
	longestHead = 400  // bytes of the line that names the columns
	longestRow  = 4000 // and of those below it
	mostRows    = 1000
)

// tables finds what stands in the columns of tables that such names head, and nothing else.
func tables(text string) []span {
	if strings.IndexByte(text, '\n') < 0 {
		return nil
	}
	set := rules()
	a := assignments{text: text}
	set.words.each(text, func(word, from, _ int) {
		if !set.uses[word].stem || from < a.done {
			return
		}
		if name := a.name(from); !name.sized() {
			return
		} else if k := a.kind(text[name.from:name.to]); k >= token {
			a.column(name, k)
		}
	})
	return a.found
}

// column looks at the rows below a name that heads a column, of values with commas or the like
// between them, of a table, or aligned by blanks.
func (a *assignments) column(name span, k kind) {
	from := max(0, name.from-longestHead)
	if i := strings.LastIndexByte(a.text[from:name.from], '\n'); i >= 0 {
		from += i + 1
	} else if from > 0 {
		return
	}
	head, _, ok := strings.Cut(a.text[from:min(len(a.text), from+longestHead)], "\n")
	if !ok {
		return
	}
	next := from + len(head) + 1
	rest, _, _ := strings.Cut(a.text[next:min(len(a.text), next+longestRow)], "\n")
	// Heads of tables are in capitals, as of docker and kubectl, or have a rule below them.
	sure := upperCase(head) || rest != "" && isRule(rest)
	// One line may be read as a head in several ways: the first by which a secret is found counts.
	for _, c := range headsOf(head, name.from-from, name.to-from) {
		if c.strictly && c.index == 0 && !sure {
			continue // a field, and its type
		}
		if found := a.columnOf(c, next, k); len(found) > 0 {
			a.found = append(a.found, found...)
			return
		}
	}
}

// columns is a way to read a table: what parts its columns, how many there are, which one is meant.
type columns struct {
	cut      func(line string) []span
	count    int
	index    int
	at       int  // the place of its first character, where columns are aligned; -1 elsewhere
	bars     bool // between columns
	strictly bool // little tells that it is a table
	prefixed bool // what tools put before a line is no column
}

// headsOf returns the ways to read a line as the head of a table, where a name is one of its
// columns.
func headsOf(head string, from, to int) []columns {
	all := signedHeads(head, from, to)
	if len(all) > 0 && strings.IndexByte(head, '|') < 0 {
		return all
	}
	return append(all, alignedHeads(head, from, to)...)
}

// columnOfName is the column that a name fills but for a few words around it; of aligned ones it
// fills all. -1: none.
func columnOfName(head string, cells []span, from, to int, aligned bool) int {
	for i, c := range cells {
		if c.from <= from && to <= c.to {
			if rest := strings.Trim(head[c.from:from]+head[to:c.to], " \t\"'`*_"); len(rest) <= 24 && headWords(rest) && (!aligned || rest == "") {
				return i
			}
		}
	}
	return -1
}

// signedHeads are those with signs between the columns.
func signedHeads(head string, from, to int) []columns {
	var all []columns
	for _, sign := range []string{"|", "│", ",", ";", "\t"} {
		if !strings.Contains(head, sign) {
			continue
		}
		// A bar at the beginning of a line may look like what a tool put there, and begins the
		// table.
		n, bar := 0, sign == "|" || sign == "│"
		if !bar {
			n = linePrefix(head)
		}
		cut := func(line string) []span { return cells(line, sign) }
		cells := moved(cut(head[n:]), n)
		if i := columnOfName(head, cells, from, to, false); i >= 0 && len(cells) > 1 && (bar || allWords(head, cells)) {
			all = append(all, columns{cut: cut, count: len(cells), index: i, at: -1, bars: sign == "|", prefixed: n > 0 || !bar})
		}
	}
	return all
}

// alignedHeads are those with blanks between them.
func alignedHeads(head string, from, to int) []columns {
	var all []columns
	n := linePrefix(head)
	for _, gap := range []int{2, 1} {
		if gap == 1 && strings.ToUpper(head[n:]) != head[n:] && !strings.Contains(strings.TrimSpace(head[n:]), "  ") {
			continue
		}
		cells := moved(fields(head[n:], gap), n)
		i := columnOfName(head, cells, from, to, true)
		if i < 0 || len(cells) < 2 || !allWords(head, cells) {
			continue
		}
		for _, gap := range []int{gap, 1} {
			all = append(all, columns{cut: func(line string) []span { return fields(line, gap) }, count: len(cells), index: i, at: cells[i].from - n, strictly: true, prefixed: true})
		}
	}
	return all
}

// columnOf looks at the lines from a place on.
func (a *assignments) columnOf(c columns, at int, k kind) []span {
	found := a.below(c, at, k)
	if len(found) > 0 && c.strictly { // it is one
		c.strictly = false
		return a.below(c, at, k)
	}
	return found
}

func (a *assignments) below(c columns, at int, k kind) []span {
	const times = 8 // that a row is looked at: each line of a text may be a head of those below it
	var found []span
	for range mostRows {
		if a.rows > times*len(a.text)+longestRow {
			return found
		}
		line, _, more := strings.Cut(a.text[at:min(len(a.text), at+longestRow)], "\n")
		a.rows += len(line) + 1
		n := 0
		if c.prefixed {
			n = linePrefix(line)
		}
		if !isRule(line) {
			s, ok := c.cell(line[n:])
			if !ok {
				return found
			}
			s = trimmed(line, s.moved(n)).moved(at)
			if text := a.text[s.from:s.to]; text != "" && columnSecret(k, text, c.strictly) {
				found = append(found, s)
			}
		}
		if !more {
			return found
		}
		at += len(line) + 1
	}
	return found
}

// cell returns a row's place for the column.
func (c columns) cell(row string) (span, bool) {
	all := c.cut(row)
	if extra := len(all) - c.count; extra == 0 {
		return all[c.index], true
	} else if c.bars && extra > 0 && extra < 4 { // the password has some itself
		return span{from: all[c.index].from, to: all[c.index+extra].to}, true
	}
	// A cell may be empty, or of several words: where columns are aligned the place tells. A mark
	// has moved what is behind it.
	if c.at > 0 && !strings.Contains(row, Mark) {
		for _, s := range fields(row, 1) {
			if s.from == c.at {
				return s, true
			}
		}
	}
	return span{}, false
}

// isRule reports whether a line is one that parts a table's head from its rows: of dashes and the
// like, behind what tools put before it.
func isRule(line string) bool {
	line = strings.TrimLeft(line[linePrefix(line):], " \t")
	return strings.Trim(line, "-+|:=_ \t\r─┼├┤┬┴┌┐└┘│━═╪╞╡╤╧╔╗╚╝║") == "" && len(line) > 2 || line == ""
}

// columnSecret reports whether what stands in a column is a secret.
func columnSecret(k kind, text string, strictly bool) bool {
	if len(text) < 4 || strings.ContainsAny(text, " (") || strings.IndexByte("$<{[", text[0]) >= 0 || charsets().MatchString(text) || strings.Contains(text, Mark) || strings.Contains(text, "://") {
		return false
	}
	switch {
	case strictly:
		return strong(text) || strings.ContainsAny(text, strongSigns) && signed(text) || k >= token && generated(text)
	case k >= secret:
		return passwordCell(text)
	}
	return tokenCell(text)
}

func passwordCell(text string) bool {
	return filled(text) && strings.Trim(text, digits+".,%-/:") != "" || signed(text) || len(text) >= 12 && mixedLetters(text)
}

func tokenCell(text string) bool {
	return len(text) >= 8 && filled(text) && numbers(text) >= 2 && letters(text) >= 2 && !plainIdentifier(text) && !wordlike(text) || generated(text)
}

// cells returns the columns of a line between signs. A sign in quotes, or behind a backslash, is
// none.
func cells(line, sign string) []span {
	var all []span
	from := 0
	for i := 0; i <= len(line); {
		switch {
		case i == len(line) || strings.HasPrefix(line[i:], sign):
			all = append(all, span{from: from, to: i})
			from = i + len(sign)
			i = from
		case line[i] == '\\':
			i = min(i+2, len(line))
		// CSV quotes fields; in a table a quote is a character of its cell.
		case line[i] == '"' && strings.TrimLeft(line[from:i], " ") == "" && sign != "|" && sign != "│":
			i = quotedEnd(line, i)
		default:
			i++
		}
	}
	return all
}

// quotedEnd returns the place behind a field's quotes, or behind the first one if it has no end.
func quotedEnd(line string, at int) int {
	for i := at + 1; i < len(line); i++ {
		if line[i] == '"' {
			// Two quotes are one within the field.
			if i+1 < len(line) && line[i+1] == '"' {
				i++
				continue
			}
			return i + 1
		}
	}
	return at + 1
}

// fields returns the columns of a line between blanks, as many of them as a gap has, or a tab.
func fields(line string, gap int) []span {
	var all []span
	from, last := -1, -1
	for i := range len(line) {
		if line[i] == ' ' || line[i] == '\t' || line[i] == '\r' {
			continue
		}
		if from >= 0 && (i-last > gap || strings.IndexByte(line[last:i], '\t') >= 0) {
			all = append(all, span{from: from, to: last + 1})
			from = -1
		}
		if from < 0 {
			from = i
		}
		last = i
	}
	if from >= 0 {
		all = append(all, span{from: from, to: last + 1})
	}
	return all
}

// trimmed is a place without the blanks, quotes and emphasis around it.
func trimmed(line string, s span) span {
	const around = " \t\r\"'`"
	for s.from < s.to && strings.IndexByte(around, line[s.from]) >= 0 {
		s.from++
	}
	for s.to > s.from && strings.IndexByte(around, line[s.to-1]) >= 0 {
		s.to--
	}
	if strings.HasSuffix(line[s.from:s.to], " |") {
		s.to -= 2
		return trimmed(line, s)
	}
	for s.to-s.from > 4 && strings.HasPrefix(line[s.from:s.to], "**") && strings.HasSuffix(line[s.from:s.to], "**") {
		s.from, s.to = s.from+2, s.to-2
	}
	return s
}

func moved(spans []span, by int) []span {
	for i := range spans {
		spans[i] = spans[i].moved(by)
	}
	return spans
}

// allWords reports whether all columns of a head are names.
func allWords(head string, cells []span) bool {
	return !slices.ContainsFunc(cells, func(c span) bool {
		text := strings.Trim(head[c.from:c.to], " \t\r\"'`")
		return text == "" || len(text) > 40 || !headWords(text)
	})
}

// headWords reports whether a text consists of words as a head has them.
func headWords(text string) bool {
	for i := range len(text) {
		if c := text[i]; !wordChar(c) && strings.IndexByte(" -.#/()|", c) < 0 && c < 0x80 {
			return false
		}
	}
	return true
}
