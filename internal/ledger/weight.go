package ledger

import (
	"strings"
	"sync"
	"unicode"

	"entire-plumb/internal/sets"
)

// The weight of a line says how little it may be chance that two texts both have it, in letters and
// digits beside the common words of code: one beyond ASCII counts two, a character of a writing
// system with thousands of them three, so that a word of two is enough. A brace, `return nil, err`
// or `} else {` weighs nothing.
//
// With Evidence of it a line is evidence by itself. With half of it `return 404` is, which weighs 3
// and which any two servers share; with double of it a name of eleven letters is not, and short
// lines that come back, or move, together are new (TestAssign). All rules were measured with it:
// docs/decisions.md, "Why evidence has a weight".
const Evidence = 6

// Weight is that of a line by itself, without its line end: from 0 to Evidence, since a long line
// is no better evidence than a name.
func Weight(line string) int {
	// `total += price` weighs 10, which counts as 6: evidence alone. `n := count` weighs 6, `x = 1`
	// weighs 2. `return nil, err` and `}` weigh 0.
	n := 0
	begin, weight := -1, 0 // of the word that is being read
	word := func(end int) {
		if begin >= 0 && !commonWords()[strings.ToLower(line[begin:end])] {
			n += weight
		}
		begin, weight = -1, 0
	}
	for i, c := range line {
		switch {
		case !isWordRune(c):
			// A line of a megabyte, as of minified code, is read only until it weighs enough.
			if word(i); n >= Evidence {
				return Evidence
			}
			continue
		case c <= unicode.MaxASCII:
			weight++
		case unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			weight += 3
		default:
			weight += 2
		}
		if begin < 0 {
			begin = i
		}
	}
	word(len(line))
	return min(n, Evidence)
}

func isWordRune(c rune) bool {
	// c|0x20 makes a capital letter small. An underscore divides words here: `is_null` is two
	// common words, while splitWords takes it for one word.
	if c <= unicode.MaxASCII {
		return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
	}
	return unicode.IsLetter(c) || unicode.IsDigit(c)
}

// commonWords are words of programming languages, which do not distinguish programs.
var commonWords = sync.OnceValue(func() map[string]bool {
	return sets.Of(strings.Fields(`abstract and any args as assert async await begin bool boolean break byte case catch char class const constexpr
	continue def default defer del delete do double elif else elsif end enum err error esac except exception export extends extern false fi
	final finally float fn for foreach from func function go goto if impl implements import in include init inline instanceof int integer
	interface internal is lambda len let lock long loop main map match mod module mu mut mutable namespace new nil none not null nullptr object
	ok operator or override package panic pass private protected pub public raise range readonly ref require return returns self short
	signed sizeof static std str string struct super switch template test then this throw throws trait true try type typedef typeof undefined
	union unless unlock unsafe unsigned use using val var virtual void volatile when where while with yield`))
})
