package transcript

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"entire-plumb/internal/testdir"
)

// FuzzQuestions: a transcript of any form answers each question, or with an error, and no answer is
// of more than it holds.
func FuzzQuestions(f *testing.F) {
	samples, err := filepath.Glob("testdata/*.jsonl")
	testdir.Must(f, err)
	for _, name := range samples {
		data, err := os.ReadFile(name)
		testdir.Must(f, err)
		f.Add(data)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		ctx, path := t.Context(), filepath.Join(dir, "session.jsonl")
		put(t, path, string(data))
		if w, err := WrittenEver(ctx, path, 0); err == nil {
			for _, texts := range w.Texts {
				text := ""
				for _, e := range texts.Edits[:min(len(texts.Edits), 10)] {
					if text = e.On(text); len(text) > 1<<20 {
						break
					}
				}
			}
		}
		_, _ = WrittenInAnswer(ctx, path, int64(len(data)/2))
		_, _, _ = CommandTimes(ctx, path)
		_, _ = CommandsRun(ctx, path, map[string]string{"1111111": "x"})
		_, _ = Copied(ctx, path, nil)
		_, _ = DirectoriesNamed(ctx, path, 0, "/r", []string{"/r/a"})
		_, _ = ReadTerminals(ctx, path)
		_, _ = Interrupted(path)
		_, _, _ = Check(ctx, path)
		_ = WrittenTexts(ctx, path, func(WrittenText) {})
		Spawned(ctx, path)
		EndedOfSubagent(path, "done")
		GoesOn(path)
		n := 0
		_ = Turns(bytes.NewReader(data), Limits{}, func(Turn) error { n++; return nil })
		if lines := bytes.Count(data, []byte("\n")) + 1; n > lines {
			t.Errorf("%d turns in %d lines", n, lines)
		}
	})
}
