package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/setup"
	"entire-plumb/internal/upkeep"
	"entire-plumb/internal/workspace"
)

// problem is something that keeps work from being recorded, or needs the user, and what to do.
type problem struct {
	What string `json:"what"`
	Hint string `json:"hint"` // empty: it is none, but a state
}

// problemOf splits the text of an error at its hint.
func problemOf(text string) problem {
	what, hint, _ := strings.Cut(text, "\nhint: ")
	return problem{what, hint}
}

func printProblems(w io.Writer, all ...problem) {
	for _, one := range all {
		fmt.Fprintln(w, one.What)
		if one.Hint != "" {
			fmt.Fprintf(w, "hint: %s\n", one.Hint)
		}
	}
}

// diagnosis is what `doctor --json` prints.
type diagnosis struct {
	Version  string           `json:"cli_version"`
	Git      string           `json:"git_version"`
	Recorded upkeep.Diagnosis `json:"recorded"`
	Why      string           `json:"why,omitempty"` // why recording is off, which is no problem by itself
	Problems []problem        `json:"problems"`
	Notes    []string         `json:"notes,omitempty"` // what asks for nothing to be done
	Fixed    []string         `json:"fixed,omitempty"`
	Sharing  *statusSharing   `json:"sharing,omitempty"` // where checkpoints go; nil: there is no remote
	Advice   []setup.Advice   `json:"advice,omitempty"`  // of --speed
	Unknown  []string         `json:"unknown,omitempty"` // what the system doesn't show
}

func doctorCommand() *cli.Command {
	return &cli.Command{
		Name:  "doctor",
		Usage: "say what keeps work from being recorded, and what to do",
		Description: "Looks at git's hooks and the agents' settings, settings that are ignored or unknown, stale locks, agents' sessions\n" +
			"from which no event arrived, turns whose agent is gone, damaged states, streams and checkpoints, links without\n" +
			"checkpoints, and what nothing needs any more. The exit code is 1 if anything asks for something to be done. It\n" +
			"changes nothing, unless --fix puts hooks back and ends turns whose agent is gone. --speed says how long the hooks\n" +
			"took lately, and measures which of git's settings would make them faster here.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "fix", Usage: "do what can be done without a decision of yours"},
			&cli.BoolFlag{Name: "speed", Usage: "say how long the hooks take, and what would make them faster"},
			&cli.StringFlag{Name: "bundle", Usage: "write a report for a bug to `FILE`: no contents, names or prompts, and a script for replay"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		},
		Before: takes(0, "bundle", "json"),
		Action: func(c *cli.Context) error {
			d, err := diagnose(c)
			if err != nil {
				return err
			}
			if file := c.String("bundle"); file != "" {
				return writeBundle(c, d, file)
			}
			err = output(c, d, func(w io.Writer) { d.print(w, c.Bool("speed")) })
			if err == nil && len(d.Problems) > 0 {
				err = errQuiet
			}
			return err
		},
	}
}

func diagnose(c *cli.Context) (*diagnosis, error) {
	d := &diagnosis{Version: version(), Problems: []problem{}, Unknown: workspace.Unseen(os.Getenv)}
	var err error
	if d.Git, err = gitexec.CheckVersion(c.Context, tracer(c)); err != nil {
		return nil, err
	}
	// Outside of a repository this is an error, and no problem of one.
	if _, err := discover(c); err != nil {
		return nil, err
	}
	// Before all else is looked at: what was put right is no problem any more.
	if c.Bool("fix") {
		if d.Fixed, err = fix(c); err != nil {
			d.failed(c, err)
		}
	}
	if err := d.look(c); err != nil {
		if c.Context.Err() != nil {
			return nil, err
		}
		d.failed(c, err)
	}
	return d, nil
}

// failed makes a problem of what stops the examination, if it isn't one yet.
func (d *diagnosis) failed(c *cli.Context, err error) {
	one := problemOf(explain.Error(c.Context, err).Error())
	one.What, one.Hint = printable(one.What), cmp.Or(one.Hint, "nothing more can be examined until that is corrected")
	d.Problems = sets.With(d.Problems, one)
}

