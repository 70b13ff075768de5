package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"entire-plumb/internal/testdir"
)

// pages are the pages for people, by their paths from the root.
func pages(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "testdata/*/*.md", "internal/*/testdata/*.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			testdir.Must(t, err)
			all[filepath.ToSlash(file)] = string(text)
		}
	}
	return all
}

// anchors are the fragments by which a page's headings are linked.
func anchors(page string) []string {
	var all []string
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(page, -1) {
		all = append(all, strings.Map(func(c rune) rune {
			switch {
			case c == ' ':
				return '-'
			case unicode.IsLetter(c), unicode.IsDigit(c), c == '-', c == '_':
				return unicode.ToLower(c)
			}
			return -1
		}, heading[1]))
	}
	return all
}

// TestLinksBetweenPages: each link of a page to a file, or to a heading, leads there.
func TestLinksBetweenPages(t *testing.T) {
	all, found := pages(t), 0
	for name, page := range all {
		for _, link := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(page, -1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			found++
			file, anchor, _ := strings.Cut(link[1], "#")
			target := name
			if file != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(name), file))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links %s, which is not there", name, target)
			} else if anchor != "" && !slices.Contains(anchors(all[target]), anchor) {
				t.Errorf("%s links %s, which has no heading %q", name, target, anchor)
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d links were looked at", found)
	}
}

// TestLinksTables: each row of a table has as many cells as its head: a | within code begins another
// cell, and what stands behind it is lost, unless it is written \|.
func TestLinksTables(t *testing.T) {
	rows := 0
	for name, page := range pages(t) {
		head := 0
		for _, line := range strings.Split(regexp.MustCompile("(?ms)^```.*?^```").ReplaceAllString(page, ""), "\n") {
			if !strings.HasPrefix(line, "|") {
				head = 0
				continue
			}
			bars := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
			if head == 0 {
				head = bars
			}
			if rows++; bars != head {
				t.Errorf("%s: %d cells, and not %d: %s", name, bars-1, head-1, line)
			}
		}
	}
	if rows < 100 {
		t.Errorf("only %d rows were looked at", rows)
	}
}

// TestContributing: the files, packages, tests, scripts and options that CONTRIBUTING.md and
// docs/decisions.md name are there.
func TestContributing(t *testing.T) {
	all, tests := pages(t), testNames(t)
	scripts, err := filepath.Glob("testdata/scripts/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatal(scripts, err)
	}
	for name, least := range map[string]int{"CONTRIBUTING.md": 60, "docs/decisions.md": 5} {
		page, checked := all[name], 0
		check := func(there bool, what string) {
			t.Helper()
			checked++
			if !there {
				t.Errorf("%s names %s, which is not there", name, what)
			}
		}
		each := func(expression string, do func(found []string)) {
			for _, found := range regexp.MustCompile(expression).FindAllStringSubmatch(page, -1) {
				do(found)
			}
		}
		exists := func(file string) bool {
			if strings.Contains(file, "NAME") {
				return true
			}
			_, err := os.Stat(file)
			return err == nil
		}
		each("`((?:internal|docs|testdata|gitexec|condense|suffix|shadow|hooks|\\.ci)/[\\w./-]+|[A-Z]+\\.md)`", func(found []string) {
			check(exists(found[1]), found[1])
		})
		each(`go (?:run|test|vet) \./((?:internal/)?[a-z]+)`, func(found []string) { check(exists(found[1]), found[1]) })
		each(`(?:testdata|condense)/[\w/]+\.(?:txtar|go)`, func(found []string) {
			check(exists(found[0]), found[0])
		})
		each(`\bTest[A-Z]\w+`, func(found []string) { check(tests[found[0]], found[0]) })
		each(`TestScripts/(?:([a-z_]+)|'?\(([a-z_|]+)\))`, func(found []string) {
			for prefix := range strings.SplitSeq(found[1]+found[2], "|") {
				check(slices.ContainsFunc(scripts, func(file string) bool { return strings.HasPrefix(filepath.Base(file), prefix) }), "the script "+prefix)
			}
		})
		each(`go run \./(internal/[a-z]+)([^#\n]*)`, func(found []string) {
			sources, err := filepath.Glob(found[1] + "/*.go")
			testdir.Must(t, err)
			defined := func(option string) bool {
				return slices.ContainsFunc(sources, func(file string) bool {
					text, err := os.ReadFile(file)
					return err == nil && strings.Contains(string(text), `"`+option+`"`)
				})
			}
			for _, option := range regexp.MustCompile(` -([a-z]+)`).FindAllStringSubmatch(found[2], -1) {
				check(defined(option[1]), found[1]+" -"+option[1])
			}
		})
		if checked < least {
			t.Errorf("%s: only %d names were looked at", name, checked)
		}
	}
}

// TestGenericPage: the plugin of docs/generic.md, and what --check prints there, are what its script
// plays.
func TestGenericPage(t *testing.T) {
	const script = "testdata/scripts/agent_generic_plugin.txtar"
	text, err := os.ReadFile(script)
	testdir.Must(t, err)
	parts := regexp.MustCompile(`(?m)^-- (\S+) --\n`).Split(string(text), -1)
	files := map[string]string{}
	for i, name := range regexp.MustCompile(`(?m)^-- (\S+) --\n`).FindAllStringSubmatch(string(text), -1) {
		files[name[1]] = parts[i+1]
	}
	page := pages(t)["docs/generic.md"]
	plugin := regexp.MustCompile("(?s)```js\n(.*?)```").FindStringSubmatch(page)
	if len(plugin) != 2 || plugin[1] != files["plugin.mjs"] {
		t.Errorf("the plugin of docs/generic.md is not that of %s", script)
	}
	printed := regexp.MustCompile("(?s)```console\n\\$ (entire-plumb hooks generic --check ([a-z]+)\\.jsonl)\n(.*?)```").FindAllStringSubmatch(page, -1)
	for _, one := range printed {
		if one[3] != files[one[2]+".txt"] || !strings.Contains(parts[0], strings.TrimPrefix(one[1], "entire-")+"\n") {
			t.Errorf("%q is not played, or prints something else, in %s", one[1], script)
		}
	}
	if len(printed) != strings.Count(page, "```console") || len(printed) < 2 {
		t.Errorf("%d of the page's commands are played", len(printed))
	}
}
