// Package spelling tells how far misspelt words are from those that are meant.
package spelling

import "unicode/utf8"

// mostLetters is how long a word is that is compared: a file may have longer ones.
const mostLetters = 200

// Distance is how many letters must be added, removed, replaced, or swapped with the next one, to
// make one word of another. In words of more than 200 letters all count as different.
func Distance(from, to string) int {
	if most := max(utf8.RuneCountInString(from), utf8.RuneCountInString(to)); most > mostLetters {
		return most
	}
	a, b := []rune(from), []rune(to)
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, before
		row[0] = i
		for j := 1; j <= len(b); j++ {
			same := 1
			if a[i-1] == b[j-1] {
				same = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+same)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
