// Package cli is the command line: it parses arguments, calls what does the work, and prints.
package cli

// It decides nothing.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/seal"
	"entire-plumb/internal/upkeep"
	"entire-plumb/internal/workspace"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// usageError is a call that cannot be understood.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// errQuiet is a failure whose message is printed already.
var errQuiet = errors.New("failed")

// errRefused is a push that pre-push refuses; its reasons are printed already.
var errRefused = errors.New("the push is refused")

// Main runs the program and gives its exit code.
func Main(args []string) int {
	if fault := openFilesFault(); fault != nil {
		fmt.Fprintf(os.Stderr, "entire-plumb: %v\n", fault)
		return hookExitCode(args, exitFailed)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the next signal ends the program, whatever it still waits for
	// A warning whose reader is gone must not kill a hook, and with it the commit. Notify turns the
	// signal into a failed write; git would inherit it if it were ignored.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return hookExitCode(args, run(ctx, args, os.Stdout, os.Stderr))
}

// words are the program's arguments without flags.
func words(args []string) []string {
	isFlag := func(arg string) bool { return strings.HasPrefix(arg, "-") }
	return slices.DeleteFunc(slices.Clone(args[min(1, len(args)):]), isFlag)
}

// isHook reports whether git or an agent calls the program, and not a user.
func isHook(words []string) bool { return len(words) > 0 && words[0] == "hooks" }

// hookExitCode is the exit code that the caller of a hook may see, also after a panic or a usage
// error: git takes any code but 0 for a refusal, and so do agents, some 2, others each. Only a push
// may be refused.
func hookExitCode(args []string, code int) int {
	// The author of a plugin calls it by hand, or in a test, and wants to know.
	if checksEvents(args) {
		return code
	}
	words := words(args)
	refuses := code == githooks.RefusePush && len(words) > 1 && words[1] == "git"
	if isHook(words) && !refuses {
		return exitOK
	}
	return code
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	if !isHook(words(args)) {
		enterPrefix()
	}
	return runHere(ctx, args, stdout, stderr)
}

// runHere runs a command in the current directory.
func runHere(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	errs := &heldWriter{to: stderr}
	out := &printer{to: stdout, errors: errs}
	defer func() {
		// A panic would exit with 2, which stops the agent if this is its hook.
		if r := recover(); r != nil {
			out.close()
			reportPanic(stderr, r)
			code = exitFailed
		}
	}()
	app := bareApp(out, errs, commandsFor(words(args)))
	// The library takes no flag behind an argument, as git's commands do.
	call, err := flagsFirst(app, args)
	if err == nil {
		if printsHelp(call) {
			describe(app) // which takes longer than all else at the start
		}
		err = app.RunContext(ctx, call)
	}
	out.close()
	// An identity that can't be read is no error where nothing is encrypted, but may be why a
	// conversation isn't shown.
	if fault := conversation.IdentityFault(); fault != nil && !isHook(words(args)) && !errors.Is(err, fault) {
		fmt.Fprintf(stderr, "entire-plumb: %s\n%s\n", harmless(fault), seal.Hint)
	}
	// Last, below all that the pager and the command have written.
	code, text := outcome(ctx, out.fault(err))
	if text != "" {
		fmt.Fprintf(stderr, "entire-plumb: %s\n", text)
	}
	return code
}

func reportPanic(w io.Writer, fault any) {
	fmt.Fprintf(w, "entire-plumb: internal error: %v\nhint: please report this bug; ENTIRE_PLUMB_TRACE=1 prints the stack\n", fault)
	if os.Getenv("ENTIRE_PLUMB_TRACE") != "" {
		w.Write(debug.Stack())
	}
}

// outcome is the exit code for an error of a command, and what is said of it; empty: nothing.
func outcome(ctx context.Context, err error) (code int, text string) {
	var usage usageError
	// The library's help command returns one for an unknown topic. Errors that wrap git's exit code
	// are ExitCoders deeper down, and not meant.
	topic, _ := err.(cli.ExitCoder)
	switch {
	case err == nil:
		return exitOK, ""
	case errors.Is(err, errRefused):
		return githooks.RefusePush, ""
	// Before the others: an interrupted command fails in whatever it was doing.
	case ctx.Err() != nil || errors.Is(err, errInterrupted):
		return exitInterrupted, "interrupted"
	case errors.Is(err, errQuiet):
		return exitFailed, ""
	case topic != nil:
		return exitUsage, harmless(err) + "\nhint: entire-plumb --help lists the commands"
	case errors.As(err, &usage):
		return exitUsage, harmless(err)
	}
	return exitFailed, harmless(explain.Error(ctx, err))
}

// harmless is an error's text without control characters, which names of files may contain.
func harmless(err error) string { return gitexec.Harmless(err.Error()) }

// printsHelp reports whether a call may print help.
func printsHelp(call []string) bool {
	words := words(call)
	version := slices.Contains(call, "--version") || slices.Contains(call, "-v")
	return len(words) == 0 && !version || len(words) > 0 && (words[0] == "help" || words[0] == "h") || isHook(words) && len(words) < 3 ||
		slices.Contains(call, "--help") || slices.Contains(call, "-h")
}

// newApp is the program, with its help.
func newApp(stdout, stderr io.Writer) *cli.App {
	app := bareApp(stdout, stderr, allCommands())
	describe(app)
	return app
}

// describe completes the help of commands, and wraps it.
func describe(app *cli.App) {
	cli.HelpPrinter = printHelp
	addExamples(app.Commands, "", examples())
	wrapHelp(app.Commands)
	app.Description = wrapParagraphs(app.Description, helpWidth-3)
}

// helpCommand prints what --help behind a command prints. The library's knows no command below
// another, and leaves out what has some.
func helpCommand() *cli.Command {
	return &cli.Command{
		Name:        "help",
		Aliases:     []string{"h"},
		Usage:       "list the commands, or describe one",
		ArgsUsage:   "[COMMAND...]",
		Description: "Examples:\n\n  entire-plumb help log\n  entire-plumb help sessions show",
		Action: func(c *cli.Context) error {
			call, commands := []string{c.App.Name}, c.App.Commands
			for _, name := range c.Args().Slice() {
				command := named(commands, name)
				switch {
				case command == nil && len(call) == 1:
					return unknownCommand(c, name)
				case command == nil:
					return usagef("unknown command %q\nhint: %s --help", name, strings.Join(call, " "))
				}
				call, commands = append(call, name), command.Subcommands
			}
			return c.App.RunContext(c.Context, append(call, "--help"))
		},
	}
}

// Described is the program with its help, for what writes pages about it.
func Described() *cli.App { return newApp(io.Discard, io.Discard) }

func allCommands() []*cli.Command {
	return []*cli.Command{
		enableCommand(), disableCommand(), statusCommand(), doctorCommand(), paged(streamsCommand()), decideCommand(),
		paged(sessionsCommand()), paged(attributionCommand()), paged(statsCommand()), paged(blameCommand()), paged(whyCommand()),
		paged(logCommand()), paged(showCommand()), paged(diffCommand()), paged(checkpointsCommand()), paged(searchCommand()), paged(summaryCommand()), paged(todayCommand()), reportCommand(), paged(exportCommand()),
		rewindCommand(), resumeCommand(), resetCommand(), condenseCommand(), syncCommand(), fetchCommand(), cleanCommand(),
		unlinkCommand(), redactCommand(), purgeCommand(), retainCommand(), importCommand(), demoCommand(), replayCommand(), hooksCommand(), mcpCommand(),
		configCommand(), versionCommand(), completionCommand(), completeCommand(), helpCommand(),
	}
}

// commandsFor are the commands that a call may mean. To make all of them takes longer than some
// hooks.
func commandsFor(words []string) []*cli.Command {
	if !isHook(words) {
		return allCommands()
	}
	return []*cli.Command{hooksCommand(words[1:]...)}
}

func bareApp(stdout, stderr io.Writer, commands []*cli.Command) *cli.App {
	usage := func(c *cli.Context, err error, sub bool) error {
		name := "entire-plumb"
		if c != nil && c.Command != nil && c.Command.HelpName != "" {
			name = c.Command.HelpName
		}
		return usagef("%s\nhint: %s --help", inOurWords(err), name)
	}
	app := &cli.App{
		Name:                      "entire-plumb",
		Usage:                     "record what AI coding agents do, inside your own git repository",
		HideVersion:               true, // version is a flag and a command of our own
		Writer:                    stdout,
		ErrWriter:                 stderr,
		DisableSliceFlagSeparator: true, // -L 3,4 is one value
		OnUsageError:              usage,
		ExitErrHandler:            func(*cli.Context, error) {},
		Description: "Every turn of an agent becomes a checkpoint on a shadow branch, and can be restored. Every commit\n" +
			"that holds an agent's work gets a link to the conversation behind it. Everything is kept in the\n" +
			"repository, by git's own plumbing; nothing runs in the background.\n\n" +
			"Exit codes: 0 success, 1 failure, 2 wrong usage, 130 interrupted. Hooks exit with 0, but for a push that is\n" +
			"refused.\n\n" +
			"Examples:\n\n  entire-plumb enable --agent claude-code  # to start\n  entire-plumb demo  # a tour",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "trace", Usage: "print each git process on stderr, with its milliseconds"},
			&cli.BoolFlag{Name: "no-pager", Usage: "don't use git's pager"},
			&cli.BoolFlag{Name: "version", Aliases: []string{"v"}, Usage: "print the version"},
			cli.HelpFlag, // which the library adds only beside its own help command
		},
		Commands: commands,
		Action: func(c *cli.Context) error {
			if c.Bool("version") {
				fmt.Fprintln(c.App.Writer, versionOf().line())
				return nil
			}
			if name := c.Args().First(); name != "" {
				return unknownCommand(c, name)
			}
			return cli.ShowAppHelp(c)
		},
	}
	hideFalseDefaults(app.Flags)
	for _, command := range app.Commands {
		inherit(command, usage)
	}
	app.Setup()
	return app
}

