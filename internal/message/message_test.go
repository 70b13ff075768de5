package message

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

const (
	id    = "0123456789ab"
	other = "fedcba987654"
	link  = "Entire-Checkpoint: " + id
	hint  = "# Remove the Entire-Checkpoint line above to leave this commit unlinked."
	cut   = "# ------------------------ >8 ------------------------\n"
	help  = "\n# Please enter the commit message for your changes. Lines starting\n# with '#' will be ignored.\n#\n# On branch main\n#\n"
)

// TestMain lets the test binary be a hook or an editor: git finds it under that
// name, through a symbolic link.
func TestMain(m *testing.M) {
	var err error
	switch filepath.Base(os.Args[0]) {
	case "prepare-commit-msg":
		err = hookPrepare(os.Args[1], slices.Contains(os.Args[2:], "template"))
	case "commit-msg":
		err = hookCommitMsg(os.Args[1])
	case "edit-message":
		err = edit(os.Args[1])
	default:
		testdir.InMemory()
		testdir.NoHome()
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// gitTrailers is what a program passes to AddLinks.
func gitTrailers(body []byte, trailer string) ([]byte, error) {
	cmd := exec.Command("git", "interpret-trailers", "--no-divider", "--where=end",
		"--if-exists=add", "--if-missing=add", "--trailer", trailer)
	cmd.Stdin = bytes.NewReader(body)
	cmd.Stderr = os.Stderr
	return cmd.Output()
}

// quiet keeps the configuration of whoever runs the tests out of git.
func quiet(t testing.TB) {
	t.Helper()
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_EDITOR"} {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("LC_ALL", "C")
}

func TestLinks(t *testing.T) {
	for _, test := range []struct {
		name, msg string
		want      []string
	}{
		{"none", "subject\n\nbody\n", nil},
		{"empty", "", nil},
		{"one", "subject\n\n" + link + "\n", []string{id}},
		{"no line feed", link, []string{id}},
		{"CR and white space", "s\n\n" + link + " \t\r\n", []string{id}},
		{"order, once", "Entire-Checkpoint: " + other + "\n" + link + "\n" + "Entire-Checkpoint: " + other + "\n", []string{other, id}},
		{"indented", "s\n\n    " + link + "\n", nil},
		{"commented", "s\n\n# " + link + "\n", nil},
		{"upper-case ID", "Entire-Checkpoint: 0123456789AB\n", nil},
		{"other case of key", "entire-checkpoint: " + id + "\n", nil},
		{"short, long, more", "Entire-Checkpoint: 0123\n" + link + "0\n" + link + " x\n", nil},
		{"two spaces", "Entire-Checkpoint:  " + id + "\n", nil},
		{"NUL", "a\x00b\n" + link + "\n", []string{id}},
	} {
		if got := Links([]byte(test.msg)); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestAddLink(t *testing.T) {
	quiet(t)
	editor := Style{Editor: true}
	semi := strings.ReplaceAll(help, "#", ";")
	long := strings.ReplaceAll(help, "#", "//")
	for _, test := range []struct {
		name  string
		style Style
		msg   string
		want  string
	}{
		// Without an editor.
		{"subject", Style{}, "fix it\n", "fix it\n\n" + link + "\n"},
		{"no line feed at the end", Style{}, "fix it", "fix it\n\n" + link + "\n"},
		{"subject like a trailer", Style{}, "fix: it\n", "fix: it\n\n" + link + "\n"},
		{"fixup!", Style{}, "fixup! fix: it\n", "fixup! fix: it\n\n" + link + "\n"},
		{"squash!", Style{}, "squash! fix: it\n\nmore\n", "squash! fix: it\n\nmore\n\n" + link + "\n"},
		{"sign-off as subject's second line", Style{}, "s\nSigned-off-by: a\n", "s\nSigned-off-by: a\n\n" + link + "\n"},
		{"body", Style{}, "s\n\nbody: yes\nand no\n", "s\n\nbody: yes\nand no\n\n" + link + "\n"},
		{"trailers", Style{}, "s\n\nFixes:#1\nChange-Id : I1\n", "s\n\nFixes:#1\nChange-Id : I1\n" + link + "\n"},
		{"trailers, no line feed", Style{}, "s\n\nFixes: 1", "s\n\nFixes: 1\n" + link + "\n"},
		{"folded trailer", Style{}, "s\n\nNote: a\n  b\n", "s\n\nNote: a\n  b\n" + link + "\n"},
		{"cherry-picked", Style{}, "s\n\nb\n\n(cherry picked from commit 1)\n", "s\n\nb\n\n(cherry picked from commit 1)\n" + link + "\n"},
		{"other link", Style{}, "s\n\nEntire-Checkpoint: " + other + "\n", "s\n\nEntire-Checkpoint: " + other + "\n" + link + "\n"},
		{"same link", Style{}, "s\n\n" + link + "\n", "s\n\n" + link + "\n"},
		{"same link, CRLF", Style{}, "s\r\n\r\n" + link + "\r\n", "s\r\n\r\n" + link + "\r\n"},
		{"divider", Style{}, "s\n\n---\n\nSigned-off-by: a\n", "s\n\n---\n\nSigned-off-by: a\n" + link + "\n"},
		{"hash subject", Style{}, "#12 fix\n", "#12 fix\n\n" + link + "\n"},
		{"hash lines last", Style{}, "s\n\nbody\n#12\n# 13\n", "s\n\nbody\n#12\n# 13\n\n" + link + "\n"},
		{"hash line among trailers", Style{}, "s\n\nSigned-off-by: a\n#12\n", "s\n\nSigned-off-by: a\n#12\n" + link + "\n"},
		{"semicolons", Style{Comment: ";"}, ";s\n\n;b\n", ";s\n\n;b\n\n" + link + "\n"},
		{"strip without an editor", Style{Cleanup: "strip"}, "s\n\n# no\n", "s\n\n" + link + "\n\n# no\n"},
		{"old list of conflicts", Style{}, "s\n\nFixes: 1\n\nConflicts:\n\ta\n", "s\n\nFixes: 1\n" + link + "\n\nConflicts:\n\ta\n"},
		{"conflicts as subject", Style{}, "Conflicts:\n\ta\n", "Conflicts:\n\ta\n\n" + link + "\n"},
		{"scissors without an editor", Style{}, "s\n" + cut + "b\n", "s\n\n" + link + "\n" + cut + "b\n"},
		{"scissors stripped as a comment", Style{Cleanup: "strip"}, "s\n" + cut + "b\n", "s\n" + cut + "b\n\n" + link + "\n"},
		{"scissors first", Style{}, cut + "b\n", cut + "b\n\n" + link + "\n"},
		{"blank lines around", Style{Cleanup: "verbatim"}, "\n\nfix: it\n\n\n", "\n\nfix: it\n\n" + link + "\n\n\n"},
		{"CRLF", Style{}, "s\r\n\r\nb\r\n", "s\r\n\r\nb\r\n\r\n" + link + "\r\n"},
		{"CRLF trailers", Style{}, "s\r\n\r\nFixes: 1\r\n", "s\r\n\r\nFixes: 1\r\n" + link + "\r\n"},
		{"CRLF, no line feed", Style{}, "s\r\n\r\nFixes: 1", "s\r\n\r\nFixes: 1\r\n" + link + "\r\n"},
		{"Latin-1", Style{}, "caf\xe9\n\n\xfcber: x\n", "caf\xe9\n\n\xfcber: x\n\n" + link + "\n"},
		{"NUL", Style{}, "a\x00b\n\nFixes: \x001\n", "a\x00b\n\nFixes: \x001\n" + link + "\n"},
		{"empty", Style{}, "", ""},
		{"white space", Style{Cleanup: "verbatim"}, "\n", "\n"},
		{"sign-off only", Style{}, "\n\nSigned-off-by: a\n", "\n\nSigned-off-by: a\n"},
		{"sign-off only, verbatim", Style{Cleanup: "verbatim"}, "Signed-off-by: a\n", "Signed-off-by: a\n\n" + link + "\n"},

		// With an editor.
		{"editor, nothing", editor, help, "\n\n" + link + "\n" + hint + "\n" + help},
		{"editor, no status", editor, "", "\n\n" + link + "\n" + hint + "\n"},
		{"editor, sign-off", editor, "\n\nSigned-off-by: a\n" + help, "\n\nSigned-off-by: a\n" + link + "\n" + hint + "\n" + help},
		{"editor, subject", editor, "fix: it\n" + help, "fix: it\n\n" + link + "\n" + hint + "\n" + help},
		{"editor, trailers", editor, "s\n\nFixes: 1\n" + help, "s\n\nFixes: 1\n" + link + "\n" + hint + "\n" + help},
		{"editor, comment in the body", editor, "s\n# why\n\nb\n# c\n" + help, "s\n# why\n\nb\n\n" + link + "\n" + hint + "\n# c\n" + help},
		{"editor, comments between trailers", editor, "s\n\nA: 1\n# c\nB: 2\n" + help, "s\n\nA: 1\n# c\nB: 2\n" + link + "\n" + hint +
			"\n" + help},
		{"template of comments", editor, "# subject\n\n# why\n" + help, "\n\n" + link + "\n" + hint + "\n# subject\n\n# why\n" + help},
		{"template with room for a subject", editor, "\n\nFixes: \n" + help, "\n\nFixes: \n" + link + "\n" + hint + "\n" + help},
		{"template of comments with sign-off", editor, "# subject\n\nSigned-off-by: a\n\n# why\n",
			"# subject\n\nSigned-off-by: a\n" + link + "\n" + hint + "\n\n# why\n"},
		{"squash", editor, "# This is a combination of 2 commits.\n# This is the 1st commit message:\n\nfix: it\n\n# The 2nd commit message will be skipped:\n\n# fixup! fix: it\n" + help,
			"# This is a combination of 2 commits.\n# This is the 1st commit message:\n\nfix: it\n\n" + link + "\n" + hint +
				"\n\n# The 2nd commit message will be skipped:\n\n# fixup! fix: it\n" + help},
		{"template without room", editor, "\nfix: \n" + help, "\nfix: \n\n" + link + "\n" + hint + "\n" + help},
		{"verbose", editor, "s\n" + help + cut + "diff\n+Fixes: 1\n", "s\n\n" + link + "\n" + hint + "\n" + help + cut +
			"diff\n+Fixes: 1\n"},
		{"link below the scissors", editor, "s\n" + cut + link + "\n", "s\n\n" + link + "\n" + hint + "\n" + cut + link + "\n"},
		{"semicolon", Style{Comment: ";", Editor: true}, "#1\n" + semi, "#1\n\n" + link + "\n;" + hint[1:] + "\n" + semi},
		{"comment string", Style{Comment: "//", Editor: true}, "#1\n" + long, "#1\n\n" + link + "\n//" + hint[1:] + "\n" + long},
		{"auto", Style{Comment: "auto", Editor: true}, "#1\n" + semi, "#1\n\n" + link + "\n;" + hint[1:] + "\n" + semi},
		{"auto, hash", Style{Comment: "auto", Editor: true}, "s\n" + help, "s\n\n" + link + "\n" + hint + "\n" + help},
		{"auto, verbose", Style{Comment: "auto", Editor: true}, "#1\n" + semi + ";" + cut[1:] + "diff\n", "#1\n\n" + link +
			"\n;" + hint[1:] + "\n" + semi + ";" + cut[1:] + "diff\n"},
		{"auto, no status", Style{Comment: "auto", Editor: true}, "#1\n", "#1\n\n" + link + "\n;" + hint[1:] + "\n"},
		{"scissors", Style{Cleanup: "scissors", Editor: true}, "s\n\n" + cut + "#\n", "s\n\n" + link + "\n\n" + cut + "#\n"},
		{"scissors, nothing", Style{Cleanup: "scissors", Editor: true}, "\n" + cut + "#\n", "\n\n" + link + "\n\n" + cut + "#\n"},
		{"scissors, hash subject", Style{Cleanup: "scissors", Editor: true}, "#12\n\n" + cut, "#12\n\n" + link + "\n\n" + cut},
		{"white space kept comments", Style{Cleanup: "whitespace", Editor: true}, "s\n" + help, "s\n\n" + link + "\n" + help},
		{"verbatim, nothing", Style{Cleanup: "verbatim", Editor: true}, help, "\n\n" + link + "\n" + help},
		{"editor, CRLF", editor, "s\r\n\r\nFixes: 1\r\n", "s\r\n\r\nFixes: 1\r\n" + link + "\r\n" + hint + "\r\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := AddLinks([]byte(test.msg), []string{id}, test.style, gitTrailers)
			testdir.Must(t, err)
			if string(got) != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
			again, err := AddLinks(got, []string{id}, test.style, gitTrailers)
			if err != nil || !bytes.Equal(again, got) {
				t.Errorf("a second time: %q, %v", again, err)
			}
		})
	}
}

func TestAddLinkErrors(t *testing.T) {
	body := "s\n\nb\n"
	fails := func([]byte, string) ([]byte, error) { return nil, os.ErrClosed }
	drops := func(body []byte, _ string) ([]byte, error) { return body, nil }
	never := func([]byte, string) ([]byte, error) { t.Error("asked about a subject"); return nil, nil }
	if got, err := AddLinks([]byte(body), []string{id}, Style{}, fails); err != os.ErrClosed || string(got) != body {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := AddLinks([]byte(body), []string{id}, Style{}, drops); err == nil || string(got) != body {
		t.Errorf("%q, %v", got, err)
	}
	for _, bad := range []string{"", "0123", "0123456789AB", id + "\n"} {
		if got, err := AddLinks([]byte(body), []string{bad}, Style{}, drops); err == nil || string(got) != body {
			t.Errorf("%q: %q, %v", bad, got, err)
		}
	}
	if _, err := AddLinks([]byte("fix: it\n"), []string{id}, Style{}, never); err != nil {
		t.Error(err)
	}
}

func TestStripLone(t *testing.T) {
	editor := Style{Editor: true}
	template := Style{Editor: true, Template: []byte("why:\n# c\n")}
	linked := "\n\n" + link + "\n" + hint + "\n"
	for _, test := range []struct {
		name  string
		style Style
		msg   string
		want  string
		lone  bool
	}{
		{"nothing else", Style{}, link + "\n", "", true},
		{"two links", Style{}, "\n" + link + "\nEntire-Checkpoint: " + other, "", true},
		{"CRLF", Style{}, "\r\n\r\n" + link + "\r\n", "\r\n", true},
		{"comments", editor, linked + help, "\n" + help, true},
		{"comments are content", Style{}, link + "\n# c\n", "", false},
		{"other comment character", Style{Editor: true, Comment: ";"}, link + "\n# c\n", "", false},
		{"auto", Style{Editor: true, Comment: "auto"}, link + "\n\n; c\n;\n", "\n; c\n;\n", true},
		{"sign-off", editor, "\n\nSigned-off-by: a\n" + link + "\n" + help, "\n\nSigned-off-by: a\n" + help, true},
		{"sign-off in another case", Style{}, "signed-off-by: a\n" + link + "\n", "", false},
		{"other trailer", Style{}, "\n\nFixes: 1\n" + link + "\n", "", false},
		{"subject", Style{}, "s\n\n" + link + "\n", "", false},
		{"verbose", editor, linked + cut + "diff\n+Fixes: 1\n", "\n" + cut + "diff\n+Fixes: 1\n", true},
		{"scissors", Style{Editor: true, Cleanup: "scissors"}, "\n\n" + link + "\n" + cut + "x\n", "\n" + cut + "x\n", true},
		{"comments above scissors", Style{Editor: true, Cleanup: "scissors"}, link + "\n# c\n" + cut, "", false},
		{"scissors without an editor", Style{}, link + "\n" + cut, "", false},
		{"verbatim", Style{Cleanup: "verbatim"}, "\n\n" + link + "\n", "", true},
		{"verbatim sign-off", Style{Cleanup: "verbatim"}, "Signed-off-by: a\n" + link + "\n", "", false},
		{"no link", Style{}, "\n", "", false},
		{"empty", Style{}, "", "", false},
		{"template untouched", template, "why:\n" + linked[1:] + "# c\n" + help, "why:\n# c\n" + help, true},
		{"template and sign-off", template, "why:\n\nSigned-off-by: a\n" + link + "\n# c\n", "why:\n\nSigned-off-by: a\n# c\n", true},
		{"template edited", template, "why: so\n" + linked[1:] + "# c\n" + help, "", false},
		{"template emptied", template, linked, "\n", true},
		{"template verbatim", Style{Cleanup: "verbatim", Template: []byte("a\n")}, "a\n\n" + link + "\n", "", false},
		{"NUL", Style{}, "\x00" + link + "\n" + link + "\n", "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, lone := StripLone([]byte(test.msg), test.style)
			want := test.want
			if !test.lone {
				want = test.msg
			}
			if lone != test.lone || string(got) != want {
				t.Errorf("got  %q, %v\nwant %q, %v", got, lone, want, test.lone)
			}
		})
	}
}

func TestSetAttribution(t *testing.T) {
	const id = "0123456789ab"
	link := LinkKey + ": " + id
	for msg, want := range map[string]string{
		"Subject\n\n" + link + "\n": "Subject\n\n" + link + "\nEntire-Attribution: 5%\n",
		"Subject\n\n" + link:        "Subject\n\n" + link + "\nEntire-Attribution: 5%\n",
		"Subject\r\n\r\n" + link + "\r\n# a comment\r\n": "Subject\r\n\r\n" + link +
			"\r\nEntire-Attribution: 5%\r\n# a comment\r\n",
		"Subject\n\n" + link + "\nEntire-Attribution: 9%\nX: y\n":     "Subject\n\n" + link + "\nEntire-Attribution: 5%\nX: y\n",
		"Subject\n\nEntire-Attribution: 9%\n" + link + "\nX: y\n":     "Subject\n\n" + link + "\nEntire-Attribution: 5%\nX: y\n",
		"Subject, of another link\n\n" + LinkKey + ": ba9876543210\n": "Subject, of another link\n\n" + LinkKey + ": ba9876543210\n",
	} {
		if got := string(SetAttribution([]byte(msg), id, "5%")); got != want {
			t.Errorf("%q: got %q, want %q", msg, got, want)
		}
	}
	if got := string(SetAttribution([]byte("S\n\n"+link+"\nEntire-Attribution: 9%\n"), id, "")); got != "S\n\n"+link+"\n" {
		t.Errorf("without a value: %q", got)
	}
	if HasAttribution([]byte("S\n\n"+link+"\n")) || !HasAttribution([]byte("S\n\nEntire-Attribution: 9%")) {
		t.Error("HasAttribution")
	}
}
