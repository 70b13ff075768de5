package stats

// place is lines of a turn in one commit's file: how many it brings, and how many are alive.
type place struct {
	lines       Lines
	born, alive int
}

// settle counts what is alive of moved lines where the turn brought lines that are gone: in the
// same row first, then in any. Further ones count as brought in the first place: another commit
// wrapped a line over several, or repeated it.
func settle(places, moved []place, sameRow func(a, b Lines) bool) {
	for _, m := range moved {
		for _, anywhere := range []bool{false, true} {
			for i := range places {
				if p := &places[i]; anywhere || sameRow(p.lines, m.lines) {
					n := min(m.alive, p.born-p.alive)
					p.alive, m.alive = p.alive+n, m.alive-n
				}
			}
		}
		places[0].born, places[0].alive = places[0].born+m.alive, places[0].alive+m.alive
	}
}
