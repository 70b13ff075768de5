package redact

// words finds which of many words are in a text, whatever their case, in one pass over it (Aho and
// Corasick's automaton, with all transitions written out).
type words struct {
	class   [256]uint8 // bytes that no word has are of class 0
	classes int
	next    []uint16  // by state and class
	final   int       // states from here on have words that end in them
	ends    [][]int32 // those, by the state less final
	lengths []int
}

// beginning is what words begin with, a node of the tree from which the automaton is built: each
// hook of an agent builds it, and the tree is small where the transitions are many.
type beginning struct {
	class          uint8  // of its last byte
	child, sibling uint16 // 0 is none
	back           uint16 // the longest other prefix that it ends with
	ends           []int32
	state          int
}

type beginnings []beginning

// newWords builds the automaton; a word's number is its index. No word is there twice.
func newWords(list []string) *words {
	w := &words{classes: 1}
	bytes := 0
	for _, word := range list {
		for i := range len(word) {
			if c := lowered(word[i]); w.class[c] == 0 {
				w.class[c] = uint8(w.classes)
				w.classes++
			}
		}
		w.lengths = append(w.lengths, len(word))
		bytes += len(word)
	}
	for c := byte('A'); c <= 'Z'; c++ {
		// Capitals are of the same class: the text need not be lowered.
		w.class[c] = w.class[lowered(c)]
	}
	tree := make(beginnings, 1, bytes+1)
	for n, word := range list {
		at := uint16(0)
		for i := range len(word) {
			at = tree.grow(at, w.class[word[i]])
		}
		tree[at].ends = []int32{int32(n)}
	}
	w.write(tree, tree.link())
	return w
}

// child is a prefix with one more byte; 0 if no word begins so.
func (t beginnings) child(at uint16, class uint8) uint16 {
	for at = t[at].child; at != 0 && t[at].class != class; at = t[at].sibling {
	}
	return at
}

// grow adds a prefix with one more byte, unless it is there.
func (t *beginnings) grow(at uint16, class uint8) uint16 {
	if to := t.child(at, class); to != 0 {
		return to
	}
	to := uint16(len(*t))
	*t = append(*t, beginning{class: class, sibling: (*t)[at].child})
	(*t)[at].child = to
	return to
}

// link finds what each prefix ends with, and returns them by length.
func (t beginnings) link() []uint16 {
	order := make([]uint16, 1, len(t))
	for i := 0; i < len(order); i++ {
		at := order[i]
		for to := t[at].child; to != 0; to = t[to].sibling {
			order = append(order, to)
			for back := at; back != 0 && t[to].back == 0; {
				back = t[back].back
				t[to].back = t.child(back, t[to].class)
			}
			t[to].ends = append(t[to].ends, t[t[to].back].ends...)
		}
	}
	return order
}

// write numbers the states, those last that words end in, so that a number tells, and writes out
// where each goes: where the longest prefix that it ends with goes, unless a word goes on.
func (w *words) write(tree beginnings, order []uint16) {
	n := 0
	for _, final := range []bool{false, true} {
		if final {
			w.final = n
		}
		for i := range tree {
			// One comparison in each, which goes over every byte, then tells whether a word ends.
			if p := &tree[i]; (p.ends != nil) == final {
				p.state = n
				n++
				if final {
					w.ends = append(w.ends, p.ends)
				}
			}
		}
	}
	w.next = make([]uint16, n*w.classes)
	for _, at := range order {
		p := &tree[at]
		row := w.next[p.state*w.classes:][:w.classes]
		if at != 0 {
			// By length: what it ends with is shorter, and has been written.
			copy(row, w.next[tree[p.back].state*w.classes:])
		}
		for to := p.child; to != 0; to = tree[to].sibling {
			row[tree[to].class] = uint16(tree[to].state)
		}
	}
}

// each calls a function for each word that is there, in the order of their ends.
func (w *words) each(text string, found func(word, from, to int)) {
	state := 0
	for i := range len(text) {
		state = int(w.next[state*w.classes+int(w.class[text[i]])])
		if state >= w.final {
			for _, n := range w.ends[state-w.final] {
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
