package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/gitai"
	"entire-plumb/internal/history"
	"entire-plumb/internal/imported"
	"entire-plumb/internal/query"
	"entire-plumb/internal/report"
	"entire-plumb/internal/resume"
	"entire-plumb/internal/rewind"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/share"
	"entire-plumb/internal/site"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/turns"
	"entire-plumb/internal/upkeep"
)

var update = flag.Bool("update", false, "rewrite docs/json.md and docs/json-schema.json")

// printed is what a call of a command prints with --json.
type printed struct {
	call string // the command, and what makes it print this
	of   reflect.Type
	list bool
}

func object[T any](call string) printed { return printed{call, reflect.TypeFor[T](), false} }
func list[T any](call string) printed   { return printed{call, reflect.TypeFor[T](), true} }

// allPrinted are all of them. A script whose output is not as is said here fails.
var allPrinted = []printed{
	list[query.CommitLines]("attribution"),
	list[query.BlamedLine]("blame"),
	list[checkpoints.CommittedInfo]("checkpoints"),
	list[upkeep.Removal]("clean"),
	list[commits.CondensedByHand]("condense"),
	object[configJSON]("config"),
	object[settings.Value]("config KEY"),
	object[changesJSON]("config KEY VALUE"),
	object[turns.Answer]("decide-suffix"),
	object[diffJSON]("diff"),
	object[changesJSON]("disable"),
	object[diagnosis]("doctor"),
	object[changesJSON]("enable"),
	object[gitai.Exported]("export --format git-ai"),
	object[share.Report]("fetch"),
	object[checkedJSON]("hooks generic"),
	list[imported.Imported]("import"),
	object[gitai.FromNotes]("import --format git-ai"),
	object[logJSON]("log"),
	object[history.Purged]("purge"),
	list[redaction]("redact"),
	object[report.Page]("report"),
	object[site.Result]("report --site"),
	list[upkeep.Removal]("reset"),
	object[resume.Resumed]("resume"),
	object[history.Retained]("retain"),
	list[query.RewindPoint]("rewind"),
	object[rewind.Rewound]("rewind CHECKPOINT"),
	object[searchResult]("search"),
	list[query.SessionInfo]("sessions"),
	object[query.SessionInfo]("sessions show"),
	list[query.Shown]("show"),
	object[query.ShownSelection]("show RANGE"),
	object[query.Stats]("stats"),
	object[statusReport]("status"),
	object[shortJSON]("status --short"),
	list[upkeep.StreamInfo]("streams"),
	object[summaryJSON]("summary"),
	object[share.Report]("sync"),
	object[query.Today]("today"),
	object[commits.Unlinked]("unlink"),
	object[versionJSON]("version"),
	list[query.Why]("why"),
	object[query.WhyLine]("why FILE:LINE"),
}

// TestJSONPage: docs/json.md and docs/json-schema.json are what the Go types and the comments on their
// fields say, and each key has a meaning. go test ./internal/cli -run TestJSONPage -args -update
// writes them.
func TestJSONPage(t *testing.T) {
	s := newShapes(t)
	page, schema := s.page(), s.file()
	headings := regexp.MustCompile(`(?m)^#+ .*$`).FindAllString(strings.ReplaceAll(string(page), "\n### ", "\n## "), -1)
	slices.Sort(headings)
	if n := len(headings) - len(slices.Compact(headings)); n > 0 {
		t.Errorf("%d headings are there twice: links lead to the first", n)
	}
	for _, one := range s.unmarked() {
		t.Errorf("%s has a form of its own in JSON, which spoken doesn't name", one)
	}
	for name, want := range map[string][]byte{"../../docs/json.md": page, "../../docs/json-schema.json": schema} {
		if *update {
			testdir.Must(t, os.WriteFile(name, want, 0o644))
		} else if have, err := os.ReadFile(name); err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s is not what the types say (%v): go test ./internal/cli -run TestJSONPage -args -update", name, err)
		}
	}
}

// TestJSONEverywhere: each command that has --json is on the page, and each on the page has it.
func TestJSONEverywhere(t *testing.T) {
	has := map[string]bool{}
	var walk func(prefix string, all []*cli.Command)
	walk = func(prefix string, all []*cli.Command) {
		for _, c := range all {
			for _, f := range c.Flags {
				has[prefix+c.Name] = has[prefix+c.Name] || slices.Contains(f.Names(), "json")
			}
			walk(prefix+c.Name+" ", c.Subcommands)
		}
	}
	walk("", newApp(&bytes.Buffer{}, &bytes.Buffer{}).Commands)
	on := map[string]bool{}
	for _, p := range allPrinted {
		name := p.call
		for !has[name] && strings.Contains(name, " ") {
			name = name[:strings.LastIndex(name, " ")]
		}
		on[name] = true
		if !has[name] {
			t.Errorf("%s has no --json", p.call)
		}
	}
	for name, json := range has {
		if json && !on[name] {
			t.Errorf("%s --json is not in allPrinted", name)
		}
	}
}

