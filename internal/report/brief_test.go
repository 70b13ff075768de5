package report

import (
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/brief"
)

func briefPage() Page {
	here := []string{"c1"}
	return Page{Title: "2 commits", Lines: Lines{Agent: 3, Human: 1},
		Sessions: []Session{{ID: "s", Agent: "Codex", Model: "m", Turns: []Turn{
			{ID: "s1-t1", Number: 1, Prompt: "Asked", Of: here, Said: []Words{{"assistant", "First"}, {"assistant", "Last"}, {"agent", "sub"}}},
			{ID: "s1-t2", Number: 2, Prompt: "Not so", Of: here, Gone: true},
			{ID: "s1-t3", Number: 3, Turn: "beef", Prompt: "Do it", Of: here, Lines: 3, Files: []TurnFile{{Path: "a"}}},
			{ID: "s1-t4", Number: 4, Prompt: "Before"}, {ID: "s1-t5", Number: 5, Prompt: "Away", Of: here, Dismissed: "x"}}}},
		Chapters: []Chapter{{Name: "c1", Commit: &Commit{ID: "0123456789", Subject: "Old", When: time.Unix(0, 0)}, Checkpoints: []string{"0a1b"},
			Owners: []*Owner{{Kind: Agent, Turn: "beef", On: []string{"s1-t3"}}, {Kind: Agent, Turn: "dead", On: []string{"s1-t1", "s1-t2"}}}},
			{Name: "c2", Commit: &Commit{ID: "1123456789", Subject: "New"}}},
		Summary: &Summary{Files: []FileSum{{Path: "a", Lines: Lines{Agent: 3}}}}}
}

func said(items []brief.Item) string {
	var b strings.Builder
	for _, item := range items {
		b.WriteString(item.Facts)
		for _, q := range item.Quotes {
			b.WriteString(" [" + q.Label + " " + q.Text + "]")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func inOrder(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		_, after, ok := strings.Cut(text, part)
		if !ok {
			t.Fatalf("no %q in its place: %s", part, text)
		}
		text = after
	}
}

// TestBriefOfSum: what was rejected comes first, then what has most lines.
func TestBriefOfSum(t *testing.T) {
	text := said(BriefOfSum(briefPage()))
	inOrder(t, text, "2 commits: agents 3", "dismissed [prompt Not so]", "dismissed [prompt Away]",
		"turn beef: 3 lines [prompt Do it] [file a] [by Codex (m), session s]\n", "turn: no lines [prompt Asked] [answer Last]", "1 file [file a: agents 3", "[subject New]", "checkpoint 0a1b", "[subject Old]")
	if strings.Contains(text, "Before") {
		t.Error("a turn of others: " + text)
	}
}

// TestBriefOfDismissed: a turn is found by its number, unless its work is there.
func TestBriefOfDismissed(t *testing.T) {
	for number, want := range map[int]int{1: 0, 2: 1, 3: 0, 5: 1, 9: 0} {
		if items := BriefOfDismissed(briefPage(), "s", number); len(items) != want {
			t.Errorf("turn %d: %v", number, items)
		}
	}
	if items := BriefOfDismissed(briefPage(), "other", 5); len(items) > 0 {
		t.Error("of another session:", items)
	}
}

// TestBriefByCommit: the latest commit comes first, each with its turns; of a turn, it alone.
func TestBriefByCommit(t *testing.T) {
	inOrder(t, said(BriefByCommit(briefPage(), "")), "[subject New]", "[subject Old]", "[prompt Asked]", "[prompt Not so]", "[prompt Do it]", "[prompt Away]")
	other := brief.Item{Facts: "turn", Quotes: []brief.Quote{{Label: "prompt", Text: "Elsewhere"}}}
	text := said(BriefOfLog(briefPage(), append(BriefOfDismissed(briefPage(), "s", 5), other)))
	inOrder(t, text, "[prompt Away]", "[prompt Elsewhere]", "[subject New]", "[subject Old]", "[prompt Do it]")
	if strings.Count(text, "[prompt Away]") != 1 {
		t.Error("a turn twice: " + text)
	}
	if text := said(BriefByCommit(briefPage(), "beef")); !strings.HasPrefix(text, "turn beef: 3 lines [prompt Do it]") || strings.Count(text, "\n") != 1 {
		t.Error(text)
	}
}
