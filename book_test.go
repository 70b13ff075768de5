package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"entire-plumb/internal/replay"
	"entire-plumb/internal/testdir"
)

// typed is a command of a page, and the output that the page has below it.
type typed struct{ command, output string }

// played is a page whose commands are run. Comments that begin with "<!-- play" hold verbs of
// testdata/scripts/README.md, which prepare what the blocks after them show.
type played struct {
	script   string
	commands []typed
	blocks   [][]int // the commands of each block, by their index
}

// parts are what is played of a page: hidden verbs, and blocks of commands.
var parts = regexp.MustCompile("(?ms)^<!-- play\n(.*?)^-->$|^```console\n(.*?)^```$")

// plan reads what a page plays, in the page's order.
func plan(page string) played {
	var p played
	var script strings.Builder
	for _, part := range parts.FindAllStringSubmatch(page, -1) {
		script.WriteString(part[1])
		if part[2] == "" {
			continue
		}
		var block []int
		for line := range strings.Lines(part[2]) {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				block = append(block, len(p.commands))
				fmt.Fprintf(&script, "console %d\n", len(p.commands))
				p.commands = append(p.commands, typed{command: strings.TrimSpace(command)})
			} else if n := len(p.commands); len(block) > 0 {
				p.commands[n-1].output += line
			}
		}
		p.blocks = append(p.blocks, block)
	}
	p.script = script.String()
	return p
}

// write puts commands with their outputs into the blocks of a page.
func (p played) write(page string, commands []typed) string {
	n := 0
	return parts.ReplaceAllStringFunc(page, func(part string) string {
		if !strings.HasPrefix(part, "```") {
			return part
		}
		var text strings.Builder
		for _, i := range p.blocks[n] {
			text.WriteString("$ " + commands[i].command + "\n" + commands[i].output)
		}
		n++
		return "```console\n" + text.String() + "```"
	})
}

// varying is what differs from run to run, or from one version to the next: IDs, durations, and
// the version of git.
var varying = []struct {
	what  *regexp.Regexp
	shape string
}{
	{ids, "ID"},
	{regexp.MustCompile(`\b\d+ ms\b`), "N ms"},
	{regexp.MustCompile(`\bgit \d+(\.\w+)+`), "git N"},
	{regexp.MustCompile(`\b[\d.]+ k?B\b`), "N B"},
}

// shape is an output without what varies.
func shape(output string) string {
	for _, v := range varying {
		output = v.what.ReplaceAllString(output, v.shape)
	}
	return output
}

// bookPage plays the commands of a page. What the page calls an ID is known by its place in an
// output: later commands are given the one that stands there now.
type bookPage struct {
	played
	got    []typed
	actual map[string]string
	fails  bool
}

// run runs a command of the page in a shell, as a reader would, and keeps what it prints.
func (p *bookPage) run(ts *testscript.TestScript, i int) {
	want := p.commands[i]
	command := ids.ReplaceAllStringFunc(want.command, func(id string) string {
		if now := p.actual[id]; now != "" {
			return now
		}
		return id
	})
	err := ts.Exec("sh", "-c", "{ "+command+"\n} 2>&1")
	if (err != nil) != p.fails {
		ts.Fatalf("%s: %v", command, err)
	}
	p.fails = false
	output := asAda(ts.ReadFile("stdout"), filepath.Dir(ts.Getenv("HOME")))
	p.got = append(p.got, typed{command, cutLike(output, want.output)})
	now := ids.FindAllString(output, -1)
	for n, id := range ids.FindAllString(want.output, -1) {
		if n < len(now) {
			p.actual[id] = now[n]
		}
	}
}

// asAda gives Ada's paths for those of the directory in which a script runs, also where an agent
// has made a name of one.
func asAda(output, work string) string {
	dashed := regexp.MustCompile(`[^A-Za-z0-9]`).ReplaceAllString(work, "-")
	return strings.NewReplacer(work+"/home", "/home/ada", work, "/home/ada", dashed, "-home-ada").Replace(output)
}

// more is the last line of an output that a page shows the beginning of.
const more = "…\n"

// cutLike cuts an output where the page cuts it.
func cutLike(output, page string) string {
	if !strings.HasSuffix(page, more) {
		return output
	}
	lines := strings.SplitAfter(output, "\n")
	return strings.Join(lines[:min(len(lines), strings.Count(page, "\n")-1)], "") + more
}