const head = `# JSON

<!-- written by: go test ./internal/cli -run TestJSONPage -args -update -->

Each command below prints JSON with ` + "`--json`" + `. [json-schema.json](json-schema.json) says the same for programs, in JSON Schema 2020-12:
` + "`$defs`" + ` has a schema for each call. What each script of the test suite prints with ` + "`--json`" + ` is checked against it.

- **version**: each object that is printed, and each object of a list that is printed, begins with ` + "`\"version\": %d`" + `. Within a version
  no key goes or changes its meaning. Keys may be added: a reader passes over those that it doesn't know.
- Older commands print a list, newer ones an object with a list in it.
- **Errors** are on stderr. A command that fails prints no JSON; one that found damage prints what it could, and exits with 1.
- **Names**: the same thing has the same key. ` + "`checkpoint_id`, `session_id`, `turn_id` and `commit`" + ` are whole IDs; ` + "`path`" + ` is a file from the top
  of the worktree, with slashes; ` + "`when`" + ` is a time. Lists are plural. A count of lines is ` + "`agent_lines`, `human_lines`, `unknown_lines`" + `;
  in older commands an object ` + "`lines` with `agent`, `human` and `unknown`" + `. ` + "`agent`" + ` of a session is the program's name.
- **Types**: a time is as RFC 3339 has it, in seconds or finer; the year 1 is no time. An object ID has 40 or 64 hex digits; of zeros
  alone, or empty, it is none. A path that is not UTF-8, or begins with a double quote, is in git's C-style quotes. Control
  characters are escaped. A list that is empty may be ` + "`null`" + `.
- There is no JSON of drawings (` + "`log --graph`, `streams --graph`, `sessions --diagram`" + `): ` + "`log --json`" + ` has the parents of each commit.
- A key with ? is absent where it has nothing to say: where it is false, 0, empty, or not known.
- Formats of files on ` + "`entire/checkpoints/v1`" + `, of states and of the journal are other ones: they stay as the ` + "`entire` CLI" + ` has them
  ([compatibility.md](compatibility.md)). So are ` + "`attribution --format agent-trace`" + ` and ` + "`blame --porcelain`" + `.
`

// page is the text for people.
func (s *shapes) page() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, head, jsonVersion)
	for _, p := range allPrinted {
		fmt.Fprintf(&b, "\n## %s\n\n", p.call)
		what := "An object"
		if p.list {
			what = "A list of objects"
		}
		if s.shared(p.of) {
			_, word := s.schema(p.of, true)
			fmt.Fprintf(&b, "%s: %s.\n", what, word)
			continue
		}
		fmt.Fprintln(&b, strings.TrimSpace(what+". "+s.about(p.of)))
		s.table(&b, p.of)
	}
	fmt.Fprint(&b, "\n## Objects\n")
	for i := 0; i < len(s.order); i++ {
		about := s.about(s.order[i])
		if about == "" {
			s.t.Errorf("%v has no comment", s.order[i])
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s\n", typeName(s.order[i]), about)
		s.table(&b, s.order[i])
	}
	return b.Bytes()
}

// shared reports whether several calls print the type, or it is part of another: it is explained once.
func (s *shapes) shared(of reflect.Type) bool {
	n := 0
	for _, p := range allPrinted {
		if p.of == of {
			n++
		}
	}
	return n > 1
}

func (s *shapes) table(b *bytes.Buffer, of reflect.Type) {
	fmt.Fprint(b, "\n| key | type | meaning |\n|---|---|---|\n")
	for _, k := range s.keys(of) {
		_, word := s.schema(k.of, k.optional)
		if k.meaning = cmp.Or(k.meaning, meanings[k.name]); k.meaning == "" {
			s.t.Errorf("%v: the field of %q has no comment", of, k.name)
		}
		mark := ""
		if k.optional {
			mark = " ?"
		}
		fmt.Fprintf(b, "| `%s`%s | %s | %s |\n", k.name, mark, word, strings.ReplaceAll(k.meaning, "|", "\\|"))
	}
}

// file is the schema for programs.
func (s *shapes) file() []byte {
	defs := map[string]any{}
	for _, p := range allPrinted {
		of, _ := s.schema(p.of, true)
		version := map[string]any{"type": "object", "properties": map[string]any{"version": map[string]any{"const": jsonVersion}}, "required": []string{"version"}}
		one := map[string]any{"allOf": []any{version, of}}
		if p.list {
			one = map[string]any{"type": "array", "items": one}
		}
		defs["entire-plumb "+p.call] = one
	}
	for i := 0; i < len(s.order); i++ {
		defs[typeName(s.order[i])] = s.object(s.order[i])
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	testdir.Must(s.t, enc.Encode(map[string]any{"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title": "What entire-plumb prints with --json", "$defs": defs}))
	return b.Bytes()
}