// inherit passes the handler of usage errors down, which the library doesn't do, to all commands
// without one of their own.
func inherit(command *cli.Command, usage cli.OnUsageErrorFunc) {
	command.HideHelpCommand = true // a file may be called h, and a branch help
	if command.OnUsageError == nil {
		command.OnUsageError = usage
	}
	hideFalseDefaults(command.Flags)
	for _, sub := range command.Subcommands {
		inherit(sub, command.OnUsageError)
	}
}

// hideFalseDefaults keeps "(default: false)" out of the help of switches.
func hideFalseDefaults(flags []cli.Flag) {
	for _, f := range flags {
		if f, ok := f.(*cli.BoolFlag); ok {
			f.DisableDefaultText = true
		}
	}
}

// otherNames are commands of git and of other programs, and the command here that does the same.
func otherNames() map[string]string {
	return map[string]string{
		"history": "log", "ls": "log", "list": "log", "commits": "log", "shortlog": "stats", "cat": "show", "view": "show",
		"explain": "show", "turn": "show", "turns": "show",
		"restore": "rewind", "checkout": "rewind", "revert": "rewind", "back": "rewind", "goto": "rewind", "undo": "rewind --undo", "rollback": "rewind",
		"continue": "resume", "switch": "resume", "annotate": "blame", "owners": "blame", "who": "blame", "praise": "blame", "author": "blame",
		"authors": "blame", "owner": "blame", "init": "enable", "install": "enable", "setup": "enable", "start": "enable", "on": "enable", "uninstall": "disable", "remove": "disable",
		"stop": "disable", "off": "disable", "check": "doctor", "verify": "doctor", "fsck": "doctor", "debug": "doctor", "health": "doctor",
		"gc": "clean", "prune": "clean", "cleanup": "clean", "delete": "purge", "forget": "purge", "secrets": "redact", "scan": "redact",
		"branches": "streams", "branch": "streams", "stashes": "streams", "statistics": "stats", "cost": "stats", "costs": "stats",
		"price": "stats", "prices": "stats", "tokens": "stats", "usage": "stats", "count": "attribution", "pr": "summary", "mr": "summary", "summarize": "summary",
		"changelog": "summary", "review": "summary", "changes": "diff", "html": "report", "page": "report", "site": "report --site",
		"web": "report --site", "grep": "search", "yesterday": "today", "standup": "today",
		"find": "search", "money": "stats", "info": "status", "state": "status", "st": "status", "push": "sync", "share": "sync", "pull": "fetch", "upgrade": "version",
		"settings": "config", "set": "config", "get": "config", "options": "config", "prompt": "checkpoints", "prompts": "checkpoints", "conversations": "sessions",
		"chats": "sessions", "tour": "demo", "example": "demo", "man": "help", "completions": "completion", "squash": "condense",
	}
}

