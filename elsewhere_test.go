package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestTypesElsewhere: the program and its tests are type-checked for systems that they are not
// played on. go vet would compile the standard library for each of them first.
func TestTypesElsewhere(t *testing.T) {
	whole(t)
	for _, system := range []string{"windows", "darwin", "freebsd"} {
		t.Run(system, func(t *testing.T) { checkTypes(t, system) })
	}
}

// listed is a package as go list describes it.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
	Module          *struct{ Main bool }
}

func checkTypes(t *testing.T, system string) {
	cmd := exec.Command("go", "list", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,ImportMap,Module", "./...")
	cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	checked := map[string]*types.Package{"unsafe": types.Unsafe}
	ours := 0
	for packages := json.NewDecoder(bytes.NewReader(out)); ; { // each after those that it imports
		var p listed
		if err := packages.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") { // go test writes the latter
			continue
		}
		isOurs := p.Module != nil && p.Module.Main
		checked[p.ImportPath] = checkPackage(t, p, isOurs, checked)
		if isOurs {
			ours++
		}
	}
	if ours < 50 {
		t.Errorf("only %d packages are ours", ours)
	}
}

// checkPackage type-checks one package: ours with the bodies of its functions.
func checkPackage(t *testing.T, p listed, isOurs bool, checked map[string]*types.Package) *types.Package {
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	config := types.Config{
		Importer: importing(func(path string) (*types.Package, error) {
			if mapped := p.ImportMap[path]; mapped != "" {
				path = mapped
			}
			if found := checked[path]; found != nil {
				return found, nil
			}
			return nil, errors.New(path + " is not listed before")
		}),
		IgnoreFuncBodies: !isOurs, FakeImportC: true, Sizes: types.SizesFor("gc", runtime.GOARCH),
		Error: func(err error) {
			if isOurs {
				t.Error(err)
			}
		},
	}
	name, _, _ := strings.Cut(p.ImportPath, " ")
	found, _ := config.Check(name, set, files, nil) // Error has said it
	return found
}

type importing func(path string) (*types.Package, error)

func (f importing) Import(path string) (*types.Package, error) { return f(path) }
