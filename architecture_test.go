package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"entire-plumb/internal/testdir"
)

// rooms are the packages from top to bottom, as docs/architecture.md shows them: each imports only
// such as come after it.
var rooms = []string{
	"", "internal/clients", "internal/bench", "internal/bench/profiled", "internal/truth", "internal/man", "internal/release", "internal/cli", "internal/demo", "internal/replay",
	"hooks", "internal/site", "internal/report", "internal/upkeep", "internal/turns", "internal/commits", "internal/resume", "internal/relink", "internal/rewind", "internal/setup", "internal/share", "internal/history",
	"internal/gitai", "internal/imported", "internal/unheard", "internal/restore",
	"internal/query", "internal/workspace", "internal/stats", "internal/attribution",
	"internal/remainder", "internal/works", "internal/checkpoints", "internal/autocommit",
	"condense", "internal/lineage", "internal/moves", "shadow", "internal/conversation", "internal/explain", "internal/hookmanager", "internal/githooks", "internal/idle", "internal/settings", "suffix", "internal/divide", "internal/ledger", "internal/hunks", "internal/session",
	"internal/fulltext", "internal/index", "internal/repositories", "internal/decided", "internal/testrepo", "internal/generated", "internal/survival", "internal/ainote", "gitexec", "internal/prices", "internal/transcript", "internal/journal", "internal/lock",
	"internal/message", "internal/seal", "internal/redact", "internal/redact/corpus", "internal/brief", "internal/skill", "internal/mcp", "internal/agentsettings", "internal/agent", "internal/ancestry", "internal/jsonfault", "internal/testdir", "internal/testserver", "internal/faults",
	"internal/safefile", "internal/sets", "internal/spelling", "internal/amount",
}

// decisions take values: they name no repository, object database or context, and import nothing
// that reads or starts anything. Of gitexec, shadow and session they know types.
var decisions = []string{"suffix", "condense", "internal/lineage", "internal/moves", "internal/divide", "internal/ledger", "internal/hunks"}

// source is a parsed file of a package.
type source struct {
	name string // from the root, with slashes
	room string
	file *ast.File
}

func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		name := filepath.ToSlash(file)
		switch {
		case err != nil:
			return err
		case d.IsDir() && name == "internal/redact/corpus/measure": // a module of its own
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		all = append(all, source{name, strings.TrimPrefix(path.Dir(name), "."), parsed})
		return nil
	})
	testdir.Must(t, err)
	return all
}

// imports returns the paths that a file imports, those of this module from its root.
func (s source) imports() []string {
	var all []string
	for _, i := range s.file.Imports {
		name, _ := strconv.Unquote(i.Path.Value)
		all = append(all, strings.TrimPrefix(name, "entire-plumb/"))
	}
	return all
}

// names returns all names that a file takes from other packages, as "pkg.Name".
func (s source) names() []string {
	var all []string
	ast.Inspect(s.file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if pkg, ok := sel.X.(*ast.Ident); ok {
				all = append(all, pkg.Name+"."+sel.Sel.Name)
			}
		}
		return true
	})
	return all
}

// TestArrows: a package imports only what is below it, and each one is in the list.
func TestArrows(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range sources(t) {
		level := slices.Index(rooms, s.room)
		if level < 0 {
			t.Errorf("%s: its package is in no place in rooms", s.name)
		}
		seen[s.room] = true
		for _, i := range s.imports() {
			if below := slices.Index(rooms, i); below >= 0 && below <= level {
				t.Errorf("%s imports %s, which is above it", s.name, i)
			}
			if i == "os/exec" && s.room != "gitexec" && s.room != "internal/bench" && s.room != "internal/truth" && s.room != "internal/testdir" && s.room != "internal/testserver" && s.room != "internal/faults" {
				t.Errorf("%s imports os/exec: gitexec starts processes", s.name)
			}
		}
	}
	for _, room := range rooms {
		if !seen[room] {
			t.Errorf("there is no package %q", room)
		}
	}
}

// TestDecisions: what decides reads and starts nothing.
func TestDecisions(t *testing.T) {
	found := 0
	for _, s := range sources(t) {
		if !slices.Contains(decisions, s.room) {
			continue
		}
		found++
		for _, i := range s.imports() {
			if slices.Contains([]string{"os", "io", "context", "net", "time/tzdata", "path/filepath", "internal/safefile",
				"internal/checkpoints", "internal/settings"}, i) {
				t.Errorf("%s imports %s", s.name, i)
			}
		}
		for _, name := range s.names() {
			if slices.Contains([]string{"gitexec.Repo", "gitexec.ODB", "gitexec.Objects", "gitexec.Discover", "session.Store", "time.Now"},
				name) {
				t.Errorf("%s uses %s", s.name, name)
			}
		}
	}
	if found < len(decisions) {
		t.Errorf("only %d files were looked at", found)
	}
}

