package condense

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// lines are file versions whose object IDs are their content, lines parted by "/".
type lines struct{}

func (lines) Lines(e gitexec.Entry) ([]string, bool, error) {
	return strings.Split(string(e.ID), "/"), e.Exists(), nil
}

func file(content string) gitexec.Entry {
	return gitexec.Entry{Mode: gitexec.ModeFile, ID: gitexec.OID(content)}
}

func newSession(id string, started int) *session.State {
	at := time.Unix(int64(started), 0)
	return &session.State{SessionID: id, StartedAt: at, LastInteractionTime: &at}
}

func on(s *session.State, n int, changes ...suffix.Change) Work {
	return Work{Session: s, Stream: &shadow.Stream{Name: shadow.Name{Base: "abc1234", Suffix: n}}, Changes: changes}
}

func TestMatch(t *testing.T) {
	var none gitexec.Entry
	const mine, other, human = "a line by the agent", "another line by the agent", "a line by the human"
	a, b := newSession("a", 1), newSession("b", 2)
	modified := suffix.Change{Path: "f", Before: file("base"), After: file("base/" + mine)}
	created := suffix.Change{Path: "new", Before: none, After: file(mine + "/" + other)}
	type got struct {
		ID      string
		Streams int
		Files   []gitexec.Path
		Reason  string
	}
	files := func(p ...gitexec.Path) []gitexec.Path { return p }
	for name, c := range map[string]struct {
		changes []gitexec.Change
		works   []Work
		want    []got
	}{
		"nothing staged":       {nil, []Work{on(a, 1, modified)}, nil},
		"no work":              {[]gitexec.Change{{Path: "f", New: file("x")}}, nil, nil},
		"another file":         {[]gitexec.Change{{Path: "g", Old: file("x"), New: file("y")}}, []Work{on(a, 1, modified)}, nil},
		"the agent's file":     {[]gitexec.Change{{Path: "f", Old: file("base"), New: file("base/" + mine)}}, []Work{on(a, 1, modified)}, []got{{"a", 1, files("f"), ContentMatches}}},
		"edited by the human":  {[]gitexec.Change{{Path: "f", Old: file("base"), New: file("base/" + human)}}, []Work{on(a, 1, modified)}, []got{{"a", 1, files("f"), FileModified}}},
		"new, whole":           {[]gitexec.Change{{Path: "new", New: created.After}}, []Work{on(a, 1, created)}, []got{{"a", 1, files("new"), ContentMatches}}},
		"new, in part":         {[]gitexec.Change{{Path: "new", New: file(other)}}, []Work{on(a, 1, created)}, []got{{"a", 1, files("new"), ContentMatches}}},
		"new, replaced":        {[]gitexec.Change{{Path: "new", New: file(human)}}, []Work{on(a, 1, created)}, nil},
		"deleted by the agent": {[]gitexec.Change{{Path: "f", Old: file("base")}}, []Work{on(a, 1, suffix.Change{Path: "f", Before: file("base")})}, []got{{"a", 1, files("f"), ContentMatches}}},
		"deleted by the human": {[]gitexec.Change{{Path: "f", Old: file("base")}}, []Work{on(a, 1, modified)}, []got{{"a", 1, files("f"), FileModified}}},
		"evidence brings the session's modified files along": {
			[]gitexec.Change{{Path: "f", Old: file("base"), New: file("base/" + human)}, {Path: "new", New: file(mine)}},
			[]Work{on(a, 1, modified, created)}, []got{{"a", 1, files("f", "new"), ContentMatches}}},
		"of two sessions one was dismissed": {
			[]gitexec.Change{{Path: "f", Old: file("base"), New: file("base/" + other)}},
			[]Work{on(a, 1, modified), on(b, 2, suffix.Change{Path: "f", Before: file("base"), After: file("base/" + other)})},
			[]got{{"b", 1, files("f"), ContentMatches}}},
		"without evidence the newest stream is meant": {
			[]gitexec.Change{{Path: "f", Old: file("base"), New: file("base/" + human)}},
			[]Work{on(a, 1, modified), on(b, 2, suffix.Change{Path: "f", Before: file("base"), After: file("base/" + other)})},
			[]got{{"b", 1, files("f"), FileModified}}},
		"two sessions, the older one first": {
			[]gitexec.Change{{Path: "f", Old: file("base"), New: modified.After}, {Path: "new", New: created.After}},
			[]Work{on(b, 1, created), on(a, 1, modified)},
			[]got{{"a", 1, files("f"), ContentMatches}, {"b", 1, files("new"), ContentMatches}}},
		"one session on two streams": {
			[]gitexec.Change{{Path: "f", Old: file("base"), New: modified.After}, {Path: "new", New: created.After}},
			[]Work{on(a, 1, modified), on(a, 2, created)}, []got{{"a", 2, files("f", "new"), ContentMatches}}},
		"the turn that goes on": {
			[]gitexec.Change{{Path: "new", New: file("x")}},
			[]Work{{Session: a, Committing: true, Changes: []suffix.Change{{Path: "new", After: file("x")}}}}, []got{{"a", 0, files("new"), AgentCommits}}},
		"the agent commits what others did": {
			[]gitexec.Change{{Path: "f", Old: file("base"), New: file("x")}},
			[]Work{{Session: b, Committing: true}, {Session: a, Committing: true}}, []got{{"b", 0, nil, AgentCommits}}},
	} {
		matches, _, err := Match(c.changes, c.works, lines{}, suffix.Exact)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var have []got
		for _, m := range matches {
			have = append(have, got{m.Session.SessionID, len(m.Streams), m.Files, m.Reason})
		}
		if !reflect.DeepEqual(have, c.want) {
			t.Errorf("%s: %+v, want %+v", name, have, c.want)
		}
	}
}

func TestUnion(t *testing.T) {
	got := Union([]gitexec.Path{"b", "a", "b"}, []gitexec.Path{"c", "a"})
	if want := []gitexec.Path{"a", "b", "c"}; !reflect.DeepEqual(got, want) {
		t.Errorf("Union gave %q, want %q", got, want)
	}
	if Union(nil, nil) != nil {
		t.Error("the union of nothing is something")
	}
}
