package redact

// words finds which of many words are in a text, whatever their case, in one pass over it (Aho and
// Corasick's automaton, with all transitions written out).
type words struct {
	class   [256]uint8 // bytes that no word has are of class 0
	classes int
	next    []uint16  // by state and class
	ends    [][]int32 // words that end in a state
	final   int       // states from here on have some
	lengths []int
}

// newWords builds the automaton; a word's number is its index.
func newWords(list []string) *words {
	w := &words{classes: 1}
	for _, word := range list {
		for i := range len(word) {
			if c := lowered(word[i]); w.class[c] == 0 {
				w.class[c] = uint8(w.classes)
				w.classes++
			}
		}
		w.lengths = append(w.lengths, len(word))
	}
	for c := byte('A'); c <= 'Z'; c++ {
		w.class[c] = w.class[lowered(c)]
	}
	w.grow()
	for n, word := range list {
		state := 0
		for i := range len(word) {
			at := state*w.classes + int(w.class[word[i]])
			if w.next[at] == 0 {
				w.next[at] = uint16(w.grow())
			}
			state = int(w.next[at])
		}
		w.ends[state] = append(w.ends[state], int32(n))
	}
	w.link()
	w.sort()
	return w
}

// grow adds a state.
func (w *words) grow() int {
	w.next = append(w.next, make([]uint16, w.classes)...)
	w.ends = append(w.ends, nil)
	return len(w.ends) - 1
}

// link fills in where a state goes that has no longer word to go on with.
func (w *words) link() {
	fail := make([]int, len(w.ends))
	queue := []int{0}
	for len(queue) > 0 {
		state := queue[0]
		queue = queue[1:]
		for c := range w.classes {
			at := state*w.classes + c
			to, back := int(w.next[at]), 0
			if state != 0 {
				back = int(w.next[fail[state]*w.classes+c])
			}
			if to == 0 {
				w.next[at] = uint16(back)
				continue
			}
			fail[to] = back
			w.ends[to] = append(w.ends[to], w.ends[back]...)
			queue = append(queue, to)
		}
	}
}

// sort numbers the states anew, those last that words end in, so that a number tells.
func (w *words) sort() {
	to := make([]int, len(w.ends))
	n := 0
	for _, final := range []bool{false, true} {
		if final {
			w.final = n
		}
		for state, ends := range w.ends {
			if (ends != nil) == final {
				to[state] = n
				n++
			}
		}
	}
	next, ends := make([]uint16, len(w.next)), make([][]int32, len(w.ends))
	for state := range w.ends {
		ends[to[state]] = w.ends[state]
		for c := range w.classes {
			next[to[state]*w.classes+c] = uint16(to[w.next[state*w.classes+c]])
		}
	}
	w.next, w.ends = next, ends
}

// each calls a function for each word that is there, in the order of their ends.
func (w *words) each(text string, found func(word, from, to int)) {
	state := 0
	for i := range len(text) {
		state = int(w.next[state*w.classes+int(w.class[text[i]])])
		if state >= w.final {
			for _, n := range w.ends[state] {
				found(int(n), i+1-w.lengths[n], i+1)
			}
		}
	}
}

func lowered(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
