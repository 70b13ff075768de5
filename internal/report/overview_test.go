package report

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/attribution"
	"entire-plumb/internal/prices"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/transcript"
)

// TestSummed: turns count in the week in which they began, commits in theirs.
func TestSummed(t *testing.T) {
	at := func(day int) time.Time { return time.Date(2026, 1, day, 23, 0, 0, 0, time.UTC) } // 5 January is a Monday
	o := Summed([]SessionCard{
		{ID: "old", Began: at(4), Turns: []TurnCard{{Tokens: 1, When: at(4)}, {Tokens: 2, When: at(5), Cost: Cost{USD: 1}}, {Tokens: 4}}},
		{ID: "new", Began: at(6), Turns: []TurnCard{{Tokens: 8, When: at(11), Cost: Cost{Unpriced: 8}}, {Tokens: 16, When: at(12)}}},
		{ID: "others", Added: true, Turns: []TurnCard{{Tokens: 32, When: at(12), Cost: Cost{USD: 2}}}}},
		[]CommitCard{{ID: "a", When: at(5), Lines: Lines{Agent: 1}, Files: []FileCard{{Path: "f", Lines: Lines{Agent: 1}}}},
			{ID: "b", When: at(12), Lines: Lines{Human: 2}, Files: []FileCard{{Path: "f", Lines: Lines{Human: 2}}}}})
	var weeks []string
	for _, w := range weekRows(o.Weeks) {
		weeks = append(weeks, fmt.Sprint(w.Title, " ", w.Sessions, w.Turns, w.Commits, w.Tokens, w.Lines.All()))
	}
	if want := []string{"2026-W03 1 1 1 16 2", "2026-W02 2 2 1 10 1", "2026-W01 1 2 0 5 0"}; !slices.Equal(weeks, want) {
		t.Errorf("%q", weeks)
	}
	if len(o.Sessions) != 3 || o.Counted != 2 || o.Turns != 5 || o.Tokens != 31 || o.Cost.USD != 1 || o.Cost.Unpriced != 8 || o.Lines.All() != 3 || len(o.Files) != 1 || o.Sessions[0].ID != "new" || o.Commits[0].ID != "b" {
		t.Errorf("%+v", o)
	}
	sessions := o.Sessions[:2]
	o = Summed(nil, []CommitCard{{Files: []FileCard{{Path: "half", Lines: Lines{Agent: 9, Human: 9}}, {Path: "human", Lines: Lines{Human: 99}}, {Path: "most", Lines: Lines{Agent: 2, Human: 1}}, {Path: "agent", Lines: Lines{Agent: 1, Unknown: 5}}, {Path: "removed", Lines: Lines{Removed: 1}}}}})
	var files []string
	for _, f := range o.Files {
		files = append(files, f.Path)
	}
	if !slices.Equal(files, []string{"agent", "most", "half", "human", "removed"}) {
		t.Errorf("%q", files)
	}
	groups := sessionWeeks(append(sessions, SessionCard{ID: "timeless"}))
	if len(groups) != 3 || groups[0].Title != "2026-W02" || groups[2].Title != "Without a time" {
		t.Errorf("%+v", groups)
	}
}

// TestLanes: sessions at the same time are drawn below each other, within the drawing.
func TestLanes(t *testing.T) {
	at := func(hour int) time.Time { return time.Unix(0, 0).Add(time.Duration(hour) * time.Hour) }
	d := lanes([]SessionCard{{Began: at(8), Ended: at(10)}, {}, {Began: at(1), Ended: at(9)}, {Began: at(0), Ended: at(2)}})
	if all := d.Strips; len(all) != 3 || d.Height != 2*laneHeight || all[0].Y != 0 || all[1].Y != laneHeight || all[2].Y != 0 || all[0].X != 0 || all[0].Width != 20 || all[2].X != 80 {
		t.Errorf("%+v", d)
	}
	var many []SessionCard
	for range 3 * mostLanes {
		many = append(many, SessionCard{Began: at(1)})
	}
	if d = lanes(many); d.Height != mostLanes*laneHeight || d.Strips[len(d.Strips)-1].Y >= d.Height {
		t.Errorf("%d", d.Height)
	}
	if d = lanes(nil); d.Strips != nil || d.Height != 0 {
		t.Errorf("%+v", d)
	}
}

