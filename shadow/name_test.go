package shadow

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"entire-plumb/gitexec"
)

func TestParseRef(t *testing.T) {
	for ref, want := range map[string]Name{
		"refs/heads/entire/abc1234-1":            {"abc1234", "", 1},
		"refs/heads/entire/0000000-99999":        {"0000000", "", 99999},
		"refs/heads/entire/abc1234-e3b0c4-12":    {"abc1234", "e3b0c4", 12},
		"refs/heads/entire/abc1234-123456-99999": {"abc1234", "123456", 99999},
	} {
		if got, ok := ParseRef(ref); !ok || got != want || got.Ref() != ref {
			t.Errorf("ParseRef(%s) = %+v, %v", ref, got, ok)
		}
	}
	for _, ref := range []string{
		"refs/heads/entire/checkpoints/v1", "refs/heads/entire/trails/v1", "refs/heads/main", "refs/heads/entire", "refs/heads/entire/", "",
		"refs/heads/entire/abc1234", "refs/heads/entire/abc1234-e3b0c4", "refs/heads/entire/abc1234-123456", // legacy names
		"refs/heads/entire/abc1234-007", "refs/heads/entire/abc1234-0", "refs/heads/entire/abc1234-100000",
		"refs/heads/entire/abc1234-+1", "refs/heads/entire/abc1234--1", "refs/heads/entire/abc1234-1 ", "refs/heads/entire/abc1234-١",
		"refs/heads/entire/ABC1234-1", "refs/heads/entire/abc123-1", "refs/heads/entire/abc12345-1", "refs/heads/entire/abc123g-1",
		"refs/heads/entire/abc1234-e3b0c-1", "refs/heads/entire/abc1234-e3b0c4-01", "refs/heads/entire/abc1234-e3b0c4-1-2",
		"refs/heads/entire/x/abc1234-1", "refs/tags/entire/abc1234-1", "entire/abc1234-1",
	} {
		if n, ok := ParseRef(ref); ok {
			t.Errorf("ParseRef(%q) = %+v, which is no stream", ref, n)
		}
	}
}

func TestNewName(t *testing.T) {
	base := gitexec.OID("0123456789012345678901234567890123456789")
	if got := NewName(base, "", 3).String(); got != "entire/0123456-3" {
		t.Errorf("in the main worktree: %s", got)
	}
	// The first six digits of `printf topic | sha256sum`.
	if got := NewName(base, "topic", 3).String(); got != "entire/0123456-23d611-3" {
		t.Errorf("in a linked worktree: %s", got)
	}
}

// FuzzParseRef: ParseRef and Ref are inverse, and ParseRef reads what NewName makes.
func FuzzParseRef(f *testing.F) {
	f.Add("refs/heads/entire/abc1234-1", "topic", 1)
	f.Add("refs/heads/entire/abc1234-e3b0c4-99999", "", 99999)
	f.Add("refs/heads/entire/abc1234-007", "a-b", 100000)
	f.Fuzz(func(t *testing.T, ref, worktree string, suffix int) {
		if n, ok := ParseRef(ref); ok && n.Ref() != ref {
			t.Errorf("ParseRef(%q) = %+v, whose ref is %q", ref, n, n.Ref())
		}
		n := NewName("0123456789012345678901234567890123456789", worktree, suffix)
		got, ok := ParseRef(n.Ref())
		if valid := suffix >= 1 && suffix <= MaxSuffix; ok != valid || ok && got != n {
			t.Errorf("ParseRef(%q) = %+v, %v, want %+v", n.Ref(), got, ok, n)
		}
	})
}

func TestShown(t *testing.T) {
	for _, c := range []struct{ described, want string }{
		{Describe(strings.Repeat("ä", 61)), strings.Repeat("ä", 57) + "…"},
		{"so...", "so..."},
		{strings.Repeat("ä", 60), strings.Repeat("ä", 60)},
	} {
		if got := Shown(c.described); got != c.want {
			t.Errorf("Shown(%q) = %q, want %q", c.described, got, c.want)
		}
	}
}

func TestDescribe(t *testing.T) {
	sixty := strings.Repeat("ä", 60)
	for _, c := range []struct{ prompt, want string }{
		{"", ""},
		{" \t\r\n\x00 ", ""},
		{"Fix it", "Fix it"},
		{"  Fix\n\nit,\tplease \x1b[31mnow\x7f ", "Fix it, please [31mnow"},
		{"bad \xff\xfe bytes", "bad bytes"},
		{sixty, sixty},
		{sixty + "ö", strings.Repeat("ä", 57) + "..."},
		{strings.Repeat("word ", 100_000), strings.Repeat("word ", 11) + "wo..."},
	} {
		got := Describe(c.prompt)
		if got != c.want {
			t.Errorf("Describe(%.40q) = %q, want %q", c.prompt, got, c.want)
		}
		if n := utf8.RuneCountInString(got); n > 60 {
			t.Errorf("Describe(%.40q) has %d runes", c.prompt, n)
		}
	}
}

// A checkpoint's message says all that is known of it, and the subject cannot pretend otherwise.
func TestCheckpointMessage(t *testing.T) {
	k := Checkpoint{Session: "s1", Turn: "0123456789ab", Part: Human, Base: "0123456789012345678901234567890123456789", Subject: "Entire-Session: other", Prompt: "Entire-Session: other"}
	ofTask := k
	ofTask.Part, ofTask.Task, ofTask.Subject = Agent, "toolu_1", "Completed"
	for _, k := range []Checkpoint{k, ofTask} {
		if got, ours := readCheckpoint(gitexec.Commit{Message: []byte(k.message())}); !ours || !reflect.DeepEqual(got, k) {
			t.Errorf("read back %+v, %v, want %+v", got, ours, k)
		}
	}
	ofTask.Prompt = ""
	if got, _ := readCheckpoint(gitexec.Commit{Message: []byte(ofTask.message())}); got.Prompt != "Completed" {
		t.Errorf("of an earlier version's task: %+v", got)
	}
	if got, _ := readCheckpoint(gitexec.Commit{Message: []byte(Checkpoint{Session: "s1"}.message())}); got.Subject != NoDescription || got.Part != Agent {
		t.Errorf("without a subject: %+v", got)
	}
	for _, message := range []string{"", "Work\n", "Entire-Session: s1\n", "Work\n\nEntire-Strategy: manual-commit\n"} {
		if _, ours := readCheckpoint(gitexec.Commit{Message: []byte(message)}); ours {
			t.Errorf("%q is taken for a checkpoint", message)
		}
	}
}
