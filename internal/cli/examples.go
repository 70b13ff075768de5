package cli

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// addExamples ends the help of each command with examples, where it has none of its own.
func addExamples(commands []*cli.Command, before string, by map[string][]string) {
	for _, c := range commands {
		name := strings.TrimPrefix(before+" "+c.Name, " ")
		if lines := by[name]; lines != nil && !strings.Contains(c.Description, "Examples:") {
			c.Description = strings.TrimLeft(c.Description+"\n\nExamples:\n\n  ", "\n") + strings.Join(lines, "\n  ")
		}
		addExamples(c.Subcommands, name, by)
	}
}

// examples are calls of commands that a reader may paste. A comment says what they are for.
func examples() map[string][]string {
	return map[string][]string{
		"enable": {"entire-plumb enable  # ask which agents", "entire-plumb enable --agent claude-code,codex",
			"entire-plumb enable --user  # once, for all repositories"},
		"disable": {"entire-plumb disable", "entire-plumb disable --purge -n  # what would be deleted"},
		"status":  {"entire-plumb status", "entire-plumb status --short  # one line, for a prompt"},
		"doctor":  {"entire-plumb doctor", "entire-plumb doctor --fix", "entire-plumb doctor --bundle report.txt  # for a bug"},
		"config": {"entire-plumb config  # every setting, with its source",
			"entire-plumb config strategy auto-commit  # here, for you alone",
			"entire-plumb config --project link both  # for all who have the repository",
			"entire-plumb config --unset strategy"},
		"streams":       {"entire-plumb streams --graph", "entire-plumb streams --all  # also deleted ones that are kept"},
		"decide-suffix": {"entire-plumb decide-suffix --explain"},
		"sessions":      {"entire-plumb sessions", "entire-plumb sessions show 3f2a1b9c"},
		"sessions show": {"entire-plumb sessions show 3f2a1b9c  # the beginning of an ID is enough"},
		"stats": {"entire-plumb stats", "entire-plumb stats --by week --since 2026-01-01", "entire-plumb stats --by path --depth 2 -- src",
			"entire-plumb stats --json --by model v1.0..HEAD", "entire-plumb stats --csv --by author > authors.csv"},
		"attribution": {"entire-plumb attribution", "entire-plumb attribution main..feature",
			"entire-plumb attribution --format agent-trace HEAD"},
		"diff": {"entire-plumb diff  # what is not committed", "entire-plumb diff -U0 HEAD~1",
			"entire-plumb diff --stat main...feature -- src"},
		"summary": {"entire-plumb summary  # what this branch adds", "entire-plumb summary --markdown main..feature",
			"entire-plumb summary --fail-over 80% origin/main..HEAD  # a policy, in CI"},
		"today":  {"entire-plumb today", "entire-plumb today --days 7"},
		"search": {"entire-plumb search retry backoff --in answers", "entire-plumb search --repos --since yesterday parser"},
		"mcp":    {"entire-plumb mcp  # an agent starts it"},
		"blame":  {"entire-plumb blame main.go", "entire-plumb blame -L 10,20 HEAD~3 main.go", "entire-plumb blame --prompt main.go"},
		"why": {"entire-plumb why  # the last commits", "entire-plumb why -v HEAD~1  # file by file",
			"entire-plumb why main.go:12  # what was asked for a line"},
		"log": {"entire-plumb log -5", "entire-plumb log --graph main..feature", "entire-plumb log --json -n 100",
			"entire-plumb log --since 2026-01-01 --author Ada -- src"},
		"show": {"entire-plumb show HEAD", "entire-plumb show main.. -- src  # each commit, and the totals",
			"entire-plumb show --transcript a3b2c4d5  # with the conversation"},
		"checkpoints": {"entire-plumb checkpoints --text parser", "entire-plumb checkpoints --file src/parser.go -n -1"},
		"report": {"entire-plumb report HEAD -o report.html", "entire-plumb report main..feature -o review.html",
			"entire-plumb report --since '1 week ago' -o week.html -- src", "entire-plumb report --site public"},
		"export": {"entire-plumb export --markdown HEAD", "entire-plumb export --markdown a3b2c4d5 > conversation.md",
			"entire-plumb export --format git-ai main..feature  # as notes"},
		"rewind": {"entire-plumb rewind  # choose from a list", "entire-plumb rewind -n 1a2b3c4  # what would change",
			"entire-plumb rewind 1a2b3c4 -- main.go  # that file alone", "entire-plumb rewind --undo"},
		"resume":   {"entire-plumb resume feature", "entire-plumb resume -n a3b2c4d5"},
		"reset":    {"entire-plumb reset -n  # what would be deleted", "entire-plumb reset --session 3f2a1b9c"},
		"condense": {"entire-plumb condense 3f2a1b9c"},
		"sync":     {"entire-plumb sync -n  # what would go where", "entire-plumb sync"},
		"fetch":    {"entire-plumb fetch"},
		"clean":    {"entire-plumb clean  # list it", "entire-plumb clean --force  # delete it"},
		"unlink":   {"entire-plumb unlink HEAD", "entire-plumb unlink HEAD~2 a3b2c4d5e6f7"},
		"redact":   {"entire-plumb redact -n notes.txt  # which places, by which rule"},
		"purge":    {"entire-plumb purge -n a3b2c4d5e6f7  # what would change", "entire-plumb purge - <secret.txt"},
		"retain":   {"entire-plumb retain -n --transcripts 60d", "entire-plumb retain --transcripts 200MB"},
		"import": {"entire-plumb import -n  # which, and why", "entire-plumb import --agent codex",
			"entire-plumb import --format git-ai -n  # from notes"},
		"demo":    {"entire-plumb demo --keep"},
		"replay":  {"entire-plumb replay -v testdata/scripts/scenario_1_user_commits.txtar"},
		"hooks":   {"entire-plumb hooks claude-code --help  # the events, and what they take"},
		"version": {"entire-plumb version"},
	}
}
