package hookmanager

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"entire-plumb/internal/githooks"
)

// What Add writes calls us for each stage, keeps every byte of the user's in its order, and is
// removed without a trace.
func TestAddAndRemove(t *testing.T) {
	for name, c := range map[string]struct {
		manager Manager
		text    string
	}{
		"lefthook: empty":                 {Lefthook, ""},
		"lefthook: comments":              {Lefthook, "# only\n\n#a comment\n"},
		"lefthook: another hook":          {Lefthook, "pre-commit:\n  jobs:\n    - run: make\n"},
		"lefthook: no final line feed":    {Lefthook, "pre-commit:\n  jobs:\n    - run: make"},
		"lefthook: commands":              {Lefthook, "commit-msg:\n  parallel: true\n  commands:\n    a:\n      run: true\n  tags: x\nassert_lefthook_installed: true\n"},
		"lefthook: jobs":                  {Lefthook, "commit-msg: # mine\n    jobs:\n    - run: |\n        if [ -e x ]; then {\n          echo 'commands:'; } fi\n"},
		"lefthook: the key is last":       {Lefthook, "x: 1\npost-commit:\n  commands:\n    a: {run: x}"},
		"lefthook: a quoted key":          {Lefthook, "---\n'pre-push':\n  jobs: [{run: 'it is # 1'}]\n"},
		"lefthook: carriage returns":      {Lefthook, "commit-msg:\r\n  commands:\r\n    a:\r\n      run: x\r\n"},
		"pre-commit":                      {PreCommit, "repos:\n-   repo: https://x\n    rev: v1\n    hooks:\n    -   id: a\n"},
		"pre-commit: indented":            {PreCommit, "default_stages: [commit]\nrepos:\n\n  # mine\n  - repo: local\n    hooks: [{id: a}]\nfail_fast: true\n"},
		"pre-commit: no final line feed":  {PreCommit, "repos:\n- repo: meta\n  hooks:\n  - id: identity"},
		"pre-commit: a document's begin":  {PreCommit, "---\nrepos:\n- repo: meta\n  hooks:\n  - id: identity\n"},
		"pre-commit: regular expressions": {PreCommit, "exclude: >\n    (?x)^(\n        a|b[\n    )$\nrepos:\n- repo: meta\n  hooks:\n  - id: a\n    files: ^a\\.b$\n"},
	} {
		file := c.manager.Files[0]
		now, err := c.manager.Add(file, c.text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if missing := c.manager.Missing(now); len(missing) > 0 {
			t.Errorf("%s: %v are missing in\n%s", name, missing, now)
		}
		if again, err := c.manager.Add(file, now); err != nil || again != now {
			t.Errorf("%s: added twice: %v\n%s", name, err, again)
		}
		if back := Remove(now); back != c.text {
			t.Errorf("%s: removed:\n%q; want\n%q", name, back, c.text)
		}
		if strings.Contains(now, "\t") {
			t.Errorf("%s: a tab in\n%s", name, now)
		}
	}
}

func TestRefusedShapes(t *testing.T) {
	for name, c := range map[string]struct {
		manager Manager
		text    string
	}{
		"a flow map":              {Lefthook, "commit-msg: {commands: {a: {run: x}}}\n"},
		"an alias":                {Lefthook, "x: &x\n  jobs:\n  - run: y\ncommit-msg: *x\n"},
		"an anchor at commands":   {Lefthook, "commit-msg:\n  commands: &c\n    a:\n      run: x\n"},
		"commands in flow":        {Lefthook, "commit-msg:\n  commands: {a: {run: x}}\n"},
		"a list":                  {Lefthook, "commit-msg:\n  - run: x\n"},
		"an empty hook":           {Lefthook, "commit-msg:\npost-commit:\n"},
		"brackets over lines":     {Lefthook, "x: [\n  a\n]\n"},
		"quotes over lines":       {Lefthook, "x: \"a\n  b: c\"\n"},
		"two documents":           {Lefthook, "a: 1\n---\nb: 2\n"},
		"a tab":                   {Lefthook, "a:\n\tb: 1\n"},
		"no repos":                {PreCommit, "fail_fast: true\n"},
		"an empty file":           {PreCommit, ""},
		"a list at the top":       {PreCommit, "- repo: x\n"},
		"repos in flow":           {PreCommit, "repos: []\n"},
		"repos without an item":   {PreCommit, "repos:\nfail_fast: true\n"},
		"items over lines":        {PreCommit, "repos:\n- repo: x\n  hooks: [\n{id: a}\n]\n"},
		"a value that goes on":    {PreCommit, "repos:\n- {repo: x,\n  hooks: []}\n"},
		"a quote that goes on":    {PreCommit, "repos:\n- repo: 'x\n  y'\n"},
		"after the document ends": {PreCommit, "repos:\n- repo: x\n...\n"},
	} {
		if now, err := c.manager.Add(c.manager.Files[0], c.text); !errors.Is(err, ErrShape) {
			t.Errorf("%s: %v\n%s", name, err, now)
		}
	}
	if _, err := Lefthook.Add("lefthook.toml", ""); !errors.Is(err, ErrShape) {
		t.Errorf("TOML: %v", err)
	}
}

// What somebody wrote between our marks, or did to them, loses nothing of theirs.
func TestRemoveEdited(t *testing.T) {
	for text, want := range map[string]string{
		"a\n" + begin + "\nb\n":                         "a\n" + begin + "\nb\n",
		"a\n" + end + "\nb\n":                           "a\n" + end + "\nb\n",
		"a\n  " + begin + "\nours\n  " + end + "\nb":    "a\nb",
		end + "\na\n" + begin + "\nb":                   end + "\na\n" + begin + "\nb",
		begin + "\nx\n" + end + "\n":                    "",
		"a\n" + begin + "\nx\n" + end + "\n" + begin:    "a\n" + begin + "\nx\n" + end + "\n" + begin,
		"a\n" + begin + "\r\nours\r\n" + end + "\r\nb":  "a\nb",
		begin + "\n" + end + "\n" + begin + "\n" + end:  "",
		"a\n" + begin + "\nx\n" + end + "\nb\n" + begin: "a\n" + begin + "\nx\n" + end + "\nb\n" + begin,
	} {
		if got := Remove(text); got != want {
			t.Errorf("Remove(%q) = %q; want %q", text, got, want)
		}
	}
}

func TestLine(t *testing.T) {
	for _, hook := range githooks.Names {
		for _, text := range []string{"", "npm test", "npm test\n", "#!/bin/sh\n\nnpm test\n\n"} {
			now := AddLine(text, hook)
			if !githooks.CallsFrom(hook, now) || !strings.HasPrefix(now, text) {
				t.Errorf("%q: %q", text, now)
			}
			if back := RemoveLine(now, hook); back != text {
				t.Errorf("%q: removed: %q", text, back)
			}
		}
		if mine := githooks.Line(hook) + "\n"; RemoveLine(mine, hook) != mine {
			t.Errorf("a line of the user's is removed: %q", mine)
		}
	}
}

// TestClosed: a line that ends in brackets or quotes goes on in the next one.
func TestClosed(t *testing.T) {
	for line, want := range map[string]bool{
		"a: b": true, "a: [b, c]": true, "a: {b: [c]}": true, "a: [b": false, "a: b]": false, "a: {b: [c]": false,
		`a: "b`: false, `a: "b"`: true, `a: 'b]'`: true, `a: "b \" [c"`: true, "a: it's": true, "a: ['b": false,
		"a: b # [c": true, "a: [b # c]": false, "a: b#[c": false, `a: "b # c"`: true, `a: "b # c`: false,
	} {
		if got := closed(line); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}

// TestRefusal: what a line is refused for, and that comments never are.
func TestRefusal(t *testing.T) {
	for _, c := range []struct {
		line  string
		later bool
		want  string // the beginning of the reason
	}{
		{"a: b\n", true, ""}, {"  # [\n", true, ""}, {"a: >-\n", false, ""}, {"a: [ |\n", false, ""},
		{"  \ta: b\n", false, "a tab"}, {"a: b\t\n", false, ""},
		{"---\n", false, ""}, {"---\n", true, "it has several"}, {"--- # more\n", true, "it has several"}, {"  ---\n", true, ""},
		{"...\n", false, "it has several"}, {"a: [\n", true, "a value"},
	} {
		got := refusal(c.line, strings.TrimSpace(c.line), c.later)
		if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
			t.Errorf("%q, later %v: %q", c.line, c.later, got)
		}
	}
}

// TestMissing: a hook that the file calls us for already gets no second line.
func TestMissing(t *testing.T) {
	text := "commit-msg:\n  commands:\n    mine:\n      run: " + githooks.LineWith("commit-msg", "{1}") + "\n"
	missing := Lefthook.Missing(text)
	if len(missing) != len(Lefthook.Stages)-1 || slices.Contains(missing, "commit-msg") {
		t.Errorf("%v", missing)
	}
	if lines := Lefthook.Lines(text); strings.Contains(lines, "\ncommit-msg:") || !strings.Contains(lines, "post-commit:") {
		t.Error(lines)
	}
}
