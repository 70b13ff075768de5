package hooks

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/session"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/workspace"
)

// TestTurnBeginsBeforeItsSnapshot: the time at which a turn begins is before its snapshot. Were it
// later, a turn of another session that ended in between would be over, and its files this turn's.
func TestTurnBeginsBeforeItsSnapshot(t *testing.T) {
	dir := enabledRepo(t)
	calls := 0
	clock := func() time.Time {
		calls++
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("at-%d", calls)), nil, 0o600); err != nil {
			t.Error(err)
		}
		return time.Unix(1_700_000_000+int64(calls), 0)
	}
	said := new(bytes.Buffer)
	env := Env{Env: workspace.Env{Dir: dir, Stdin: strings.NewReader(`{"hook_event_name":"UserPromptSubmit","session_id":"one","prompt":"Do it"}`),
		Stdout: said, Stderr: said, NewID: workspace.RandomID, Getenv: func(string) string { return "" }, Now: clock}}
	if err := env.Agent(t.Context(), agent.ClaudeCode, agent.Prompt); err != nil || said.Len() > 0 {
		t.Fatalf("%v, it says %q", err, said)
	}
	repo, err := gitexec.Discover(t.Context(), dir, nil)
	testdir.Must(t, err)
	s, err := (session.Store{Dir: workspace.StateDir(repo)}).Load("one")
	testdir.Must(t, err)
	saved := fmt.Sprintf("at-%d", s.LastInteractionTime.Unix()-1_700_000_000)
	db := repo.Objects(t.Context())
	defer db.Close()
	found, err := db.Lookup(s.TurnStartTree, gitexec.Path(saved))
	if err != nil || !found[0].Exists() {
		t.Errorf("the turn begins when %s is saved, and its snapshot doesn't hold it: %v", saved, err)
	}
}
