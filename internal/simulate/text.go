package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

var (
	verbs = strings.Fields("parse read write load store find open close merge split sort count check build render send fetch apply resolve scan")
	nouns = strings.Fields("config session stream checkpoint commit branch index worktree header token buffer line path entry prompt user cache queue record label")
	// commons are lines that code is full of; short ones that are less common are among them, since
	// they tell as little.
	commons = []string{"}", "}", "}", "\t}", "\t}", "\t\t}", "\treturn nil", "\treturn nil", "\treturn err", "\t\treturn err",
		"\tif err != nil {", "\tif err != nil {", "\t\treturn nil, err", "\t} else {", "\t\tbreak", "\t\tcontinue", "\tdefer mu.Unlock()",
		"\tmu.Lock()", "\treturn false", "\treturn true", "\tvar err error", ")", "import (", "\tn++", "\tok := true"}
)

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// words is a line that is hardly ever repeated.
func words(rng *rand.Rand) string {
	v, n, o := pick(rng, verbs), pick(rng, nouns), pick(rng, nouns)
	switch rng.IntN(8) {
	case 0:
		return fmt.Sprintf("func %s%s(%s string) error {", v, title(n), o)
	case 1:
		return fmt.Sprintf("\t%s, err := %s%s(%s)", n, v, title(o), n)
	case 2:
		return fmt.Sprintf("\t// The %s must %s before the %s does.", n, v, o)
	case 3:
		return fmt.Sprintf("\tfmt.Fprintf(out, \"%s %s: %%v\\n\", %s)", v, n, o)
	case 4:
		return fmt.Sprintf("\tif %s.%s > %d {", n, title(o), rng.IntN(100))
	case 5:
		return fmt.Sprintf("\t\treturn fmt.Errorf(\"%s the %s: %%w\", err)", v, n)
	case 6:
		return fmt.Sprintf("\t%s.%s%s(%d)", n, v, title(o), rng.IntN(1000))
	default:
		return fmt.Sprintf("\tconst %s%s = %d", n, title(o), rng.IntN(10000))
	}
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// code makes lines as in programs: about half of them are common. Where the workflow has another
// kind of text, they are of that.
func (w *world) code(n, unit int) []line {
	if w.kind != nil {
		return w.data(n, unit)
	}
	lines := make([]line, 0, n)
	for range n {
		l := line{id: w.next(), unit: unit, kind: distinct}
		switch r := w.rng.IntN(20); {
		case r < 2:
			l.kind = blank
		case r < 9:
			l.kind, l.text = common, pick(w.rng, commons)
		default:
			l.text = words(w.rng)
		}
		lines = append(lines, l)
	}
	return lines
}

// tweaked is a line with one change by hand.
func tweaked(rng *rand.Rand, text string) string {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return text
	}
	old := pick(rng, fields)
	return strings.Replace(text, old, old+pick(rng, []string{"2", "_", "X", "New"}), 1)
}
