package transcript

import (
	"context"
	"os"
	"time"
)

// pollEvery is how long Wait sleeps between two looks at the file's size.
const pollEvery = 4 * time.Millisecond

// Wait returns when the transcript at path is there to its end, after the given limit,
// or when ctx ends, whichever is first: an agent may tell that it stopped
// before its last lines are on disk. A file that is missing may still come. It
// returns at once if limit is not positive.
func Wait(ctx context.Context, path string, limit time.Duration) {
	waiting{path: path}.wait(ctx, limit, limit)
}

// WaitForAnswer is Wait for an agent that has stopped with an answer; empty: it is not known. Where
// the transcript says that the agent is at work, or lacks the answer, its last lines are late, and
// the limit is atWork.
func WaitForAnswer(ctx context.Context, path, answer string, limit, atWork time.Duration) {
	waiting{path: path, answer: answer}.wait(ctx, limit, atWork)
}

// WaitForSubagent is Wait for the transcript of a subagent that has stopped with an answer; empty:
// it is not known.
func WaitForSubagent(ctx context.Context, path, answer string, limit time.Duration) {
	waiting{path: path, answer: answer, ofSubagent: true}.wait(ctx, limit, limit)
}

// waiting is for the end of a transcript.
type waiting struct {
	path       string
	answer     string
	ofSubagent bool
}

func (w waiting) wait(ctx context.Context, limit, atWork time.Duration) {
	if limit <= 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, max(limit, atWork))
	defer cancel()
	done := make(chan struct{})
	// Apart, so that a slow disk cannot hold up the caller beyond the limit.
	go func() {
		defer close(done)
		w.poll(ctx, time.Now().Add(limit))
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// poll returns when the transcript is there to its end or ctx ends; from a time on, also where it
// doesn't say that the agent is at work. It reads the file only when its size has changed.
func (w waiting) poll(ctx context.Context, unlessAtWork time.Time) {
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	// No file has that size: the first look reads it.
	size, atWork := int64(-1), false
	for ctx.Err() == nil && (atWork || time.Now().Before(unlessAtWork)) {
		if info, err := os.Stat(w.path); err == nil && info.Size() != size {
			size = info.Size()
			stopped, known, err := endingOf(w.path, w.ofSubagent, w.answer)
			if err == nil && stopped {
				return
			}
			// A tool or an answer is under way, or it is not the last: the last lines are late.
			atWork = err == nil && known
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
		}
	}
}

// Size is how many bytes a transcript has; 0 where that is not known.
func Size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
