package settings

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"entire-plumb/internal/testdir"
)

func TestUnknownKeys(t *testing.T) {
	for text, want := range map[string][]Unknown{
		`{"enabled": true, "strategy": "manual-commit", "telemetry": false, "strategy_options": {"push_sessions": true}}`: nil,
		`{"enabled": true, "strateggy": "auto-commit"}`:                                                                   {{".entire/settings.json", "strateggy", "strategy"}},
		`{"strategy_options": {"suffix": {"max_stream": 3}, "zzz": {"a": 1}}}`: {
			{".entire/settings.json", "strategy_options.suffix.max_stream", "strategy_options.suffix.max_streams"},
			{".entire/settings.json", "strategy_options.zzz", ""}},
		`{"checkpoints": {"primary": {"type": "git-refs"}}, "strategy_options": {"checkpoint_push_remote": "x"}}`: nil,
		`{"": 1}`: {{".entire/settings.json", "", ""}},
		`rubbish`: nil,
		``:        nil,
	} {
		top := t.TempDir()
		testdir.Must(t, os.Mkdir(filepath.Join(top, Dir), 0o777))
		testdir.Must(t, os.WriteFile(filepath.Join(top, Dir, shared), []byte(text), 0o666))
		if got := UnknownKeys(top); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if got := UnknownKeys(t.TempDir()); got != nil {
		t.Errorf("without settings: %q", got)
	}
}
