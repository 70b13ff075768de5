package safefile

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// opening are the functions of package os that open or make a file by its name, follow what stands
// there, and may wait for ever, or make a directory without the mode of a shared repository.
var opening = []string{"Open", "OpenFile", "Create", "CreateTemp", "ReadFile", "WriteFile", "Truncate", "Chmod", "CopyFS", "DirFS",
	"NewFile", "OpenRoot", "OpenInRoot", "MkdirAll", "Mkdir"}

// others may call them, for the reason given.
var others = map[string]string{
	"internal/ancestry":          "reads /proc, in which the kernel alone makes files",
	"internal/commits/caller.go": "opens /dev/tty, to see whether there is a terminal",
	"gitexec/temp_unix.go":       "opens a directory and nothing else, to lock it",

	// Tools for development, on files of their own.
	"internal/bench":      "",
	"internal/truth":      "",
	"internal/testdir":    "",
	"internal/testserver": "",
	"internal/faults":     "",
	"internal/replay":     "",
	"internal/man":        "",
	"internal/release":    "",
	"internal/demo":       "writes into a directory that it has just made",
}

// No other package opens files by name, or looks for them with a pattern that a directory's name is
// part of.
func TestOnlyHere(t *testing.T) {
	root := filepath.Join("..", "..")
	seen := map[string]bool{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		dir := name[:max(0, strings.LastIndex(name, "/"))]
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			return err
		}
		alias := ""
		for _, i := range parsed.Imports {
			switch i.Path.Value {
			case `"os"`:
				if alias = "os"; i.Name != nil {
					alias = i.Name.Name
				}
			case `"io/ioutil"`:
				t.Errorf("%s imports io/ioutil", name)
			}
		}
		if alias == "." {
			t.Errorf("%s imports os as its own", name)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := s.X.(*ast.Ident)
			if ok && pkg.Name == "filepath" && s.Sel.Name == "Glob" {
				t.Errorf("%s calls filepath.Glob: the name of the directory may look like a pattern. Package safefile has another", name)
			}
			if !ok || alias == "" || pkg.Name != alias || !slices.Contains(opening, s.Sel.Name) {
				return true
			}
			for _, allowed := range []string{name, dir} {
				if _, ok := others[allowed]; ok {
					seen[allowed] = true
					return true
				}
			}
			if seen[dir] = true; dir != "internal/safefile" {
				t.Errorf("%s calls os.%s: what it opens may be a FIFO, a device, of any size, or a link that somebody else has made. Package safefile opens it", name, s.Sel.Name)
			}
			return true
		})
		return nil
	})
	testdir.Must(t, err)
	for name := range others {
		if !seen[name] {
			t.Errorf("%s opens no file, and needs no leave to", name)
		}
	}
	if !seen["internal/safefile"] {
		t.Error("this package was not looked at")
	}
}
