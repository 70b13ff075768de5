package clients

import (
	"path/filepath"
	"testing"
)

var openCode = client{
	name: "opencode", agent: "opencode", archive: "opencode-ai", version: "1.18.33",
	once: []string{"run"},
	environment: func(url string) []string {
		// It looks for a package for plugins for more than a minute, unless it hears that there is
		// none.
		return []string{"npm_config_registry=" + url, "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1"}
	},
	configure: func(home, repo, url string) error {
		return writeJSON(filepath.Join(home, ".config", "opencode", "opencode.json"), object{
			"model": "fake/fake-model", "small_model": "fake/fake-model", "autoupdate": false, "share": "disabled", "permission": "allow",
			"provider": object{"fake": object{"npm": "@ai-sdk/openai-compatible", "name": "Fake",
				"options": object{"baseURL": url + "/v1", "apiKey": "dummy"},
				"models":  object{"fake-model": object{"name": "Fake", "tool_call": true, "limit": object{"context": 200000, "output": 8000}}}}},
		})
	},
}

func TestOpenCode(t *testing.T) { run(t, openCode) }
