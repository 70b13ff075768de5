package transcript

import (
	"context"
	"os"
	"time"
)

// pollEvery is how long Wait sleeps between two looks at the file's size.
const pollEvery = 4 * time.Millisecond

// Wait returns when the transcript at path is Complete, after the given limit,
// or when ctx ends, whichever is first: an agent may tell that it stopped
// before its last lines are on disk. A file that is missing may still come. It
// returns at once if limit is not positive.
func Wait(ctx context.Context, path string, limit time.Duration) { wait(ctx, path, limit, false) }

// WaitForSubagent is Wait for a subagent's transcript.
func WaitForSubagent(ctx context.Context, path string, limit time.Duration) {
	wait(ctx, path, limit, true)
}

func wait(ctx context.Context, path string, limit time.Duration, ofSubagent bool) {
	if limit <= 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan struct{})
	// Apart, so that a slow disk cannot hold up the caller beyond the limit.
	go func() {
		defer close(done)
		poll(ctx, path, ofSubagent)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// poll returns when the transcript is Complete or ctx ends. It reads the file
// only when its size has changed.
func poll(ctx context.Context, path string, ofSubagent bool) {
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	size := int64(-1)
	for ctx.Err() == nil {
		if info, err := os.Stat(path); err == nil && info.Size() != size {
			size = info.Size()
			if stopped, err := complete(path, ofSubagent); err == nil && stopped {
				return
			}
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