// TestReaders: what answers questions moves no ref and writes no file but the page that it is asked
// for.
func TestReaders(t *testing.T) {
	found := 0
	for _, s := range sources(t) {
		if s.room != "internal/query" && s.room != "internal/report" && s.room != "internal/attribution" {
			continue
		}
		found++
		for _, name := range s.names() {
			pkg, what, _ := strings.Cut(name, ".")
			switch {
			case name == "shadow.Apply", name == "shadow.Lock", name == "shadow.Recover", name == "journal.Append",
				pkg == "safefile" && strings.HasPrefix(what, "Write") && s.name != "internal/report/write.go",
				pkg == "os" && slices.Contains([]string{"Remove", "RemoveAll", "Rename", "Mkdir", "MkdirAll", "Symlink", "Link"}, what) &&
					s.name != "internal/report/write.go",
				what == "UpdateRefs", what == "Locked":
				t.Errorf("%s uses %s", s.name, name)
			}
		}
	}
	if found == 0 {
		t.Error("no file was looked at")
	}
}

// TestHeadIsAValue: nothing moves a repository's HEAD in memory to steer code further down. A run
// that acts on another commit is another run: see workspace.Run.
func TestHeadIsAValue(t *testing.T) {
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			assign, ok := n.(*ast.AssignStmt)
			if !ok || s.name == "gitexec/repo.go" {
				return true
			}
			for _, to := range assign.Lhs {
				sel, ok := to.(*ast.SelectorExpr)
				if !ok {
					continue
				}
				of, _ := sel.X.(*ast.SelectorExpr)
				if of != nil && (of.Sel.Name == "Head" || of.Sel.Name == "Repo" && sel.Sel.Name == "Head") {
					t.Errorf("%s assigns to %s.%s", s.name, of.Sel.Name, sel.Sel.Name)
				}
			}
			return true
		})
	}
}

// TestStateChangesHaveNames: a session's state changes only by methods of package session. Package
// shadow, which records conversations and restores sessions, sets what it reads itself; the tester's
// model makes states of its own, and query a summary of one.
func TestStateChangesHaveNames(t *testing.T) {
	fields := map[string]bool{}
	for _, s := range sources(t) {
		if s.room != "internal/session" {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			ts, ok := n.(*ast.TypeSpec)
			if !ok || ts.Name.Name != "State" && ts.Name.Name != "Place" {
				return true
			}
			for _, f := range ts.Type.(*ast.StructType).Fields.List {
				for _, name := range f.Names {
					fields[name.Name] = true
				}
			}
			return true
		})
	}
	if len(fields) < 30 {
		t.Fatalf("a state has only the fields %v", fields)
	}
	for _, s := range sources(t) {
		if slices.Contains([]string{"internal/session", "shadow", "internal/truth", "internal/query"}, s.room) || !slices.Contains(s.imports(), "internal/session") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			assign, ok := n.(*ast.AssignStmt)
			if !ok {
				return true
			}
			for _, to := range assign.Lhs {
				if sel, ok := to.(*ast.SelectorExpr); ok && fields[sel.Sel.Name] {
					if of, ok := sel.X.(*ast.Ident); ok && (of.Name == "s" || of.Name == "state") {
						t.Errorf("%s assigns to %s.%s", s.name, of.Name, sel.Sel.Name)
					}
				}
			}
			return true
		})
	}
}

// marks are texts that are looked for where they are written, too: in files, settings and commits.
var marks = []string{"agentsettings.Taken", "githooks.entireMarker", "githooks.marker", "hookmanager.begin", "hookmanager.end",
	"settings.fresh", "shadow.theirRemainder", "shadow.beforeRewind", "transcript.interrupted"}

