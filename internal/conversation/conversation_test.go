package conversation

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"filippo.io/age"

	"entire-plumb/gitexec"
	"entire-plumb/internal/seal"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testrepo"
)

func TestMain(m *testing.M) { testdir.Main(m) }

// store is a repository without commits.
type store struct{ *testrepo.Repository }

// tree writes a directory of files, each a path and its content.
func (s store) tree(files ...string) gitexec.Entry {
	s.Helper()
	return gitexec.Entry{Mode: gitexec.ModeTree, ID: s.Edit("", files...)}
}

func (s store) open(files ...string) *Conversation {
	s.Helper()
	c, err := Open(s.DB, s.tree(files...), "P")
	s.Must(err)
	return c
}

func TestSplit(t *testing.T) {
	for text, want := range map[string]string{"": "", "a": "a", "a\n\n---\n\nb": "a|b", "\n\n---\n\na\n": "a", " a \n\n---\n\n \n\n---\n\nb": "a|b", "a\n---\nb": "a\n---\nb"} {
		if got := Split(text); got == nil || strings.Join(got, "|") != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestAgentNamed(t *testing.T) {
	for page, want := range map[string]string{"": "/", "# Title\n\nAgent: Claude Code (opus)\n": "Claude Code/opus", "Agent: Codex\n": "Codex/",
		"## Prompts\n\nAgent: me (x)\n": "/", "Agents: x\n": "/", "# Title\nAgent: A (b (c))\n": "A/b (c)"} {
		if agent, model := AgentNamed(page); agent+"/"+model != want {
			t.Errorf("%q: %s, %s", page, agent, model)
		}
	}
}

// TestHash: only a SHA-256 in hex is a hash.
func TestHash(t *testing.T) {
	s := store{testrepo.New(t)}
	sum := strings.Repeat("0a", 32)
	for text, want := range map[string]string{"sha256:" + sum: sum, sum + "\n": sum, "sha256:" + sum[1:]: "damaged", sum + "0": "damaged",
		strings.ToUpper(sum): "damaged", "": "damaged"} {
		got, stored, err := s.open(HashFile, text).Hash()
		if errors.Is(err, ErrDamaged) {
			got = "damaged"
		}
		if got != want || !stored {
			t.Errorf("%q: %s, %v, %v", text, got, stored, err)
		}
	}
	if _, stored, err := s.open("f", "x").Hash(); stored || err != nil {
		t.Errorf("no hash: %v, %v", stored, err)
	}
}

// TestTranscript: chunks are joined by newlines, up to the first that is missing, and a hash that
// is another one's is damage.
func TestTranscript(t *testing.T) {
	s := store{testrepo.New(t)}
	for name, c := range map[string]struct {
		files []string
		want  string
	}{
		"one chunk":  {[]string{"full.jsonl", "a"}, "a"},
		"three":      {[]string{"full.jsonl", "a", "full.jsonl.001", "b", "full.jsonl.002", "c"}, "a\nb\nc"},
		"with a gap": {[]string{"full.jsonl", "a", "full.jsonl.002", "c"}, "a"},
		"none":       {[]string{"full.jsonl.001", "b"}, ""},
	} {
		conversation := s.open(c.files...)
		var text, verified bytes.Buffer
		if err := conversation.WriteTranscript(&text); err != nil || text.String() != c.want {
			t.Errorf("%s: %q, %v", name, text.String(), err)
		}
		sum := sha256.Sum256([]byte(c.want))
		if err := conversation.WriteVerified(&verified, hex.EncodeToString(sum[:])); err != nil || verified.String() != c.want {
			t.Errorf("%s, verified: %q, %v", name, verified.String(), err)
		}
		if err := conversation.WriteVerified(&verified, strings.Repeat("0", 64)); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s, with another hash: %v", name, err)
		}
	}
	missing := &Conversation{Chunks: []gitexec.OID{s.Blob("a").ID, gitexec.OID(strings.Repeat("1", 40))}, db: s.DB, path: "P"}
	if err := missing.WriteTranscript(&bytes.Buffer{}); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "P/full.jsonl.001") {
		t.Errorf("a missing chunk: %v", err)
	}
}

// TestTasks: a task has what its file says, but for its ID, its transcripts and its steps.
func TestTasks(t *testing.T) {
	s := store{testrepo.New(t)}
	c := s.open("tasks/b/checkpoint.json", `{"tool_use_id":"other","agent_id":"x","description":"Look"}`, "tasks/b/agent-x.jsonl", "T", "tasks/b/agent-y.txt", "no",
		"tasks/b/checkpoints/1", "", "tasks/b/checkpoints/2", "", "tasks/a/checkpoint.json", "no JSON", "tasks/file", "no task")
	all, err := c.Tasks()
	if err != nil || len(all) != 2 || all[0].ToolUseID != "a" || all[0].Transcript || all[0].Steps != 0 {
		t.Fatalf("%+v, %v", all, err)
	}
	if b := all[1]; b.ToolUseID != "b" || b.AgentID != "x" || b.Description != "Look" || !b.Transcript || len(b.Transcripts) != 1 || b.Steps != 2 {
		t.Errorf("%+v", b)
	}
	var text bytes.Buffer
	if err := c.TaskTranscript(all[1], all[1].Transcripts[0]).WriteTranscript(&text); err != nil || text.String() != "T" {
		t.Errorf("its transcript: %s, %v", text.String(), err)
	}
	if all, err := s.open("f", "x").Tasks(); all != nil || err != nil {
		t.Errorf("no tasks: %v, %v", all, err)
	}
	edits := gitexec.Edits{}
	for i := range mostTasks + 1 {
		edits[gitexec.Path(fmt.Sprintf("%04d/f", i))] = s.Blob("")
	}
	tree := s.EditTree("", edits)
	if _, err := readTasks(s.DB, gitexec.Entry{Mode: gitexec.ModeTree, ID: tree}, "D"); !errors.Is(err, ErrDamaged) {
		t.Errorf("too many: %v", err)
	}
}

