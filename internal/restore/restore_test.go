package restore

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/seal"
	"entire-plumb/internal/session"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/workspace"
)

// TestStatus: what the agent has is replaced where it is older, or by force; a preview says what
// would be done, and writes nothing.
func TestStatus(t *testing.T) {
	for _, c := range []struct {
		found                          transcript.Status
		plain, force, preview, foresee Status // foresee: a preview with force
	}{
		{transcript.StatusNew, "", "", Would, Would},
		{transcript.StatusUnchanged, There, There, There, There},
		{transcript.StatusCheckpointNewer, "", "", Replaces, Replaces},
		{transcript.StatusLocalNewer, Newer, "", Newer, Replaces},
		{transcript.StatusUnknown, Differs, "", Differs, Replaces},
	} {
		for q, want := range map[Request]Status{{}: c.plain, {Force: true}: c.force, {Preview: true}: c.preview, {Preview: true, Force: true}: c.foresee} {
			if got := q.status(c.found); got != want {
				t.Errorf("%v, %+v: %q", c.found, q, got)
			}
			if kept := (Restored{Status: want}).Kept(); kept != (want == Newer || want == Differs) {
				t.Errorf("%q is kept: %v", want, kept)
			}
		}
	}
}

// TestTogether: several conversations that are encrypted for others are one error, with one hint.
func TestTogether(t *testing.T) {
	sealed := func(id string) error { return errors.Join(errors.New(id), &seal.Error{}) }
	other := errors.New("other")
	for name, c := range map[string]struct {
		failed []error
		want   string
	}{
		"none":            {[]error{nil, nil}, ""},
		"one":             {[]error{nil, other}, "other"},
		"one sealed":      {[]error{sealed("s1"), other}, sealed("s1").Error() + "\nother"},
		"two sealed":      {[]error{wrapped{"s1"}, nil, other, wrapped{"s2"}}, "other\nthe conversations of 2 sessions cannot be restored: " + (&seal.Error{}).Error()},
		"two, not sealed": {[]error{other, other}, "other\nother"},
	} {
		got := ""
		if err := together(c.failed); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// wrapped is the error of a session whose conversation is sealed.
type wrapped struct{ session string }

func (w wrapped) Error() string { return w.session }
func (w wrapped) Unwrap() error { return &seal.Error{} }

// TestPutAside: the existing file keeps a name of its own, however often.
func TestPutAside(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.jsonl")
	if _, err := putAside(file, "T"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	testdir.Must(t, os.WriteFile(file, []byte("x"), 0o600))
	for _, want := range []string{".before-T", ".before-T-2", ".before-T-3"} {
		if aside, err := putAside(file, "T"); err != nil || aside != file+want {
			t.Errorf("%s, %v", aside, err)
		}
	}
}

func TestLineEnd(t *testing.T) {
	for _, c := range []struct {
		writes []string
		open   bool
	}{{nil, false}, {[]string{""}, false}, {[]string{"a"}, true}, {[]string{"a\n"}, false}, {[]string{"a\n", "b"}, true}, {[]string{"a", "\n"}, false}, {[]string{"a", ""}, true}} {
		var to bytes.Buffer
		l := &lineEnd{to: &to}
		for _, text := range c.writes {
			io.WriteString(l, text)
		}
		if l.open != c.open || to.String() != strings.Join(c.writes, "") {
			t.Errorf("%q: open %v, %q", c.writes, l.open, to.String())
		}
	}
}

// text is a stored transcript.
type text string

func (s text) WriteTranscript(w io.Writer) error {
	if s == "damaged" {
		return conversation.ErrDamaged
	}
	_, err := io.WriteString(w, string(s))
	return err
}

// TestConversations: each conversation is written to where its agent looks for it; an existing one
// is kept aside, and a session's state follows the restored one. One that fails keeps no other.
func TestConversations(t *testing.T) {
	home, now := t.TempDir(), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	w := &workspace.Workspace{Env: workspace.Env{Now: func() time.Time { return now }, Getenv: func(name string) string {
		return map[string]string{"HOME": home, "CLAUDE_CONFIG_DIR": filepath.Join(home, ".claude")}[name]
	}}, Repo: &gitexec.Repo{Top: "/work"}, Store: session.Store{Dir: t.TempDir()}}
	const first = `{"type":"user","uuid":"1","timestamp":"2026-01-01T00:00:00Z"}`
	const second = first + "\n" + `{"type":"user","uuid":"2","timestamp":"2026-01-01T00:00:09Z"}`
	chunks := []gitexec.OID{gitexec.OID(strings.Repeat("1", 40))}
	c := func(id, stored string) Conversation {
		return Conversation{SessionID: id, Agent: agent.ClaudeCode.Title, Stored: text(stored), Chunks: chunks, Prompts: "One\n\n---\n\nTwo"}
	}
	restored := func(id, stored string, q Request) Restored {
		t.Helper()
		all, err := Conversations(context.Background(), w, []Conversation{c(id, stored)}, q)
		if err != nil || len(all) != 1 {
			t.Fatalf("%v, %v", all, err)
		}
		return all[0]
	}
	r := restored("s1", first, Request{Preview: true})
	if _, err := os.Stat(r.File); r.Status != Would || err == nil || !strings.HasPrefix(r.File, home) {
		t.Errorf("a preview: %+v", r)
	}
	r = restored("s1", first, Request{})
	if data, err := os.ReadFile(r.File); r.Status != Written || err != nil || string(data) != first+"\n" || r.Prompt != "One" || !strings.HasSuffix(r.Resume, " s1") || r.Dir != "/work" {
		t.Errorf("%+v, %q, %v", r, data, err)
	}
	if again := restored("s1", first, Request{}); again.Status != There || again.Aside != "" {
		t.Errorf("a second time: %+v", again)
	}
	state := &session.State{SessionID: "s1", TranscriptPath: r.File, Place: session.Place{CheckpointTranscriptStart: 9, CheckpointPromptStart: 9}}
	testdir.Must(t, w.Store.Save(state))
	longer := restored("s1", second, Request{})
	if data, err := os.ReadFile(longer.Aside); longer.Status != Written || err != nil || string(data) != first+"\n" {
		t.Errorf("a newer one: %+v, aside %q, %v", longer, data, err)
	}
	if s, err := w.Store.Load("s1"); err != nil || s.Recorded.Lines != 2 || !slices.Equal(s.Chunks, chunks) || s.LastPrompt != "Two" || s.CheckpointTranscriptStart > 2 || s.CheckpointPromptStart > 2 {
		t.Errorf("the state: %+v, %v", s, err)
	}
	if older := restored("s1", first, Request{}); older.Status != Newer || !older.Kept() {
		t.Errorf("an older one: %+v", older)
	}
	if forced := restored("s1", first, Request{Force: true}); forced.Status != Written || forced.Aside == "" {
		t.Errorf("by force: %+v", forced)
	}
	all, err := Conversations(context.Background(), w, []Conversation{c("s2", "damaged"), c("../s3", first), c("s4", first)}, Request{})
	if !errors.Is(err, conversation.ErrDamaged) || !errors.Is(err, session.ErrBadID) || len(all) != 3 || all[0].File != "" || all[0].Resume != "" || all[2].Status != Written {
		t.Errorf("%+v, %v", all, err)
	}
	w.Store.ReadOnly = true
	if err := (&target{Restored: Restored{SessionID: "s1"}}).setPosition(context.Background(), w); err != nil {
		t.Errorf("without states: %v", err)
	}
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	if all, err := Conversations(canceled, w, []Conversation{c("s5", first), c("s6", first)}, Request{}); !errors.Is(err, context.Canceled) || len(all) != 1 {
		t.Errorf("canceled: %+v, %v", all, err)
	}
}

// TestPlace: the file that is known on this machine comes before the agent's own choice.
func TestPlace(t *testing.T) {
	home := t.TempDir()
	w := &workspace.Workspace{Env: workspace.Env{Getenv: func(name string) string { return map[string]string{"HOME": home}[name] }},
		Repo: &gitexec.Repo{Top: "/work"}, Store: session.Store{Dir: t.TempDir()}}
	for id, file := range map[string]string{"known": "/elsewhere/known.jsonl", "unknown": ""} {
		testdir.Must(t, w.Store.Save(&session.State{SessionID: id, TranscriptPath: file}))
	}
	for id, want := range map[string]string{"known": "/elsewhere/known.jsonl", "unknown": home + "/", "none": home + "/"} {
		if p, err := place(w, Conversation{SessionID: id}); err != nil || !strings.HasPrefix(p.File, want) {
			t.Errorf("%s: %+v, %v", id, p, err)
		}
	}
}
