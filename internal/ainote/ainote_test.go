package ainote

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"entire-plumb/gitexec"
)

func example() Note {
	s := Agent{Tool: "claude", ID: "conv_1", Model: "claude-opus-5"}
	key := SessionKey(s)
	return Note{Files: []File{{"src/main.rs", []Entry{{TurnKey(key, "0a1b"), [][2]int{{1, 10}, {15, 1}}}, {HumanKey("A <a@x>"), [][2]int{{42, 9}}}}},
		{"my file\t.rs", []Entry{{"abcd1234abcd1234", [][2]int{{3, 1}}}}}, {divider, []Entry{{"abcd1234abcd1234", [][2]int{{1, 1}}}}}},
		Metadata: Metadata{Schema: schema, Commit: "7734793b756b3921c88db5375a8c156e9532447b", Prompts: map[string]Session{"abcd1234abcd1234": {Agent: s}},
			Humans: map[string]Human{HumanKey("A <a@x>"): {"A <a@x>"}}, Sessions: map[string]Session{key: {Agent: s, Human: "A <a@x>", Attributes: map[string]string{"a": "b"}}}}}
}

// TestRoundTrip: what is written is read as it was, and has the form of the standard's examples.
func TestRoundTrip(t *testing.T) {
	n := example()
	data, err := n.Text()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse(data)
	if err != nil || !reflect.DeepEqual(got, n) {
		t.Errorf("%v\n%+v\n%+v", err, got, n)
	}
	for _, want := range []string{"src/main.rs\n  s_", "::t_", " 1-10,15\n  h_", " 42-50\n\"my file\t.rs\"\n", "\n\"---\"\n  abcd1234abcd1234 1\n---\n{\n  \"schema_version\""} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %q in\n%s", want, data)
		}
	}
	if s, ok := got.Session(n.Files[0].Entries[0].Key); !ok || s.Agent.ID != "conv_1" || !got.Human(n.Files[0].Entries[1].Key) {
		t.Errorf("%v, %v", s, got)
	}
	if _, ok := got.Session("s_00000000000000::t_1"); ok || got.Human("h_00000000000000") {
		t.Error("a key without an entry is known")
	}
}

// TestKeys: keys are those of the standard: they begin with the kind, and have 14 digits.
func TestKeys(t *testing.T) {
	// SHA-256 of "cursor:6ef2299e" and of "A <a@x>", by sha256sum.
	a := Agent{Tool: "cursor", ID: "6ef2299e"}
	if s, h := SessionKey(a), HumanKey("A <a@x>"); s != "s_90a4429512bf1e" || h != "h_d11424d298d38c" {
		t.Error(s, h)
	}
	if one, two := TurnKey("s_1", "a"), TurnKey("s_1", "b"); one == two || len(one) != len("s_1::t_")+14 {
		t.Error(one, two)
	}
}

// TestHostile: a note that is not of the format is refused in a sentence.
func TestHostile(t *testing.T) {
	const meta = "---\n{\"schema_version\":\"authorship/3.0.0\",\"base_commit_sha\":\"\",\"prompts\":{}}"
	for text, want := range map[string]string{
		"":                   "it has no line ---",
		"a\n  k 1\n ---\n{}": "it has no line ---",
		"---\nnonsense":      "its metadata is no JSON of the format",
		"---\n[]":            "its metadata is no JSON of the format",
		"---\n{}":            `its version is "", not`,
		"---\n{\"schema_version\":\"authorship/4.0.0\"}": `its version is "authorship/4.0.0"`,
		"---\n{\"prompts\":1}":                           "its metadata is no JSON of the format",
		"  k 1\n" + meta:                                 "line 1: an author without a file",
		"a\n  k\n" + meta:                                "line 2: an author without lines",
		"a\n  k 0\n" + meta:                              `line 2: "0" is no range of lines`,
		"a\n  k 5-3\n" + meta:                            `"5-3" is no range`,
		"a\n  k 1,,2\n" + meta:                           `"" is no range`,
		"a\n  k -1\n" + meta:                             `"-1" is no range`,
		"a\n  k 1-99999999999999\n" + meta:               "is no range",
		"a\n  k 1 - 2\n" + meta:                          "is no range",
		"a\"b\n" + meta:                                  "is no name of a file",
		"a\xff\n" + meta:                                 "it is not UTF-8",
		strings.Repeat("a\n", mostFiles+1) + meta:        "more than 20000 files",
		"a\n  k " + strings.Repeat("1,", mostRanges) + "1\n" + meta: "more than 500000 ranges",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %.200v, not %s", text, err, want)
		}
	}
	many := example()
	for i := range mostSessions {
		many.Metadata.Prompts[fmt.Sprint(i)] = Session{}
	}
	data, err := many.Text()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Parse(data); err == nil || !strings.Contains(err.Error(), "more than 1000 sessions") {
		t.Error(err)
	}
	if n, err := Parse([]byte("\n\na\n" + meta)); err != nil || len(n.Files) != 1 {
		t.Error(n, err)
	}
}

func TestNamed(t *testing.T) {
	for name, want := range map[gitexec.Path]bool{"a b": true, "": false, "a\"b": false, "a\nb": false, "\xff": false, "é": true} {
		if Named(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

func FuzzParse(f *testing.F) {
	data, _ := example().Text()
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := Parse(data)
		if err != nil {
			return
		}
		text, err := n.Text()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(text); err != nil {
			t.Fatalf("%v in %q", err, text)
		}
	})
}
