package clients

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

var claude = client{
	name: "claude", agent: "claude-code", archive: "@anthropic-ai/claude-code", version: "2.1.197",
	once: []string{"--dangerously-skip-permissions"}, prompt: []string{"-p"}, terminal: []string{"--dangerously-skip-permissions"},
	environment: func(url string) []string {
		return []string{"IS_SANDBOX=1", "ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
			"DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1"}
	},
	configure: func(home, repo, url string) error {
		return writeJSON(filepath.Join(home, ".claude.json"), object{
			"hasCompletedOnboarding": true, "theme": "dark", "bypassPermissionsModeAccepted": true, "lastOnboardingVersion": "2.1.197",
			"customApiKeyResponses": object{"approved": []string{"dummy"}, "rejected": []string{}},
			"projects":              object{repo: object{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true, "allowedTools": []string{}}},
		})
	},
}

var codex = client{
	name: "codex", agent: "codex", archive: "@openai/codex", version: "0.169.0",
	once:        []string{"exec", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"},
	terminal:    []string{"--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"},
	environment: func(url string) []string { return []string{"FAKE_KEY=dummy"} },
	configure: func(home, repo, url string) error {
		return writeText(filepath.Join(home, ".codex", "config.toml"), fmt.Sprintf(`model = "gpt-5.5"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.fake]
name = "fake"
base_url = "%s/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
[projects."%s"]
trust_level = "trusted"
`, url, repo))
	},
}

var gemini = client{
	name: "gemini", agent: "gemini", archive: "@google/gemini-cli", version: "0.61.0",
	once: []string{"-y", "-m", "gemini-2.5-pro"}, prompt: []string{"-p"},
	environment: func(url string) []string {
		return []string{"GEMINI_API_KEY=dummy", "GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_CLI_TRUST_WORKSPACE=true"}
	},
	configure: func(home, repo, url string) error {
		return writeJSON(filepath.Join(home, ".gemini", "settings.json"), object{
			"security":  object{"auth": object{"selectedType": "gemini-api-key"}, "folderTrust": object{"enabled": false}},
			"telemetry": object{"enabled": false}, "privacy": object{"usageStatisticsEnabled": false}, "general": object{"enableAutoUpdate": false},
		})
	},
}

func writeJSON(file string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return writeText(file, string(data))
}

func writeText(file, text string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o600)
}
