package clients

import "path/filepath"

// copilot trusts every folder by its environment: without trust it runs no hook, and doesn't say so.
// It unpacks itself at its first start, once for all scripts.
var copilot = client{
	name: "copilot", agent: "copilot", archive: "@github/copilot", version: "1.0.102",
	once: []string{"--disable-client-telemetry", "--no-color", "--allow-all"}, prompt: []string{"-p"},
	terminal: []string{"--disable-client-telemetry", "--allow-all"},
	environment: func(url string) []string {
		return []string{"COPILOT_PROVIDER_BASE_URL=" + url + "/v1", "COPILOT_PROVIDER_API_KEY=dummy", "COPILOT_MODEL=gpt-5",
			"COPILOT_AUTO_UPDATE=false", "COPILOT_ALLOW_ALL=true", "COPILOT_PKG_CACHE_HOME=" + filepath.Join(cache(), "copilot-1.0.102", "unpacked")}
	},
	configure: func(home, repo, url string) error { return nil },
}
