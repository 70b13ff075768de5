package clients

import (
	"path/filepath"
	"testing"
)

// cline leaves out plugins that take more than four seconds to load, unless it is given more.
var cline = client{
	name: "cline", agent: "cline", archive: "cline", version: "3.0.65",
	once: []string{"--auto-approve", "true"}, terminal: []string{"--auto-approve", "true", "--tui"},
	environment: func(url string) []string {
		return []string{"CLINE_PLUGIN_IMPORT_TIMEOUT_MS=60000", "CLINE_SESSION_BACKEND_MODE=local", "CLINE_NO_AUTO_UPDATE=1"}
	},
	configure: func(home, repo, url string) error {
		return writeJSON(filepath.Join(home, ".cline", "data", "settings", "providers.json"), object{
			"version": 1, "lastUsedProvider": "openai-compatible", "providers": object{"openai-compatible": object{
				"updatedAt": "2026-11-30T00:00:00.000Z", "tokenSource": "manual", "settings": object{
					"provider": "openai-compatible", "apiKey": "dummy", "model": "fake-model", "baseUrl": url + "/v1"}}}})
	},
}

func TestCline(t *testing.T) { run(t, cline) }
