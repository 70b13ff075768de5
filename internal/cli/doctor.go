package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/setup"
	"entire-plumb/internal/upkeep"
	"entire-plumb/internal/workspace"
)

// problem is something that keeps work from being recorded, or needs the user, and what to do.
type problem struct {
	What string `json:"what"`
	Hint string `json:"hint"`
}

// diagnosis is what `doctor --json` prints.
type diagnosis struct {
	Version  string           `json:"version"`
	Git      string           `json:"git_version"`
	Recorded upkeep.Diagnosis `json:"recorded"`
	Problems []problem        `json:"problems"`
	Fixed    []string         `json:"fixed,omitempty"`
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
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			if err := oneOf(c, "bundle", "json"); err != nil {
				return err
			}
			d, err := diagnose(c)
			if err != nil {
				return err
			}
			if file := c.String("bundle"); file != "" {
				return writeBundle(c, d, file)
			}
			if c.Bool("json") {
				err = printJSON(c.App.Writer, d)
			} else {
				err = d.print(c.App.Writer, c.Bool("speed"))
			}
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
	if _, err := discover(c); err != nil {
		return nil, err
	}
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
	what, hint, _ := strings.Cut(explain.Error(c.Context, err).Error(), "\nhint: ")
	one := problem{printable(what), cmp.Or(hint, "nothing more can be examined until that is corrected")}
	if !slices.Contains(d.Problems, one) {
		d.Problems = append(d.Problems, one)
	}
}

// look adds what is recorded and what is wrong.
func (d *diagnosis) look(c *cli.Context) error {
	r, err := gatherStatus(c)
	if err != nil {
		return err
	}
	var said bytes.Buffer
	r.printProblems(&said)
	d.Problems = append(d.Problems, problemsIn(said.String())...)
	if !r.Enabled {
		return nil
	}
	e, err := environment(c)
	if err != nil {
		return err
	}
	d.Recorded, err = upkeep.Diagnose(c.Context, e)
	for _, t := range d.Recorded.Troubles {
		d.Problems = append(d.Problems, problem{printable(t.What), t.Hint})
	}
	if err != nil {
		return err
	}
	repo, err := discover(c)
	if err != nil {
		return err
	}
	others, err := setup.Leftovers(c.Context, repo)
	if err != nil {
		return err
	}
	for _, line := range others {
		d.Problems = append(d.Problems, problem{line, "entire-plumb enable --take-over puts its hooks aside, or says what to remove"})
	}
	silent, err := setup.TryHooks(c.Context, repo, r.GitHooks)
	if err != nil {
		return err
	}
	for _, name := range silent {
		d.Problems = append(d.Problems, problem{"git runs its " + name + " hook, and that doesn't reach the program",
			"entire-plumb enable names the program's present path in the hooks"})
	}
	for _, u := range settings.UnknownKeys(r.Worktree) {
		hint := "correct or remove it"
		if u.Like != "" {
			hint = fmt.Sprintf("did you mean %q?", u.Like)
		}
		d.Problems = append(d.Problems, problem{fmt.Sprintf("%s has the key %q, which means nothing", u.File, printable(u.Key)), hint})
	}
	if r.Head.IsZero() {
		return nil
	}
	orphans, err := upkeep.Clean(c.Context, e, true)
	if err != nil {
		return err
	}
	if n := len(orphans); n > 0 {
		d.Problems = append(d.Problems, problem{"nothing needs " + plural(n, "recorded thing") + " any more, such as " +
			orphans[0].Kind + " " + printable(orphans[0].Name), "entire-plumb clean lists them, and deletes them with --force"})
	}
	if c.Bool("speed") {
		d.Advice, err = setup.Speed(c.Context, repo)
		if err != nil {
			return err
		}
	}
	return nil
}

// fix does what needs no decision.
func fix(c *cli.Context) ([]string, error) {
	repo, err := discoverCaughtUp(c)
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
	e, err := environment(c)
	if err != nil {
		return nil, err
	}
	ended, err := upkeep.EndStuck(c.Context, e)
	for _, id := range ended {
		fixed = append(fixed, "ended the turn of session "+printable(id))
	}
	return fixed, err
}

func (d *diagnosis) print(w io.Writer, speed bool) error {
	p := colourPrinter{w: w}
	for _, line := range d.Fixed {
		p.line("", "%s", line)
	}
	k := d.Recorded
	p.line("", "git %s, entire-plumb %s", d.Git, d.Version)
	p.line("", "recorded: %s, %s, %s, %s of private files", plural(k.Checkpoints, "checkpoint"), plural(k.Streams, "stream"),
		plural(k.Sessions, "session"), humanize.Bytes(uint64(max(0, k.Bytes))))
	for _, line := range d.Unknown {
		p.line("", "%s", line)
	}
	if speed {
		for _, h := range k.Hooks {
			p.line("", "%s: %d ms, at most %d ms, %s, of %s", printable(h.Hook), h.Median, h.Longest,
				strings.Replace(plural(h.Processes, "git process"), "sss", "sses", 1), plural(h.Runs, "run"))
		}
		for _, a := range d.Advice {
			p.line("", "%s", a.What)
			if a.Hint != "" {
				p.line("", "hint: %s", a.Hint)
			}
		}
	}
	for _, one := range d.Problems {
		p.line("", "%s", one.What)
		p.line("", "hint: %s", one.Hint)
	}
	if len(d.Problems) == 0 {
		p.line("", "nothing is wrong")
	}
	return p.err
}

// printProblems prints what of a status needs the user: each ends in a hint.
func (r *statusReport) printProblems(w io.Writer) {
	if !r.Enabled {
		fmt.Fprintln(w, r.Why)
	}
	printIgnored(w, r.Ignored)
	r.printHooks(w)
	if r.Enabled {
		r.printAgents(w, true)
	}
	for _, u := range r.Unheard {
		u.print(w)
	}
	r.printBlocked(w)
	r.printNotShared(w)
	for _, name := range r.Orphaned {
		printOrphaned(w, name)
	}
}

// problemsIn parses problems as they are printed.
func problemsIn(text string) []problem {
	problems, what := []problem{}, []string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		hint, ends := strings.CutPrefix(line, "hint: ")
		if !ends {
			what = append(what, line)
			continue
		}
		problems = append(problems, problem{strings.Join(what, "\n"), hint})
		what = what[:0]
	}
	return problems
}
