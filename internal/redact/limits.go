package redact

import (
	"fmt"
	"regexp/syntax"
	"strings"
	"sync/atomic"
	"time"
)

// Rules that others can commit cost each of the user's hooks time. So many count, of that size, and
// for so long in one process.
const (
	mostRules   = 100
	longestRule = 1000   // bytes of an expression
	longestAll  = 10_000 // of all of them
	largestRule = 1000   // states of an expression, after repetitions are written out
	largestAll  = 10_000 // of all of them
	mostTime    = time.Second

	// pieceOfText is what one of them is used for at once, in bytes: the time is looked at after
	// each. What it finds may have overlapOfPieces.
	pieceOfText, overlapOfPieces = 32 << 10, 8 << 10
)

// Over is a rule over the limits, and which one.
type Over struct {
	Rule
	Why string
}

// Limit takes the rules over the limits for those of others out of a list.
func Limit(rules []Rule) (within []Rule, over []Over) {
	bytes, states := 0, 0
	for _, r := range rules {
		size := 0
		if len(r.Regex) <= longestRule && len(within) < mostRules {
			// Only of those that are not over anyway: parsing takes time, too.
			size = statesOf(r.Regex)
		}
		why := ""
		switch {
		case len(within) == mostRules:
			why = fmt.Sprintf("there are more than %d rules", mostRules)
		case len(r.Regex) > longestRule:
			why = fmt.Sprintf("its expression has more than %d bytes", longestRule)
		case size > largestRule:
			why = fmt.Sprintf("its expression has more than %d states", largestRule)
		case bytes+len(r.Regex) > longestAll:
			why = fmt.Sprintf("all expressions have more than %d bytes", longestAll)
		case states+size > largestAll:
			why = fmt.Sprintf("all expressions have more than %d states", largestAll)
		}
		if why != "" {
			over = append(over, Over{r, why})
			continue
		}
		within, bytes, states = append(within, r), bytes+len(r.Regex), states+size
	}
	return within, over
}

// statesOf is about how many states the automaton of an expression has. One that cannot be parsed
// has none.
func statesOf(expression string) int {
	tree, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return 0
	}
	var size func(*syntax.Regexp) int
	size = func(r *syntax.Regexp) int {
		n := 1 + len(r.Rune)/2
		if r.Op == syntax.OpLiteral {
			n = len(r.Rune)
		}
		for _, sub := range r.Sub {
			n += size(sub)
		}
		if r.Op == syntax.OpRepeat {
			// The automaton has a copy for each repetition.
			n *= max(1, r.Min, r.Max)
		}
		return min(n, 1<<20)
	}
	return size(tree)
}

// clock bounds the time that others' rules take.
type clock struct {
	spent []atomic.Int64 // nanoseconds, of each rule
	all   atomic.Int64
}

// late reports whether a rule may not be used any more: the time is over, and it had more than its
// share of it, or it is over twice.
func (c *clock) late(rule int) bool {
	if c == nil || c.all.Load() <= int64(mostTime) {
		return false
	}
	return c.spent[rule].Load() > int64(mostTime)/int64(len(c.spent)) || c.all.Load() > 2*int64(mostTime)
}

// pieces are the parts of a text that a rule is used for, from and to which byte. Without a clock
// it is one.
func (c *clock) pieces(text string) func(yield func(from, to int) bool) {
	return func(yield func(from, to int) bool) {
		from := 0
		for c != nil && len(text)-from > pieceOfText {
			end := from + pieceOfText
			// At the end of a line, so that what is looked for in a line is not cut.
			if line := strings.LastIndexByte(text[from+pieceOfText/2:end], '\n'); line >= 0 {
				end = from + pieceOfText/2 + line + 1
			}
			if !yield(from, end) {
				return
			}
			// What goes across the border is found in the next piece, which begins before it.
			from = end - overlapOfPieces
			if line := strings.IndexByte(text[from:end], '\n'); line >= 0 && line < overlapOfPieces-1 {
				from += line + 1
			}
		}
		yield(from, len(text))
	}
}

func (c *clock) add(rule int, begun time.Time) {
	if c != nil {
		d := int64(time.Since(begun))
		c.spent[rule].Add(d)
		c.all.Add(d)
	}
}

// Late names the rules of others that took too much time, and were not used for all that was read.
func (r *Redactor) Late() (ids []string) {
	if r == nil {
		return nil
	}
	for i := range r.own {
		if r.clock.late(i) {
			ids = append(ids, r.ids[i])
		}
	}
	return ids
}