// differ reports whether the page shows anything else than what its commands print.
func (p *bookPage) differ() bool {
	return !slices.EqualFunc(p.commands, p.got, func(a, b typed) bool { return shape(a.output) == shape(b.output) })
}

// TestBook plays the commands of README.md and of the pages in docs that have any, and compares
// what they print with what the pages say. A page has a repository of its own.
func TestBook(t *testing.T) {
	dir, book := t.TempDir(), map[string]*bookPage{}
	for file, page := range pages(t) {
		if !strings.Contains(page, "\n```console\n") || file == "docs/generic.md" { // a script plays that one: TestGenericPage
			continue
		}
		name := strings.NewReplacer("/", "_", ".md", "").Replace(file)
		book[name] = &bookPage{played: plan(page), actual: map[string]string{}}
		testdir.Must(t, os.WriteFile(filepath.Join(dir, name+".txtar"), []byte(book[name].script), 0o644))
		t.Cleanup(func() { compare(t, file, page, book[name]) })
	}
	if len(book) < 8 {
		t.Fatalf("only %d pages are played", len(book))
	}
	params := replay.Params()
	params.Dir = dir
	of := func(ts *testscript.TestScript) *bookPage { return book[ts.Name()] }
	params.Cmds["console"] = func(ts *testscript.TestScript, _ bool, _ []string) { of(ts).run(ts, len(of(ts).got)) }
	params.Cmds["fails"] = func(ts *testscript.TestScript, _ bool, _ []string) { of(ts).fails = true }
	params.Cmds["server"] = server
	testscript.Run(t, params)
}

// compare says where a page differs from what was played, or writes it.
func compare(t *testing.T, file, page string, p *bookPage) {
	switch {
	case len(p.got) < len(p.commands), !p.differ(): // the former has failed
	case *update:
		testdir.Must(t, os.WriteFile(filepath.FromSlash(file), []byte(p.write(page, p.got)), 0o644))
	default:
		for i, want := range p.commands {
			if got := p.got[i]; shape(got.output) != shape(want.output) {
				t.Errorf("%s says of %s:\n%s\nit prints:\n%s\ngo test . -run TestBook -args -update writes it", file, got.command, want.output, got.output)
			}
		}
	}
}

// TestBookNotices: what a page is compared by, and how it is written.
func TestBookNotices(t *testing.T) {
	page := "A page.\n\n<!-- play\nrepo\nfails\n-->\n\n```console\n$ a 1234567\nx 1234567\n\ny\n$ b\n```\n\n```\n$ not played\n```\n\n```console\n$ c\n1\n…\n```\n"
	p := bookPage{played: plan(page)}
	if want := "repo\nfails\nconsole 0\nconsole 1\nconsole 2\n"; p.script != want {
		t.Errorf("the script is %q, want %q", p.script, want)
	}
	if want := []typed{{"a 1234567", "x 1234567\n\ny\n"}, {"b", ""}, {"c", "1\n…\n"}}; !slices.Equal(p.commands, want) {
		t.Errorf("%q, want %q", p.commands, want)
	}
	for _, c := range []struct {
		first, last string
		differ      bool
	}{
		{"x 7654321\n\ny\n", "1\n2\n3\n", false},
		{"x 7654321\n\nz\n", "1\n2\n3\n", true},
		{"x\n\ny\n", "1\n2\n", true},
		{"x 7654321\n\ny\n", "2\n", true},
	} {
		p.got = []typed{{"a 7654321", c.first}, {"b", ""}, {"c", cutLike(c.last, p.commands[2].output)}}
		if p.differ() != c.differ {
			t.Errorf("%q, %q: differs: %t", c.first, c.last, !c.differ)
		}
	}
	want := strings.NewReplacer("1234567", "7654321", "\n1\n", "\n2\n").Replace(page)
	if got := p.write(page, p.got); got != want {
		t.Errorf("it is written as %q, want %q", got, want)
	}
	if got := asAda("/dev/shm/s1_a/home/x /dev/shm/s1_a/repo -dev-shm-s1-a-repo", "/dev/shm/s1_a"); got != "/home/ada/x /home/ada/repo -home-ada-repo" {
		t.Errorf("paths are shown as %q", got)
	}
}
