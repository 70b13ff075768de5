package divide

import (
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/sets"
)

// Rebased is the version that a turn began from, with what HEAD has got of the turn's last version
// in the meantime: the turn's lines that were committed stand in it, and old lines that a commit
// took out do not. So what was there uncommitted is in both, and only what is uncommitted of the
// turn differs. committedBefore and committed are HEAD's versions at the turn's start and now.
func Rebased(was, now, committedBefore, committed []byte) []byte {
	d := (&File{Was: was, Now: now}).divided()
	head := d.book.Text(committed)
	for line, at := range ledger.Match(head, d.now) {
		// In HEAD, and not there at the turn's start: a commit in the turn brought it.
		d.theirs[line] = at >= 0
	}
	before := d.book.Text(committedBefore)
	stays := sets.Of(ledger.Match(before, head))
	for line, at := range ledger.Match(before, d.was) {
		// What HEAD never had is the human's, and stays where the turn took it out.
		if at >= 0 && !stays[at] {
			d.out[line] = true
		}
	}
	return d.without()
}
