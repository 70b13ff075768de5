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
		"untouched":                            {TurnFile{Began: a, Ended: a, Then: a, Now: a}, none, false},
		"a pull brought it":                    {TurnFile{Began: a, Ended: b, Then: a, Now: b}, none, false},
		"written and committed":                {TurnFile{Ended: a, Now: a}, none, false},
		"written, and another one committed":   {TurnFile{Began: a, Ended: b, Then: a, Now: a}, a, true},
		"written on after the commit":          {TurnFile{Began: a, Ended: c, Then: a, Now: b}, b, true},
		"the human had changed it before":      {TurnFile{Began: b, Ended: c, Then: a, Now: a}, b, true},
		"so, and another version is committed": {TurnFile{Began: b, Ended: c, Then: a, Now: d}, b, true},
		"committed, and undone":                {TurnFile{Began: a, Ended: a, Then: a, Now: b}, b, true},
		"new, committed, and deleted":          {TurnFile{Now: b}, b, true},
		"the human's, and a pull":              {TurnFile{Began: c, Ended: c, Then: a, Now: b}, none, false},
		"the human's, committed":               {TurnFile{Began: c, Ended: c, Then: a, Now: c}, none, false},
		"deleted":                              {TurnFile{Began: a, Then: a, Now: a}, a, true},
		"deleted, and committed":               {TurnFile{Began: a, Then: a}, none, false},
	} {
		before, touched := k.file.Uncommitted()
		if touched != k.touched || touched && before != k.before {
			t.Errorf("%s: %v, %v; want %v, %v", name, before, touched, k.before, k.touched)
		}
	}
}
