package turns

import (
	"slices"
	"testing"

	"entire-plumb/gitexec"
)

func TestChangedSince(t *testing.T) {
	changes := []gitexec.Change{
		{Path: "whole", Old: blob("1"), New: blob("2")},
		{Path: "part", Old: blob("1"), New: blob("3")},
		{Path: "others", Old: blob("1"), New: blob("4")},
		{Path: "deleted-by-others", Old: blob("1")},
	}
	began := gitexec.Edits{"part": blob("2"), "others": blob("4"), "deleted-by-others": blob("")}
	if got := changedSince(began, changes); !slices.Equal(got, []gitexec.Path{"whole", "part"}) {
		t.Errorf("the turn changed %q", got)
	}
}
