package turns

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// blob is a version of a file; the empty name: there is none.
func blob(name string) gitexec.Entry {
	if name == "" {
		return gitexec.Entry{}
	}
	return gitexec.Entry{Mode: gitexec.ModeFile, ID: gitexec.OID(name)}
}

func TestClaims(t *testing.T) {
	others := func(files ...gitexec.Path) map[gitexec.Path]bool {
		all := map[gitexec.Path]bool{}
		for _, path := range files {
			all[path] = true
		}
		return all
	}
	for _, test := range []struct {
		fact string
		claims
		own []gitexec.Path
	}{
		{"nothing says that they are others'", claims{}, []gitexec.Path{"a", "b"}},
		{"another wrote one", claims{others: others("a")}, []gitexec.Path{"b"}},
		{"another wrote one, and so did this turn", claims{others: others("a"), mine: []gitexec.Path{"a"}}, []gitexec.Path{"a", "b"}},
		{"another's checkpoint has it, and no tool of that one names it",
			claims{recorded: []recordedFile{{path: "a"}}}, []gitexec.Path{"a", "b"}},
		{"another's checkpoint has it, and that one's tools name it",
			claims{recorded: []recordedFile{{path: "a", named: true}}}, []gitexec.Path{"b"}},
		{"another's checkpoint only carries it",
			claims{recorded: []recordedFile{{path: "a", named: true, carried: true}}}, []gitexec.Path{"a", "b"}},
		{"this turn's tools name all that it wrote, and another's checkpoint has the rest",
			claims{mine: []gitexec.Path{"b"}, known: true, recorded: []recordedFile{{path: "a", carried: true}}}, []gitexec.Path{"b"}},
		{"a shell ran in this turn",
			claims{mine: []gitexec.Path{"b"}, recorded: []recordedFile{{path: "a"}}}, []gitexec.Path{"a", "b"}},
		{"this turn's tools wrote nothing",
			claims{known: true, recorded: []recordedFile{{path: "a"}}}, []gitexec.Path{"b"}},
		{"another's checkpoint has what this turn's tools name",
			claims{mine: []gitexec.Path{"a"}, known: true, recorded: []recordedFile{{path: "a", named: true}}}, []gitexec.Path{"a", "b"}},
	} {
		if test.others == nil {
			test.others = map[gitexec.Path]bool{}
		}
		before := maps.Clone(test.others)
		if got := test.claims.own([]gitexec.Path{"a", "b"}); !slices.Equal(got, test.own) {
			t.Errorf("%s: %q, want %q", test.fact, got, test.own)
		}
		if !maps.Equal(before, test.others) {
			t.Errorf("%s: what others wrote is changed: %v", test.fact, test.others)
		}
	}
}

func TestConcern(t *testing.T) {
	c := claims{others: map[gitexec.Path]bool{}}
	if c.concern([]gitexec.Path{"a"}) {
		t.Error("nobody else wrote anything")
	}
	c.add([]gitexec.Path{"b", "c"})
	if c.concern([]gitexec.Path{"a"}) || !c.concern([]gitexec.Path{"a", "b"}) {
		t.Errorf("others wrote %v", c.others)
	}
}

func TestRecordedNow(t *testing.T) {
	change := func(id string, path gitexec.Path, now string, of ...shadow.Change) shadow.Change {
		return shadow.Change{Change: gitexec.Change{Path: path, New: blob(now)}, Session: id, Of: of}
	}
	now := map[gitexec.Path]gitexec.Entry{"a": blob("2"), "b": blob("3"), "deleted": blob("")}
	for fact, test := range map[string]struct {
		change shadow.Change
		want   map[string][]recordedFile
	}{
		"it is what another made it":            {change("other", "a", "2"), map[string][]recordedFile{"other": {{path: "a"}}}},
		"another deleted it, too":               {change("other", "deleted", ""), map[string][]recordedFile{"other": {{path: "deleted"}}}},
		"it has changed since":                  {change("other", "a", "1"), map[string][]recordedFile{}},
		"the session made it so itself":         {change("this", "a", "2"), map[string][]recordedFile{}},
		"the turn didn't change it":             {change("other", "x", "2"), map[string][]recordedFile{}},
		"the checkpoint only carries it":        {change("other", "b", "3", change("other", "b", "1")), map[string][]recordedFile{"other": {{path: "b", carried: true}}}},
		"a carried change made it so":           {change("other", "b", "3", change("other", "b", "3")), map[string][]recordedFile{"other": {{path: "b"}}}},
		"one of two carried changes made it so": {change("other", "b", "3", change("other", "b", "1"), change("other", "b", "3")), map[string][]recordedFile{"other": {{path: "b"}}}},
	} {
		got := map[string][]recordedFile{}
		recordedNow(got, []shadow.Change{test.change}, now, "this")
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, want %+v", fact, got, test.want)
		}
	}
}

func TestSavedByUserNeedsToKnowAllThatTheTurnWrote(t *testing.T) {
	none := session.State{}
	for fact, tt := range map[string]turn{
		"nothing is known":                {touched: []gitexec.Path{"a"}},
		"a shell ran":                     {touched: []gitexec.Path{"a"}, wrote: &transcript.Wrote{Files: []string{"/w/b"}}},
		"the transcript has a new prompt": {touched: []gitexec.Path{"a"}, wrote: &transcript.Wrote{Files: []string{"/w/b"}, All: true}, prompted: true},
		"no tool names a file":            {touched: []gitexec.Path{"a"}, wrote: &transcript.Wrote{All: true}},
	} {
		run := &workspace.Run{Workspace: &workspace.Workspace{Repo: &gitexec.Repo{Top: "/w"}}}
		if got, err := savedByUser(t.Context(), run, &none, tt); len(got) > 0 || err != nil {
			t.Errorf("%s: the user saved %q, %v", fact, got, err)
		}
	}
}