// look adds what is recorded and what is wrong.
func (d *diagnosis) look(c *cli.Context) error {
	r, err := gatherStatus(c)
	if err != nil {
		return err
	}
	d.Problems, d.Why, d.Sharing = append(d.Problems, r.problems()...), r.Why, r.Sharing
	if !r.Enabled {
		return nil
	}
	e, err := environment(c)
	if err != nil {
		return err
	}
	d.Recorded, err = upkeep.Diagnose(c.Context, e)
	for _, t := range d.Recorded.Troubles {
		if t.Hint == "" {
			d.Notes = append(d.Notes, printable(t.What))
			continue
		}
		d.add(printable(t.What), t.Hint)
	}
	if err != nil {
		return err
	}
	repo, err := discover(c)
	if err != nil {
		return err
	}
	if err := d.lookAtHooks(c, repo, r.GitHooks); err != nil {
		return err
	}
	d.addUnknown(settings.UnknownKeys(r.Worktree))
	// Clean needs a commit to compare the streams with, and before the first one nothing is left.
	if r.Head.IsZero() {
		return nil
	}
	orphans, err := upkeep.Clean(c.Context, e, true)
	if err != nil {
		return err
	}
	if n := len(orphans); n > 0 {
		d.add("nothing needs "+amount.Of(n, "recorded thing")+" any more, such as "+orphans[0].Kind+" "+printable(orphans[0].Name),
			"entire-plumb clean lists them, and deletes them with --force")
	}
	if c.Bool("speed") {
		d.Advice, err = setup.Speed(c.Context, repo)
	}
	return err
}

func (d *diagnosis) add(what, hint string) { d.Problems = append(d.Problems, problem{what, hint}) }

// lookAtHooks adds what calls the entire CLI, and hooks of git's that don't reach this program.
func (d *diagnosis) lookAtHooks(c *cli.Context, repo *gitexec.Repo, states map[string]string) error {
	others, err := setup.Leftovers(c.Context, repo)
	if err != nil {
		return err
	}
	for _, line := range others {
		d.add(line, "entire-plumb enable --take-over puts its hooks aside, or says what to remove")
	}
	silent, err := setup.TryHooks(c.Context, repo, states)
	for _, name := range silent {
		d.add("git runs its "+name+" hook, and that doesn't reach the program", "entire-plumb enable names the program's present path in the hooks")
	}
	return err
}

// addUnknown adds keys of settings that mean nothing.
func (d *diagnosis) addUnknown(keys []settings.Unknown) {
	for _, u := range keys {
		hint := "correct or remove it"
		if u.Like != "" {
			hint = fmt.Sprintf("did you mean %q?", u.Like)
		}
		d.add(fmt.Sprintf("%s has the key %q, which means nothing", u.File, printable(u.Key)), hint)
	}
}

// fix does what needs no decision.
func fix(c *cli.Context) ([]string, error) {
	e, repo, err := caughtUp(c)
	if err != nil {
		return nil, err
	}
	if _, err := settings.Load(c.Context, repo); err != nil {
		return nil, err
	}
	exe, err := executable()
	if err != nil {
		return nil, err
	}
	fixed, err := setup.Repair(c.Context, repo, exe)
	if err != nil || repo.Head.ID.IsZero() {
		return fixed, err
	}
	ended, err := upkeep.EndStuck(c.Context, e)
	for _, id := range ended {
		fixed = append(fixed, "ended the turn of session "+printable(id))
	}
	return fixed, err
}

func (d *diagnosis) print(w io.Writer, speed bool) {
	for _, line := range d.Fixed {
		fmt.Fprintln(w, line)
	}
	k := d.Recorded
	fmt.Fprintf(w, "git %s, entire-plumb %s\n", d.Git, d.Version)
	fmt.Fprintf(w, "recorded: %s, %s, %s, %s of private files\n", amount.Of(k.Checkpoints, "checkpoint"), amount.Of(k.Streams, "stream"),
		amount.Of(k.Sessions, "session"), amount.Bytes(k.Bytes))
	d.Sharing.print(w)
	for _, line := range d.Unknown {
		fmt.Fprintln(w, line)
	}
	if speed {
		for _, h := range k.Hooks {
			fmt.Fprintf(w, "%s: %d ms, at most %d ms, %s, of %s\n", printable(h.Hook), h.Median, h.Longest,
				processes(h.Processes), amount.Of(h.Runs, "run"))
		}
		for _, a := range d.Advice {
			printProblems(w, problem(a))
		}
	}
	if d.Why != "" {
		fmt.Fprintln(w, d.Why)
	}
	printProblems(w, d.Problems...)
	for _, line := range d.Notes {
		fmt.Fprintln(w, "note:", line)
	}
	if d.Why == "" && len(d.Problems) == 0 {
		fmt.Fprintln(w, "nothing is wrong")
	}
}

// problems is what of a status needs the user.
func (r *statusReport) problems() []problem {
	all := append(append([]problem{}, ignoredProblems(r.Ignored)...), r.hookProblems()...)
	if r.Enabled {
		all = append(all, slices.DeleteFunc(r.agentStates(), func(p problem) bool { return p.Hint == "" })...)
	}
	all = append(all, r.otherProblems()...)
	for _, name := range r.Orphaned {
		all = append(all, orphaned(name))
	}
	return all
}
