package cli

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// addExamples ends the help of each command with examples, where it has none of its own.
func addExamples(commands []*cli.Command, before string) {
	for _, c := range commands {
		name := strings.TrimPrefix(before+" "+c.Name, " ")
		if lines := examplesOf(name); lines != nil && !strings.Contains(c.Description, "Examples:") {
			c.Description = strings.TrimLeft(c.Description+"\n\nExamples:\n\n  ", "\n") + strings.Join(lines, "\n  ")
		}
		addExamples(c.Subcommands, name)
	}
}

// examplesOf are calls of a command that a reader may paste. A comment says what they are for.
func examplesOf(name string) []string {
	switch name {
	case "enable":
		return []string{"entire-plumb enable  # ask which agents", "entire-plumb enable --agent claude-code,codex",
			"entire-plumb enable --user  # once, for all repositories"}
	case "disable":
		return []string{"entire-plumb disable", "entire-plumb disable --purge -n  # what would be deleted"}
	case "status":
		return []string{"entire-plumb status", "entire-plumb status --short  # one line, for a prompt"}
	case "doctor":
		return []string{"entire-plumb doctor", "entire-plumb doctor --fix", "entire-plumb doctor --bundle report.txt  # for a bug"}
	case "config":
		return []string{"entire-plumb config  # every setting, with its source",
			"entire-plumb config strategy auto-commit  # here, for you alone", "entire-plumb config --project link both  # for all who have the repository",
			"entire-plumb config --unset strategy"}
	case "streams":
		return []string{"entire-plumb streams --graph", "entire-plumb streams --all  # also deleted ones that are kept"}
	case "decide-suffix":
		return []string{"entire-plumb decide-suffix --explain"}
	case "sessions":
		return []string{"entire-plumb sessions", "entire-plumb sessions show 3f2a1b9c"}
	case "sessions show":
		return []string{"entire-plumb sessions show 3f2a1b9c  # the beginning of an ID is enough"}
	case "stats":
		return []string{"entire-plumb stats", "entire-plumb stats --by week --since 2026-01-01", "entire-plumb stats --by path --depth 2 -- src",
			"entire-plumb stats --json --by model v1.0..HEAD", "entire-plumb stats --csv --by author > authors.csv"}
	case "attribution":
		return []string{"entire-plumb attribution", "entire-plumb attribution main..feature", "entire-plumb attribution --format agent-trace HEAD"}
	case "diff":
		return []string{"entire-plumb diff  # what is not committed", "entire-plumb diff -U0 HEAD~1", "entire-plumb diff --stat main...feature -- src"}
	case "summary":
		return []string{"entire-plumb summary  # what this branch adds", "entire-plumb summary --markdown main..feature",
			"entire-plumb summary --fail-over 80% origin/main..HEAD  # a policy, in CI"}
	case "today":
		return []string{"entire-plumb today", "entire-plumb today --days 7"}
	case "search":
		return []string{"entire-plumb search retry backoff --in answers", "entire-plumb search --repos --since yesterday parser"}
	case "mcp":
		return []string{"entire-plumb mcp  # an agent starts it"}
	case "blame":
		return []string{"entire-plumb blame main.go", "entire-plumb blame -L 10,20 HEAD~3 main.go", "entire-plumb blame --prompt main.go"}
	case "why":
		return []string{"entire-plumb why  # the last commits", "entire-plumb why -v HEAD~1  # file by file", "entire-plumb why main.go:12  # what was asked for a line"}
	case "log":
		return []string{"entire-plumb log -5", "entire-plumb log --graph main..feature", "entire-plumb log --json -n 100",
			"entire-plumb log --since 2026-01-01 --author Ada -- src"}
	case "show":
		return []string{"entire-plumb show HEAD", "entire-plumb show main.. -- src  # each commit, and the totals", "entire-plumb show --transcript a3b2c4d5  # with the conversation"}
	case "checkpoints":
		return []string{"entire-plumb checkpoints --text parser", "entire-plumb checkpoints --file src/parser.go -n -1"}
	case "report":
		return []string{"entire-plumb report HEAD -o report.html", "entire-plumb report main..feature -o review.html",
			"entire-plumb report --since '1 week ago' -o week.html -- src", "entire-plumb report --site public"}
	case "export":
		return []string{"entire-plumb export --markdown HEAD", "entire-plumb export --markdown a3b2c4d5 > conversation.md",
			"entire-plumb export --format git-ai main..feature  # as notes"}
	case "rewind":
		return []string{"entire-plumb rewind  # choose from a list", "entire-plumb rewind -n 1a2b3c4  # what would change",
			"entire-plumb rewind 1a2b3c4 -- main.go  # that file alone", "entire-plumb rewind --undo"}
	case "resume":
		return []string{"entire-plumb resume feature", "entire-plumb resume -n a3b2c4d5"}
	case "reset":
		return []string{"entire-plumb reset -n  # what would be deleted", "entire-plumb reset --session 3f2a1b9c"}
	}
	return moreExamplesOf(name)
}

// moreExamplesOf are those of commands that are rarely called.
func moreExamplesOf(name string) []string {
	switch name {
	case "condense":
		return []string{"entire-plumb condense 3f2a1b9c"}
	case "sync":
		return []string{"entire-plumb sync -n  # what would go where", "entire-plumb sync"}
	case "fetch":
		return []string{"entire-plumb fetch"}
	case "clean":
		return []string{"entire-plumb clean  # list it", "entire-plumb clean --force  # delete it"}
	case "unlink":
		return []string{"entire-plumb unlink HEAD", "entire-plumb unlink HEAD~2 a3b2c4d5e6f7"}
	case "redact":
		return []string{"entire-plumb redact -n notes.txt  # which places, by which rule"}
	case "purge":
		return []string{"entire-plumb purge -n a3b2c4d5e6f7  # what would change", "entire-plumb purge - <secret.txt"}
	case "retain":
		return []string{"entire-plumb retain -n --transcripts 60d", "entire-plumb retain --transcripts 200MB"}
	case "import":
		return []string{"entire-plumb import -n  # which, and why", "entire-plumb import --agent codex",
			"entire-plumb import --format git-ai -n  # from notes"}
	case "demo":
		return []string{"entire-plumb demo --keep"}
	case "replay":
		return []string{"entire-plumb replay -v testdata/scripts/scenario_1_user_commits.txtar"}
	case "hooks":
		return []string{"entire-plumb hooks claude-code --help  # the events, and what they take"}
	case "version":
		return []string{"entire-plumb version"}
	}
	return nil
}
