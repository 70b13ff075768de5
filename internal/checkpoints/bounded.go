package checkpoints

import (
	"time"

	"entire-plumb/internal/lineage"
)

// Bounded is a time that was read from a checkpoint; zero, which is a time that is not known, where
// it is after now or before 1970, from which git counts.
func Bounded(t, now time.Time) time.Time {
	// Whoever can push can write any time: one of years ahead would be the latest for good.
	if t.Unix() <= 0 || t.After(now.Add(lineage.MostSkew*time.Second)) {
		return time.Time{}
	}
	return t
}

// AsOf is the branch as it is read at a time: what its checkpoints say is later is not known.
// Without it, it is read as it is written.
func AsOf(b Branch, now time.Time) Branch {
	b.now = now
	return b
}

// asOf is the metadata of a session's part, as it is shown.
func asOf(b Branch, m SessionMetadata) SessionMetadata {
	if !b.now.IsZero() {
		m.CreatedAt = Bounded(m.CreatedAt, b.now)
	}
	return m
}