func TestCards(t *testing.T) {
	one := 1.0
	table := prices.Table{Prices: []prices.Price{{Models: []string{"m"}, Input: &one, Output: &one}}}
	began := time.Unix(5, 0)
	p := Page{Name: "s", Title: "T", Tokens: &transcript.Usage{InputTokens: 9}, Sessions: []Session{{ID: "x"}, {ID: "s", Agent: "A", Model: "m", Withheld: true, Turns: []Turn{
		{ID: "s2-t1", Number: 1, Began: began, Prompt: strings.Repeat("p", 9000), Said: []Words{{"assistant", "a"}, {"agent", "b"}}, Tokens: transcript.Usage{InputTokens: 1_000_000}},
		{ID: "s2-t2", Gone: true}}}},
		Chapters: []Chapter{{Commit: &Commit{When: began}, Files: []File{{Path: "f", Lines: Lines{Agent: 1, Other: 2}}}}}, Lines: Lines{Other: 2, Human: 1}}
	p.Summary = summarise(p, nil, nil, "")
	card := CardOfSession(p, table, time.Unix(9, 0), time.Unix(10, 0))
	if card.ID != "s" || card.Agent != "A" || !card.Withheld || !card.Began.Equal(began) || card.Tokens.InputTokens != 9 || len(card.Turns) != 2 ||
		len(card.Turns[0].Prompt) != mostSearchedPrompt || card.Turns[0].Said != "a\nb" || card.Turns[0].Cost.USD != 1 || rejected(card) != 1 {
		t.Errorf("%+v", card)
	}
	commit := CardOfCommit(p)
	if commit.ID != "s" || !commit.When.Equal(began) || commit.Lines != (Lines{Agent: 2, Human: 1}) || commit.Files[0].Lines.Agent != 3 {
		t.Errorf("%+v", commit)
	}
}

// TestHostileOverview: whatever a session says is text on the pages of a repository.
func TestHostileOverview(t *testing.T) {
	var o Overview
	for _, text := range nasty {
		o.Sessions = append(o.Sessions, SessionCard{ID: text, Page: "session-a.html", Title: clean(text), Agent: clean(text), Turns: []TurnCard{{Place: "s1-t1", Prompt: clean(text), Said: clean(text)}}})
		o.Commits = append(o.Commits, CommitCard{ID: text, Page: "commit-a.html", Subject: clean(text)})
		o.Files = append(o.Files, FileSum{Path: clean(text)})
	}
	o.Title = clean(nasty[0])
	tags := regexp.MustCompile(`(?i)<(script|style|img|iframe|meta|link|base|svg onload|a href="[^"]*javascript)`)
	for name, want := range map[string]int{"overview": 9, "search": 10} {
		var text bytes.Buffer
		if name == "overview" {
			testdir.Must(t, WriteOverview(&text, o))
		} else {
			testdir.Must(t, WriteSearch(&text, o))
		}
		if found := tags.FindAllString(text.String(), -1); len(found) != want {
			t.Errorf("%s: %q", name, found)
		}
	}
}

// searchHarness searches for a word, and says what is found.
const searchHarness = `<!doctype html><html><head><meta charset="utf-8"><link rel="icon" href="data:,"></head><body><iframe src="/search"></iframe><script>
const frame = document.querySelector('iframe');
frame.onload = function () {
  const doc = frame.contentDocument;
  doc.getElementById('words').value = 'part';
  doc.getElementById('search').requestSubmit();
  const pre = document.createElement('pre');
  pre.id = 'result';
  pre.textContent = JSON.stringify({ Wrong: [...doc.querySelectorAll('#found .meta')].map(e => e.textContent) });
  document.body.append(pre);
};
</script></body></html>`

// TestSearchInABrowser: the search says what search says of a turn, also that others added it.
func TestSearchInABrowser(t *testing.T) {
	exe := browser(t)
	o := overview()
	o.Sessions = o.Sessions[:3]
	o.Sessions[1].Added = true
	var text bytes.Buffer
	testdir.Must(t, WriteSearch(&text, o))
	said, _ := inBrowser(t, exe, searchHarness, map[string][]byte{"/search": text.Bytes()})
	want := []string{"Claude Code · turn 1 · 2026-01-20 · 5 lines", "Claude Code · turn 1 · 2026-01-15 · 5 lines · dismissed · added by others",
		"Claude Code · turn 1 · 2026-01-10 · 5 lines"}
	if !slices.Equal(said.Wrong, want) {
		t.Errorf("%q, want %q", said.Wrong, want)
	}
}

// TestCountOnce: a commit shows the lines that an older one brings, too, and sums don't have them.
func TestCountOnce(t *testing.T) {
	card := CommitCard{Lines: Lines{Agent: 3, Human: 2}, Files: []FileCard{{Path: "f", Lines: Lines{Agent: 3, Human: 1}}, {Path: "g", Lines: Lines{Human: 1}}}}
	card.CountOnce(attribution.Counted{Files: []attribution.CountedFile{{Path: "f", Again: attribution.Sum{Agent: 2, Human: 1}}}})
	o := Summed(nil, []CommitCard{card})
	for _, got := range []Lines{o.Lines, o.Weeks[0].Lines} {
		if got.Agent != 1 || got.Human != 1 {
			t.Errorf("%+v", got)
		}
	}
	if o.Commits[0].Lines.Agent != 3 || o.Files[0].Path != "f" || o.Files[0].Lines.All() != 1 || o.Files[1].Lines.Human != 1 {
		t.Errorf("%+v", o)
	}
}
