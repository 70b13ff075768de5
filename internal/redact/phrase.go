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

// phrases finds seeds of wallets: 12 words of the list and more, one after the other, in one line
// or each on its own.
func phrases(text string) []span {
	const shortestWord, longestWord, fewest = 3, 8, 12
	var found []span
	from, count, end := 0, 0, 0
	finish := func() {
		if count >= fewest {
			found = append(found, seeds(text[from:end], from)...)
		}
		count = 0
	}
	if len(text) < fewest*(shortestWord+1) {
		return nil
	}
	for i := 0; i < len(text); {
		if !small(text[i]) {
			if text[i] != ' ' && text[i] != '\n' && text[i] != ',' && (text[i] < '0' || text[i] > '9') && text[i] != '.' && text[i] != ')' && text[i] != '\t' && text[i] != '"' && text[i] != '\'' {
				finish()
			}
			i++
			continue
		}
		to := i
		for to < len(text) && small(text[to]) {
			to++
		}
		if n := to - i; n < shortestWord || n > longestWord || to < len(text) && (wordChar(text[to]) || text[to] >= 0x80) {
			finish()
		} else {
			if count == 0 {
				from = i
			}
			count, end = count+1, to
		}
		i = to
	}
	finish()
	return found
}

// seeds finds the runs of the list's words in a run of words of their length.
func seeds(text string, at int) []span {
	const fewest = 12
	list := seedWords()
	var found []span
	from, count, end := 0, 0, 0
	seen := map[string]bool{} // a list of "true" and "false" is none
	finish := func() {
		if count >= fewest && len(seen) >= fewest-3 {
			found = append(found, span{from: at + from, to: at + end})
		}
		count = 0
		clear(seen)
	}
	for i := 0; i < len(text); i++ {
		if !small(text[i]) {
			continue
		}
		to := i
		for to < len(text) && small(text[to]) {
			to++
		}
		if list[text[i:to]] {
			if count == 0 {
				from = i
			}
			count, end = count+1, to
			seen[text[i:to]] = true
		} else {
			finish()
		}
		i = to
	}
	finish()
	return found
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
