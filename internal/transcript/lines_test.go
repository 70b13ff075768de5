package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"entire-plumb/internal/testdir"
)

// spaced is JSON with a blank after each colon and comma, as Python writes it.
func spaced(data []byte) []byte {
	var out bytes.Buffer
	inString := false
	for i, c := range data {
		out.WriteByte(c)
		switch {
		case c == '"' && (i == 0 || !inString || !escapedAt(data, i)):
			inString = !inString
		case !inString && (c == ':' || c == ','):
			out.WriteByte(' ')
		}
	}
	return out.Bytes()
}

// escapedAt reports whether an odd number of backslashes stands before a place.
func escapedAt(data []byte, at int) bool {
	before := data[:at]
	return (len(before)-len(bytes.TrimRight(before, `\`)))%2 == 1
}

// TestSpaced: a transcript says the same with blanks between its words.
func TestSpaced(t *testing.T) {
	files, err := filepath.Glob("testdata/*.jsonl")
	testdir.Must(t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		testdir.Must(t, err)
		dir := t.TempDir()
		one, two := filepath.Join(dir, "one.jsonl"), filepath.Join(dir, "two.jsonl")
		testdir.Must(t, os.WriteFile(one, data, 0o600))
		testdir.Must(t, os.WriteFile(two, spaced(data), 0o600))
		tells := func(path string) string {
			wrote, err := WrittenEver(t.Context(), path, 0)
			testdir.Must(t, err)
			var texts []WrittenText
			testdir.Must(t, WrittenTexts(t.Context(), path, func(w WrittenText) { texts = append(texts, w) }))
			spans, complete, err := CommandTimes(t.Context(), path)
			testdir.Must(t, err)
			part, err := Read(t.Context(), path, Position{}, func([]byte, bool) error { return nil })
			testdir.Must(t, err)
			usage, err := json.Marshal(part.Usage)
			testdir.Must(t, err)
			ended, known, err := endingOf(path, false, "")
			testdir.Must(t, err)
			found := ""
			for _, name := range slices.Sorted(maps.Keys(wrote.Texts)) {
				of := wrote.Texts[name]
				if of.Found != nil {
					text, ok := of.Found.Text()
					found += fmt.Sprintln(name, text, ok, of.Found.at())
				}
				of.Found = nil
				wrote.Texts[name] = of
			}
			for i := range spans {
				spans[i].Commands = "" // as they are written
			}
			return fmt.Sprintf("%q\n%+v\n%+v\n%s%+v %t\n%s %q\n%t %t", said(t, path), wrote, texts, found, spans, complete, usage, part.LastText, ended, known)
		}
		if a, b := tells(one), tells(two); a != b {
			t.Errorf("%s says\n%s\nand with blanks\n%s", file, a, b)
		}
	}
}
