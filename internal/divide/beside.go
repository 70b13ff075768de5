package divide

import "entire-plumb/internal/ledger"

// place is a line of one of several texts.
type place struct{ text, line int }

// neighbours tell whose a line is that the texts of both have, such as a brace or a blank line:
// which of them has more of the lines around it. A line with words says more than another brace.
type neighbours struct {
	book  *ledger.Book
	texts []ledger.Text
	at    map[ledger.ID][]place
}

// mostAround is how many lines on each side of a line are looked at. With one, of equal idioms of
// two turns each is lost (TestFunctionsOfTwo); from ten on no case changes. A file that is nothing
// but equal lines would be read whole for each of them.
const mostAround = 100

func neighboursIn(book *ledger.Book, texts []ledger.Text) neighbours {
	n := neighbours{book: book, texts: texts, at: map[ledger.ID][]place{}}
	for i, text := range texts {
		for j, id := range text {
			// Braces and blank lines stand in hundreds of places: the first ones have to do. Each
			// place costs up to 2 * mostAround comparisons for each new line.
			if len(n.at[id]) < mostEdits {
				n.at[id] = append(n.at[id], place{i, j})
			}
		}
	}
	return n
}

// has reports whether a text has the line.
func (n neighbours) has(id ledger.ID) bool { return len(n.at[id]) > 0 }

// around is how much, at most, stands together in a text as it does around a line here: one for
// each line, and how much it is evidence. It is 0 if no text has that line.
func (n neighbours) around(here ledger.Text, line int) (most int) {
	for _, p := range n.at[here[line]] {
		text := n.texts[p.text]
		most = max(most, 1+n.common(here, line, text, p.line, 1)+n.common(here, line, text, p.line, -1))
	}
	return most
}

// common is how much after two lines of two texts, or before them, is the same.
func (n neighbours) common(a ledger.Text, i int, b ledger.Text, j, step int) (weight int) {
	for range mostAround {
		i, j = i+step, j+step
		if i < 0 || j < 0 || i >= len(a) || j >= len(b) || a[i] != b[j] {
			break
		}
		// Each line counts one, so that a run of braces counts too, and up to six more by what it
		// says.
		weight += 1 + n.book.Letters(a[i])
	}
	return weight
}