// TestNoBranchOnASentence: what is decided has a type, and becomes a sentence where it is printed.
// No text of three words or more is compared, and no outcome of the journal is cut or searched. What
// git and other programs print is no decision of ours: it may be searched, but not compared.
func TestNoBranchOnASentence(t *testing.T) {
	sentence := func(lit ast.Expr) bool {
		b, ok := lit.(*ast.BasicLit)
		return ok && b.Kind == token.STRING && len(strings.Fields(b.Value)) > 2
	}
	consts := map[string]bool{} // untyped, of three words or more
	all := sources(t)
	for _, s := range all {
		for _, d := range s.file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, spec := range g.Specs {
				v := spec.(*ast.ValueSpec)
				for i, value := range v.Values {
					name := path.Base(s.room) + "." + v.Names[i].Name
					consts[name] = v.Type == nil && sentence(value) && !slices.Contains(marks, name)
				}
			}
		}
	}
	for _, s := range all {
		if s.name == "internal/journal/kind.go" || slices.Contains(playing, s.room) { // the journal's old sentences
			continue
		}
		says := func(e ast.Expr) bool {
			switch e := e.(type) {
			case *ast.Ident:
				return consts[path.Base(s.room)+"."+e.Name] && (e.Obj == nil || e.Obj.Kind == ast.Con)
			case *ast.SelectorExpr:
				pkg, ok := e.X.(*ast.Ident)
				return ok && consts[pkg.Name+"."+e.Sel.Name]
			}
			return false
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				for _, e := range []ast.Expr{n.X, n.Y} {
					if (n.Op == token.EQL || n.Op == token.NEQ) && (says(e) || sentence(e)) {
						t.Errorf("%s compares a sentence: %v", s.name, e)
					}
				}
			case *ast.CaseClause:
				for _, e := range n.List {
					if says(e) || sentence(e) {
						t.Errorf("%s has a case for a sentence: %v", s.name, e)
					}
				}
			case *ast.CallExpr:
				f, ok := n.Fun.(*ast.SelectorExpr)
				if !ok || fmt.Sprint(f.X) != "strings" {
					return true
				}
				for _, e := range n.Args {
					if sel, ok := e.(*ast.SelectorExpr); says(e) || ok && sel.Sel.Name == "Outcome" {
						t.Errorf("%s: strings.%s of a sentence: %v", s.name, f.Sel.Name, e)
					}
				}
			}
			return true
		})
	}
	if !consts["relink.Reason"] {
		t.Error("no sentence was found")
	}
}

// mostMethods is how many methods a type may have, those of what it embeds included. One that has
// more is several things.
const mostMethods = 40

// TestSmallTypes counts methods. The exceptions are git's repository and its objects, each of whose
// methods is a git command or a question to one, a session's state, each of whose changes has a
// name, and the tester's world and model, each of whose methods is something that a user does.
func TestSmallTypes(t *testing.T) {
	methods, embeds := map[string][]string{}, map[string][]string{}
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil {
					name := s.typeName(d.Recv.List[0].Type)
					methods[name] = append(methods[name], d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if ts, ok := spec.(*ast.TypeSpec); ok {
						name := s.room + "." + ts.Name.Name
						embeds[name] = s.embedded(ts.Type)
					}
				}
			}
		}
	}
	var all func(name string, depth int) []string
	all = func(name string, depth int) []string {
		found := slices.Clone(methods[name])
		for _, e := range embeds[name] {
			if depth < 10 {
				found = append(found, all(e, depth+1)...)
			}
		}
		slices.Sort(found)
		return slices.Compact(found)
	}
	for name := range embeds {
		exempt := name == "gitexec.Repo" || name == "gitexec.ODB" || name == "internal/session.State" || name == "internal/truth.world" || name == "internal/truth.model"
		if n := len(all(name, 0)); n > mostMethods && !exempt {
			t.Errorf("%s has %d methods", name, n)
		}
	}
	if len(methods["gitexec.Repo"]) == 0 || len(all("internal/workspace.Run", 0)) <= len(methods["internal/workspace.Run"]) {
		t.Error("no method was counted, or none of an embedded type")
	}
}

// typeName is the name of a type with its room: of a pointer, what it points to; empty for one that
// has no name, or is not ours.
func (s source) typeName(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return s.typeName(of.X)
	case *ast.IndexExpr: // with a type parameter
		return s.typeName(of.X)
	case *ast.Ident:
		return s.room + "." + of.Name
	case *ast.SelectorExpr:
		for _, i := range s.imports() {
			if pkg, ok := of.X.(*ast.Ident); ok && path.Base(i) == pkg.Name && slices.Contains(rooms, i) {
				return i + "." + of.Sel.Name
			}
		}
	}
	return ""
}

// embedded are the types that a struct embeds.
func (s source) embedded(of ast.Expr) (names []string) {
	if st, ok := of.(*ast.StructType); ok {
		for _, f := range st.Fields.List {
			if len(f.Names) == 0 {
				names = append(names, s.typeName(f.Type))
			}
		}
	}
	return names
}

