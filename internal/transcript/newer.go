package transcript

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"time"
)

// Status says how an agent's own transcript relates to a stored one of the same session (seed 004,
// SessionRestoreStatus).
type Status int

// The statuses.
const (
	StatusNew             Status = iota // the agent has none
	StatusUnchanged                     // both are the same, or differ only in what was redacted
	StatusCheckpointNewer               // the stored one goes on where the agent's ends, or ends later
	StatusLocalNewer                    // the agent's does
	StatusUnknown                       // they differ, and have no times
)

// ClassifyTimestamps compares the times of the last records (seed 004, ClassifyTimestamps). A zero
// time is unknown.
func ClassifyTimestamps(local, stored time.Time) Status {
	switch {
	case local.IsZero() || stored.IsZero():
		return StatusUnknown
	case local.After(stored):
		return StatusLocalNewer
	case stored.After(local):
		return StatusCheckpointNewer
	}
	return StatusUnchanged
}

// Comparison is the result of Compare. The times are those of the last records that have one.
type Comparison struct {
	Status        Status
	Local, Stored time.Time
}

// Compare compares an agent's transcript, if there is one, with a stored one. It reads both while
// they are the same, and holds only their ends in memory. What was redacted in the stored one has
// other bytes, but the same lines and times. A time after now counts as none: whoever writes one
// would always be the newer.
func Compare(path string, stored Stored, now time.Time) (Comparison, error) {
	f, size, err := open(path)
	// StatusNew: the agent has none.
	if errors.Is(err, fs.ErrNotExist) {
		return Comparison{}, nil
	}
	if err != nil {
		return Comparison{}, failed(path, err)
	}
	defer f.Close()
	c := &comparer{local: bufio.NewReaderSize(io.NewSectionReader(f, 0, size), 64<<10), same: true}
	// The stored one comes in parts of any size: comparer reads on in the agent's as far as each is
	// long.
	if err := stored.WriteTranscript(c); err != nil {
		return Comparison{}, err
	}
	if c.err != nil {
		return Comparison{}, failed(path, c.err)
	}
	end, err := tail(f, size, maxTail)
	if err != nil {
		return Comparison{}, failed(path, err)
	}
	result := Comparison{Local: lastTime(end, now), Stored: lastTime(c.tail, now)}
	result.Status = c.status(size, result)
	// What was redacted makes the bytes differ at the same time of the last record.
	if result.Status != StatusUnchanged || c.same {
		return result, nil
	}
	// The same last time: lines tell whether one goes on.
	count := 0
	if err := lines(io.NewSectionReader(f, 0, size), func([]byte) error { count++; return nil }); err != nil {
		return Comparison{}, failed(path, err)
	}
	switch cmp.Compare(count, c.lines()) {
	case 1:
		result.Status = StatusLocalNewer
	case -1:
		result.Status = StatusCheckpointNewer
	}
	return result, nil
}

// comparer takes the stored transcript, and compares it with the agent's.
type comparer struct {
	local *bufio.Reader
	same  bool  // the stored one, so far, is the beginning of the agent's, or the reverse
	size  int64 // of the stored one
	ends  int   // newlines in it
	tail  []byte
	err   error // of reading the agent's
}

func (c *comparer) Write(text []byte) (int, error) {
	c.size += int64(len(text))
	c.ends += bytes.Count(text, newline)
	// Cut at twice the size, so that not each part is moved.
	if c.tail = append(c.tail, text...); len(c.tail) > 2*maxTail {
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-maxTail:]...)
	}
	for rest := text; c.same && c.err == nil && len(rest) > 0; {
		here, err := c.local.Peek(min(len(rest), c.local.Size()))
		c.same = bytes.HasPrefix(rest, here)
		// Peek has them in its buffer: this can't fail.
		c.local.Discard(len(here))
		rest = rest[len(here):]
		if err == io.EOF {
			break // the agent's ends here
		}
		c.err = err
	}
	return len(text), nil
}

// lines counts the stored lines: the last newline is not stored.
func (c *comparer) lines() int {
	if len(c.tail) > 0 && c.tail[len(c.tail)-1] != '\n' {
		return c.ends + 1
	}
	return c.ends
}

// status compares by content where one is the beginning of the other, and else by time.
func (c *comparer) status(size int64, with Comparison) Status {
	const end = 1 // the newline that is not stored
	switch {
	case !c.same:
		return ClassifyTimestamps(with.Local, with.Stored)
	// One is the beginning of the other here: their lengths tell which goes on.
	case size == c.size || size == c.size+end:
		return StatusUnchanged
	case size < c.size:
		return StatusCheckpointNewer
	}
	return StatusLocalNewer
}

// clockSlack is how far another machine's clock may be ahead.
const clockSlack = 10 * time.Minute

// lastTime is the time of the last line that has one that is not in the future; zero if none.
func lastTime(data []byte, now time.Time) time.Time {
	for line := range backwards(data, true) {
		if rec, ok := decode(line); ok && !rec.when.IsZero() && !rec.when.After(now.Add(clockSlack)) {
			return rec.when
		}
	}
	return time.Time{}
}
