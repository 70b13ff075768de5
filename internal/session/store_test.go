package session

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/transcript"
)

const someID = "0123456789012345678901234567890123456789"

func TestCheckID(t *testing.T) {
	for _, id := range []string{"a", "0", "s1", "2026-01-02-abc_d.e", "a..", strings.Repeat("a", 128)} {
		if err := CheckID(id); err != nil {
			t.Errorf("CheckID(%q) = %v", id, err)
		}
	}
	for _, id := range []string{"", ".", "..", "-a", "_a", ".a", "a/b", `a\b`, "../a", "a b", "a\nb", "a\x00b", "é", "a:b", "a*",
		strings.Repeat("a", 129), strings.Repeat("a", 10<<10)} {
		err := CheckID(id)
		if !errors.Is(err, ErrBadID) {
			t.Errorf("CheckID(%.20q) = %v, want ErrBadID", id, err)
		} else if len(err.Error()) > 300 || strings.Count(err.Error(), "\n") != 1 {
			t.Errorf("CheckID(%.20q): %q is no line with a hint", id, err)
		}
	}
}

func TestSaveAndLoad(t *testing.T) {
	s := Store{Dir: filepath.Join(t.TempDir(), "entire-sessions")}
	if _, err := s.Load("s1"); !errors.Is(err, ErrNotFound) {
		t.Fatalf("Load of nothing: %v", err)
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	state := &State{SessionID: "s1", StartedAt: now, EndedAt: &now, LastInteractionTime: &now,
		Place: Place{BaseCommit: someID, Phase: Ended, ShadowBranchSuffix: 3, FilesTouched: []gitexec.Path{"a\nb", "\xff", `"quoted`},
			LeftOut: []LeftOut{{"big", "too big"}}},
		Others:            []Place{{WorktreeID: "side", WorktreePath: "/side", BaseCommit: someID, Phase: Active, AgentID: "a"}},
		TurnCheckpointIDs: []string{"0123456789ab"}, Recorded: transcript.Position{Bytes: 5, Lines: 1}, Chunks: []gitexec.OID{someID}}
	testdir.Must(t, s.Save(state))
	got, err := s.Load("s1")
	testdir.Must(t, err)
	if !reflect.DeepEqual(got, state) {
		t.Errorf("Load gave\n%+v\nwant\n%+v", got, state)
	}
	for _, file := range []string{"s1.json", "."} {
		info, err := os.Stat(filepath.Join(s.Dir, file))
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s can be read by others: %v, %v", file, info.Mode(), err)
		}
	}
	if err := s.Save(&State{SessionID: "../s1"}); !errors.Is(err, ErrBadID) {
		t.Errorf("Save of a bad ID: %v", err)
	}
}

// What another program, or a newer version of this one, keeps in the file survives our writing.
func TestUnknownKeysAreKept(t *testing.T) {
	s := Store{Dir: t.TempDir()}
	file := s.file("s1")
	put(t, file, `{"session_id": "s1", "prompt_attributions": [{"a": 1}], "phase": "idle", "zzz": null, "big": 12345678901234567890}`)
	state, err := s.Load("s1")
	testdir.Must(t, err)
	state.Apply(TurnStart, time.Unix(0, 0))
	testdir.Must(t, s.Save(state))
	var all map[string]json.RawMessage
	testdir.Must(t, json.Unmarshal([]byte(content(t, file)), &all))
	for key, want := range map[string]string{"prompt_attributions": `[{"a":1}]`, "zzz": "null", "big": "12345678901234567890", "phase": `"active"`} {
		if got := strings.Join(strings.Fields(string(all[key])), ""); got != want {
			t.Errorf("%s is %s, want %s", key, got, want)
		}
	}
}

func TestDamagedFilesAreSetAside(t *testing.T) {
	var said []string
	s := Store{Dir: t.TempDir(), Warn: func(line string) { said = append(said, line) }}
	damaged := []string{"", "{", "[]", "null", "\x00\x00", `{"session_id": 5}`, `{"session_id": "s2"}`, `{"session_id": "s1", "started_at": "yesterday"}`,
		`{"session_id": "s1", "base_commit": "HEAD"}`, `{"session_id": "s1", "transcript_chunks": ["x\ny"]}`,
		`{"session_id": "s1", "turn_checkpoint_ids": ["../.."]}`, `{"session_id": "s1", "shadow_branch_suffix": -1}`}
	for i, text := range damaged {
		put(t, s.file("s1"), text)
		said = nil
		if _, err := s.Load("s1"); !errors.Is(err, ErrNotFound) {
			t.Errorf("Load of %q: %v, want ErrNotFound", text, err)
		}
		if len(said) != 1 || !strings.Contains(said[0], "was damaged") || strings.Contains(said[0], "\n") || strings.Contains(said[0], "Go ") {
			t.Errorf("of %q it was said: %q", text, said)
		}
		if found, _ := filepath.Glob(s.file("s1") + ".damaged*"); len(found) != i+1 {
			t.Errorf("after %q %d files are set aside, want %d", text, len(found), i+1)
		}
		if _, err := os.Lstat(s.file("s1")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q is still there: %v", text, err)
		}
	}
	if got := content(t, s.file("s1")+".damaged-2"); got != "{" {
		t.Errorf("what was set aside holds %q", got)
	}
}

func TestList(t *testing.T) {
	s := Store{Dir: t.TempDir()}
	put(t, s.file("young"), `{"session_id": "young", "started_at": "2026-02-01T00:00:00Z"}`)
	put(t, s.file("old"), `{"session_id": "old", "started_at": "2026-01-01T00:00:00Z"}`)
	put(t, s.file("broken"), `{`)
	put(t, filepath.Join(s.Dir, ".s1.json.new-123"), `{`)
	put(t, filepath.Join(s.Dir, "notes.txt"), `{`)
	put(t, s.Prompts("old"), "Work")
	states, err := s.List()
	if err != nil || len(states) != 2 || states[0].SessionID != "old" || states[1].SessionID != "young" {
		t.Errorf("List() = %v, %v", states, err)
	}
	none := Store{Dir: filepath.Join(s.Dir, "none")}
	if states, err := none.List(); err != nil || states != nil || none.Any() || !s.Any() {
		t.Errorf("List() of nothing = %v, %v", states, err)
	}
}

func TestAddPrompt(t *testing.T) {
	s := Store{Dir: filepath.Join(t.TempDir(), "new")}
	for _, prompt := range []string{"one", "two\nlines", "three"} {
		testdir.Must(t, s.AddPrompt("s1", prompt))
	}
	if got, want := content(t, s.Prompts("s1")), "one\n\n---\n\ntwo\nlines\n\n---\n\nthree"; got != want {
		t.Errorf("the prompts are %q, want %q", got, want)
	}
	if err := s.AddPrompt("a/b", "x"); !errors.Is(err, ErrBadID) {
		t.Errorf("AddPrompt for a bad ID: %v", err)
	}
}

func put(t *testing.T, file, text string) {
	t.Helper()
	testdir.Must(t, os.MkdirAll(filepath.Dir(file), 0o755))
	testdir.Must(t, os.WriteFile(file, []byte(text), 0o644))
}

func content(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	testdir.Must(t, err)
	return string(data)
}
