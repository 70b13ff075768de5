package message

import (
	"bytes"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// pieces are the lines random messages are made of.
var pieces = []string{
	"", "", "", " \t", "subject", "fix: it", "fixup! fix: it", "caf\xe9: x", "  folded",
	"Signed-off-by: A <a@b>", "Fixes:#1", "Change-Id : I1", "Co-authored-by: B <b@c>",
	"(cherry picked from commit 1)", "#12", "# comment", "; semicolon", "---", "--- a/b", "-x: y",
	"Conflicts:", "\tpath", "Entire-Checkpoint: " + other, " " + link, "\xff\x01", strings.TrimSuffix(cut, "\n"),
}

func randomMessage(rnd *rand.Rand, style Style) []byte {
	eol := []string{"\n", "\n", "\r\n"}[rnd.IntN(3)]
	var msg strings.Builder
	for range rnd.IntN(9) {
		msg.WriteString(pieces[rnd.IntN(len(pieces))])
		msg.WriteString(eol)
	}
	text := msg.String()
	if strings.Contains(text, cut[:len(cut)-1]+"\r") {
		text = strings.ReplaceAll(text, "\r", "") // no scissors to git until it is cleaned up
	}
	if rnd.IntN(4) == 0 {
		text = strings.TrimSuffix(text, eol)
	} else if style.Editor {
		text += strings.ReplaceAll(help, "#", style.Comment)
	}
	return []byte(text)
}

// TestRandom adds a link to random messages and lets git clean up and read them.
func TestRandom(t *testing.T) {
	quiet(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	for range testdir.Times(120, 40) {
		style := Style{
			Comment: []string{"#", ";"}[rnd.IntN(2)],
			Cleanup: []string{"", "strip", "whitespace", "verbatim", "scissors"}[rnd.IntN(5)],
			Editor:  rnd.IntN(2) == 0,
		}
		checkRandom(t, randomMessage(rnd, style), style)
	}
}

func checkRandom(t *testing.T, msg []byte, style Style) {
	t.Helper()
	ask := func(body []byte, trailer string) ([]byte, error) {
		return runGit(t, style, body, "interpret-trailers", "--no-divider", "--where=end",
			"--if-exists=add", "--if-missing=add", "--trailer", trailer), nil
	}
	got, err := AddLinks(msg, []string{id}, style, ask)
	if err != nil {
		t.Fatalf("%q %+v: %v", msg, style, err)
	}
	r := style.read(msg)
	if bytes.Equal(got, msg) {
		if style.Editor || !r.empty(r.clean(msg)) {
			t.Errorf("%q %+v: no link", msg, style)
		}
		return
	}
	if !inserted(msg, got) {
		t.Errorf("%q %+v: more than an insertion: %q", msg, style, got)
	}
	before, after := typed(style, msg), typed(style, got)
	if blank(after[:scissors(after, r.comment)]) && !style.Editor && r.cleanup != cleanStrip {
		return // to git all of the message is cut off: it sees no trailer anywhere
	}
	had, has := gitReads(t, style, before), gitReads(t, style, after)
	if !slices.Contains(has, link) {
		t.Errorf("%q %+v: git sees no link in %q, but %q", msg, style, after, has)
	}
	if r.cleanup != cleanStrip {
		return // comments kept as content below trailers may hide those
	}
	if want := append(had, link); !slices.Equal(has, want) {
		t.Errorf("%q %+v: trailers %q, want %q", msg, style, has, want)
	}
}

// inserted is whether got is msg with whole lines put in at one place.
func inserted(msg, got []byte) bool {
	n := 0
	for n < len(msg) && msg[n] == got[n] {
		n++
	}
	for ; n >= 0; n-- {
		if bytes.HasSuffix(got, msg[n:]) && bytes.Contains(got[n:len(got)-(len(msg)-n)], []byte(link)) {
			return true
		}
	}
	return false
}

// typed is msg after the user has typed a subject on a line 1 that is free.
func typed(style Style, msg []byte) []byte {
	r := style.read(msg)
	first, _, _ := bytes.Cut(msg, []byte("\n"))
	switch {
	case style.Editor && blank(first):
		return append([]byte("typed"), msg...)
	case style.Editor && r.isComment(first) && onlySignOffs(r.clean(msg)):
		return append([]byte("typed\n"), msg...)
	}
	return msg
}

// gitReads returns the trailers git sees in a message file once it has cleaned it
// up. It is git that cleans up, except for the scissors, for which it has no
// command of its own.
func gitReads(t *testing.T, style Style, msg []byte) []string {
	t.Helper()
	r := style.read(msg)
	if style.Editor {
		msg = msg[:scissors(msg, r.comment)]
	}
	switch r.cleanup {
	case cleanStrip:
		msg = runGit(t, style, msg, "stripspace", "--strip-comments")
	case cleanSpace, cleanScissors:
		msg = runGit(t, style, msg, "stripspace")
	}
	if r.cleanup != cleanNothing && !bytes.Equal(msg, r.clean(msg)) {
		t.Errorf("%+v: git cleans up to %q, we to %q", style, msg, r.clean(msg))
	}
	// Reading a commit git skips blank lines at its start.
	msg = bytes.TrimLeft(msg, "\r\n \t")
	out := runGit(t, style, msg, "interpret-trailers", "--no-divider", "--only-trailers", "--only-input", "--unfold")
	return slices.DeleteFunc(strings.Split(string(out), "\n"), func(s string) bool { return s == "" })
}

func runGit(t *testing.T, style Style, in []byte, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "core.commentChar=" + style.Comment}, args...)...)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %q: %v", args, err)
	}
	return out
}

// FuzzPure feeds arbitrary bytes, to find crashes and lost bytes; git is left
// out, its answers are the two possible ones.
func FuzzPure(f *testing.F) {
	f.Add([]byte("s\x00\n\n#\r\nA: b\n"), "auto", "", true, true)
	f.Add([]byte("\n\n"+link), "//", "verbatim", true, false)
	f.Fuzz(func(t *testing.T, msg []byte, comment, cleanup string, editor, join bool) {
		style := Style{Comment: comment, Cleanup: cleanup, Editor: editor}
		answer := func(body []byte, trailer string) ([]byte, error) {
			if join {
				return append(bytes.Clone(body), trailer+"\n"...), nil
			}
			return append(bytes.Clone(body), "\n"+trailer+"\n"...), nil
		}
		got, err := AddLinks(msg, []string{id}, style, answer)
		testdir.Must(t, err)
		if !bytes.Equal(got, msg) && !inserted(msg, got) {
			t.Errorf("%q became %q", msg, got)
		}
		StripLone(got, style)
	})
}
