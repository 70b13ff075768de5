package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

func TestText(t *testing.T) {
	long := strings.Repeat("x", 79)
	for from, want := range map[string]string{
		"a  b\nc":         "a b c",
		"--all isn't":     `\-\-all isn\(aqt`,
		".gitignore":      `\&.gitignore`,
		"'quoted' \"so\"": `\(aqquoted\(aq \(dqso\(dq`,
		`C:\dir ~ ^`:      `C:\edir \(ti \(ha`,
		"use `log -n` so": `use \fBlog \-n\fR so`,
		"a ` alone":       "a ` alone",
		"AGENT,…":         `AGENT,\[u2026]`,
		long + " .b":      long + "\n\\&.b",
	} {
		if got := text(from); got != want {
			t.Errorf("%q is set as %q, not %q", from, got, want)
		}
	}
}

func TestParagraphs(t *testing.T) {
	const want = "one two\n.PP\n.RS 4\n.nf\ngit log  \\-n\n\\&.x\n.fi\n.RE\n.PP\nthree\n"
	if got := paragraphs("one\ntwo\n\n  git log  -n\n  .x\n\nthree"); got != want {
		t.Errorf("%q, not %q", got, want)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"-o"}, {"-o", "x", "y"}, {"-bogus"}} {
		if err := run(args, &bytes.Buffer{}); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
	var help bytes.Buffer
	if err := run([]string{"-h"}, &help); err != nil || !strings.Contains(help.String(), "-version") {
		t.Errorf("%v: %s", err, &help)
	}
}

// TestManual: the programs that show manual pages find no fault, need no more than 80 columns, and
// find the page that git looks for.
func TestManual(t *testing.T) {
	dir := t.TempDir()
	testdir.Must(t, run([]string{"-o", filepath.Join(dir, "man1"), "-date", "2026-01-02", "-version", "v1.2.3"}, os.Stderr))
	files, err := filepath.Glob(filepath.Join(dir, "man1", "entire-plumb*.1"))
	if err != nil || len(files) < 45 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	t.Run("mandoc", func(t *testing.T) {
		if _, err := exec.LookPath("mandoc"); err != nil {
			t.Skip("mandoc is missing")
		}
		if out, err := exec.Command("mandoc", append([]string{"-Tlint"}, files...)...).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%v: %s", err, out)
		}
		out, err := exec.Command("mandoc", append([]string{"-Tascii", "-Owidth=80"}, files...)...).Output()
		testdir.Must(t, err)
		fits(t, string(out))
	})
	t.Run("git", func(t *testing.T) {
		if out, err := exec.Command("man", "--version").Output(); err != nil || !strings.HasPrefix(string(out), "man ") {
			t.Skip("man is missing, or only says that it is")
		}
		testdir.Must(t, os.WriteFile(filepath.Join(dir, "git-entire-plumb"), []byte("#!/bin/sh\n"), 0o755))
		cmd := exec.Command("git", "entire-plumb", "--help")
		cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "MANPATH="+dir, "MANPAGER=cat", "PAGER=cat", "MANWIDTH=80", "LC_ALL=C")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "entire-plumb v1.2.3") || !strings.Contains(string(out), "record what AI coding agents do") {
			t.Errorf("%v: %s", err, out)
		}
		fits(t, string(out))
	})
}

// fits checks the width of what is shown. Lines to be pasted may be longer.
func fits(t *testing.T, shown string) {
	for line := range strings.Lines(shown) {
		for i := strings.IndexByte(line, '\b'); i > 0; i = strings.IndexByte(line, '\b') { // bold
			line = line[:i-1] + line[i+1:]
		}
		if n := len(strings.TrimRight(line, "\n")); n > 80 && !strings.HasPrefix(line, strings.Repeat(" ", 9)) {
			t.Errorf("%d columns: %q", n, line)
		}
	}
}
