package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// TestModulePath: .ci/module, called in a copy, gives the module another path, and all that imports
// it still finds it. No other text has the path, so that nothing else changes.
func TestModulePath(t *testing.T) {
	whole(t)
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is missing")
	}
	dir := t.TempDir()
	var files []string
	testdir.Must(t, filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (file == ".git" || file == "dist"):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(dir, file), 0o777)
		case strings.HasSuffix(file, ".go"):
			files = append(files, file)
		}
		data, err := os.ReadFile(file)
		testdir.Must(t, err)
		return os.WriteFile(filepath.Join(dir, file), data, 0o777)
	}))
	called := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		var said strings.Builder // such as that a module is downloaded
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s%s", name, args, err, out, said.String())
		}
		return string(out)
	}
	before := strings.Fields(called("go", "list", "./..."))
	const path = "example.org/owner/entire-plumb"
	called(".ci/module", path)
	after := strings.Fields(called("go", "list", "./..."))
	if len(before) != len(after) {
		t.Fatalf("there were %d packages, and are %d", len(before), len(after))
	}
	for i := range after {
		if after[i] != path+strings.TrimPrefix(before[i], "entire-plumb") {
			t.Errorf("%s has become %s", before[i], after[i])
		}
	}
	called("go", "list", "-deps", "-test", "./...") // fails where an import is not found
	for _, file := range files {
		onlyImports(t, filepath.Join(dir, file), path)
	}
}

// onlyImports checks that the module's path is in a file's imports alone. What looks for it in the
// names of packages is a prefix with a slash at its end.
func onlyImports(t *testing.T, name, path string) {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	testdir.Must(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		if _, ok := n.(*ast.ImportSpec); ok {
			return false
		}
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, _ := strconv.Unquote(lit.Value); strings.HasPrefix(text, path+"/") && text != path+"/" {
				t.Errorf("%s: %q is no import", name, text)
			}
		}
		return true
	})
}