// TestComplexity: few functions have more than ten branches. The cyclomatic complexity counts the
// ways through one: its ifs, loops, cases, and && and ||. Worlds and benchmarks don't count.
func TestComplexity(t *testing.T) {
	const mostComplex = 6.0 // per cent of all functions
	functions, complex := 0, 0
	for _, s := range sources(t) {
		if slices.Contains(playing, s.room) {
			continue
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			functions++
			if complexity(f) > 10 {
				complex++
			}
		}
	}
	if share := 100 * float64(complex) / float64(functions); share > mostComplex {
		t.Errorf("%d of %d functions, %.1f %%, have a cyclomatic complexity of more than 10; at most %.1f %% may", complex, functions, share, mostComplex)
	}
}

func complexity(f *ast.FuncDecl) int {
	n := 1
	ast.Inspect(f, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if node.List != nil {
				n++
			}
		case *ast.CommClause:
			if node.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if node.Op == token.LAND || node.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}

// TestUnitTests: each package has tests beside its code, and the decisions most. Scripts say that
// something broke, a unit test says where.
func TestUnitTests(t *testing.T) {
	const least, leastOfDecisions = 0.3, 1.0 // lines of test for each line; a comment is none
	comment := regexp.MustCompile(`(?m)^\s*//.*\n`)
	lines := map[string][2]int{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") {
			return err
		}
		data, err := os.ReadFile(file)
		data = comment.ReplaceAll(data, nil)
		n, room := lines[filepath.ToSlash(filepath.Dir(file))], filepath.ToSlash(filepath.Dir(file))
		if strings.HasSuffix(file, "_test.go") {
			n[1] += bytes.Count(data, []byte("\n"))
		} else {
			n[0] += bytes.Count(data, []byte("\n"))
		}
		lines[room] = n
		return err
	})
	testdir.Must(t, err)
	for _, room := range rooms {
		want := least
		switch {
		case slices.Contains([]string{"", "internal/bench/profiled", "internal/clients", "internal/testdir", "internal/testrepo"}, room), slices.Contains(playing, room):
			continue
		case slices.Contains(decisions, room):
			want = leastOfDecisions
		}
		if n := lines[room]; float64(n[1]) < want*float64(n[0]) {
			t.Errorf("%s has %d lines, and %d of test: %.2f for each, at least %.2f", room, n[0], n[1], float64(n[1])/float64(n[0]), want)
		}
	}
}

// playing are the packages that play or measure the program.
var playing = []string{"internal/truth", "internal/bench", "internal/replay", "internal/redact/corpus", "internal/demo", "internal/faults"}

// TestPackageComments: each package says in one sentence what it does.
func TestPackageComments(t *testing.T) {
	says := map[string]string{}
	for _, s := range sources(t) {
		if s.file.Doc != nil {
			if says[s.room] != "" {
				t.Errorf("%s: its package has another comment", s.name)
			}
			says[s.room] = s.file.Doc.Text()
		}
	}
	for _, room := range rooms {
		text := strings.TrimSpace(says[room])
		if !strings.HasSuffix(text, ".") || strings.Contains(strings.Join(strings.Fields(text), " "), ". ") {
			t.Errorf("package %q has no comment of one sentence: %q", room, text)
		}
	}
}

// TestRequestsAreDocumented: who fills in a request reads at each field whether it is required, or
// else what its zero value means; that of a bool is clear.
func TestRequestsAreDocumented(t *testing.T) {
	request := regexp.MustCompile(`(Request|Options|Env)$`)
	zero := regexp.MustCompile(`\b(required|empty|nil|zero|0|default)\b`)
	more := []string{"turns.Event", "turns.Question", "history.Purge", "history.Retain"}
	found := 0
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			ts, ok := n.(*ast.TypeSpec)
			if !ok || !ts.Name.IsExported() || !request.MatchString(ts.Name.Name) && !slices.Contains(more, path.Base(s.room)+"."+ts.Name.Name) {
				return true
			}
			st, ok := ts.Type.(*ast.StructType)
			if !ok {
				return true
			}
			found++
			for _, f := range st.Fields.List {
				says := f.Doc.Text() + f.Comment.Text()
				for _, name := range f.Names {
					if name.IsExported() && (says == "" || fmt.Sprint(f.Type) != "bool" && !zero.MatchString(says)) {
						t.Errorf("%s: %s.%s is neither required, nor is its zero value explained: %q", s.name, ts.Name, name, says)
					}
				}
			}
			return true
		})
	}
	if found < 15 {
		t.Errorf("only %d types were looked at", found)
	}
}

