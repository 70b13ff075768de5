package redact

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFalsePositives redacts a corpus as a transcript would hold it: Go's own sources, as the
// output of tools that read them. There is no secret in them; what is redacted is code that was
// mangled.
func TestFalsePositives(t *testing.T) {
	r, _ := New(Options{})
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("go is not on PATH: ", err)
	}
	lines, hits, size := 0, 0, 0
	var took time.Duration
	for _, dir := range eachOf([]string{"encoding", "bufio", "go", "html", "net/http", "os", "reflect", "runtime", "strings", "text", "cmd/go"}, 4, 1) {
		err := filepath.WalkDir(filepath.Join(strings.TrimSpace(string(root)), "src", dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			record, err := json.Marshal(map[string]any{"type": "user", "message": map[string]any{"content": []any{map[string]any{"type": "tool_result", "tool_use_id": "toolu_" + mixed(24), "content": string(data)}}}})
			if err != nil {
				return err
			}
			begun := time.Now()
			got := r.Records(record)
			took += time.Since(begun)
			size += len(record)
			lines += bytes.Count(data, []byte("\n"))
			if n := bytes.Count(got, []byte(Mark)) - bytes.Count(record, []byte(Mark)); n > 0 {
				hits += n
				t.Logf("%s: %d", path, n)
			}
			return nil
		})
		if err != nil {
			t.Skip("Go's sources are not here: ", err)
		}
	}
	rate := 1000 * float64(hits) / float64(lines)
	t.Logf("%d of %d lines, %.3f per 1,000; %d bytes in %v", hits, lines, rate, size, took)
	if rate > 0.1 {
		t.Errorf("%.3f false positives per 1,000 lines", rate)
	}
}
