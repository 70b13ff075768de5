package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/transcript"
)

// TestTimeline: turns of all sessions stand in the order of time; those without one after the turn
// before them.
func TestTimeline(t *testing.T) {
	at := func(minute int) time.Time { return time.Unix(0, 0).Add(time.Duration(minute) * time.Minute) }
	turn := func(number int, began time.Time) Turn { return Turn{Number: number, Began: began, Of: []string{"c"}} }
	for name, c := range map[string]struct {
		sessions []Session
		want     []string
	}{
		"two at once": {[]Session{{Turns: []Turn{turn(1, at(1)), turn(2, at(5))}}, {Turns: []Turn{turn(1, at(3)), turn(2, at(4))}}},
			[]string{"A1", "B1", "B2", "A2"}},
		"without a time": {[]Session{{Turns: []Turn{turn(1, at(1)), turn(2, time.Time{})}}, {Turns: []Turn{turn(1, at(2))}}},
			[]string{"A1", "A2", "B1"}},
		"the clock went back": {[]Session{{Turns: []Turn{turn(1, at(3)), turn(2, at(1))}}}, []string{"A1", "A2"}},
		"no times":            {[]Session{{Turns: []Turn{turn(1, time.Time{})}}, {Turns: []Turn{turn(1, time.Time{})}}}, []string{"A1", "B1"}},
		"none":                {[]Session{{}}, nil},
	} {
		var got []string
		for _, m := range timeline(c.sessions) {
			got = append(got, m.Mark)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestMeasure: the bars are beside the largest figures of the page's subject.
func TestMeasure(t *testing.T) {
	of := []string{"c"}
	all := timeline([]Session{{Turns: []Turn{
		{Number: 1, Of: of, Lines: 10, Tokens: transcript.Usage{OutputTokens: 5, SubagentTokens: &transcript.Usage{InputTokens: 5}}},
		{Number: 2, Of: of, Lines: 5, Tokens: transcript.Usage{InputTokens: 5, CacheReadTokens: 15}},
		{Number: 3, Lines: 100}, {Number: 4, Of: of}}}})
	if all[0].Lines != (bar{100, "10 lines"}) || all[1].Lines.Width != 50 || all[0].Tokens.Width != 50 || all[1].Tokens.Width != 100 ||
		!strings.HasPrefix(all[0].Tokens.Text, "10 tokens") || all[2].Lines != (bar{}) || all[3].Tokens != (bar{}) {
		t.Errorf("%+v", all)
	}
}

func TestIndex(t *testing.T) {
	var many []moment
	for i := range mostListedTurns + 4 {
		many = append(many, moment{Turn: Turn{Number: i, Of: []string{"c"}[:min(1, i)]}})
	}
	if got := turnIndex(many); len(got.List) != mostListedTurns || got.More != 3 || got.List[0].Number != 1 {
		t.Errorf("%d, %d", len(got.List), got.More)
	}
	c := Chapter{MoreFiles: 2}
	for i := range mostListedFiles + 3 {
		c.Files = append(c.Files, File{ID: fmt.Sprintf("f%d", i)})
	}
	c.Files[0].ID = "" // it has no place on the page
	if got := fileIndex(c); len(got.List) != mostListedFiles || got.More != 4 || got.List[0].ID != "f1" {
		t.Errorf("%d, %d", len(got.List), got.More)
	}
	if letter(0) != "A" || letter(7) != "I" || letter(99) != "Z" || tint(7) != "s1" {
		t.Error(letter(0), letter(7), letter(99), tint(7))
	}
	if got := preview("a\n b"); got != "a b" {
		t.Errorf("%q", got)
	}
	if got := preview(strings.Repeat("x", 100)); len(got) != 80+len("…") {
		t.Errorf("%q", got)
	}
}