// TestFiles: what is missing, of another kind or too large is damage.
func TestFiles(t *testing.T) {
	s := store{testrepo.New(t)}
	file, dir := s.Blob("12345"), s.tree("f", "x")
	away := gitexec.Entry{Mode: gitexec.ModeFile, ID: gitexec.OID(strings.Repeat("1", 40))}
	for name, c := range map[string]struct {
		file gitexec.Entry
		most int64
		good bool
	}{"a file": {file, 5, true}, "too large": {file, 4, false}, "none": {gitexec.Entry{}, 5, false}, "a directory": {dir, 5, false}, "missing": {away, 5, false}} {
		data, err := File(s.DB, c.file, "P", c.most)
		if c.good != (err == nil) || c.good && string(data) != "12345" || err != nil && (!errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "P")) {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	if files, err := Dir(s.DB, dir, "P"); err != nil || !files["f"].Exists() {
		t.Errorf("a directory: %v, %v", files, err)
	}
	if _, err := Dir(s.DB, file, "P"); !errors.Is(err, ErrDamaged) {
		t.Errorf("no directory: %v", err)
	}
	var into struct{ A int }
	if err := JSON(s.DB, s.Blob(`{"a":7}`), "P", 100, &into); err != nil || into.A != 7 {
		t.Errorf("JSON: %v, %v", into, err)
	}
	if err := JSON(s.DB, s.Blob(`{"a":`), "P", 100, &into); !errors.Is(err, ErrDamaged) {
		t.Errorf("no JSON: %v", err)
	}
	if err := Unmarshal(bytes.Repeat([]byte("{"), mostObjects+1), &into); err == nil || !strings.Contains(err.Error(), "are more than the limit") {
		t.Errorf("too many objects: %v", err)
	}
}

// TestDamage: a fault of git's or of the data is damage; the end of a context, or a writer's fault,
// is not.
func TestDamage(t *testing.T) {
	for name, c := range map[string]struct {
		err     error
		damaged bool
	}{
		"none": {nil, false}, "missing": {&gitexec.MissingError{Name: "x"}, true}, "git": {&gitexec.Error{Err: errors.New("x")}, true},
		"too much": {gitexec.ErrReadLimit, true}, "canceled": {context.Canceled, false}, "git, canceled": {&gitexec.Error{Err: context.Canceled}, false},
		"too late": {&gitexec.Error{Err: context.DeadlineExceeded}, false}, "a writer's": {fs.ErrClosed, false},
	} {
		if got := Damage("P", c.err); errors.Is(got, ErrDamaged) != c.damaged || !errors.Is(got, c.err) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestSealed: what is sealed is opened by an identity of the reader's; without one it is shown as
// encrypted, and is not damaged.
func TestSealed(t *testing.T) {
	own, err := age.GenerateX25519Identity()
	testdir.Must(t, err)
	to, err := seal.Parse([]string{own.Recipient().String()})
	testdir.Must(t, err)
	sealed, err := to.Seal([]byte("words"))
	testdir.Must(t, err)
	line, err := to.Line("words")
	testdir.Must(t, err)
	for _, mine := range []bool{true, false} {
		s := store{testrepo.New(t)}
		if mine {
			t.Setenv("ENTIRE_PLUMB_IDENTITY", own.String())
		} else {
			t.Setenv("ENTIRE_PLUMB_IDENTITY", "")
		}
		c := s.open(PromptFile, string(sealed), "full.jsonl", string(sealed))
		text, err := Shown(c.Prompts())
		shown, who, err2 := ShownText(s.DB, sealed, "P", 100)
		var written bytes.Buffer
		err3 := c.WriteTranscript(&written)
		if err != nil || err2 != nil || text != shown {
			t.Errorf("mine %v: %q, %q, %v, %v", mine, text, shown, err, err2)
		}
		if mine && (text != "words" || who != "" || err3 != nil || written.String() != "words" || Line(s.DB, line) != "words") {
			t.Errorf("mine: %q, for %q, %q, %v, %q", text, who, written.String(), err3, Line(s.DB, line))
		}
		if !mine && (!strings.HasPrefix(text, "(") || who == "" || !IsSealed(err3) || errors.Is(err3, ErrDamaged) || strings.Contains(Line(s.DB, line), "words")) {
			t.Errorf("of others: %q, for %q, %v, %q", text, who, err3, Line(s.DB, line))
		}
	}
	s := store{testrepo.New(t)}
	if got := Line(s.DB, "plain"); got != "plain" {
		t.Error(got)
	}
	if text, who, err := ShownText(s.DB, []byte("plain"), "P", 100); text != "plain" || who != "" || err != nil {
		t.Errorf("%q, %q, %v", text, who, err)
	}
	if IsSealed(errors.New("x")) || SealedFor(nil) != "" {
		t.Error("another error is of nothing sealed")
	}
}
