package query

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"entire-plumb/internal/fulltext"
)

// matcher finds words, or what a regular expression matches, in texts.
type matcher struct {
	words      []string       // folded
	expression *regexp.Regexp // nil: the words
	needs      [][]string     // see fulltext.Query
	scratch    sync.Pool
}

// ErrQuery says that what is searched for cannot be understood.
type ErrQuery struct{ Reason string }

func (e *ErrQuery) Error() string { return e.Reason }

func newMatcher(words []string, expression bool) (*matcher, error) {
	m := &matcher{scratch: sync.Pool{New: func() any { return new([]byte) }}}
	if expression {
		return m, m.compile(words)
	}
	for _, word := range words {
		if word = fulltext.Fold(strings.TrimSpace(word)); word != "" {
			m.words, m.needs = append(m.words, word), append(m.needs, []string{word})
		}
	}
	// Nothing but white space would match everything.
	if len(m.words) == 0 {
		return nil, &ErrQuery{"there are no words to search for"}
	}
	return m, nil
}

func (m *matcher) compile(expressions []string) (err error) {
	if len(expressions) != 1 {
		return &ErrQuery{"--regexp takes one expression"}
	}
	text := "(?i)" + expressions[0]
	if m.expression, err = regexp.Compile(text); err != nil {
		return &ErrQuery{fmt.Sprintf("%q is no regular expression: %s", expressions[0], strings.TrimPrefix(err.Error(), "error parsing regexp: "))}
	}
	// Words that each match must have: the index finds texts by these, and the expression reads
	// only those.
	m.needs, err = fulltext.Required(text)
	return err
}

// match reports whether a text matches.
func (m *matcher) match(text []byte) bool {
	scratch := m.scratch.Get().(*[]byte)
	defer m.scratch.Put(scratch)
	*scratch = fulltext.AppendFolded((*scratch)[:0], text)
	// An expression is much slower than a search for these words.
	if !fulltext.HasAll(*scratch, m.needs) {
		return false
	}
	return m.expression == nil || m.inLine(text, *scratch)
}

// inLine reports whether the expression matches in a line; folded is the text, folded.
func (m *matcher) inLine(text, folded []byte) bool {
	// Folding changes no line breaks: both have the same lines.
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		of := folded
		if n := bytes.IndexByte(folded, '\n'); n >= 0 {
			of, folded = folded[:n], folded[n+1:]
		}
		if fulltext.HasAll(of, m.needs) && m.expression.Match(line) {
			return true
		}
	}
	return false
}

// places are where a line has what is searched for, in their order; which says of which word.
func (m *matcher) places(line string) (places [][2]int, words int) {
	if m.expression != nil {
		for _, p := range m.expression.FindAllStringIndex(line, mostPlaces) {
			places = append(places, [2]int{p[0], p[1]})
		}
		return places, len(places)
	}
	for _, word := range m.words {
		some := fulltext.Find(line, word, mostPlaces)
		if len(some) > 0 {
			words++
		}
		places = append(places, some...)
	}
	return united(places), words
}

// in are the places in a line.
func (m *matcher) in(line string) [][2]int {
	places, _ := m.places(line)
	return places
}

// mostPlaces is how many places of a line are shown.
const mostPlaces = 100

// united are places in their order; those that overlap or touch become one.
func united(places [][2]int) (all [][2]int) {
	slices.SortFunc(places, func(a, b [2]int) int { return a[0] - b[0] })
	for _, p := range places {
		if last := len(all) - 1; last >= 0 && p[0] <= all[last][1] {
			all[last][1] = max(all[last][1], p[1])
		} else {
			all = append(all, p)
		}
	}
	return all
}

// excerpt is the line of a text that has the most of what is searched for, with those beside it.
type excerpt struct {
	line                int // from 1
	text, before, after string
	places              [][2]int
}

func (m *matcher) excerpt(text string) (best excerpt) {
	lines := strings.Split(text, "\n")
	most := -1
	for i, line := range lines {
		if places, words := m.places(line); words > most && (len(places) > 0 || m.expression != nil && m.expression.MatchString(line)) {
			most = words
			best = excerpt{line: i + 1, text: line, places: places}
			if m.expression != nil || words == len(m.words) {
				break
			}
		}
	}
	if most < 0 { // a phrase over several lines
		best = excerpt{line: 1, text: lines[0]}
	}
	if best.line > 1 {
		best.before = lines[best.line-2]
	}
	if best.line < len(lines) {
		best.after = lines[best.line]
	}
	return best
}
