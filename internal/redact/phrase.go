package redact

import (
	_ "embed"
	"strings"
	"sync"
)

// The words of BIP 39, in English. Wallets write their seeds in them.
//
//go:embed bip39.txt
var bip39 string

var seedWords = sync.OnceValue(func() map[string]bool { return set(bip39) })

// Bounds of a seed phrase.
const (
	shortestWord, longestWord = 3, 8
	fewestWords               = 12
	fewestDifferent           = 9 // a list of "true" and "false" is none
)

// between are what may stand between a seed's words: in a line, a list, a table, code.
var between = func() (table [256]bool) {
	for _, c := range []byte(" \t\r\n,.;:)('\"`[]|*+->=_" + digits + "\xe2\x86\x92\x80\xa2") { // the last ones are → and •
		table[c] = true
	}
	return table
}()

// phrases finds seeds of wallets: 12 words of the list and more, one after the other, in one line
// or each on its own, whatever tools put before it.
func phrases(text string) []span {
	if len(text) < fewestWords*(shortestWord+1) {
		return nil
	}
	var run seedRun
	for i := 0; i < len(text); {
		if !small(text[i]) {
			// Outside of a run a prefix is passed over like any other text.
			if text[i] == '\n' && len(run.words) > 0 {
				i += prefixOfLine(text[i+1:])
			} else if !between[text[i]] {
				run.finish()
			}
			i++
			continue
		}
		to := i
		for to < len(text) && small(text[to]) {
			to++
		}
		if standsAlone(text, i, to) {
			run.add(text, span{from: i, to: to})
		} else {
			run.finish()
		}
		i = to
	}
	run.finish()
	return run.found(text, func(words []span) []span { return []span{{from: words[0].from, to: words[len(words)-1].to}} })
}

// prefixOfLine is the length of what tools put before a text's first line, unless it begins with a
// word of the list.
func prefixOfLine(text string) int {
	line, _, _ := strings.Cut(text, "\n")
	if seedWords()[firstWord(line)] {
		return 0
	}
	return linePrefix(line)
}

// standsAlone reports whether no other letters are beside a word.
func standsAlone(text string, from, to int) bool {
	if from > 0 && wordChar(text[from-1]) {
		return false
	}
	// A letter beyond ASCII goes on with the word; the signs of lists beyond it don't.
	return to == len(text) || !wordChar(text[to]) && (text[to] < 0x80 || between[text[to]])
}

func firstWord(line string) string {
	line = strings.TrimLeft(line, " \t")
	return line[:len(line)-len(strings.TrimLeft(line, "abcdefghijklmnopqrstuvwxyz"))]
}

// seedRun is the words of the list that stand one after the other, and the runs of them that were
// long enough.
type seedRun struct {
	words []span
	long  [][]span
}

// finish ends a run.
func (r *seedRun) finish() {
	if len(r.words) >= fewestWords {
		r.long = append(r.long, r.words)
		r.words = nil
	}
	// The long run keeps its array: the next one begins another.
	r.words = r.words[:0]
}

// found returns the places of the runs that are seeds.
func (r *seedRun) found(text string, places func([]span) []span) []span {
	var all []span
	for _, words := range r.long {
		different := map[string]bool{}
		for _, w := range words {
			different[text[w.from:w.to]] = true
		}
		if len(different) >= fewestDifferent {
			all = append(all, places(words)...)
		}
	}
	return all
}

// add takes a text up if it is a word of the list, and ends the run if it is anything else.
func (r *seedRun) add(text string, s span) {
	if n := s.to - s.from; n >= shortestWord && n <= longestWord && seedWords()[text[s.from:s.to]] {
		r.words = append(r.words, s)
	} else {
		r.finish()
	}
}

var jwkPart = compiled("\\\\{0,7}[\"'](?:d|p|q|dp|dq|qi|k)\\\\{0,7}[\"']\\s{0,4}:\\s{0,4}\\\\{0,7}[\"']([A-Za-z0-9_-]{16,})")

// webKeys finds the private parts of JSON Web Keys.
func webKeys(text string) []span {
	if !strings.Contains(text, `"kty`) && !strings.Contains(text, `'kty`) {
		return nil
	}
	var found []span
	for _, m := range jwkPart().FindAllStringSubmatchIndex(text, -1) {
		found = append(found, span{from: m[2], to: m[3]})
	}
	return found
}

// bigrams are the pairs of letters that nine in ten of those of words and names are: of a random
// text, three in ten.
var bigrams = sync.OnceValue(func() (table [26][26]bool) {
	const list = `abcdgiklmnprstuy baelosu caehiklortu dadeilorsu eacdeflmnpqrstvwx faefilou gehios haeiot iacdefglmnoprstvx kae ladeilostuy maeiopu
		nacdefginostuv ocdklmnoprstuvw paeloprty qu racdefimnorstuvy sacdehiopstuy tacehiloprstuy uceilmnprst vae wahir xpt ypt`
	for _, row := range strings.Fields(list) {
		for i := 1; i < len(row); i++ {
			table[row[0]-'a'][row[i]-'a'] = true
		}
	}
	return table
})

// gibberish reports whether the letters of a text follow one another as they don't in words.
func gibberish(s string) bool {
	pairs, common := pairsOf(s)
	return pairs >= 6 && float64(common) < 0.62*float64(pairs)
}

// wordlike reports whether they do as in words.
func wordlike(s string) bool {
	if 5*numbers(s) > 2*len(s) || numbers(s) >= 4 && strings.Trim(s, "0123456789abcdef-") == "" {
		return false
	}
	pairs, common := pairsOf(s)
	return pairs >= 5 && float64(common) > 0.74*float64(pairs)
}

// pairsOf counts the pairs of letters, and those of words.
func pairsOf(s string) (pairs, common int) {
	table := bigrams()
	for i := 1; i < len(s); i++ {
		a, b := lowered(s[i-1]), lowered(s[i])
		if small(a) && small(b) {
			pairs++
			if table[a-'a'][b-'a'] {
				common++
			}
		}
	}
	return pairs, common
}