// unknownCommand is the error for a command that doesn't exist. It names one that is meant perhaps;
// a wrong guess would be worse than none.
func unknownCommand(c *cli.Context, name string) error {
	means := otherNames()[strings.ToLower(name)]
	first, _, _ := strings.Cut(means, " ")
	// In a hook only its own command is there; and a name may not be in the table.
	if named(c.App.Commands, first) == nil {
		means = strings.Join(nearest(strings.ToLower(name), visible(c.App.Commands)), " or ")
	}
	if means == "" {
		return usagef("unknown command %q\nhint: entire-plumb --help lists the commands", name)
	}
	return usagef("unknown command %q\nhint: did you mean entire-plumb %s?", name, means)
}

// visible are the names of the commands that help lists.
func visible(commands []*cli.Command) (names []string) {
	for _, c := range commands {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	return names
}

func unexpected(c *cli.Context, at int) error {
	return usagef("unexpected argument %q\nhint: %s --help", c.Args().Get(at), c.Command.HelpName)
}

// oneOf refuses flags that exclude each other.
func oneOf(c *cli.Context, names ...string) error {
	var set []string
	for _, name := range names {
		if c.IsSet(name) {
			set = append(set, dashed(name))
		}
	}
	if len(set) > 1 {
		return usagef("%s exclude each other\nhint: use one of them", strings.Join(set, " and "))
	}
	return nil
}

// tracer is what --trace and ENTIRE_PLUMB_TRACE ask for.
func tracer(c *cli.Context) *gitexec.Tracer {
	setting := os.Getenv("ENTIRE_PLUMB_TRACE")
	if c.Bool("trace") {
		setting = "1"
	}
	return gitexec.NewTracer(setting, c.App.ErrWriter)
}

// environment is what a hook or command may use of the process. Tests fix the clock and the IDs,
// because they compare whole outputs.
func environment(c *cli.Context) (workspace.Env, error) {
	dir, err := os.Getwd()
	if err != nil {
		return workspace.Env{}, fmt.Errorf("the current directory cannot be read: %w\nhint: change to a directory that exists", err)
	}
	e := workspace.Env{Dir: dir, Stdin: os.Stdin, Stdout: c.App.Writer, Stderr: c.App.ErrWriter,
		Getenv: os.Getenv, Now: time.Now, NewID: workspace.RandomID, Version: version(), Tracer: tracer(c)}
	if fixed, err := time.Parse(time.RFC3339, os.Getenv("ENTIRE_TEST_NOW")); err == nil {
		e.Now = func() time.Time { return fixed }
	}
	if file := os.Getenv("ENTIRE_TEST_IDS"); file != "" {
		e.NewID = func() string { return countedID(file) }
	}
	return e, nil
}

// caughtUp is the environment, and the repository with pending work of hooks finished.
func caughtUp(c *cli.Context) (workspace.Env, *gitexec.Repo, error) {
	e, err := environment(c)
	if err != nil {
		return e, nil, err
	}
	repo, err := gitexec.Discover(c.Context, e.Dir, e.Tracer)
	if err == nil {
		upkeep.CatchUp(c.Context, e, repo)
	}
	return e, repo, err
}

// discover finds the repository that a command is called in.
func discover(c *cli.Context) (*gitexec.Repo, error) {
	e, err := environment(c)
	if err != nil {
		return nil, err
	}
	return gitexec.Discover(c.Context, e.Dir, e.Tracer)
}
