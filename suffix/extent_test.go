package suffix

import (
	"testing"

	"entire-plumb/gitexec"
)

func TestExtent(t *testing.T) {
	new := Change{Path: "a", After: text(mine + "/" + second + "/}")}
	edit := Change{Path: "a", Before: text("base/old"), After: text("base/" + mine)}
	for name, c := range map[string]struct {
		change        Change
		under, now    gitexec.Entry
		found, sought int
		others        [][]Change
	}{
		"a new file, whole":               {new, none, new.After, 3, 3, nil},
		"a new file, one line":            {new, none, text("x/" + second), 1, 3, nil},
		"a new file, all committed":       {new, new.After, text(mine + "/" + second + "/}/x"), 0, 3, nil},
		"a new file, one line committed":  {new, text(second), new.After, 2, 3, nil},
		"an edit, whole":                  {edit, edit.Before, edit.After, 1, 1, nil},
		"an edit, the removed lines only": {edit, edit.Before, text("base"), 0, 1, nil},
		"a deleted file":                  {edit, edit.Before, none, 0, 1, nil},
		"lines removed, none added":       {Change{Path: "a", Before: text("base/old/older"), After: text("base")}, text("base/old/older"), text("base/old"), 0, 1, nil},
		"another's line":                  {new, none, new.After, 2, 3, [][]Change{{{Path: "a", After: text(second)}}}},
		"lines that another removed":      {new, none, new.After, 3, 3, [][]Change{{{Path: "a", Before: text(mine + "/" + second), After: text("x")}}}},
		"another's removal":               {Change{Path: "a", Before: text("base/old/older"), After: text("base")}, text("base/old/older"), text("base/old"), 0, 1, [][]Change{{{Path: "a", Before: text("base/older"), After: text("base")}}}},
		"another's file":                  {Change{Path: "a", After: text("bin:1")}, none, text("bin:1"), 0, 1, [][]Change{{{Path: "a", After: text("bin:1")}}}},
		"another's file, and a third's":   {Change{Path: "a", After: text("bin:1")}, none, text("bin:1"), 0, 1, [][]Change{{{Path: "a", After: text("bin:1")}}, {{Path: "a", After: text("bin:2")}}}},
		"two others' files":               {Change{Path: "a", After: text("bin:1")}, none, text("bin:1"), 1, 1, [][]Change{{{Path: "a", After: text("bin:3")}}, {{Path: "a", After: text("bin:2")}}}},
		"a binary file, the same":         {Change{Path: "a", After: text("bin:1")}, none, text("bin:1"), 1, 1, nil},
		"a binary file, another":          {Change{Path: "a", After: text("bin:1")}, none, text("bin:2"), 0, 1, nil},
		"a deletion":                      {Change{Path: "a", Before: text("base")}, text("base"), none, 1, 1, nil},
		"a mode":                          {Change{Path: "a", Before: text("base"), After: exe("base")}, text("base"), exe("base"), 1, 1, nil},
	} {
		found, sought, err := Extent([]Change{c.change}, &gitexec.Change{Old: c.under, New: c.now}, c.others, texts{})
		if found != c.found || sought != c.sought || err != nil {
			t.Errorf("%s: %d of %d, %v; want %d of %d", name, found, sought, err, c.found, c.sought)
		}
		if found, sought, err := Extent([]Change{c.change}, nil, nil, texts{}); found != 0 || sought != c.sought || err != nil {
			t.Errorf("%s, of a commit without the file: %d of %d, %v; want 0 of %d", name, found, sought, err, c.sought)
		}
	}
	for _, bad := range []Change{{After: text("bad:")}, {Before: text("bad:"), After: text(mine)}} {
		if _, _, err := Extent([]Change{bad}, nil, nil, texts{}); err == nil {
			t.Errorf("%+v cannot be read, and there is no error", bad)
		}
	}
}