// TestCommentWidth: comments on lines of their own have at most 100 columns, tabs counted as four.
func TestCommentWidth(t *testing.T) {
	comment := regexp.MustCompile(`(?m)^\t*// .*$`)
	for _, s := range sources(t) {
		data, err := os.ReadFile(s.name)
		testdir.Must(t, err)
		for _, line := range comment.FindAllString(string(data), -1) {
			if utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")) > 100 {
				t.Errorf("%s: %s", s.name, line)
			}
		}
	}
}

// TestArchitectureDocument: the functions and files that docs/architecture.md names are there.
func TestArchitectureDocument(t *testing.T) {
	text, err := os.ReadFile("docs/architecture.md")
	testdir.Must(t, err)
	there := map[string]bool{}
	for _, s := range sources(t) {
		pkg := path.Base(s.room)
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				there[pkg+"."+d.Name.Name] = true
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if ts, ok := spec.(*ast.TypeSpec); ok {
						there[pkg+"."+ts.Name.Name] = true
					}
				}
			}
		}
		there[s.room], there[s.name] = true, true
	}
	for _, quoted := range regexp.MustCompile("`([a-z]+/[a-z/]+\\.[a-z]+)`").FindAllSubmatch(text, -1) {
		if _, err := os.Stat(string(quoted[1])); err != nil {
			t.Errorf("docs/architecture.md: %v", err)
		}
	}
	for _, quoted := range regexp.MustCompile("`([a-z]+\\.[A-Za-z]+|internal/[a-z/]+)`").FindAllSubmatch(text, -1) {
		if name := string(quoted[1]); !there[name] && !strings.HasSuffix(name, ".go") {
			t.Errorf("docs/architecture.md names %s, which is not there", name)
		}
	}
	for _, room := range rooms {
		if room != "" && !strings.HasPrefix(room, "internal/") || slices.Contains([]string{"internal/query", "internal/works"}, room) {
			if !strings.Contains(string(text), "`"+room+"`") {
				t.Errorf("docs/architecture.md doesn't name %s", room)
			}
		}
	}
}

// TestTestsHaveNoHome: tests that start git know no configuration and no identity of the user's, so
// that they need none, either.
func TestTestsHaveNoHome(t *testing.T) {
	starts := regexp.MustCompile(`exec\.Command(Context)?\(([a-z.()]+, )?"git"|gitexec\.Discover\(|testdir\.Git\(|testrepo\.New\(`)
	git, alone := map[string]bool{}, map[string]bool{}
	files, err := filepath.Glob("*_test.go")
	for _, pattern := range []string{"*/*_test.go", "internal/*/*_test.go"} {
		more, err2 := filepath.Glob(pattern)
		files, err = append(files, more...), cmp.Or(err, err2)
	}
	testdir.Must(t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		testdir.Must(t, err)
		dir := filepath.Dir(file)
		git[dir] = git[dir] || starts.Match(data)
		alone[dir] = alone[dir] || bytes.Contains(data, []byte("\ttestdir.NoHome()\n")) || bytes.Contains(data, []byte("{ testdir.Main(m) }\n"))
	}
	for dir := range git {
		if git[dir] && !alone[dir] {
			t.Errorf("the tests of %s start git: their TestMain calls testdir.Main", dir)
		}
	}
	if len(git) < 20 {
		t.Errorf("only %d packages were looked at", len(git))
	}
}

// TestTopLevel: nothing is at the top but what belongs there, such as what a test left behind.
func TestTopLevel(t *testing.T) {
	allowed := []string{".ci", ".git", ".gitignore", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md", "condense", "docs", "gitexec", "go.mod",
		"go.sum", "hooks", "internal", "main.go", "shadow", "suffix", "testdata"}
	ignored, err := os.ReadFile(".gitignore")
	testdir.Must(t, err)
	for line := range strings.Lines(string(ignored)) {
		allowed = append(allowed, strings.Trim(line, "/\n"))
	}
	entries, err := os.ReadDir(".")
	testdir.Must(t, err)
	for _, e := range entries {
		if !slices.Contains(allowed, e.Name()) && !strings.HasSuffix(e.Name(), "_test.go") {
			t.Errorf("%q does not belong at the top", e.Name())
		}
	}
}
