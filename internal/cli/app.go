// Package cli is the command line: it parses arguments, calls what does the work, and prints. It
// decides nothing.
package cli

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
	"entire-plumb/hooks"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/query"
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

// errQuiet is a failure that has said all there is to say.
var errQuiet = errors.New("failed")

// errRefused is a push that pre-push refuses. It has said why.
var errRefused = errors.New("the push is refused")

// Main runs the program and gives its exit code.
func Main(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A warning that nobody reads any more must not kill a hook, and with it the commit. Asking to
	// be told of the signal turns it into a failed write; ignoring it would be passed on to git.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return allowed(args, run(ctx, args, os.Stdout, os.Stderr))
}

// allowed is the exit code that the caller of a hook may see, whatever went wrong, panics and calls
// that cannot be understood included: git takes any but 0 for a refusal, and agents take 2 for one.
func allowed(args []string, code int) int {
	words := slices.DeleteFunc(slices.Clone(args[min(1, len(args)):]), func(arg string) bool { return strings.HasPrefix(arg, "-") })
	switch {
	case len(words) == 0 || words[0] != "hooks":
		return code
	case len(words) > 1 && words[1] == "git" && code != githooks.RefusePush:
		return exitOK
	case code == exitUsage:
		return exitFailed
	}
	return code
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	errs := &patient{to: stderr}
	out := &printer{to: stdout, errors: errs}
	defer func() {
		// A panic would end with 2, which stops the agent where its hook is what ran.
		if r := recover(); r != nil {
			out.close()
			fmt.Fprintf(stderr, "entire-plumb: a bug of this program: %v\nhint: please report it; with ENTIRE_PLUMB_TRACE=1 it says where\n", r)
			if os.Getenv("ENTIRE_PLUMB_TRACE") != "" {
				stderr.Write(debug.Stack())
			}
			code = exitFailed
		}
	}()
	app := newApp(out, errs)
	err := app.RunContext(ctx, inOrder(app, args))
	out.close()
	if errors.Is(err, errRefused) {
		return githooks.RefusePush
	}
	if errors.Is(out.failed, syscall.EPIPE) {
		return exitOK // whoever reads has read enough
	}
	if err == nil && out.failed != nil {
		err = fmt.Errorf("the output cannot be written: %w\nhint: see where it goes to", out.failed)
	}
	var usage usageError
	topic, _ := err.(cli.ExitCoder) // of the library's own help command, for want of a topic; what wraps git's own exit isn't meant
	switch {
	case err == nil:
		return exitOK
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "entire-plumb: interrupted")
		return exitInterrupted
	case errors.Is(err, errQuiet):
		return exitFailed
	case topic != nil:
		fmt.Fprintf(stderr, "entire-plumb: %s\nhint: entire-plumb --help lists the commands\n", harmless(err))
		return exitUsage
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "entire-plumb: %s\n", harmless(err))
		return exitUsage
	}
	fmt.Fprintf(stderr, "entire-plumb: %s\n", harmless(explain.Error(ctx, err)))
	return exitFailed
}

// harmless gives an error as a terminal may show it: names of files may be in it.
func harmless(err error) string { return gitexec.Harmless(err.Error()) }

func newApp(stdout, stderr io.Writer) *cli.App {
	usage := func(c *cli.Context, err error, sub bool) error {
		name := "entire-plumb"
		if c != nil && c.Command != nil && c.Command.HelpName != "" {
			name = c.Command.HelpName
		}
		return usagef("%s\nhint: %s --help", err, name)
	}
	app := &cli.App{
		Name:                      "entire-plumb",
		Usage:                     "record what AI coding agents do, inside your own git repository",
		Version:                   version(),
		HideVersion:               true, // version is a flag and a command of our own
		Writer:                    stdout,
		ErrWriter:                 stderr,
		EnableBashCompletion:      true,
		Suggest:                   true,
		DisableSliceFlagSeparator: true, // -L 3,4 is one value
		OnUsageError:              usage,
		ExitErrHandler:            func(*cli.Context, error) {},
		Description: "Every turn of an agent becomes a checkpoint that can be restored, on a shadow branch of its own;\n" +
			"every commit that holds an agent's work gets a link to the conversation behind it. All of it is\n" +
			"kept in the repository, by git's own plumbing; nothing runs in the background.\n\n" +
			"Begin with:  entire-plumb enable --agent claude-code\n" +
			"Look around: entire-plumb demo",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "trace", Usage: "print each git process on stderr, with its milliseconds (or ENTIRE_PLUMB_TRACE=1)"},
			&cli.BoolFlag{Name: "no-pager", Usage: "print long answers straight to the terminal, not through git's pager"},
			&cli.BoolFlag{Name: "version", Usage: "print the version"},
		},
		Commands: []*cli.Command{
			enableCommand(), disableCommand(), statusCommand(), paged(streamsCommand()), decideCommand(), paged(sessionsCommand()), paged(attributionCommand()),
			paged(blameCommand()), paged(whyCommand()), paged(logCommand()), paged(showCommand()), paged(checkpointsCommand()), reportCommand(), rewindCommand(), demoCommand(), replayCommand(),
			hooksCommand(), versionCommand(), completionCommand(),
		},
		Action: func(c *cli.Context) error {
			if c.Bool("version") {
				fmt.Fprintln(c.App.Writer, versionLine())
				return nil
			}
			if name := c.Args().First(); name != "" {
				return unknownCommand(c, name)
			}
			return cli.ShowAppHelp(c)
		},
	}
	plain(app.Flags)
	for _, command := range app.Commands {
		inherit(command, usage)
	}
	app.Setup()
	app.Command("help").Usage = "list the commands, or describe one" // the library's own, in our words
	return app
}

