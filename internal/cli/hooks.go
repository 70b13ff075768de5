package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"entire-plumb/hooks"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/workspace"
)

// hooksCommand has the groups of hooks, or only the one that is called.
func hooksCommand(called ...string) *cli.Command {
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
				if probe := os.Getenv(githooks.ProbeVariable); probe != "" && githooks.Probed(probe, name) {
					return nil
				}
				e, err := environment(c)
				if err != nil {
					fmt.Fprintf(c.App.ErrWriter, "entire-plumb: %s; the commit is not affected\n", explain.OneLine(err))
					return nil
				}
				if name == "pre-push" {
					return prePush(c, hooks.Env{Env: e})
				}
				hooks.Env{Env: e}.Git(c.Context, name, c.Args().Slice())
				return nil
			},
		})
	}
	git.Subcommands = append(git.Subcommands, pushOnCommand())
	git.Action = func(c *cli.Context) error {
		if c.Args().Present() { // a stub of a newer version, with a hook that this one doesn't know
			fmt.Fprintf(c.App.ErrWriter, "entire-plumb: unknown git hook %q; the commit is not affected\n", c.Args().First())
			return nil
		}
		return cli.ShowSubcommandHelp(c)
	}
	groups := []*cli.Command{git}
	among := len(called) > 0 && (called[0] == git.Name || slices.Contains(agent.Names(), called[0]))
	for _, a := range agent.All {
		if !among || a.Name == called[0] {
			groups = append(groups, agentHooks(a))
		}
	}
	return &cli.Command{
		Name:         "hooks",
		Usage:        "the entry points of git's and the agents' hooks",
		Flags:        []cli.Flag{&cli.BoolFlag{Name: "user", Usage: "the agent's hook is of the user's own settings: be silent where entire-plumb isn't enabled"}},
		Subcommands:  groups,
		OnUsageError: notUsage,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				name := c.Args().First()
				// The library suggests something for any name: only one that begins the same may be
				// meant.
				if like := cli.SuggestCommand(groups, name); name != "" && strings.Contains(like, `"`+name[:1]) {
					return fmt.Errorf("unknown hook group %q\nhint: %s", name, strings.ToLower(like[:1])+like[1:])
				}
				return fmt.Errorf("unknown hook group %q\nhint: one of git, %s", name, strings.Join(agent.Names(), ", "))
			}
			return cli.ShowSubcommandHelp(c)
		},
	}
}

// pushOnCommand is what pre-push starts where the user lets it go on after the push.
func pushOnCommand() *cli.Command {
	return &cli.Command{
		Name:            hooks.PushOnName,
		Hidden:          true,
		SkipFlagParsing: true,
		Action: func(c *cli.Context) error {
			e, err := environment(c)
			if err == nil {
				hooks.Env{Env: e}.PushOn(c.Context, c.Args().First())
			}
			return nil
		},
	}
}

