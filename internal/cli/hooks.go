package cli

import (
	"fmt"
	"strconv"

	"github.com/urfave/cli/v2"

	"entire-plumb/hooks"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/workspace"
)

func hooksCommand() *cli.Command {
	git := &cli.Command{
		Name:  "git",
		Usage: "what git's hooks call",
		Description: "Whatever goes wrong, the answer is exit code 0: a hook of ours never fails a commit. pre-push answers\n" +
			strconv.Itoa(githooks.RefusePush) + " if a commit of a shadow branch or of a rewind would leave the machine.",
		OnUsageError: func(c *cli.Context, err error, _ bool) error {
			fmt.Fprintf(c.App.ErrWriter, "entire-plumb: %s; the commit is not affected\n", err)
			return nil
		},
	}
	for _, name := range githooks.Names {
		git.Subcommands = append(git.Subcommands, &cli.Command{
			Name:            name,
			Usage:           "called by git's " + name + " hook, with git's arguments",
			SkipFlagParsing: true,
			Action: func(c *cli.Context) error {
				if asksForHelp(c) {
					return cli.ShowSubcommandHelp(c)
				}
				e, err := environment(c)
				if err != nil {
					fmt.Fprintf(c.App.ErrWriter, "entire-plumb: %s; the commit is not affected\n", explain.OneLine(err))
					return nil
				}
				if name == "pre-push" {
					return prePush(c, e)
				}
				e.Git(c.Context, name, c.Args().Slice())
				return nil
			},
		})
	}
	git.Action = func(c *cli.Context) error {
		if c.Args().Present() { // a newer stub may name a hook that this program doesn't know: the commit goes on
			fmt.Fprintf(c.App.ErrWriter, "entire-plumb: unknown git hook %q; the commit is not affected\n", c.Args().First())
			return nil
		}
		return cli.ShowSubcommandHelp(c)
	}
	claude := &cli.Command{
		Name:  "claude-code",
		Usage: "what Claude Code's hooks call, with the event's JSON on stdin",
		Description: "Exit code 1 when something went wrong, which the agent shows and ignores; never 2, which would\n" +
			"stop it. Where entire-plumb isn't enabled a line on stderr says so, with exit code 0.\n\n" +
			"Of each event session_id and transcript_path are read, and of some prompt, model, tool_use_id, tool_input,\n" +
			"tool_response, agent_id, agent_type and parent_tool_use_id. By hand:\n" +
			"echo '{\"session_id\":\"test\",\"prompt\":\"Try it\"}' | entire-plumb hooks claude-code user-prompt-submit",
		OnUsageError: notUsage,
	}
	for _, verb := range hooks.ClaudeCodeVerbs {
		claude.Subcommands = append(claude.Subcommands, &cli.Command{
			Name:            verb,
			Usage:           claudeEvents[verb],
			SkipFlagParsing: true, // a usage error would end with 2, which stops the agent
			Action: func(c *cli.Context) error {
				if asksForHelp(c) {
					return cli.ShowSubcommandHelp(c)
				}
				return claudeHook(c, verb)
			},
		})
	}
	claude.Action = func(c *cli.Context) error {
		if c.Args().Present() {
			return claudeHook(c, c.Args().First())
		}
		return cli.ShowSubcommandHelp(c)
	}
	return &cli.Command{
		Name:         "hooks",
		Usage:        "the entry points of git's and the agents' hooks",
		Subcommands:  []*cli.Command{git, claude},
		OnUsageError: notUsage,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return fmt.Errorf("unknown hook group %q\nhint: hooks git …, or hooks claude-code …", c.Args().First())
			}
			return cli.ShowSubcommandHelp(c)
		},
	}
}

// prePush fails where the push is refused, and nowhere else. What the check itself cannot look at,
// it refuses.
func prePush(c *cli.Context, e hooks.Env) error {
	refused := false
	err := e.Guard(c.Context, "pre-push", func() error {
		refused = e.PrePush(c.Context, c.Args().First())
		return nil
	})
	if err != nil {
		fmt.Fprintf(c.App.ErrWriter, "entire-plumb: pre-push: %s; the push goes on unchecked\n", explain.OneLine(err))
	}
	if refused {
		return errRefused
	}
	return nil
}

// claudeEvents says which of Claude Code's events each verb is called on.
var claudeEvents = map[string]string{
	"session-start":      "SessionStart: a session begins, or goes on",
	"user-prompt-submit": "UserPromptSubmit: a turn begins",
	"stop":               "Stop: the turn ends",
	"pre-task":           "PreToolUse of Task: a subagent begins",
	"post-task":          "PostToolUse of Task: it ends",
	"post-todo":          "PostToolUse of TodoWrite: its list of things to do changes",
	"session-end":        "SessionEnd: the session ends, and its turn if one is going on",
}

// asksForHelp reports whether a hook, which takes no flags of ours, was called by somebody who
// wants to know what it is.
func asksForHelp(c *cli.Context) bool {
	return c.NArg() == 1 && (c.Args().First() == "--help" || c.Args().First() == "-h")
}

// notUsage is a call of a hook that cannot be understood: it must not end with 2, which stops the
// agent.
func notUsage(_ *cli.Context, err error, _ bool) error {
	return fmt.Errorf("%w\nhint: entire-plumb hooks --help", err)
}

// claudeHook runs one of Claude Code's hooks. What goes wrong is one line, of which the agent shows
// the first.
func claudeHook(c *cli.Context, verb string) error {
	e, err := environment(c)
	if err == nil {
		err = e.ClaudeCode(c.Context, verb)
	}
	if err == nil || c.Context.Err() != nil {
		return err
	}
	fmt.Fprintln(c.App.ErrWriter, "entire-plumb:", explain.OneLine(err))
	if workspace.NotRecorded(err) {
		return nil
	}
	return errQuiet
}
