package clients

import "path/filepath"

var qwen = client{
	name: "qwen", agent: "qwen", archive: "@qwen-code/qwen-code", version: "0.24.4",
	once: []string{"-y"}, prompt: []string{"-p"}, terminal: []string{"-y"},
	environment: func(url string) []string {
		return []string{"OPENAI_API_KEY=dummy", "OPENAI_BASE_URL=" + url + "/v1", "OPENAI_MODEL=fake-model"}
	},
	configure: func(home, repo, url string) error {
		return writeJSON(filepath.Join(home, ".qwen", "settings.json"), object{
			"security":  object{"auth": object{"selectedType": "openai"}, "folderTrust": object{"enabled": false}},
			"telemetry": object{"enabled": false}, "privacy": object{"usageStatisticsEnabled": false},
			"general": object{"enableAutoUpdate": false, "disableAutoUpdate": true},
		})
	},
}
