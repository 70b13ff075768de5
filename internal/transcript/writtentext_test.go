package transcript

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// The texts that tools were asked to write are found in the records of each agent; what tools
// answered is not.
func TestWrittenTexts(t *testing.T) {
	records := []string{
		`{"type":"user","cwd":"/w","message":{"role":"user","content":"Go"}}`,
		`{"type":"assistant","cwd":"/w","timestamp":"2026-01-02T10:00:00Z","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"1","name":"Write","input":{"file_path":"/w/a","content":"one\ntwo"}}]}}`,
		`{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"2","name":"MultiEdit","input":{"file_path":"b","edits":[{"old_string":"x","new_string":"three"},{"old_string":"y","new_string":"four"}]}}]}}`,
		`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"{\"file_path\":\"/w/no\",\"content\":\"no\"}"}]},"toolUseResult":{"file_path":"/w/no","content":"no"}}`,
		`{"type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch\n*** Add File: c\n+five\n+six\n*** Update File: d\n@@\n-old\n+seven\n context\n*** Delete File: e\n*** End Patch\n"}}`,
		`{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"apply_patch\",\"*** Begin Patch\\n*** Add File: f\\n+eight\\n*** End Patch\"]}"}}`,
		`{"type":"gemini","toolCalls":[{"name":"replace","args":{"file_path":"/w/g","old_string":"x","new_string":"nine"}}]}`,
		`not JSON`,
	}
	file := filepath.Join(t.TempDir(), "t.jsonl")
	testdir.Must(t, os.WriteFile(file, []byte(strings.Join(records, "\n")+"\n"), 0o600))
	var got []string
	err := WrittenTexts(t.Context(), file, func(w WrittenText) {
		got = append(got, w.File+": "+strings.ReplaceAll(strings.TrimSpace(w.Text), "\n", " "))
		if w.Text == "one\ntwo" && (w.When.IsZero() || w.Turn != 1) {
			t.Errorf("%+v", w)
		}
	})
	want := []string{"/w/a: one two", "/w/b: three", "/w/b: four", "/w/c: five six", "/w/d: seven", "/w/f: eight", "/w/g: nine"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v\ngot  %q\nwant %q", err, got, want)
	}
	if err := WrittenTexts(t.Context(), file+"none", func(WrittenText) {}); err == nil {
		t.Error("no error for a missing file")
	}
}

