package transcript

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

// TestFound: what the last tool found in a file, and when its result came.
func TestFound(t *testing.T) {
	use := func(id, file string) string {
		return fmt.Sprintf(`{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":%q,"name":"Edit","input":{"file_path":%q,"old_string":"a","new_string":"b"}}]}}`+"\n", id, file)
	}
	result := func(id, at, found string) string {
		return fmt.Sprintf(`{"type":"user","timestamp":%q,"message":{"role":"user","content":[{"tool_use_id":%q,"type":"tool_result","content":"ok"}]},"toolUseResult":{"originalFile":%s}}`+"\n", at, id, found)
	}
	const early, late = "2026-01-02T03:04:05Z", "2026-01-02T03:05:05Z"
	const failed = `{"type":"user","message":{"role":"user","content":[{"tool_use_id":"1","type":"tool_result","is_error":true,"content":"no"}]}}` + "\n"
	long := `"` + strings.Repeat("x", mostFound/2) + `"`
	for name, c := range map[string]struct{ lines, found, at string }{ // "-": not known
		"of one tool":                {use("1", "/r/a") + result("1", early, `"one\ntwo\n"`), "one two", early},
		"there was no file":          {use("1", "/r/a") + result("1", early, "null"), "", early},
		"of the last of two":         {use("1", "/r/a") + result("1", early, `"one\n"`) + use("2", "/r/a") + result("2", late, `"two\n"`), "two", late},
		"the last one doesn't tell":  {use("1", "/r/a") + result("1", early, `"one\n"`) + use("2", "/r/a"), "-", ""},
		"another shape":              {use("1", "/r/a") + result("1", early, "[1]"), "-", ""},
		"no time":                    {use("1", "/r/a") + result("1", "", `"one\n"`), "one", ""},
		"of another file":            {use("1", "/r/a") + result("1", early, `"one\n"`) + use("2", "/r/b") + result("2", late, `"two\n"`), "one", early},
		"of another use":             {use("1", "/r/a") + result("2", early, `"one\n"`), "-", ""},
		"too long":                   {use("1", "/r/a") + result("1", early, `"`+strings.Repeat("x", mostFound)+`"`), "-", ""},
		"a second result":            {use("1", "/r/a") + result("1", early, `"one\n"`) + result("1", late, `"two\n"`), "one", early},
		"a second one, of a failure": {use("1", "/r/a") + result("1", early, `"one\n"`) + failed, "one", early},
		"many, too long together":    {use("1", "/r/a") + result("1", early, long) + use("2", "/r/a") + result("2", late, long), strings.Trim(long, `"`), late},
		"before a prompt": {use("1", "/r/a") + result("1", early, `"one\n"`) + `{"type":"user","message":{"role":"user","content":"Again"}}` + "\n" +
			use("2", "/r/a"), "-", ""},
	} {
		file := filepath.Join(t.TempDir(), "t.jsonl")
		testdir.Must(t, os.WriteFile(file, []byte(c.lines), 0o600))
		w, err := Written(t.Context(), file)
		testdir.Must(t, err)
		text, ok := "", false
		found := w.Texts["/r/a"].Found
		if found != nil {
			text, ok = found.Text()
		}
		if got := strings.Join(strings.Fields(text), " "); ok != (c.found != "-") || ok && got != c.found {
			t.Errorf("%s: %q, %t; want %q", name, got, ok, c.found)
		}
		if at, err := time.Parse(time.RFC3339, c.at); ok && (found.Saved(at.Add(apart)) != (err == nil) || found.Saved(at.Add(apart+1))) {
			t.Errorf("%s: saved by the tool: %t", name, found.Saved(at.Add(apart)))
		}
	}
}

