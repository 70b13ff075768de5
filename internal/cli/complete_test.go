package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"entire-plumb/internal/query"
)

func TestCompleting(t *testing.T) {
	app := newApp(io.Discard, io.Discard)
	names := []query.Completion{{Name: "main", About: "branch"}, {Name: "maint"}, {Name: "3f2a1b9c-d4e5-4a6b-8c7d-0123456789ab", Session: true, About: strings.Repeat("x", 90)},
		{Name: "a\x1bb"}, {Name: "main"}}
	for line, c := range map[string]struct {
		of   query.Nameable
		want string // the first lines
	}{
		"sta":                     {query.Nameable{}, "status\t"},
		"complete":                {query.Nameable{}, ""},
		"--tr":                    {query.Nameable{}, "--trace\tprint each git process"},
		"-v":                      {query.Nameable{}, ""},
		"--trace log --gr":        {query.Nameable{}, "--graph\tdraw branches"},
		"log -n":                  {query.Nameable{}, "-n\tlist at most N commits; all with -1\n"},
		"log -n ~":                {query.Nameable{}, ""},
		"log --help":              {query.Nameable{}, "--help\tshow help\n"},
		"log --color=a":           {query.Nameable{}, "--color=auto\n--color=always\n"},
		"log --color n":           {query.Nameable{Commits: true, Checkpoints: true, Sessions: true}, "never\n"},
		"log --color never ma":    {query.Nameable{Commits: true, Checkpoints: true, Sessions: true}, "main\tbranch\nmaint\n"},
		"log --graph=x":           {query.Nameable{}, ""},
		"log --bogus=x":           {query.Nameable{}, ""},
		"log ma":                  {query.Nameable{Commits: true, Checkpoints: true, Sessions: true}, "main\tbranch\nmaint\n"},
		"log main..ma":            {query.Nameable{Commits: true}, "main..main\tbranch\nmain..maint\n"},
		"log v1...maint":          {query.Nameable{Commits: true}, "v1...maint\n"},
		"log -- ma":               {query.Nameable{}, ":files\n"},
		"blame ma":                {query.Nameable{Commits: true}, "main\tbranch\nmaint\n:files\n"},
		"blame -L 3,4 --rev ma":   {query.Nameable{Commits: true}, "main\tbranch\nmaint\n"},
		"rewind ma":               {query.Nameable{Commits: true, Points: true, Sessions: true}, "main\tbranch\nmaint\n"},
		"show 3f":                 {query.Nameable{Commits: true, Checkpoints: true, Sessions: true}, "3f2a1b9c\t" + strings.Repeat("x", 59) + "…\n"},
		"show 3f2a1b9c-":          {query.Nameable{Commits: true, Checkpoints: true, Sessions: true}, "3f2a1b9c-d4e5-4a6b-8c7d-0123456789ab\t"},
		"show a":                  {query.Nameable{Commits: true, Checkpoints: true, Sessions: true}, ""},
		"show HEAD ma":            {query.Nameable{Commits: true, Checkpoints: true, Sessions: true}, "main\tbranch\nmaint\n"},
		"unlink HEAD ma":          {query.Nameable{Checkpoints: true}, "main\tbranch\nmaint\n"},
		"sessions ":               {query.Nameable{Sessions: true}, "show\tshow one session"},
		"sessions s":              {query.Nameable{Sessions: true}, "show\tshow one session"},
		"sessions show 3f":        {query.Nameable{Sessions: true}, "3f2a1b9c\t"},
		"checkpoints --session 3": {query.Nameable{Sessions: true}, "3f2a1b9c\t"},
		"checkpoints --file x":    {query.Nameable{}, ":files\n"},
		"search --in p":           {query.Nameable{}, "prompts\n"},
		"search --in prompts,co":  {query.Nameable{}, "prompts,commands\n"},
		"config stra":             {query.Nameable{}, "strategy\n"},
		"help dif":                {query.Nameable{}, "diff\t"},
		"enable --agent codex,ge": {query.Nameable{}, "codex,gemini\ncodex,generic\n"},
		"completion z":            {query.Nameable{}, "zsh\n"},
		"replay a b c":            {query.Nameable{}, ":files\n"},
		"nonsense x":              {query.Nameable{}, ""},
	} {
		a := completing(app, strings.Split(strings.ReplaceAll(line, "~", ""), " "))
		var out bytes.Buffer
		a.print(&out, map[bool][]query.Completion{true: names}[a.nameable() != query.Nameable{}])
		if a.nameable() != c.of || !strings.HasPrefix(out.String(), c.want) || c.want == "" && out.Len() > 0 {
			t.Errorf("%s: %+v\n%s\nwant\n%s", line, a.nameable(), out.String(), c.want)
		}
	}
}

func TestArgument(t *testing.T) {
	for usage, c := range map[string]struct {
		at   int
		want string
	}{
		"": {0, ""}, "FILE": {0, "FILE"}, "FILE ": {1, ""}, "COMMIT [CHECKPOINT]": {1, "CHECKPOINT"}, "[A|B...] [-- PATH...]": {3, "A B"},
		"FILE|DIR…": {2, "FILE DIR"}, "bash|zsh": {0, "bash zsh"}, "[-- PATH]": {0, ""},
	} {
		if got := strings.Join(argument(usage, c.at), " "); got != c.want {
			t.Errorf("%q, %d: %q, not %q", usage, c.at, got, c.want)
		}
	}
}