// inherit gives commands what the library doesn't pass down: the handler of usage errors, down to
// those with one of their own.
func inherit(command *cli.Command, usage cli.OnUsageErrorFunc) {
	command.HideHelpCommand = len(command.Subcommands) == 0 // a file may be called h, and a branch help
	if command.OnUsageError == nil {
		command.OnUsageError = usage
	}
	plain(command.Flags)
	for _, sub := range command.Subcommands {
		inherit(sub, command.OnUsageError)
	}
}

// plain leaves out of help that a switch is off unless it is given.
func plain(flags []cli.Flag) {
	for _, f := range flags {
		if f, ok := f.(*cli.BoolFlag); ok {
			f.DisableDefaultText = true
		}
	}
}

func unknownCommand(c *cli.Context, name string) error {
	hint := "hint: entire-plumb --help lists the commands"
	// The library always finds something, and says it as a question: only what begins alike is
	// worth asking.
	if like := cli.SuggestCommand(c.App.Commands, name); strings.Contains(like, `"`+name[:1]) {
		hint = "hint: " + strings.ToLower(like[:1]) + like[1:]
	}
	return usagef("unknown command %q\n%s", name, hint)
}

// noArguments refuses what would otherwise be passed over in silence.
func noArguments(c *cli.Context) error {
	if c.Args().Present() {
		return unexpected(c, 0)
	}
	return nil
}

// unexpected refuses an argument.
func unexpected(c *cli.Context, at int) error {
	return usagef("unexpected argument %q\nhint: %s --help", c.Args().Get(at), c.Command.HelpName)
}

// oneOf refuses flags of which each asks for another answer.
func oneOf(c *cli.Context, names ...string) error {
	var set []string
	for _, name := range names {
		if c.IsSet(name) {
			set = append(set, "--"+name)
		}
	}
	if len(set) > 1 {
		return usagef("%s are different answers\nhint: ask for one of them", strings.Join(set, " and "))
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

// environment is the world as hooks see it. The clock and the IDs can be fixed by tests, whose
// output is compared whole.
func environment(c *cli.Context) (hooks.Env, error) {
	dir, err := os.Getwd()
	if err != nil {
		return hooks.Env{}, fmt.Errorf("the current directory cannot be read: %w\nhint: change to a directory that exists", err)
	}
	e := workspace.Env{Dir: dir, Stdin: os.Stdin, Stdout: c.App.Writer, Stderr: c.App.ErrWriter, Getenv: os.Getenv, Now: time.Now, NewID: workspace.RandomID,
		Version: version(), Tracer: tracer(c)}
	if fixed, err := time.Parse(time.RFC3339, os.Getenv("ENTIRE_TEST_NOW")); err == nil {
		e.Now = func() time.Time { return fixed }
	}
	if file := os.Getenv("ENTIRE_TEST_IDS"); file != "" {
		e.NewID = func() string { return countedID(file) }
	}
	return hooks.Env{Env: e}, nil
}

// source is where questions are asked. What hooks left undone is finished before anything is read.
func source(c *cli.Context) (query.Source, error) {
	e, err := environment(c)
	return query.Source{Env: e.Env, CatchUp: e.CatchUp}, err
}

// caughtUp is discover for a command that tells of what is recorded: what hooks left undone is made
// up for first.
func caughtUp(c *cli.Context) (*gitexec.Repo, error) {
	e, err := environment(c)
	if err != nil {
		return nil, err
	}
	repo, err := gitexec.Discover(c.Context, e.Dir, e.Tracer)
	if err == nil {
		e.CatchUp(c.Context, repo)
	}
	return repo, err
}

// discover finds the repository that a command is called in.
func discover(c *cli.Context) (*gitexec.Repo, error) {
	e, err := environment(c)
	if err != nil {
		return nil, err
	}
	return gitexec.Discover(c.Context, e.Dir, e.Tracer)
}
