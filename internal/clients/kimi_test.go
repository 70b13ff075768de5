package clients

import (
	"path/filepath"
	"testing"
)

// kimi's hooks are in the user's settings, which name the model, too.
var kimi = client{
	name: "kimi", agent: "kimi", archive: "@moonshot-ai/kimi-code", version: "2.1.0", needs: "node@22", user: true,
	prompt: []string{"-p"}, terminal: []string{"--auto"},
	environment: func(url string) []string { return []string{"KIMI_DISABLE_TELEMETRY=1"} },
	configure: func(home, repo, url string) error {
		return writeText(filepath.Join(home, ".kimi-code", "config.toml"), `default_model = "fake"
default_thinking = false
[providers.fake]
type = "openai"
base_url = "`+url+`/v1"
api_key = "dummy"
[models.fake]
provider = "fake"
model = "fake-model"
max_context_size = 100000
`)
	},
}

func TestKimi(t *testing.T) { run(t, kimi) }
