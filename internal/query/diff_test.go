package query

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/hunks"
	"entire-plumb/shadow"
)

func agent(session, turn string) *DiffOwner {
	return &DiffOwner{Kind: attribution.Agent, Session: session, Turn: turn}
}

// TestMark: each owner has a mark of its own, and agents come before the human.
func TestMark(t *testing.T) {
	human := func(name string) *DiffOwner { return &DiffOwner{Kind: attribution.Human, Author: name} }
	unknown := func(why string) *DiffOwner { return &DiffOwner{Kind: attribution.Unknown, Reason: why} }
	for want, owners := range map[string][]*DiffOwner{
		"":               {},
		"you":            {human("")},
		"A1 A2 B1 you":   {human(""), agent("s", "1"), agent("o", "1"), agent("s", "2")},
		"Ada Ada2 Grace": {human("Ada A"), human("Ada B"), human("Grace")},
		"A1 A12 ? ?2":    {unknown("x"), agent("s", "1"), human("A1"), unknown("y")},
		"Maximili":       {human("Maximilian")},
		"Müllermü":       {human("Müllermüller M")},
		"A1 B1 C1 ?":     {agent("s", ""), agent("t", ""), agent("u", ""), unknown("")},
	} {
		mark(owners)
		var got []string
		for _, o := range owners {
			got = append(got, o.Mark)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for n, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 27: "AB", 52: "BA", 701: "ZZ", 702: "AAA"} {
		if got := letters(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

// TestCutRange: what is a range, and its ends.
func TestCutRange(t *testing.T) {
	for name, want := range map[string]string{"a..b": "a b", "a...b": "a b", "..b": "HEAD b", "a..": "a HEAD", "..": "HEAD HEAD", "a/b.c..d": "a/b.c d"} {
		if from, to, ok := cutRange(name); !ok || from+" "+to != want {
			t.Errorf("%s: %s, %s, %v", name, from, to, ok)
		}
	}
	if _, _, ok := cutRange("v1.2"); ok {
		t.Error("a tag is no range")
	}
}

// changed is a text file with changes, each of lines of some owners; "-" are removed lines.
func changed(all ...[]*DiffOwner) *DiffFile {
	f := &DiffFile{Path: "f", New: gitexec.Entry{Mode: gitexec.ModeFile, ID: "b"}}
	at := 1
	for _, owners := range all {
		f.Changes = append(f.Changes, gitexec.Hunk{OldStart: at, OldLines: 1, NewStart: at, NewLines: len(owners)})
		f.owners = append(f.owners, owners...)
		at += 10
	}
	f.count()
	return f
}

// TestCount: lines of each kind are counted, and none of what has no lines.
func TestCount(t *testing.T) {
	a, h, u := agent("s", "1"), &DiffOwner{Kind: attribution.Human}, &DiffOwner{Kind: attribution.Unknown}
	f := changed([]*DiffOwner{a, a, h}, []*DiffOwner{u, nil})
	if want := (DiffLines{Agent: 2, Human: 1, Unknown: 1, Older: 1, Removed: 2}); f.DiffLines != want {
		t.Errorf("%+v", f.DiffLines)
	}
	for _, mode := range []string{gitexec.ModeSymlink, gitexec.ModeGitlink} {
		f.New.Mode = mode
		if f.count(); f.DiffLines != (DiffLines{}) {
			t.Errorf("mode %s: %+v", mode, f.DiffLines)
		}
	}
	gone := &DiffFile{Old: gitexec.Entry{Mode: gitexec.ModeExec, ID: "b"}, Changes: []gitexec.Hunk{{OldStart: 1, OldLines: 4}}}
	if gone.count(); gone.DiffLines != (DiffLines{Removed: 4}) {
		t.Errorf("a deleted file: %+v", gone.DiffLines)
	}
}

// TestByTurn: each change of a session's commit is in the part of one turn, the last that has lines
// in it.
func TestByTurn(t *testing.T) {
	one, two, other, h := agent("s", "1"), agent("s", "2"), agent("o", "1"), &DiffOwner{Kind: attribution.Human}
	one.Prompt, two.Prompt = "first", "second"
	part := &DiffPart{Session: "s", Commit: "c", Files: []*DiffFile{
		changed([]*DiffOwner{two, one}, []*DiffOwner{h}, []*DiffOwner{one, h}), changed([]*DiffOwner{other})}}
	var got []string
	for _, p := range part.byTurn(map[string]int{"first": 1, "second": 2}) {
		got = append(got, fmt.Sprintf("%s %s: %d files, %d changes, agent %d, human %d, removed %d", p.Turn, p.Prompt, len(p.Files), len(p.Files[0].Changes), p.Agent, p.Human, p.Removed))
	}
	want := []string{"1 first: 1 files, 1 changes, agent 1, human 1, removed 1", "2 second: 1 files, 1 changes, agent 2, human 0, removed 1"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if n := len(part.Files[0].Changes); n != 3 {
		t.Errorf("the commit's own changes are cut: %d", n)
	}
}

// TestTurnsOn: the agents' checkpoints of a turn are one, from the first to the last.
func TestTurnsOn(t *testing.T) {
	k := func(id, session, turn string, part shadow.Part) shadow.Checkpoint {
		return shadow.Checkpoint{ID: gitexec.OID(id), Session: session, Turn: turn, Part: part}
	}
	history := []shadow.Checkpoint{k("a", "s", "1", shadow.Agent), k("b", "s", "1", shadow.Human), k("c", "s", "1", shadow.Agent),
		k("d", "o", "1", shadow.Agent), k("e", "s", "2", shadow.Agent)}
	for session, want := range map[string]string{"s": "a-c e-e", "o": "d-d", "x": ""} {
		var got []string
		for _, span := range turnsOn(history, func(k shadow.Checkpoint) bool { return k.Session == session }) {
			got = append(got, string(span[0].ID+"-"+span[1].ID))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", session, got, want)
		}
	}
}

// TestOwner: an author is one owner, whatever file its lines are in; a human has a name.
func TestOwner(t *testing.T) {
	d := &OwnedDiff{by: map[DiffOwner]*DiffOwner{}}
	a := attribution.Author{Kind: attribution.Agent, Line: checkpoints.Line{Session: "s", Turn: "1", Agent: "Claude Code", Prompt: "p"}, Checkpoint: "c"}
	if d.owner(a, "Ada") != d.owner(a, "") || d.owner(a, "").Author != "" {
		t.Error("an agent's owner depends on the human")
	}
	h := attribution.Author{Kind: attribution.Human}
	if d.owner(h, "Ada") == d.owner(h, "Grace") || d.owner(h, "Ada").Author != "Ada" {
		t.Error("humans are not told from each other")
	}
	if got := d.owner(attribution.Author{Kind: "new kind", Reason: "r"}, ""); got.Kind != attribution.Unknown || got.Reason != "r" {
		t.Errorf("%+v", got)
	}
}

// TestDiff: the diff of the worktree, of a commit and of a range, with git's hunks and everybody's
// lines.
func TestDiff(t *testing.T) {
	r := newRepository(t)
	r.Commit("Second", "f", "1\ntwo\n")
	r.Commit("Third\n\nEntire-Checkpoint: aaaaaaaaaaaa", "f", "1\ntwo\nunknown\n")
	r.open()
	r.Must(os.WriteFile(filepath.Join(r.Dir, "f"), []byte("1\nunknown\nnew"), 0o600))
	r.Must(os.WriteFile(filepath.Join(r.Dir, "g"), []byte("g\n"), 0o600))
	for name, want := range map[string]string{
		"":            "worktree: f modified  1|-two| unknown|you+new|\\ No newline at end of file; g added you+g; {Agent:0 Human:2 Unknown:0 Older:0 Removed:1}",
		"HEAD":        "commit: f modified  1| two|?+unknown; {Agent:0 Human:0 Unknown:1 Older:0 Removed:0}",
		"HEAD~1":      `commit: f modified -1|\ No newline at end of file|A+1|A+two; {Agent:0 Human:2 Unknown:0 Older:0 Removed:1}`,
		"HEAD~2..":    `range: f modified -1|\ No newline at end of file|A+1|A+two|?+unknown; {Agent:0 Human:2 Unknown:1 Older:0 Removed:1}`,
		"HEAD...HEAD": "range: {Agent:0 Human:0 Unknown:0 Older:0 Removed:0}",
	} {
		d, done, err := r.source.Diff(t.Context(), name, nil)
		if err != nil && !errors.As(err, new(*DamageError)) {
			t.Fatalf("%q: %v", name, err)
		}
		var files []string
		for _, part := range d.Parts {
			for _, f := range part.Files {
				files = append(files, string(f.Path)+" "+f.Status+" "+described(t, d, f))
			}
		}
		got := d.Kind + ": " + strings.Join(append(files, fmt.Sprintf("%+v", d.DiffLines)), "; ")
		if got != want {
			t.Errorf("%q:\n%s, want\n%s", name, got, want)
		}
		done()
	}
	for _, name := range []string{"nothing", "nothing..HEAD", "HEAD..nothing"} {
		if _, _, err := r.source.Diff(t.Context(), name, nil); err == nil || !strings.Contains(err.Error(), "hint: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if d, done, err := r.source.Diff(t.Context(), "", []string{"g"}); err != nil || len(d.Parts[0].Files) != 1 || d.Human != 1 {
		t.Errorf("of one path: %+v, %v", d, err)
	} else {
		done()
	}
}

// described are a file's lines with their marks.
func described(t *testing.T, d *OwnedDiff, f *DiffFile) string {
	t.Helper()
	all, err := d.Hunks(f, 3)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, h := range all {
		for _, l := range h.Lines {
			mark := ""
			if l.Owner != nil {
				mark = l.Owner.Mark
			}
			if (l.Sign == hunks.Added) != (l.Owner != nil) {
				t.Errorf("%+v", l)
			}
			lines = append(lines, mark+string(l.Sign)+l.Text)
		}
	}
	return strings.Join(lines, "|")
}
