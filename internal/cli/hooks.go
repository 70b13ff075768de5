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
		Usage: "the entry points of git's hooks",
		Description: "The exit code is 0 even after an error, because a hook must not make a commit fail. pre-push exits with " +
			strconv.Itoa(githooks.RefusePush) + "\nif a commit of a shadow branch or of a rewind would be pushed.",
		OnUsageError: func(c *cli.Context, err error, _ bool) error {
			fmt.Fprintf(c.App.ErrWriter, "entire-plumb: %s; the commit is not affected\n", err)
			return nil
		},
	}
	for _, name := range githooks.Names {
		git.Subcommands = append(git.Subcommands, &cli.Command{
			Name:            name,
			Usage:           "called by git's " + name + " hook",
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
		if c.Args().Present() { // a stub of a newer version, with a hook that this one doesn't know
			fmt.Fprintf(c.App.ErrWriter, "entire-plumb: unknown git hook %q; the commit is not affected\n", c.Args().First())
			return nil
		}
		return cli.ShowSubcommandHelp(c)
	}
	claude := &cli.Command{
		Name:  "claude-code",
		Usage: "the entry points of Claude Code's hooks, with the event's JSON on stdin",
		Description: "The exit code after an error is 1, which the agent shows and ignores; never 2, which would stop it. Where\n" +
			"entire-plumb isn't enabled, a line on stderr says so, and the exit code is 0.\n\n" +
			"These fields of an event are read: session_id, transcript_path, prompt, model, tool_use_id, tool_input,\n" +
			"tool_response, agent_id, agent_type and parent_tool_use_id. To call it by hand:\n" +
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

// prePush fails only if the push is refused. The check refuses what it cannot read.
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
	"session-start":      "SessionStart: a session begins, or resumes",
	"user-prompt-submit": "UserPromptSubmit: a turn begins",
	"stop":               "Stop: the turn ends",
	"pre-task":           "PreToolUse of Task: a subagent begins",
	"post-task":          "PostToolUse of Task: a subagent ends",
	"post-todo":          "PostToolUse of TodoWrite: the to-do list changes",
	"session-end":        "SessionEnd: the session ends, and its turn if one is active",
}

// asksForHelp reports whether a hook, which has no flags, was called with --help by hand.
func asksForHelp(c *cli.Context) bool {
	return c.NArg() == 1 && (c.Args().First() == "--help" || c.Args().First() == "-h")
}

// notUsage makes a wrong call of a hook a plain error: exit code 2 would stop the agent.
func notUsage(_ *cli.Context, err error, _ bool) error {
	return fmt.Errorf("%w\nhint: entire-plumb hooks --help", err)
}

// claudeHook runs one of Claude Code's hooks. An error is printed in one line, because the agent
// shows only the first.
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
