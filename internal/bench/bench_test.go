package main

import (
	"bytes"
	"context"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "entire-plumb/internal/cli" // the program that is measured: with another one the tests' results are others
	"entire-plumb/internal/testdir"
)

// TestModes plays each mode of the bench, as many as there is time for.
func TestModes(t *testing.T) {
	if os.Getenv("ENTIRE_TEST_ALL") == "" && flag.Lookup("test.run").Value.String() == "" {
		t.Skip("it takes long: CI sets ENTIRE_TEST_ALL; -run plays it, too")
	}
	modes := map[string]func(*testing.T){"files": testFiles, "log": testLog, "search": testSearch, "share": testShare,
		"profile": testProfile, "scale": testScale}
	for _, name := range testdir.Shuffled(t, slices.Sorted(maps.Keys(modes))) {
		t.Run(name, func(t *testing.T) {
			testdir.InTime(t)
			modes[name](t)
		})
	}
}

// The whole bench in the smallest size: whatever it prepares, plays and checks holds for the
// program as it is.
func testFiles(t *testing.T) {
	var out, errs bytes.Buffer
	args := []string{"-files", "20", "-runs", "1", "-transcript", "64KB", "-growth", "4KB", "-checkpoints", "5", "-branches", "3",
		"-markdown"}
	if code := run(context.Background(), args, &out, &errs); code != exitOK {
		t.Fatalf("exit code %d\n%s", code, errs.String())
	}
	for _, row := range append([]string{rowStatus, rowPlain}, rows...) {
		if strings.Count(out.String(), "\n| "+row+" | ") != 1 {
			t.Errorf("no row for %s in\n%s", row, out.String())
		}
	}
}

func testLog(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run(context.Background(), []string{"-log", "-commits", "50", "-checkpoints", "30", "-runs", "1"}, &out,
		&errs); code != exitOK {
		t.Fatalf("exit code %d\n%s", code, errs.String())
	}
	for _, row := range []string{`entire-plumb log -n 20 .* × that, 6 git processes\n`} {
		if !regexp.MustCompile(row).MatchString(out.String()) {
			t.Errorf("%s is not in\n%s", row, out.String())
		}
	}
}

func testSearch(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run(context.Background(), []string{"-search", "1", "-runs", "1"}, &out, &errs); code != exitOK {
		t.Fatalf("exit code %d\n%s", code, errs.String())
	}
	for _, row := range []string{`\nthe first one: quixotically .* 1 match in 1 session\n`, `\nnowheretobefound .* no matches\n`,
		`\nafter 50 new ones: quixotically .* 1 match in 1 session\n`} {
		if !regexp.MustCompile(row).MatchString(out.String()) {
			t.Errorf("%s is not in\n%s", row, out.String())
		}
	}
}

func testShare(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run(context.Background(), []string{"-share", "30", "-runs", "1"}, &out, &errs); code != exitOK {
		t.Fatalf("exit code %d\n%s", code, errs.String())
	}
	// The first push has five seconds, and a slow machine needs more than one.
	for _, row := range []string{`\n` + rowFirst + ` .*\d, 2 +\d+\n`, `\n` + rowOneNew + ` .* 4, 2 +\d+\n`, `\n` + rowNothing + ` .* 2, 2 +1\n`,
		`\n` + rowUpToDate + ` .* 1, 1 +0\n`, `\nentire-plumb: all were there after push [1-3]\n`, `\n` + rowGCSize + ` `} {
		if !regexp.MustCompile(row).MatchString(out.String()) {
			t.Errorf("%s is not in\n%s", row, out.String())
		}
	}
}

// What is said of each hook names git's processes as they were recorded and run alone.
func testProfile(t *testing.T) {
	var out, errs bytes.Buffer
	page := filepath.Join(t.TempDir(), "page.md")
	testdir.Must(t, os.WriteFile(page, []byte("Before.\n<!-- written by: go run ./internal/bench -profile -->\nold\n"+endOfWritten), 0o600))
	args := []string{"-files", "20", "-runs", "1", "-transcript", "64KB", "-growth", "4KB", "-profile", "-docs", page}
	if code := run(context.Background(), args, &out, &errs); code != exitOK {
		t.Fatalf("exit code %d\n%s", code, errs.String())
	}
	text, err := os.ReadFile(page)
	testdir.Must(t, err)
	for _, row := range []string{`\| the floor: `, "`git rev-parse --path-format` \\| [0-9.]+ \\| [0-9.]+ ", `\| our processor time `} {
		if n := len(regexp.MustCompile(row).FindAll(text, -1)); n != len(profiledRows) {
			t.Errorf("%d of %d rows %s in\n%s", n, len(profiledRows), row, text)
		}
	}
}

// A dimension has a row for each size, and a figure in each cell; the page gets the same.
func testScale(t *testing.T) {
	for name, n := range map[string]string{"streams": "50", "here": "50", "sessions": "100", "changed": "100", "transcript": "10"} {
		var out, errs bytes.Buffer
		page := filepath.Join(t.TempDir(), "page.md")
		testdir.Must(t, os.WriteFile(page, []byte("<!-- written by: go run ./internal/bench -scale "+name+" -->\n"+endOfWritten), 0o600))
		args := []string{"-scale", name, "-most", n, "-runs", "1", "-docs", page}
		if code := run(context.Background(), args, &out, &errs); code != exitOK {
			t.Fatalf("exit code %d\n%s", code, errs.String())
		}
		text, err := os.ReadFile(page)
		testdir.Must(t, err)
		row := regexp.MustCompile(`(?m)^\| ` + n + `( \| [0-9.]+){6,} \|$`)
		if !row.Match(text) || !row.MatchString(out.String()) {
			t.Errorf("no row for %s %s in\n%s", n, name, text)
		}
	}
}
