package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

const messagesFile = "testdata/messages.txt"

// silent are the packages whose strings no user reads: tools for development, patterns, and words
// that are looked for.
var silent = []string{"internal/bench", "internal/faults", "internal/truth", "internal/replay", "internal/redact", "internal/redact/corpus",
	"internal/testdir", "internal/testserver", "internal/man", "internal/release"}

// words is what a sentence has at least: two words of letters, of which one is small.
var words = regexp.MustCompile(`[A-Za-z][a-z]+[ ,;:'’]+(%\w |[a-z])`)

// TestMessages collects the sentences that users may read, one a line, so that a change of them is
// seen and read as a whole: go test -run TestMessages . -args -update rewrites the file.
func TestMessages(t *testing.T) {
	var all []string
	for _, s := range sources(t) {
		if slices.Contains(silent, s.room) {
			continue
		}
		skip := map[ast.Node]bool{}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.Field:
				skip[n.Tag] = true
			case *ast.CallExpr:
				if name, ok := n.Fun.(*ast.SelectorExpr); ok && name.Sel.Name == "MustCompile" {
					return false
				}
			case *ast.BinaryExpr: // "a " + "b" is one sentence
				if text, ok := joined(n); ok && words.MatchString(text) {
					all = append(all, room(s.room)+text)
					return false
				}
			case *ast.BasicLit:
				if n.Kind != token.STRING || skip[n] {
					return true
				}
				if text, err := strconv.Unquote(n.Value); err == nil && words.MatchString(text) {
					all = append(all, room(s.room)+text)
				}
			}
			return true
		})
	}
	slices.Sort(all)
	var want bytes.Buffer
	for _, text := range slices.Compact(all) {
		fmt.Fprintln(&want, strings.ReplaceAll(strings.ReplaceAll(text, "\r", `\r`), "\n", `\n`))
	}
	if *update {
		testdir.Must(t, os.WriteFile(messagesFile, want.Bytes(), 0o644))
		return
	}
	have, err := os.ReadFile(messagesFile)
	testdir.Must(t, err)
	in := func(text []byte) []string { return strings.Split(string(text), "\n") }
	for _, line := range in(want.Bytes()) {
		if !slices.Contains(in(have), line) {
			t.Errorf("not in the file: %s", line)
		}
	}
	for _, line := range in(have) {
		if !slices.Contains(in(want.Bytes()), line) {
			t.Errorf("no longer in the code: %s", line)
		}
	}
	if t.Failed() {
		t.Log("read them aloud, then run go test -run TestMessages . -args -update")
	}
}

func room(name string) string {
	if name == "" {
		name = "main"
	}
	return name + ": "
}

// joined returns the text of concatenated strings, with "…" for other operands.
func joined(n ast.Expr) (text string, literal bool) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if n.Op != token.ADD {
			return "…", false
		}
		a, ok := joined(n.X)
		b, ok2 := joined(n.Y)
		return a + b, ok || ok2
	case *ast.BasicLit:
		if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
			return text, true
		}
	}
	return "…", false
}
