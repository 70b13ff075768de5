package relink

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testdir"
)

func id(c string) gitexec.OID { return gitexec.OID(strings.Repeat(c, 40)) }

// TestState: tips are the latest first, each once, and not too many; so are open commits.
func TestState(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	var s state
	for _, c := range "abcdefabcdefabcdefabcdef" {
		s.compared(id(string(c)), []gitexec.OID{id("1"), id(string(c))})
	}
	if len(s.Tips) != 6 || s.Tips[0] != id("f") || s.Open[0] != id("1") || len(s.Open) != 7 {
		t.Errorf("%v", s)
	}
	for i := range 3 * mostOpen {
		s.compared(gitexec.OID(strings.Repeat("0", 30)+strings.Repeat("1", i%10)), []gitexec.OID{gitexec.OID(rune(i + 1000))})
	}
	if len(s.Tips) > mostTips || len(s.Open) > mostOpen {
		t.Errorf("%d tips, %d open", len(s.Tips), len(s.Open))
	}
	s = state{Tips: []gitexec.OID{id("a"), id("b")}, Open: []gitexec.OID{id("c")}, Fetched: id("d")}
	testdir.Must(t, s.write(dir))
	if got := readState(dir); !slices.Equal(got.Tips, s.Tips) || got.Fetched != s.Fetched || !slices.Equal(got.Open, s.Open) {
		t.Errorf("%v", got)
	}
	if !Compared(dir, id("a")) || Compared(dir, id("c")) {
		t.Error("what was compared")
	}
	always := func(gitexec.OID) bool { return true }
	never := func(gitexec.OID) bool { return false }
	if err := Advance(dir, []gitexec.OID{id("b")}, id("c"), never); err != nil || Compared(dir, id("c")) {
		t.Errorf("advanced past what came from elsewhere: %v", err)
	}
	if err := Advance(dir, []gitexec.OID{id("b")}, id("c"), always); err != nil || !Compared(dir, id("c")) || Compared(dir, id("b")) {
		t.Errorf("not advanced: %v", err)
	}
	if err := Advance(dir, []gitexec.OID{id("e")}, id("f"), always); err != nil || Compared(dir, id("f")) {
		t.Errorf("advanced from what was not compared: %v", err)
	}
}

// TestRubbish: a damaged state is none, and no value of it reaches git that is not an object's ID.
func TestRubbish(t *testing.T) {
	dir := t.TempDir()
	for _, text := range []string{"", "null", "[]", `{"tips":["--all","HEAD"],"open":["-x"]}`, "\x00"} {
		testdir.Must(t, os.WriteFile(stateFile(dir), []byte(text), 0o600))
		if s := readState(dir); len(s.Tips)+len(s.Open) > 0 {
			t.Errorf("%q: %v", text, s)
		}
		if !Compared(dir, id("a")) {
			t.Errorf("%q: a hook begins the first comparison", text)
		}
	}
}
