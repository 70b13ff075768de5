package cli

import (
	"strings"
	"testing"

	"entire-plumb/internal/agent"
	"entire-plumb/internal/unheard"
)

// TestUnheardHint: the hint names a command that installs the agent's hooks where it reads them.
func TestUnheardHint(t *testing.T) {
	for _, c := range []struct {
		agent  agent.Agent
		reason unheard.Reason
		want   string
	}{
		{agent.Kimi, unheard.NoHooks, "entire-plumb enable --user --agent kimi; then restart it"},
		{agent.Codex, unheard.NoHooks, "entire-plumb enable --agent codex there, or enable --user; then restart it"},
		{agent.Codex, unheard.Below, "entire-plumb enable --user --agent codex, then restart it"},
	} {
		u := statusUnheard{Sessions: []string{"s1"}, Reason: c.reason, one: unheard.Session{Agent: c.agent}}
		if got := u.problem().Hint; !strings.HasPrefix(got, c.want) {
			t.Errorf("%s, %s: %q", c.agent.Name, c.reason, got)
		}
	}
}