// TestLeft: what the last tool made of what it found, by all edits of its use.
func TestLeft(t *testing.T) {
	edit := func(old, text string) Edit { return Edit{Old: old, New: text, Located: true} }
	for name, c := range map[string]struct {
		found string // in JSON
		edits []Edit
		want  string // "-": not known
	}{
		"an edit":                   {`"one\ntwo\n"`, []Edit{edit("two", "three")}, "one\nthree\n"},
		"two of one use":            {`"one\n"`, []Edit{edit("one", "two"), edit("two", "three")}, "three\n"},
		"the whole file":            {`"one\n"`, []Edit{{New: "two\n", Whole: true}}, "two\n"},
		"a new file":                {`null`, []Edit{edit("", "one\n")}, "\none\n"},
		"it found another text":     {`"one\n"`, []Edit{edit("two", "three")}, "-"},
		"the old text isn't known":  {`"one\n"`, []Edit{{New: "two\n"}}, "-"},
		"an old text must be there": {`"one\n"`, []Edit{edit("", "two\n")}, "-"},
		"what was found isn't":      {`[]`, []Edit{edit("one", "two")}, "-"},
		"it would be too long":      {`"` + strings.Repeat("x", 32<<10) + `"`, []Edit{{Old: "x", New: strings.Repeat("y", 4096), Located: true, Every: true}}, "-"},
		"too many of a long one":    {`"` + strings.Repeat("x", 1<<20) + `"`, slices.Repeat([]Edit{edit("x", "x")}, mostLeft>>20), "-"},
	} {
		f := Found{line: []byte(`{"toolUseResult":{"originalFile":` + c.found + `}}`), results: results{had: "toolUseResult.originalFile"}, edits: c.edits}
		got, ok := f.Left()
		if !ok {
			got = "-"
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	file := filepath.Join(t.TempDir(), "t.jsonl")
	testdir.Must(t, os.WriteFile(file, []byte(`{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"MultiEdit","input":{"file_path":"/r/a","edits":[{"old_string":"one","new_string":"two"},{"old_string":"two","new_string":"three"}]}}]}}
{"type":"user","message":{"role":"user","content":[{"tool_use_id":"1","type":"tool_result","content":"ok"}]},"toolUseResult":{"originalFile":"one\n"}}
`), 0o600))
	w, err := Written(t.Context(), file)
	testdir.Must(t, err)
	if text, ok := w.Texts["/r/a"].Found.Left(); !ok || text != "three\n" {
		t.Errorf("%q, %t", text, ok)
	}
}

// TestSavedBeforeTheResult: a hook of the agent's may run for long after the tool, and the result
// comes behind it: what was saved since the tool's use is the tool's.
func TestSavedBeforeTheResult(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.jsonl")
	testdir.Must(t, os.WriteFile(file, []byte(`{"type":"assistant","timestamp":"2026-01-02T03:04:00Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"Edit","input":{"file_path":"/r/a","old_string":"a","new_string":"b"}}]}}
{"type":"user","timestamp":"2026-01-02T03:04:30Z","message":{"role":"user","content":[{"tool_use_id":"1","type":"tool_result","content":"ok"}]},"toolUseResult":{"originalFile":"a\n"}}
`), 0o600))
	w, err := Written(t.Context(), file)
	testdir.Must(t, err)
	found := w.Texts["/r/a"].Found
	for at, want := range map[string]bool{"2026-01-02T03:03:59Z": false, "2026-01-02T03:04:01Z": true, "2026-01-02T03:04:32Z": true, "2026-01-02T03:04:34Z": false} {
		saved, err := time.Parse(time.RFC3339, at)
		testdir.Must(t, err)
		if found.Saved(saved) != want {
			t.Errorf("at %s: %t", at, !want)
		}
	}
}

// TestManyEditsOfOneUse: a result is kept once for each file, however many edits its use has.
func TestManyEditsOfOneUse(t *testing.T) {
	const few, times, size = 50, 8, 1 << 20
	allocated := func(n int) uint64 {
		edits := strings.Repeat(`{"old_string":"a","new_string":"b"},`, n) + `{"old_string":"a","new_string":"b"}`
		file := filepath.Join(t.TempDir(), "t.jsonl")
		testdir.Must(t, os.WriteFile(file, []byte(`{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"MultiEdit","input":{"file_path":"/r/a","edits":[`+edits+`]}}]}}
{"type":"user","message":{"role":"user","content":[{"tool_use_id":"1","type":"tool_result","content":"ok"}]},"toolUseResult":{"originalFile":"`+strings.Repeat("x", size)+`"}}
`), 0o600))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w, err := Written(t.Context(), file)
		runtime.ReadMemStats(&after)
		testdir.Must(t, err)
		if texts := w.Texts["/r/a"]; texts.Found == nil || len(texts.Edits) != n+1 {
			t.Fatalf("%d edits, found: %t", len(texts.Edits), texts.Found != nil)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	if one, more := allocated(few), allocated(times*few); more > 2*one {
		t.Errorf("%d KiB for %d edits, %d KiB for %d", one>>10, few, more>>10, times*few)
	}
}

// TestLastFound: of texts that are put together the later result counts, if both tell.
func TestLastFound(t *testing.T) {
	of := func(at string) Texts {
		texts := Texts{Parts: []string{"a"}}
		if at != "" {
			texts.Found = &Found{line: []byte(`{"timestamp":"` + at + `"}`)}
		}
		return texts
	}
	const early, late = "2026-01-02T03:04:05Z", "2026-01-02T03:05:05Z"
	for name, c := range map[string]struct {
		a, b Texts
		want string
	}{
		"one":             {of(early), of(late), late},
		"the other":       {of(late), of(early), late},
		"no other":        {of(early), Texts{}, early},
		"none before":     {Texts{}, of(early), early},
		"one isn't known": {of(early), of(""), ""},
	} {
		at := ""
		if found := c.a.With(c.b).Found; found != nil {
			at = found.at().Format(time.RFC3339)
		}
		if at != c.want {
			t.Errorf("%s: %q, want %q", name, at, c.want)
		}
	}
}
