package condense

import (
	"testing"

	"entire-plumb/gitexec"
)

// TestUncommitted: what of a turn in which HEAD moved isn't committed, and what was there before.
func TestUncommitted(t *testing.T) {
	var none gitexec.Entry
	a, b, c, d := file("a"), file("b"), file("c"), file("d")
	for name, k := range map[string]struct {
		file    TurnFile
		before  gitexec.Entry
		touched bool
	}{
		"untouched":                            {TurnFile{Began: a, Ended: a, HeadAtStart: a, HeadAtEnd: a}, none, false},
		"it came with a pull":                  {TurnFile{Began: a, Ended: b, HeadAtStart: a, HeadAtEnd: b}, none, false},
		"written and committed":                {TurnFile{Ended: a, HeadAtEnd: a}, none, false},
		"written, and another one committed":   {TurnFile{Began: a, Ended: b, HeadAtStart: a, HeadAtEnd: a}, a, true},
		"written on after the commit":          {TurnFile{Began: a, Ended: c, HeadAtStart: a, HeadAtEnd: b}, b, true},
		"the human had changed it before":      {TurnFile{Began: b, Ended: c, HeadAtStart: a, HeadAtEnd: a}, b, true},
		"so, and another version is committed": {TurnFile{Began: b, Ended: c, HeadAtStart: a, HeadAtEnd: d}, b, true},
		"committed, and undone":                {TurnFile{Began: a, Ended: a, HeadAtStart: a, HeadAtEnd: b}, b, true},
		"new, committed, and deleted":          {TurnFile{HeadAtEnd: b}, b, true},
		"the human's, and a pull":              {TurnFile{Began: c, Ended: c, HeadAtStart: a, HeadAtEnd: b}, none, false},
		"the human's, committed":               {TurnFile{Began: c, Ended: c, HeadAtStart: a, HeadAtEnd: c}, none, false},
		"deleted":                              {TurnFile{Began: a, HeadAtStart: a, HeadAtEnd: a}, a, true},
		"deleted, and committed":               {TurnFile{Began: a, HeadAtStart: a}, none, false},
	} {
		before, touched := k.file.Uncommitted()
		if touched != k.touched || touched && before != k.before {
			t.Errorf("%s: %v, %v; want %v, %v", name, before, touched, k.before, k.touched)
		}
	}
}

// TestOnlyRenamed: a file is only renamed if another one with its content is gone.
func TestOnlyRenamed(t *testing.T) {
	a, b := file("a"), file("b")
	got := OnlyRenamed([]gitexec.Change{
		{Path: "old", Old: a}, {Path: "new", New: a}, {Path: "written", New: b}, {Path: "changed", Old: b, New: a}, {Path: "gone", Old: file("c")},
	})
	if len(got) != 1 || !got["new"] {
		t.Errorf("%v", got)
	}
}
