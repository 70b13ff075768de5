package checkpoints

import (
	"strings"
	"testing"

	"entire-plumb/gitexec"
)

// TestContradicting: what a link of others says against what was decided here.
func TestContradicting(t *testing.T) {
	l := SideLink{Commit: "c", Checkpoints: []string{"both", "theirs", "gone"}, Removed: []Removal{{Checkpoint: "kept"}, {Checkpoint: "unknown"}}}
	var got []string
	for _, o := range contradicting(l, []string{"both", "kept"}, map[string]bool{"gone": true}) {
		text := o.Checkpoint
		if o.Removed {
			text += " removed"
		}
		if o.Commit != "c" {
			t.Errorf("%+v", o)
		}
		got = append(got, text)
	}
	if strings.Join(got, ", ") != "theirs, kept removed" {
		t.Errorf("%q", got)
	}
	if lines := overruledLines("k", []string{"a", "b"}); len(lines) != 2 || lines[1].Session != "b" || lines[1].Checkpoint != "k" || lines[1].Commit != "" {
		t.Errorf("%+v", lines)
	}
}

// TestOverruledInWords: each kind has a sentence that names who says it, and a key that doesn't.
func TestOverruledInWords(t *testing.T) {
	commit := gitexec.OID(strings.Repeat("1", 40))
	seen := map[string]bool{}
	for _, c := range []struct {
		o    Overruled
		want []string
	}{
		{Overruled{Checkpoint: "k", Session: "s"}, []string{"checkpoint k", "changed the lines of session s"}},
		{Overruled{Commit: commit, Checkpoint: "k"}, []string{"commit 1111111:", "links k"}},
		{Overruled{Commit: commit, Checkpoint: "k", Removed: true}, []string{"commit 1111111:", "removed its link to k"}},
	} {
		anyone := c.o.String()
		c.o.Source = Source{Kind: Fetched, By: "Ada"}
		by := c.o.String()
		for _, want := range c.want {
			if !strings.Contains(by, want) {
				t.Errorf("%q, without %q", by, want)
			}
		}
		if !strings.Contains(by, "Ada") || strings.Contains(anyone, "Ada") {
			t.Errorf("%q and %q", by, anyone)
		}
		key := c.o.Key()
		if c.o.Source.By = "Bob"; c.o.Key() != key || seen[key] {
			t.Errorf("the key %q", key)
		}
		seen[key] = true
	}
}

// TestSourceInWords: whose word something is.
func TestSourceInWords(t *testing.T) {
	for _, c := range []struct {
		source Source
		want   string
	}{
		{Source{Kind: Here}, "recorded here"},
		{Source{Kind: InMessage}, "in the message"},
		{Source{Kind: ByContent}, "found by content, here"},
		{Source{Kind: Fetched, Remote: "origin"}, "fetched from origin"},
		{Source{Kind: Fetched, Remote: "origin", By: "Ada"}, "fetched from origin, written by Ada"},
		{Source{Kind: InOwnRef}, "in a ref of its own, by the entire CLI"},
		{Source{Kind: OnBranch, By: "Ada"}, "stored on entire/checkpoints/v1, written by Ada"},
		{Source{Kind: OnBranch}, "stored on entire/checkpoints/v1"},
		{Source{Kind: Kept}, "kept here, since others have taken it out of the branch"},
	} {
		if got := c.source.String(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.source, got, c.want)
		}
	}
}

// TestRequireSignatures: any value that doesn't say no says yes; the last one counts.
func TestRequireSignatures(t *testing.T) {
	for text, want := range map[string]bool{"true": true, "1": true, "anything": true, "false": false, "FALSE": false, "no": false, "off": false, "0": false, "": false, "false,true": true, "true,no": false} {
		if got := RequireSignatures(map[string][]string{keyRequire: strings.Split(text, ",")}); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if RequireSignatures(nil) || RequireSignatures(map[string][]string{"other": {"true"}}) {
		t.Error("required without a value")
	}
}

// TestEvidenceOfLink: lines of one file add up.
func TestEvidenceOfLink(t *testing.T) {
	var e Evidence
	e.Add("f", 1, 2)
	e.Add("g", 0, 3)
	e.Add("f", 4, 5)
	if len(e) != 2 || e["f"] != [2]int{5, 7} || e["g"] != [2]int{0, 3} {
		t.Errorf("%v", e)
	}
}

// TestByHooks: only a link that was found by content, or imported, is one that others may remove.
func TestByHooks(t *testing.T) {
	for how, want := range map[How]bool{Hookless: true, Brought: true, Chosen: true, Rewritten: true, Content: false, Imported: false} {
		if how.byHooks() != want {
			t.Errorf("%s: %v", how, !want)
		}
		l := SideLink{How: how, Checkpoints: []string{"a", "b"}, Removed: []Removal{{Checkpoint: "b"}}}
		if got := len(l.withoutRemoved().Checkpoints); got == 2 != want || len(l.Checkpoints) != 2 {
			t.Errorf("%s: %d checkpoints count", how, got)
		}
	}
}
