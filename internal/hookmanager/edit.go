package hookmanager

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"entire-plumb/internal/githooks"
)

// What is edited is the block style that people write and the managers' documentation has. Lines go
// right behind a key, where it is certain that no value goes on; anything else is refused.

// editPreCommit makes our hooks the first item of repos.
func editPreCommit(text string, stages []string) (string, error) {
	lines, err := blockLines(text)
	if err != nil {
		return "", err
	}
	at, ok := lines.named("", "repos")
	if !ok || !lines[at].opens("repos") {
		return "", fmt.Errorf("%w: it has no list repos in block style", ErrShape)
	}
	first := lines.content(at+1, len(lines))
	if first < 0 || !strings.HasPrefix(strings.TrimLeft(lines[first].text, " "), "- ") {
		return "", fmt.Errorf("%w: its list repos is empty, or not in block style", ErrShape)
	}
	return lines.insert(at, marked(lines[first].indent(), preCommitItem(stages))), nil
}

// preCommitItem is the item of repos that calls us. It does nothing where our stub stands behind
// pre-commit's hook, which runs it first.
func preCommitItem(stages []string) []string {
	lines := []string{"- repo: local", "  hooks:"}
	for _, stage := range stages {
		args := `"$1"`
		if stage == "prepare-commit-msg" {
			args = `"$1" $PRE_COMMIT_COMMIT_MSG_SOURCE $PRE_COMMIT_COMMIT_OBJECT_NAME`
		}
		lines = append(lines,
			"  - id: entire-plumb-"+stage,
			"    name: entire-plumb "+stage,
			"    language: system",
			"    stages: ["+stage+"]",
			"    always_run: true",
			"    entry: >-",
			`      sh -c 'grep -qs "entire-plumb stub" "$(git rev-parse --git-path hooks/`+stage+`.legacy)" && exit 0;`,
			"      "+githooks.LineWith(stage, args)+"' sh",
		)
	}
	return lines
}

// editLefthook adds a command to each hook.
func editLefthook(text string, stages []string) (string, error) {
	lines, err := blockLines(text)
	if err != nil {
		return "", err
	}
	var fresh []string
	for _, stage := range stages {
		at, there := lines.named("", stage)
		if !there {
			fresh = append(fresh, stage)
			continue
		}
		next, err := lines.addCommand(at, stage)
		if err != nil {
			return "", err
		}
		if lines, err = blockLines(next); err != nil {
			return "", err
		}
	}
	text = lines.join()
	if len(fresh) == 0 {
		return text, nil
	}
	block := marked("", strings.Split(strings.TrimSuffix(lefthookBlock(fresh), "\n"), "\n"))
	if text != "" && !strings.HasSuffix(text, "\n") {
		return text + "\n" + strings.TrimSuffix(block, "\n"), nil
	}
	return text + block, nil
}

// addCommand adds our command to a hook that is there.
func (lines yamlLines) addCommand(at int, stage string) (string, error) {
	refused := fmt.Errorf("%w: its hook %s is not in block style", ErrShape, stage)
	if !lines[at].opens(stage) {
		return "", refused
	}
	first, ends := lines.content(at+1, len(lines)), lines.blockEnd(at)
	if first < 0 || first >= ends || strings.HasPrefix(strings.TrimSpace(lines[first].text), "-") {
		return "", refused
	}
	indent := lines[first].indent()
	commands, there := lines[:ends].named(indent, "commands")
	switch {
	case !there || commands < at:
		block := append([]string{"commands:"}, indented("  ", lefthookCommand(stage))...)
		return lines.insert(at, marked(indent, block)), nil
	case !lines[commands].opens("commands"):
		return "", refused
	}
	first = lines.content(commands+1, ends)
	if first < 0 || len(lines[first].indent()) <= len(indent) {
		return "", refused
	}
	return lines.insert(commands, marked(lines[first].indent(), lefthookCommand(stage))), nil
}

// blockEnd is the line behind the value of a key at the top level.
func (lines yamlLines) blockEnd(at int) int {
	for at++; at < len(lines) && (lines[at].blank || lines[at].indent() != ""); at++ {
	}
	return at
}

func lefthookBlock(stages []string) string {
	var b strings.Builder
	for _, stage := range stages {
		block := slices.Concat([]string{stage + ":", "  commands:"}, indented("    ", lefthookCommand(stage)))
		b.WriteString(strings.Join(block, "\n") + "\n")
	}
	return b.String()
}

