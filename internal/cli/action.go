package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/query"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/turns"
	"entire-plumb/internal/upkeep"
	"entire-plumb/internal/workspace"
)

// check refuses a call that makes no sense.
type check = cli.BeforeFunc

// takes allows a number of arguments at most, because the library would ignore more, and one of the
// flags that exclude each other.
func takes(most int, exclude ...string) check {
	return func(c *cli.Context) error {
		if c.NArg() > most {
			return unexpected(c, most)
		}
		return oneOf(c, exclude...)
	}
}

// listing is takes for a command that lists all: one alone is shown by another.
func listing(exclude ...string) check {
	return func(c *cli.Context) error {
		if c.NArg() > 0 {
			return usagef("unexpected argument %q\nhint: entire-plumb show %s", c.Args().First(), gitexec.ShellQuote(c.Args().First()))
		}
		return oneOf(c, exclude...)
	}
}

// excluding allows any number of arguments, and one of the flags that exclude each other.
func excluding(flags ...string) check {
	return func(c *cli.Context) error { return oneOf(c, flags...) }
}

// needs is takes for a command that needs an argument. missing is the error without one.
func needs(missing string, most int, exclude ...string) check {
	return func(c *cli.Context) error {
		if c.NArg() == 0 {
			return usageError{missing}
		}
		return takes(most, exclude...)(c)
	}
}

// notEmpty refuses empty names: a script whose variable is not set would act on something else.
func notEmpty(c *cli.Context) error {
	if slices.Contains(c.Args().Slice(), "") {
		return usagef("an argument is empty\nhint: %s --help", c.Command.HelpName)
	}
	for _, name := range []string{"session", "base", "rev"} {
		if c.IsSet(name) && c.String(name) == "" {
			return usagef("--%s is empty\nhint: leave it out, or give a name: %s --help", name, c.Command.HelpName)
		}
	}
	return nil
}

// withEnvironment is the action of a command that may use something of the process.
func withEnvironment(allowed check, do func(*cli.Context, workspace.Env) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		if err := cmp.Or(allowed(c), notEmpty(c)); err != nil {
			return err
		}
		e, err := environment(c)
		if err != nil {
			return err
		}
		return source(e).Explain(c.Context, do(c, e))
	}
}

// reading is the action of a command that answers a question.
func reading(allowed check, do func(*cli.Context, query.Source) error) cli.ActionFunc {
	return withEnvironment(allowed, func(c *cli.Context, e workspace.Env) error {
		s := source(e)
		s.CatchUp = warned(s.CatchUp)
		return do(c, s)
	})
}

// warned also says that git's hooks here don't run this program any more, as after husky has set
// core.hooksPath: what is read then lacks what they would have recorded.
func warned(catchUp func(context.Context, workspace.Env, *gitexec.Repo) bool) func(context.Context, workspace.Env, *gitexec.Repo) bool {
	said := false
	return func(ctx context.Context, e workspace.Env, repo *gitexec.Repo) bool {
		if what := githooks.Silent(repo.SharedDir(), repo.HooksDir).Problem(repo.HooksDir); what != "" && !said {
			if _, err := settings.Load(ctx, repo); err == nil {
				e.Warn(what + "\nhint: entire-plumb enable")
				said = true
			}
		}
		return catchUp(ctx, e, repo)
	}
}

// withRepository is the action of a command that gets the repository, with pending work of hooks
// finished.
func withRepository(allowed check, do func(*cli.Context, workspace.Env, *gitexec.Repo) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		if err := cmp.Or(allowed(c), notEmpty(c)); err != nil {
			return err
		}
		e, repo, err := caughtUp(c)
		if err != nil {
			return err
		}
		return source(e).Explain(c.Context, do(c, e, repo))
	}
}

// source is what commands read from. Pending work of hooks is finished before anything is read.
func source(e workspace.Env) query.Source {
	return query.Source{Env: e, CatchUp: upkeep.CatchUp, Relink: commits.Relink, Foresee: turns.Foresee, Whereabouts: upkeep.Works}
}

// isOff reports whether an error says that recording is off here.
func isOff(err error) bool {
	return errors.Is(err, settings.ErrNotEnabled) || errors.Is(err, settings.ErrDisabled)
}

// nothing says that a list is empty, and what to do about it where recording is off.
func nothing(c *cli.Context, w io.Writer, text string) {
	if repo, err := discover(c); err == nil {
		if _, off := settings.Load(c.Context, repo); isOff(off) {
			text += ": " + off.Error()
		}
	}
	fmt.Fprintln(w, text)
}

// output prints a result, as JSON where the user wants that.
func output(c *cli.Context, result any, text func(io.Writer)) error {
	if c.Bool("json") {
		return printJSON(c.App.Writer, result)
	}
	text(c.App.Writer)
	return nil
}
