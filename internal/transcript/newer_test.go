package transcript

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

type storedText string

func (s storedText) WriteTranscript(w io.Writer) error {
	for len(s) > 0 { // in pieces, as chunks come
		n := min(7, len(s))
		if _, err := io.WriteString(w, string(s[:n])); err != nil {
			return err
		}
		s = s[n:]
	}
	return nil
}

func TestCompare(t *testing.T) {
	at := func(minute string, words ...string) string {
		return `{"type":"user","timestamp":"2026-01-02T03:` + minute + `:00Z","message":{"role":"user","content":"` + strings.Join(words, " ") + `"}}`
	}
	const untimed = `{"type":"user","message":{"role":"user","content":"x"}}`
	late := strings.Replace(at("01"), "2026", "2099", 1)
	now := time.Date(2026, 1, 2, 4, 0, 0, 0, time.UTC)
	long := strings.Repeat("y", 100<<10)
	for name, c := range map[string]struct {
		local, stored string
		want          Status
	}{
		"none":                       {"", at("01"), StatusNew},
		"the same":                   {at("01") + "\n", at("01"), StatusUnchanged},
		"the same, without newline":  {at("01"), at("01"), StatusUnchanged},
		"redacted":                   {at("01", "secret") + "\n", at("01", "REDACTED"), StatusUnchanged},
		"redacted, long":             {at("01", "secret"+long) + "\n", at("01", "REDACTED"+long), StatusUnchanged},
		"goes on":                    {at("01") + "\n" + at("02") + "\n", at("01"), StatusLocalNewer},
		"goes on without time":       {untimed + "\n" + untimed + "\n", untimed, StatusLocalNewer},
		"goes on, redacted":          {at("01", "secret") + "\n" + at("02") + "\n", at("01", "REDACTED"), StatusLocalNewer},
		"goes on in the same minute": {at("01", "secret") + "\n" + at("01") + "\n", at("01", "REDACTED"), StatusLocalNewer},
		"stored goes on":             {at("01") + "\n", at("01") + "\n" + at("02"), StatusCheckpointNewer},
		"stored goes on, redacted":   {at("01", "secret") + "\n", at("01", "REDACTED") + "\n" + at("01"), StatusCheckpointNewer},
		"stored goes on by time":     {at("01", "a") + "\n" + at("02") + "\n", at("01", "b") + "\n" + at("03"), StatusCheckpointNewer},
		"last line has no time":      {at("01", "a") + "\n" + at("03") + "\n{}\n", at("01", "b") + "\n" + at("02"), StatusLocalNewer},
		"local ends in the future":   {at("01", "a") + "\n" + late + "\n", at("01", "b") + "\n" + at("02"), StatusCheckpointNewer},
		"stored ends in the future":  {at("01", "a") + "\n" + at("03") + "\n", at("01", "b") + "\n" + late, StatusLocalNewer},
		"no times":                   {untimed + "\n{}\n", "{}\n" + untimed, StatusUnknown},
		"rubbish":                    {"\x00\xff\n\n\n", at("01"), StatusUnknown},
		"empty":                      {"\n", at("01"), StatusUnknown},
	} {
		file := filepath.Join(t.TempDir(), "local")
		if c.local != "" {
			testdir.Must(t, os.WriteFile(file, []byte(c.local), 0o600))
		}
		got, err := Compare(file, storedText(c.stored), now)
		if err != nil || got.Status != c.want {
			t.Errorf("%s: status %d, %v, want %d", name, got.Status, err, c.want)
		}
	}
	if _, err := Compare(t.TempDir(), storedText("x"), now); err == nil {
		t.Error("a directory is compared")
	}
}