// lefthookCommand calls us for a hook, unless a stub of ours stands in front of lefthook's hook:
// then that does. lefthook puts git's arguments into the text as they are, and leaves those that
// are missing.
func lefthookCommand(stage string) []string {
	run := []string{"case $ENTIRE_PLUMB_KEPT in *." + stage + "*) exit 0;; esac"}
	args, input := "{1}", ""
	switch stage {
	case "prepare-commit-msg":
		run = append(run, "{ IFS= read -r file; read -r source commit; } <<'END'", "{1}", "{2} {3}", "END",
			`case $source in "{"*) source= commit=;; esac`, `case $commit in "{"*) commit=;; esac`)
		args = `"$file" $source $commit`
	case "commit-msg":
		run = append(run, "IFS= read -r file <<'END'", "{1}", "END")
		args = `"$file"`
	case "post-commit":
		args = ""
	case "post-rewrite":
		input = "  use_stdin: true"
	}
	run = append(run, githooks.LineWith(stage, args))
	command := append([]string{"entire-plumb:", "  run: |"}, indented("    ", run)...)
	if input != "" {
		command = append(command, input)
	}
	return command
}

func indented(by string, lines []string) []string {
	all := make([]string, 0, len(lines))
	for _, l := range lines {
		all = append(all, by+l)
	}
	return all
}

// yamlLine is a line of a YAML file with its line feed; blank if it has no content of its own,
// being empty, a comment, or in a block scalar.
type yamlLine struct {
	text  string
	blank bool
}

type yamlLines []yamlLine

var scalarBegins = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[:\s-])[|>][-+0-9]*\s*(#.*)?$`) })

// blockLines splits a file whose lines can be told apart without a parser: no value in brackets or
// quotes goes on in the next line, there is one document, and no tab indents.
func blockLines(text string) (yamlLines, error) {
	var lines yamlLines
	scalar := -1 // the indentation of the line that a block scalar began in
	for line := range strings.Lines(text) {
		content := strings.TrimSpace(line)
		depth := len(line) - len(strings.TrimLeft(line, " "))
		if content == "" || scalar >= 0 && depth > scalar {
			lines = append(lines, yamlLine{line, true})
			continue
		}
		scalar = -1
		blank := content == "---" || strings.HasPrefix(content, "#")
		if why := refusal(line, content, lines.content(0, len(lines)) >= 0); why != "" {
			return nil, fmt.Errorf("%w: %s", ErrShape, why)
		}
		if !blank && scalarBegins().MatchString(content) {
			scalar = depth
		}
		lines = append(lines, yamlLine{line, blank})
	}
	return lines, nil
}

// refusal says why a line can't be told apart from others; empty: it can. later: it is behind
// content.
func refusal(line, content string, later bool) string {
	switch {
	case strings.HasPrefix(content, "#"):
		return ""
	case strings.HasPrefix(strings.TrimLeft(line, " "), "\t"):
		return "a tab indents"
	case content == "..." || later && strings.HasPrefix(line, "---"):
		return "it has several documents"
	case !scalarBegins().MatchString(content) && !closed(content):
		return "a value in brackets or quotes goes on in the next line"
	}
	return ""
}

// nesting is how much deeper a character is in brackets than the one before it.
var nesting = map[rune]int{'[': 1, '{': 1, ']': -1, '}': -1}

// closed reports whether a line ends outside of brackets and quotes.
func closed(line string) bool {
	depth, quote := 0, rune(0)
	before := ' '
	for _, r := range line {
		switch {
		case quote != 0:
			if r == quote && before != '\\' {
				quote = 0
			}
		case r == '#' && before == ' ':
			return depth == 0
		case strings.ContainsRune(`"'`, r) && strings.ContainsRune(" [{,:-", before):
			quote = r
		default:
			depth += nesting[r]
		}
		before = r
	}
	return depth == 0 && quote == 0
}

func (l yamlLine) indent() string {
	return l.text[:len(l.text)-len(strings.TrimLeft(l.text, " "))]
}

// opens reports whether the line is a key whose value begins in the next line.
func (l yamlLine) opens(key string) bool {
	value, ok := strings.CutPrefix(strings.TrimSpace(l.text), key+":")
	value = strings.TrimSpace(value)
	return ok && (value == "" || strings.HasPrefix(value, "#"))
}

// named finds the line of a key of an indentation, in whatever way it is written; the last one.
func (lines yamlLines) named(indent, key string) (int, bool) {
	for i, l := range slices.Backward(lines) {
		name, _, _ := strings.Cut(strings.TrimSpace(l.text), ":")
		if !l.blank && l.indent() == indent && strings.Trim(strings.TrimSpace(name), `"'`) == key {
			return i, true
		}
	}
	return 0, false
}

// content is the first line that is not blank; -1 if there is none.
func (lines yamlLines) content(from, to int) int {
	for i := from; i < to; i++ {
		if !lines[i].blank {
			return i
		}
	}
	return -1
}

// insert returns the text with a block behind a line.
func (lines yamlLines) insert(at int, block string) string {
	return lines[:at+1].join() + block + lines[at+1:].join()
}

func (lines yamlLines) join() string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text)
	}
	return b.String()
}
