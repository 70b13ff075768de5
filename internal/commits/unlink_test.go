package commits

import (
	"errors"
	"strings"
	"testing"

	"entire-plumb/internal/checkpoints"
)

// TestToUnlink: of the links beside a commit those that the user names, and none of its message.
func TestToUnlink(t *testing.T) {
	ambiguous := new(checkpoints.AmbiguousError)
	for name, c := range map[string]struct {
		beside, trailers, checkpoint string
		want                         string
		err                          error
	}{
		"all":                       {"a1 b2", "", "", "a1 b2", nil},
		"one":                       {"a1 b2", "", "b2", "b2", nil},
		"one, abbreviated":          {"a1 b2", "", "a", "a1", nil},
		"all but the message's":     {"a1 b2", "a1", "", "b2", nil},
		"none is there":             {"", "", "", "", ErrNotLinked},
		"none has that name":        {"a1", "b2", "c", "", ErrNotLinked},
		"it is in the message":      {"a1", "b2", "b", "", ErrInMessage},
		"all are in the message":    {"b2", "b2", "", "", ErrInMessage},
		"two begin so":              {"a1 a2", "", "a", "", ambiguous},
		"two, one of the message's": {"a1 a2", "a1", "a", "a2", nil},
	} {
		got, err := toUnlink(strings.Fields(c.beside), strings.Fields(c.trailers), c.checkpoint)
		failed := errors.Is(err, c.err) || c.err == error(ambiguous) && errors.As(err, &ambiguous)
		if strings.Join(got, " ") != c.want || !failed {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := toUnlink(nil, []string{"b1", "b2"}, "b1"); !strings.Contains(err.Error(), "Entire-Checkpoint: b1\"") {
		t.Errorf("it names another line: %v", err)
	}
}

// TestUnlinkNoCommit: a range, and what is no name, is refused with a hint.
func TestUnlinkNoCommit(t *testing.T) {
	p := newPlayground(t)
	p.commit("First", nil)
	p.commit("Second\n\nEntire-Checkpoint: 000000000001", nil)
	p.commit("Third", nil)
	run := p.run()
	for rev, want := range map[string]string{
		"HEAD~2..HEAD": "is not the name of one commit",
		"nonsense":     "is not the name of one commit",
		"HEAD":         ErrNotLinked.Error(),
		"HEAD~1":       ErrInMessage.Error(),
	} {
		if _, err := unlink(t.Context(), run, rev, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", rev, err)
		}
	}
}
