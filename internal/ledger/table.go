package ledger

// table has a number for each ID: 0, but for those of the texts that it is used for.
type table []int32

// table is one that is all zero.
func (x *lexicon) table() (t table) {
	if last := len(x.unused) - 1; last >= 0 {
		t, x.unused = x.unused[last], x.unused[:last]
	}
	if missing := len(x.lines) - len(t); missing > 0 {
		// A half more than is missing: the lexicon grows with the next text, too.
		t = append(t, make(table, missing+missing/2)...)
	}
	return t
}

// free makes a table zero again, which was used for the lines of a text alone, and keeps it: to
// make one takes as long as there are lines in all versions.
func (x *lexicon) free(t table, of Text) {
	for _, id := range of {
		t[id] = 0
	}
	x.unused = append(x.unused, t)
}

// placesOfOnce notes where the lines stand, counted from 1, that a text has once; -1 is for those
// that it repeats.
func (t table) placesOfOnce(text Text) {
	for at, id := range text {
		if t[id] != 0 {
			t[id] = -1
		} else {
			t[id] = int32(at) + 1
		}
	}
}
