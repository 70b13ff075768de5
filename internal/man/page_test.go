package main

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"entire-plumb/internal/cli"
	"entire-plumb/internal/testdir"
)

func TestMain(m *testing.M) { testdir.Main(m) }

// TestSameAsHelp: each page has the words of --help behind the command, section by section.
func TestSameAsHelp(t *testing.T) {
	all := pages(cli.Described())
	if len(all) < 45 {
		t.Errorf("there are only %d pages", len(all))
	}
	for _, p := range all {
		var out bytes.Buffer
		app := cli.Described()
		app.Writer = &out
		testdir.Must(t, app.Run(append(strings.Fields(p.call), "--help")))
		help, page := helpSections(out.String()), pageSections(p.roff("2026-01-02", ""))
		help["NAME"] = strings.Replace(help["NAME"], p.call, name(p.call), 1)
		for title, text := range help {
			if got, want := words(page[title]), words(text); !slices.Equal(got, want) {
				t.Errorf("%s, %s: the page has\n%q\nand --help\n%q", p.call, title, got, want)
			}
		}
		for title := range page {
			if _, ok := help[title]; !ok && title != "SEE ALSO" {
				t.Errorf("%s: --help has no section %s", p.call, title)
			}
		}
	}
}

func words(text string) []string { return strings.Fields(strings.ReplaceAll(text, "`", "")) }

// helpSections are the texts below the headings of a help, as a page calls them.
func helpSections(help string) map[string]string {
	all := sections(help, regexp.MustCompile(`(?m)^([A-Z ]+):\n`))
	for from, to := range map[string]string{"USAGE": "SYNOPSIS", "GLOBAL OPTIONS": "OPTIONS"} {
		if text, ok := all[from]; ok {
			all[to] = text
			delete(all, from)
		}
	}
	description, examples, ok := strings.Cut(all["DESCRIPTION"], "Examples:\n")
	if all["DESCRIPTION"] = description; strings.TrimSpace(description) == "" {
		delete(all, "DESCRIPTION")
	}
	if ok {
		all["EXAMPLES"] = examples
	}
	return all
}

// pageSections are the texts of a page below its headings, without what sets them.
func pageSections(roff string) map[string]string {
	all := sections(roff, regexp.MustCompile(`(?m)^\.SH ([A-Z ]+)\n`))
	for title, text := range all {
		text = regexp.MustCompile(`(?m)^\.[A-Za-z].*\n`).ReplaceAllString(text, "")
		text = regexp.MustCompile(`\\f[BR]|\\&`).ReplaceAllString(text, "")
		all[title] = strings.NewReplacer(`\e`, `\`, `\-`, "-", `\(aq`, "'", `\(ha`, "^", `\(ti`, "~", `\(dq`, `"`, `\[u2026]`, "…").Replace(text)
	}
	return all
}

func sections(text string, heading *regexp.Regexp) map[string]string {
	all, at := map[string]string{}, heading.FindAllStringSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		all[text[m[2]:m[3]]] = text[m[1]:end]
	}
	return all
}

func TestPages(t *testing.T) {
	all := map[string]page{}
	for _, p := range pages(cli.Described()) {
		all[p.file()] = p
	}
	for file, above := range map[string]string{"entire-plumb.1": "", "entire-plumb-log.1": "entire-plumb", "entire-plumb-sessions-show.1": "entire-plumb sessions",
		"entire-plumb-hooks-claude-code.1": "entire-plumb hooks"} {
		if p, ok := all[file]; !ok || p.above != above {
			t.Errorf("%s: %t, below %q", file, ok, p.above)
		}
	}
	for _, file := range []string{"entire-plumb-complete.1", "entire-plumb-help.1", "entire-plumb-hooks-git-post-commit.1"} {
		if _, ok := all[file]; ok {
			t.Errorf("there is %s", file)
		}
	}
}
