package upkeep

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/session"
	"entire-plumb/internal/testdir"
)

func TestStuckTurn(t *testing.T) {
	for _, test := range []struct {
		fact         string
		alive, known bool
		last         *time.Time
		linked       *time.Time
		want         bool
	}{
		{"its agent is alive", true, true, ago(100 * day), nil, false},
		{"its agent has exited", false, true, ago(0), ago(0), true},
		{"nobody knows, and it had an event today", false, false, ago(23 * time.Hour), nil, false},
		{"nobody knows, and it was silent for long", false, false, ago(25 * time.Hour), nil, true},
		{"nobody knows, and its work was committed today", false, false, ago(25 * time.Hour), ago(time.Hour), false},
		{"nobody knows, and its work was committed before the prompt", false, false, ago(25 * time.Hour), ago(26 * time.Hour), true},
		{"nobody knows anything", false, false, nil, nil, false},
	} {
		s := &session.State{LastInteractionTime: test.last}
		if test.linked != nil {
			s.Linked = []session.Link{{When: *test.linked}}
		}
		if got := stuckTurn(test.alive, test.known, s, now); got != test.want {
			t.Errorf("%s: %v", test.fact, got)
		}
	}
}

func TestSpeeds(t *testing.T) {
	entry := func(hook string, ms int64, processes int) journal.Entry {
		return journal.Entry{Hook: hook, Milliseconds: ms, Processes: processes}
	}
	failed := entry("post-commit", 1000, 100)
	failed.Error = "it failed"
	got := speeds([]journal.Entry{
		entry("post-commit", 30, 6), entry("note", 500, 50), entry("post-commit", 10, 2), entry("post-commit", 20, 4),
		failed, entry(journal.NoHook, 700, 70), entry("claude-code stop", 5, 1),
	})
	want := []Speed{{"claude-code stop", 1, 5, 5, 1}, {"post-commit", 3, 20, 30, 4}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestTexts(t *testing.T) {
	for n, want := range map[int]string{0: "", 1: "one more", 3: "3 more"} {
		if got := andMore(n, "one more", "%d more"); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
	for _, test := range []struct {
		missing []gitexec.OID
		err     error
		want    string
	}{
		{nil, nil, ""},
		{[]gitexec.OID{"a"}, nil, "1 object is missing, a"},
		{[]gitexec.OID{"a", "b"}, nil, "2 objects are missing, such as a"},
		{[]gitexec.OID{"a"}, errors.New("git fails\nhint: why"), "git fails"},
	} {
		if got := damageText(test.missing, test.err); !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") || strings.Contains(got, "\n") {
			t.Errorf("%q, %v: %q", test.missing, test.err, got)
		}
	}
}

func TestStaleLocks(t *testing.T) {
	dir := t.TempDir()
	repo := &gitexec.Repo{GitDir: filepath.Join(dir, "git"), CommonDir: filepath.Join(dir, "common")}
	put := func(file string, age time.Duration) string {
		file = filepath.Join(dir, filepath.FromSlash(file))
		testdir.Must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		testdir.Must(t, os.WriteFile(file, nil, 0o644))
		testdir.Must(t, os.Chtimes(file, *ago(age), *ago(age)))
		return file
	}
	stale := []string{put("git/index.lock", 2*time.Hour), put("common/config.lock", 2*time.Hour),
		put("common/refs/heads/entire/0123456-1.lock", 2*time.Hour), put("common/refs/entire-plumb/blocked/checkpoints/v1.lock", 2*time.Hour),
		put("common/refs/remotes/my/fork/entire/checkpoints/v1.lock", 2*time.Hour)}
	put("git/HEAD.lock", time.Minute)
	put("common/refs/heads/main.lock", 2*time.Hour) // the user's
	put("common/refs/remotes/origin/main.lock", 2*time.Hour)
	put("common/refs/remotes/entire/main.lock", 2*time.Hour)
	put("common/refs/heads/entire/0123456-1", 2*time.Hour)
	directory := filepath.Join(dir, "common", "packed-refs.lock")
	testdir.Must(t, errors.Join(os.MkdirAll(directory, 0o755), os.Chtimes(directory, *ago(day), *ago(day))))
	var got []string
	for _, trouble := range staleLocks(repo, now) {
		file, _, _ := strings.Cut(trouble.What, " is there since ")
		if got = append(got, file); trouble.Kind != StaleLock || !strings.Contains(trouble.Hint, file) {
			t.Errorf("%+v", trouble)
		}
	}
	if !slices.Equal(got, stale) {
		t.Errorf("%q, want %q", got, stale)
	}
	if bytes := sizeOf(dir); bytes != 0 {
		t.Errorf("empty files have %d bytes", bytes)
	}
}

func TestDiagnosis(t *testing.T) {
	kinds := func(w *world) (kinds []string) {
		t.Helper()
		d, err := Diagnose(t.Context(), w.env())
		testdir.Must(t, err)
		if d.Sessions != 1 || d.Bytes == 0 {
			t.Errorf("%d sessions, %d bytes", d.Sessions, d.Bytes)
		}
		for _, trouble := range d.Troubles {
			kinds = append(kinds, trouble.Kind)
		}
		return kinds
	}
	w := newWorld(t)
	w.turn("one", "a.txt", "the agent's line\n", true)
	if got := kinds(w); len(got) > 0 {
		t.Errorf("nothing is wrong, and it finds %q", got)
	}
	testdir.Must(t, os.WriteFile(filepath.Join(w.Dir, ".git", "entire-sessions", "x.json.damaged"), nil, 0o600))
	w.Git("commit", "-q", "--allow-empty", "-m", "Second\n\nEntire-Checkpoint: 0123456789ab")
	if got := kinds(w); !slices.Equal(got, []string{DamagedState, MissingCheckpoint}) {
		t.Errorf("a state was set aside, and a link has no checkpoint: %q", got)
	}
}

// TestDiagnosisBesideDamage: a session that is stuck is found also where a tree of the checkpoints'
// branch can't be read, and so is that.
func TestDiagnosisBesideDamage(t *testing.T) {
	w := newWorld(t)
	w.turn("one", "a.txt", "the agent's line\n", false)
	w.time = now.Add(2 * day)
	damage := exec.Command("sh", "-c", `git update-ref refs/heads/entire/checkpoints/v1 $(git commit-tree -m Damaged $(
		printf '100644 blob %s\tpurged\n' $(git rev-parse HEAD:base.txt) | git mktree))
		tree=$(git rev-parse refs/heads/entire/checkpoints/v1^{tree})
		chmod u+w .git/objects/*/* && echo rubbish >.git/objects/$(echo $tree | cut -c1-2)/$(echo $tree | cut -c3-)`)
	damage.Dir = w.Dir
	if out, err := damage.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	d, err := Diagnose(t.Context(), w.env())
	if err != nil || len(d.Troubles) != 2 || d.Troubles[0].Kind != StuckSession || d.Troubles[1].Kind != DamagedCheckpoint {
		t.Errorf("%v, %+v", err, d.Troubles)
	}
}

// A turn whose agent is silent for more than a day gets the checkpoint that its stop would have
// written.
func TestEndStuck(t *testing.T) {
	w := newWorld(t)
	w.turn("one", "a.txt", "the agent's line\n", false)
	if ended, err := EndStuck(t.Context(), w.env()); err != nil || len(ended) > 0 {
		t.Errorf("at once: %q, %v", ended, err)
	}
	w.time = now.Add(25 * time.Hour)
	if ended, err := EndStuck(t.Context(), w.env()); err != nil || !slices.Equal(ended, []string{"one"}) {
		t.Errorf("a day later: %q, %v", ended, err)
	}
	if ended, err := EndStuck(t.Context(), w.env()); err != nil || len(ended) > 0 {
		t.Errorf("again: %q, %v", ended, err)
	}
}
