package turns

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testdir"
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

func TestSaveTimes(t *testing.T) {
	top := t.TempDir()
	when := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, name := range []string{"a", "renamed"} {
		file := filepath.Join(top, name)
		testdir.Must(t, os.WriteFile(file, nil, 0o600))
		testdir.Must(t, os.Chtimes(file, when, when))
	}
	got := saveTimes(top, []gitexec.Path{"a", "renamed", "deleted"}, map[gitexec.Path]bool{"renamed": true})
	if len(got) != 1 || !got["a"].Equal(when) {
		t.Errorf("saved: %v", got)
	}
}
