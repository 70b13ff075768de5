package transcript

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// TestFaults: what of a line of the generic format counts for nothing is said of it.
func TestFaults(t *testing.T) {
	const when = `,"time":"2026-01-02T03:04:05Z"}`
	for line, want := range map[string]string{
		`{"role":"assistant","text":"a","id":"1","tokens":{"input":1,"output":2}` + when:               "",
		`{"role":"assistant","text":"a","id":"1","tokens":{"input_tokens":1,"output_tokens":2}` + when: `has tokens of unknown names ("input_tokens", "output_tokens")`,
		`{"role":"assistant","text":"a","id":"1","tokens":{"input":-1}` + when:                         "has less than no tokens",
		`{"role":"assistant","text":"a","tokens":{"input":1}` + when:                                   "has tokens and no id",
		`{"role":"tool","tool":"edit","files":["a"]` + when:                                            "",
		`{"role":"tool","files":["a"]` + when:                                                          "has no tool",
	} {
		file := filepath.Join(t.TempDir(), "t.jsonl")
		testdir.Must(t, os.WriteFile(file, []byte(line+"\n"), 0o600))
		_, bad, err := Check(t.Context(), file)
		switch {
		case err != nil || len(bad) > 1:
			t.Errorf("%s: %v, %v", line, bad, err)
		case (want == "") != (len(bad) == 0), want != "" && !strings.HasPrefix(bad[0].What, want):
			t.Errorf("%s: %v, not %q", line, bad, want)
		}
	}
}
