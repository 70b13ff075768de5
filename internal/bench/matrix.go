package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// variant is one way of playing the scripts.
type variant struct {
	dir, version, format string
	env                  []string
}

// result is what came of a variant.
type result struct {
	variant
	passed, skipped int
	failed          []string
}

// suite is the test that plays all scripts.
const suite = "TestScripts"

// matrix plays the scripts with each git, in repositories of each format that it knows, and prints
// a table. dirs are the directories of the gits, empty for the one on PATH; only, unless it is
// empty, is a regular expression for the scripts' names.
func matrix(ctx context.Context, dirs []string, only string, stdout, stderr io.Writer) error {
	var results []result
	for _, dir := range dirs {
		all, err := variants(ctx, dir)
		if err != nil {
			return err
		}
		for _, v := range all {
			fmt.Fprintf(stderr, "git %s, %s\n", v.version, v.format)
			r, err := v.play(ctx, only, stderr)
			if err != nil {
				return err
			}
			results = append(results, r)
		}
	}
	failed := printMatrix(stdout, results)
	if failed > 0 {
		return fmt.Errorf("%d failures", failed)
	}
	return nil
}

// variants are those of one git.
func variants(ctx context.Context, dir string) ([]variant, error) {
	path := "PATH=" + os.Getenv("PATH")
	program := "git"
	if dir != "" {
		path = "PATH=" + dir + string(filepath.ListSeparator) + os.Getenv("PATH")
		program = filepath.Join(dir, "git")
	}
	out, err := exec.CommandContext(ctx, program, "version").Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cmp.Or(dir, "PATH"), err)
	}
	version := strings.TrimSpace(strings.TrimPrefix(string(out), "git version "))
	var major, minor int
	fmt.Sscanf(version, "%d.%d", &major, &minor)
	all := []variant{
		{dir, version, "SHA-1", []string{path}},
		{dir, version, "SHA-256", []string{path, "GIT_DEFAULT_HASH=sha256"}},
	}
	if major > 2 || major == 2 && minor >= 45 {
		all = append(all, variant{dir, version, "reftable", []string{path, "GIT_DEFAULT_REF_FORMAT=reftable"}})
	}
	return all, nil
}

// play runs the tests, and sums up what go test says of them.
func (v variant) play(ctx context.Context, only string, stderr io.Writer) (result, error) {
	r := result{variant: v}
	run := "^" + suite + "$"
	if only != "" {
		run += "/(" + only + ")"
	}
	cmd := exec.CommandContext(ctx, "go", "test", "-json", "-count=1", "-timeout=60m", "-run", run, ".")
	cmd.Env = append(os.Environ(), v.env...)
	cmd.Stderr = stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return r, err
	}
	if err := cmd.Start(); err != nil {
		return r, err
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e struct{ Action, Test string }
		name, ok := "", false
		if json.Unmarshal(lines.Bytes(), &e) == nil {
			name, ok = strings.CutPrefix(e.Test, suite+"/")
		}
		switch {
		case !ok:
		case e.Action == "pass":
			r.passed++
		case e.Action == "skip":
			r.skipped++
		case e.Action == "fail":
			r.failed = append(r.failed, name)
		}
	}
	err = cmd.Wait()
	if r.passed+r.skipped+len(r.failed) == 0 {
		return r, fmt.Errorf("no script was played: %w", cmp.Or(err, lines.Err()))
	}
	slices.Sort(r.failed)
	return r, ctx.Err()
}

// printMatrix prints the table in markdown, and below it which scripts failed where. It returns the
// number of failures.
func printMatrix(w io.Writer, results []result) (failures int) {
	fmt.Fprint(w, "| git | repository | passed | skipped | failed |\n|---|---|---|---|---|\n")
	where := map[string][]string{}
	for _, r := range results {
		fmt.Fprintf(w, "| %s | %s | %d | %d | %d |\n", r.version, r.format, r.passed, r.skipped, len(r.failed))
		for _, name := range r.failed {
			where[name] = append(where[name], r.version+" "+r.format)
		}
		failures += len(r.failed)
	}
	for _, name := range slices.Sorted(maps.Keys(where)) {
		fmt.Fprintf(w, "\n- `%s`: %s", name, strings.Join(where[name], ", "))
	}
	if failures > 0 {
		fmt.Fprintln(w)
	}
	return failures
}
