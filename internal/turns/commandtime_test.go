package turns

import (
	"slices"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/transcript"
)

func TestSavedIn(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	span := func(from, to int) transcript.Span {
		return transcript.Span{Begin: start.Add(time.Duration(from) * time.Minute), End: start.Add(time.Duration(to) * time.Minute)}
	}
	others, own := transcript.Spans{span(10, 20)}, transcript.Spans{span(30, 40)}
	saved := map[gitexec.Path]time.Time{
		"in-theirs": start.Add(15 * time.Minute), "in-own": start.Add(35 * time.Minute), "in-none": start.Add(25 * time.Minute),
	}
	files := []gitexec.Path{"in-theirs", "in-own", "in-none", "not-there"}
	if got := savedIn(others, own, files, saved); !slices.Equal(got, []gitexec.Path{"in-theirs"}) {
		t.Errorf("others saved %q", got)
	}
	if got := savedIn(others, transcript.Spans{span(10, 20)}, files, saved); len(got) > 0 {
		t.Errorf("both ran, and others saved %q", got)
	}
}
