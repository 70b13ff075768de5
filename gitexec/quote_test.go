package gitexec

import (
	"encoding/json"
	"errors"
	"os/exec"
	"slices"
	"testing"
)

// TestPathsInJSON: a path comes back as it was, as a value and as a key, and a plain one is written
// plainly.
func TestPathsInJSON(t *testing.T) {
	for path, want := range map[Path]string{
		"a b/ä": `"a b/ä"`, "line\nfeed": `"line\nfeed"`, "not \xff UTF-8": `"\"not \\377 UTF-8\""`, `"quoted"`: `"\"\\\"quoted\\\"\""`, `"`: `"\"\\\"\""`,
	} {
		text, err := json.Marshal(path)
		if err != nil || string(text) != want {
			t.Errorf("%q: %s, %v, want %s", path, text, err, want)
		}
		var back Path
		if err := json.Unmarshal(text, &back); err != nil || back != path {
			t.Errorf("%q came back as %q, %v", path, back, err)
		}
		key, err := path.MarshalText()
		var keys map[Path]int
		text, err2 := json.Marshal(map[string]int{string(key): 1})
		if err3 := json.Unmarshal(text, &keys); errors.Join(err, err2, err3) != nil || keys[path] != 1 {
			t.Errorf("%q is the key %s: %v, %v, %v, %v", path, text, keys, err, err2, err3)
		}
	}
	var p Path
	if err := json.Unmarshal([]byte("1"), &p); err == nil {
		t.Error("a number is no path")
	}
}

// TestDisplay: what is printed controls no terminal, and of many paths there are few.
func TestDisplay(t *testing.T) {
	for path, want := range map[Path]string{
		"plain ä": "plain ä", `a"b`: `a"b`, "esc\x1b[m": `"esc\033[m"`, "tab\tname": `"tab\tname"`, "\a\b\n\v\f\r\x01": `"\a\b\n\v\f\r\001"`, "\u202egnp.exe": `"\342\200\256gnp.exe"`, "\xff": `"\377"`,
	} {
		if got := path.Display(); got != want {
			t.Errorf("%q: %s, want %s", path, got, want)
		}
	}
	if got := Harmless("a\x1b\tb\n\u2028"); got != "a\uFFFD\tb\n\uFFFD" {
		t.Errorf("%q", got)
	}
	few := []Path{"1", "2", "3", "4", "5"}
	if got := DisplayFew(few); !slices.Equal(got, []string{"1", "2", "3", "4", "5"}) {
		t.Error(got)
	}
	if got := DisplayFew(append(few, "6", "7")); !slices.Equal(got, []string{"1", "2", "3", "4", "5", "2 more"}) {
		t.Error(got)
	}
}

// TestShellQuote: what is quoted is one line, and a shell reads what it was.
func TestShellQuote(t *testing.T) {
	bash, err := exec.LookPath("bash")
	for s, want := range map[string]string{
		"": "''", "a/b=c": "a/b=c", "a b": "'a b'", "it's": `'it'\''s'`, "ä$x": "'ä$x'", "a\nb": `$'a\nb'`, "'\\\t": `$'\'\\\t'`, "\xff": `$'\xff'`,
	} {
		got := ShellQuote(s)
		if got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
		if err != nil {
			continue
		}
		if out, err := exec.Command(bash, "-c", "printf %s "+got).Output(); err != nil || string(out) != s {
			t.Errorf("a shell reads %s as %q, %v", got, out, err)
		}
	}
}