// prePush fails only if the push is refused. The check refuses what it cannot read.
func prePush(c *cli.Context, e hooks.Env) error {
	refused := false
	err := e.Guard(c.Context, "pre-push", func() error {
		refused = e.PrePush(c.Context, c.Args().First(), c.Args().Get(1))
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

// agentHooks are the entry points of an agent's hooks.
func agentHooks(a agent.Agent) *cli.Command {
	fields := eventFields
	if a.Name == agent.Generic.Name {
		fields = "agent, " + fields
	}
	group := &cli.Command{
		Name:  a.Name,
		Usage: "the entry points of " + a.Title + "'s hooks, with the event's JSON on stdin",
		Description: "The exit code is 0 even after an error, because a hook must not stop an agent: a line on stderr says what\n" +
			"is wrong, and so does the journal.\n\n" +
			"These fields of an event are read: " + fields + ". To call it by hand:\n\n" +
			"  echo '{\"session_id\":\"test\",\"prompt\":\"Try it\"}' | entire-plumb hooks " + a.Name + " user-prompt-submit",
		OnUsageError: notUsage,
	}
	if a.Name == agent.Generic.Name {
		group.Usage = "the entry points for any other agent, with the event's JSON on stdin; an argument is the agent's name"
		group.ArgsUsage = "EVENT [NAME] | --check FILE"
		group.Description += "\n\nFor the author of a plugin: --check reads the events that the plugin sent from FILE, or from standard input where it\n" +
			"is -: one a line, each with its \"verb\". It says what would be recorded of each and what is wrong, also in the transcripts that they name. The exit code is 1\n" +
			"where something is wrong. See docs/generic.md."
		group.Flags = []cli.Flag{
			&cli.BoolFlag{Name: "check", Usage: "say what would be recorded of the events in a file, and what is wrong"},
			&cli.BoolFlag{Name: "json", Usage: "with --check: print it as JSON"},
		}
	}
	for _, verb := range a.Verbs() {
		group.Subcommands = append(group.Subcommands, &cli.Command{
			Name:            verb,
			Usage:           eventUsage(a, verb),
			SkipFlagParsing: true,
			Action: func(c *cli.Context) error {
				if asksForHelp(c) {
					return cli.ShowSubcommandHelp(c)
				}
				by := a
				// Any program calls the generic agent's: it says its own name.
				if a.Name == agent.Generic.Name && c.Args().Present() {
					by.Title = c.Args().First()
				}
				return agentHook(c, by, verb)
			},
		})
	}
	group.Action = func(c *cli.Context) error {
		if c.Bool("check") {
			return checkEvents(c)
		}
		if c.Args().Present() {
			return agentHook(c, a, c.Args().First())
		}
		return cli.ShowSubcommandHelp(c)
	}
	return group
}

// eventFields are the keys of an event that are read.
const eventFields = "session_id, cwd, transcript_path, prompt, session_title, model,\n" +
	"stop_hook_active, background_tasks, tool_use_id, tool_input, tool_response, agent_id, agent_type,\n" +
	"agent_transcript_path and parent_tool_use_id"

// verbMeans says what the event of a verb tells.
var verbMeans = map[string]string{
	agent.SessionStart:   "a session begins, or resumes",
	agent.Prompt:         "a turn begins",
	agent.Stop:           "the turn ends",
	agent.TaskStart:      "a subagent begins",
	agent.TaskEnd:        "a subagent ends",
	agent.TaskStep:       "the to-do list changes",
	agent.WorktreeChange: "the agent goes on in another worktree",
	agent.SubagentStop:   "the subagent ends",
	agent.SessionEnd:     "the session ends, and its turn if one is active",
}

// eventUsage says which of an agent's events a verb is called on, and what that means.
func eventUsage(a agent.Agent, verb string) string {
	var names []string
	for _, e := range a.Events {
		switch {
		case e.Verb != verb || a.UserSettings == "":
		case e.Matcher != "":
			names = append(names, e.Name+" of "+strings.ReplaceAll(e.Matcher, "|", ", "))
		default:
			names = append(names, e.Name)
		}
	}
	if len(names) == 0 {
		return verbMeans[verb]
	}
	return strings.Join(names, ", ") + ": " + verbMeans[verb]
}

// asksForHelp reports whether a hook, which has no flags, was called with --help by hand.
func asksForHelp(c *cli.Context) bool {
	return c.NArg() == 1 && (c.Args().First() == "--help" || c.Args().First() == "-h")
}

// notUsage makes a wrong call of a hook a plain error, without a page of help.
func notUsage(_ *cli.Context, err error, _ bool) error {
	return fmt.Errorf("%w\nhint: entire-plumb hooks --help", err)
}

// agentHook runs one of an agent's hooks. An error is printed in one line, because the agent
// shows only the first.
func agentHook(c *cli.Context, a agent.Agent, verb string) error {
	env, err := environment(c)
	e := hooks.Env{Env: env, User: c.Bool("user")}
	if err != nil && e.User { // nothing is enabled in a directory that is gone
		return nil
	}
	if err == nil {
		err = e.Agent(c.Context, a, verb)
	}
	if err == nil || c.Context.Err() != nil {
		return err
	}
	suffix := "; the agent is not affected"
	if workspace.NotRecorded(err) || errors.Is(err, hooks.ErrUnknownEvent) { // perhaps of a newer version
		suffix = ""
	}
	fmt.Fprintln(c.App.ErrWriter, "entire-plumb:", explain.OneLine(err)+suffix)
	return nil
}
