package clients

import (
	"path/filepath"
	"testing"
)

var pi = client{
	name: "pi", agent: "pi", archive: "@mariozechner/pi-coding-agent", version: "0.73.1",
	once: []string{"--provider", "fake", "--model", "fake-model"}, prompt: []string{"-p"}, terminal: []string{"--provider", "fake", "--model", "fake-model"},
	environment: func(url string) []string { return []string{"PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1"} },
	configure: func(home, repo, url string) error {
		return writeJSON(filepath.Join(home, ".pi", "agent", "models.json"), object{"providers": object{"fake": object{
			"baseUrl": url + "/v1", "api": "openai-completions", "apiKey": "dummy", "models": []object{{"id": "fake-model"}}}}})
	},
}

func TestPi(t *testing.T) { run(t, pi) }