// TestNewLines: what an edit's old text has says where the edit is.
func TestNewLines(t *testing.T) {
	for name, c := range map[string]struct{ old, text, want string }{
		"nothing old":               {"", "one\ntwo", "one\ntwo"},
		"a line before":             {"one\n", "one\ntwo\n", "two\n"},
		"lines around":              {"one\nthree\n", "one\ntwo\nthree\n", "two\n"},
		"no line end":               {"one", "one\ntwo", "two"},
		"no line end, and one":      {"one\ntwo", "zero\none\ntwo\n", "zero\n"},
		"indented":                  {"one\ntwo\n", "if x {\n\tone\n\ttwo\n}\n", "if x {\n}\n"},
		"other line ends":           {"one\r\n", "one\ntwo\n", "two\n"},
		"once more than it was":     {"one\n", "one\ntwo\none\n", "two\none\n"},
		"as often as it was":        {"one\none\n", "one\ntwo\none\n", "two\n"},
		"a part of a line":          {"on", "one", "one"},
		"replaced":                  {"one\n", "two\n", "two\n"},
		"removed":                   {"one\ntwo\n", "one\n", ""},
		"moved":                     {"one\ntwo\n", "two\none\n", ""},
		"blank lines that were not": {"one\n", "one\n\n\ntwo\n", "\n\ntwo\n"},
	} {
		if got := newLines(c.old, c.text); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestTexts: wholes and parts are kept apart, and adding to texts leaves these as they were.
func TestTexts(t *testing.T) {
	none, part, whole := Texts{}, Texts{Parts: []string{"part"}}, Texts{Wholes: []string{"whole"}}
	if none.Known() || !part.Known() || !whole.Known() || none.With(none).Known() {
		t.Error("what is known")
	}
	all := part.With(whole).With(none).With(part)
	if !slices.Equal(all.Parts, []string{"part", "part"}) || !slices.Equal(all.Wholes, []string{"whole"}) {
		t.Errorf("%+v", all)
	}
	base := Texts{Parts: make([]string, 1, 4), Wholes: make([]string, 1, 4)}
	one, two := base.With(Texts{Parts: []string{"one"}, Wholes: []string{"one"}}), base.With(Texts{Parts: []string{"two"}, Wholes: []string{"two"}})
	if one.Parts[1] != "one" || one.Wholes[1] != "one" || two.Parts[1] != "two" || len(base.Parts) != 1 {
		t.Errorf("%+v, %+v", one, two)
	}
}

// TestWrittenTextsOfFiles: a Write's content is a whole one, an edit's new lines are a part, and the
// tools' names of a file are joined.
func TestWrittenTextsOfFiles(t *testing.T) {
	records := []string{
		`{"type":"user","cwd":"/w","message":{"role":"user","content":"Go"}}`,
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Write","input":{"file_path":"/w/a","content":"one\ntwo\n"}}]}}`,
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Edit","input":{"file_path":"/w/a","old_string":"two\n","new_string":"two\nthree\n"}}]}}`,
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Edit","input":{"file_path":"/w/a","old_string":"","new_string":"four\n"}}]}}`,
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Edit","input":{"file_path":"/w/b","old_string":"x","new_string":"y"}}]}}`,
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"NotebookEdit","input":{"notebook_path":"/w/c","new_source":"x"}}]}}`,
	}
	file := filepath.Join(t.TempDir(), "t.jsonl")
	testdir.Must(t, os.WriteFile(file, []byte(strings.Join(records, "\n")+"\n"), 0o600))
	got, err := Written(t.Context(), file)
	a := got.Texts["/w/a"]
	if err != nil || !slices.Equal(a.Wholes, []string{"one\ntwo\n"}) || !slices.Equal(a.Parts, []string{"three\n", "four\n"}) {
		t.Errorf("%+v, %v", a, err)
	}
	if b := got.Texts["/w/b"]; !slices.Equal(b.Parts, []string{"y"}) || b.Wholes != nil {
		t.Errorf("%+v", b)
	}
	if got.Texts["/w/c"].Known() || len(got.Files) != 3 {
		t.Errorf("%+v", got)
	}
	want := []Edit{{New: "one\ntwo\n", Whole: true}, {Old: "two\n", New: "two\nthree\n", Located: true}, {New: "four\n", Located: true}}
	if !slices.Equal(a.Edits, want) || a.Vague || got.Texts["/w/b"].Vague || !got.Texts["/w/c"].Vague {
		t.Errorf("%+v", got.Texts)
	}
}

// TestEditOn: what an edit makes of a text.
func TestEditOn(t *testing.T) {
	for name, c := range map[string]struct {
		edit Edit
		want string
	}{
		"a part of a line": {Edit{Old: "one", New: "1"}, "1 two one\n"},
		"in each place":    {Edit{Old: "one", New: "1", Every: true}, "1 two 1\n"},
		"all of it":        {Edit{New: "three\n", Whole: true}, "three\n"},
		"nowhere":          {Edit{Old: "four\n", New: "four\nfive"}, "one two one\n\nfive"},
		"without a place":  {Edit{New: "five"}, "one two one\n\nfive"},
		"of another text":  {Edit{Old: "zero\none two one\n", New: "zero\nfive\n"}, "\nfive\n"},
	} {
		if got := c.edit.On("one two one\n"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestVagueTexts: a record of an edit without its old text doesn't tell all; the generic seam's
// input is read as Claude Code's is.
func TestVagueTexts(t *testing.T) {
	for name, c := range map[string]struct {
		record string
		vague  bool
	}{
		"no old text":    {`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Edit","input":{"file_path":"/w/f","new_string":"new"}}]}}`, true},
		"names alone":    {`{"role":"tool","tool":"edit","files":["/w/f"]}`, true},
		"with an input":  {`{"role":"tool","tool":"edit","files":["/w/f"],"input":{"file_path":"/w/f","old_string":"old","new_string":"new"}}`, false},
		"with a content": {`{"role":"tool","tool":"write","files":["/w/f"],"input":{"file_path":"/w/f","content":"new"}}`, false},
		"several edits":  {`{"role":"tool","tool":"edit","files":["/w/f"],"input":{"file_path":"/w/f","edits":[{"old_string":"old","new_string":"new","replace_all":true}]}}`, false},
	} {
		file := filepath.Join(t.TempDir(), "t.jsonl")
		testdir.Must(t, os.WriteFile(file, []byte(c.record+"\n"), 0o600))
		got, err := Written(t.Context(), file)
		if texts := got.Texts["/w/f"]; err != nil || !got.All || texts.Vague != c.vague || !c.vague && (len(texts.Edits) != 1 || texts.Edits[0].New != "new") {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
