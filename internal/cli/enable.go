package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/setup"
	"entire-plumb/internal/skill"
)

func enableCommand() *cli.Command {
	return &cli.Command{
		Name:  "enable",
		Usage: "start recording what an agent does in this repository",
		Description: "Installs git's hooks (where git looks for them; existing hooks still run) and those of the agents, and writes\n" +
			".entire/settings.json. A second run changes nothing. `disable` removes exactly what was installed. In a clone,\n" +
			"the checkpoints' branch starts from the remote's.\n\n" +
			"Without --agent, the agents that have a directory of settings here or in your home directory, or are on PATH, are\n" +
			"found, and you are asked about each. If you can't be asked, it is those that have one here, or else claude-code;\n" +
			"or generic, where enable has run before.\n" +
			"The agent generic is any program that calls `entire-plumb hooks generic` itself: only git's hooks are installed.\n\n" +
			"--user installs the agents' hooks in your own settings instead, in any directory: they record a session wherever it\n" +
			"is started, in a subdirectory or another worktree, too, and do nothing where you haven't run `enable`. An event\n" +
			"that comes by both is recorded once. disable --user removes them.\n\n" +
			"Settings in .entire/settings.json that reduce your privacy are ignored until you confirm them: on a terminal you\n" +
			"are asked, unless --agent is given; --trust-settings confirms them without asking.\n\n" +
			"Where the entire CLI records already, you are asked whether to take its hooks over, in git's hooks and the agents'\n" +
			"settings; --take-over does so without asking, and without either nothing is changed. disable gives them back.\n\n" +
			"--write also writes into the files of hook managers, so that they call entire-plumb: .husky/*, lefthook.yml and\n" +
			".pre-commit-config.yaml. Without it the lines are printed. `disable` removes them.\n\n" +
			"--hide-streams hides the shadow branches, and all other branches entire/… except the committed checkpoints and\n" +
			"trails, from fetches of this repository and pushes to it (git's transfer.hideRefs).\n\n" +
			"--skill writes .agents/skills/entire-plumb/SKILL.md, and the same below .claude, by which agents know when and\n" +
			"how to ask what was recorded. On a terminal you are asked, unless --agent is given. `disable` removes them.",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "agent", Usage: "the `AGENT`s, with commas between: " + strings.Join(agent.Names(), ", ")},
			&cli.BoolFlag{Name: "user", Usage: "install the agents' hooks in your own settings, for all repositories"},
			&cli.BoolFlag{Name: "hide-streams", Usage: "hide shadow branches from fetches of this repository"},
			&cli.BoolFlag{Name: "take-over", Usage: "put the hooks of the entire CLI aside until disable"},
			&cli.BoolFlag{Name: "write", Usage: "write lines that call entire-plumb into the files of husky, lefthook and pre-commit"},
			&cli.BoolFlag{Name: "skill", Usage: "also write a skill that tells agents how to ask what was recorded"},
			&cli.BoolFlag{Name: "trust-settings", Usage: "confirm the settings as they are now"},
			&cli.BoolFlag{Name: "json", Usage: "print what was changed as JSON"},
		},
		Before: takes(0),
		Action: func(c *cli.Context) error {
			agents, err := namedAgents(c)
			if err != nil {
				return err
			}
			exe, err := executable()
			if err != nil {
				return err
			}
			request := setup.Request{Agents: agents, Named: len(agents) > 0, Write: c.Bool("write"), Exe: exe, Getenv: os.Getenv}
			if c.Bool("user") {
				return enableUser(c, request)
			}
			return enableHere(c, request)
		},
	}
}

// supported finds the repository, unless git is too old.
func supported(c *cli.Context) (*gitexec.Repo, error) {
	repo, err := discover(c)
	if err == nil {
		_, err = gitexec.CheckVersion(c.Context, nil)
	}
	return repo, err
}

// enableHere enables recording in the repository.
func enableHere(c *cli.Context, request setup.Request) error {
	repo, err := supported(c)
	if err != nil {
		return err
	}
	if !request.Named {
		if request.Agents, err = agentsInUse(c, repo); err != nil {
			return err
		}
	}
	done, err := install(c, repo, request)
	if c.Bool("json") {
		return enabledJSON(c, repo, done, err)
	}
	if err := printChanges(c, done, err, "already enabled"); err != nil {
		return err
	}
	// After the changes: with --write the managers' files call us by now, and are not warned of.
	setup.CheckAndWarnHookManagers(repo, c.App.Writer)
	confirmed, err := confirmSettings(c, repo)
	for _, line := range confirmed {
		fmt.Fprintln(c.App.Writer, line)
	}
	if err != nil {
		return err
	}
	if hasAgent(request.Agents, agent.Generic) {
		fmt.Fprintln(c.App.Writer, "Your agent has to call `entire-plumb hooks generic EVENT`, with the event's JSON on stdin: see docs/generic.md,\n"+
			"and entire-plumb hooks generic --help.")
	}
	if len(done) > 0 || slices.ContainsFunc(request.Agents, request.LacksHooks) {
		printNext(c.App.Writer, request)
	} else {
		fmt.Fprintln(c.App.Writer, "Next: entire-plumb status says what is recorded here, and entire-plumb doctor what is wrong.")
	}
	warnOfTemporary(c, request.Exe)
	return nil
}

// enabledJSON confirms the settings, too, and prints all changes; what else there is to say is on
// stderr.
func enabledJSON(c *cli.Context, repo *gitexec.Repo, done []string, err error) error {
	if err == nil {
		setup.CheckAndWarnHookManagers(repo, c.App.ErrWriter)
		var confirmed []string
		confirmed, err = confirmSettings(c, repo)
		done = append(done, confirmed...)
	}
	return printChanges(c, done, err, "")
}

// install installs the hooks, and hides the streams where it is asked to.
func install(c *cli.Context, repo *gitexec.Repo, request setup.Request) ([]string, error) {
	request.TakeOver = c.Bool("take-over")
	done, err := setup.Enable(c.Context, repo, request)
	if err != nil {
		// Only now it is known that the entire CLI records here: nothing was changed yet.
		if request.TakeOver, err = takesOver(c, err); err == nil {
			done, err = setup.Enable(c.Context, repo, request)
		}
	}
	if err == nil && c.Bool("hide-streams") {
		var hid []string
		hid, err = setup.HideStreams(c.Context, repo)
		done = append(done, hid...)
	}
	wanted := false
	if err == nil {
		wanted, err = wantsSkill(c, repo, len(done) > 0)
	}
	if wanted {
		var wrote []string
		wrote, err = setup.EnableSkill(c.Context, repo)
		done = append(done, wrote...)
	}
	// A script needs no hints, and a second run has had it.
	if err == nil && len(done) > 0 && onTerminal(c) {
		if hidden, err := setup.HidesStreams(c.Context, repo); err == nil && !hidden {
			done = append(done, "hint: to hide the shadow branches from fetches of this repository, run entire-plumb enable --hide-streams")
		}
	}
	return done, err
}

// wantsSkill reports whether the user wants the skill. The question is asked where enable has
// changed something, and only where a file of the skill can be written.
func wantsSkill(c *cli.Context, repo *gitexec.Repo, changed bool) (bool, error) {
	if c.Bool("skill") || !changed || !asks() || c.IsSet("agent") || c.IsSet("skill") || c.Bool("json") {
		return c.Bool("skill"), nil
	}
	for _, f := range setup.Skill(repo) {
		if f.State != skill.Absent {
			return false, nil
		}
	}
	return agreed(c, "Write a skill that tells agents how to ask what was recorded ("+skill.Files[0]+")? [y/N] ")
}

// takesOver asks whether to take the entire CLI's hooks over, if they are why enable failed.
// Otherwise the error stays.
func takesOver(c *cli.Context, err error) (bool, error) {
	var theirs *setup.EntireError
	if !errors.As(err, &theirs) || len(theirs.Mixed) > 0 || !asks() || c.IsSet("agent") {
		return false, err
	}
	fmt.Fprintln(c.App.ErrWriter, "The entire CLI records here already:\n  "+strings.Join(theirs.Found, "\n  "))
	yes, err := agreed(c, "Put its hooks aside until disable? [y/N] ")
	if err == nil && !yes {
		err = errors.New("the entire CLI keeps its hooks, and nothing is changed")
	}
	return yes, err
}

// warnOfTemporary says that the hooks call a program that won't be there for long.
func warnOfTemporary(c *cli.Context, exe string) {
	// `go run` removes its build when the program ends.
	if strings.Contains(exe, string(filepath.Separator)+"go-build") {
		fmt.Fprintf(c.App.ErrWriter, "entire-plumb: the hooks call %s, a temporary build of `go run`; without it they search PATH\n"+
			"hint: go install . && entire-plumb enable\n", exe)
	}
}

func disableCommand() *cli.Command {
	return &cli.Command{
		Name:  "disable",
		Usage: "stop recording, and remove what enable installed",
		Description: "Recorded data is kept: shadow branches, entire/checkpoints/v1, session states. --purge deletes it from this\n" +
			"machine, too; links in commit messages then point to missing checkpoints. On a terminal it asks first, and\n" +
			"--dry-run only says what it would delete. --user removes what enable --user installed, and nothing else.\n" +
			"--agent removes the hooks of these agents alone: the others' turns are recorded as before.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "purge", Usage: "also delete all recorded data on this machine"},
			&cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}, Usage: "with --purge: only print what would be deleted"},
			&cli.BoolFlag{Name: "user", Usage: "remove the agents' hooks from your own settings"},
			&cli.StringSliceFlag{Name: "agent", Usage: "remove only the hooks of these `AGENT`s, with commas between"},
			&cli.BoolFlag{Name: "json", Usage: "print what was changed as JSON"},
		},
		Before: takes(0, "user", "purge"),
		Action: func(c *cli.Context) error {
			if c.IsSet("agent") && c.Bool("purge") {
				return usagef("--purge is for all agents\nhint: %s --help", c.Command.HelpName)
			}
			agents, err := namedAgents(c)
			if err != nil {
				return err
			}
			// Before anything is removed, also from the user's own settings.
			if c.Bool("dry-run") && !c.Bool("purge") {
				return usagef("--dry-run needs --purge\nhint: %s --help", c.Command.HelpName)
			}
			if c.Bool("user") {
				done, err := setup.DisableUser(os.Getenv, agents...)
				return printChanges(c, done, err, "not enabled")
			}
			if len(agents) > 0 {
				return disableAgents(c, agents)
			}
			return disableHere(c)
		},
	}
}

// disableAgents ends the recording of some agents in the repository.
func disableAgents(c *cli.Context, agents []agent.Agent) error {
	repo, err := supported(c)
	if err != nil {
		return err
	}
	done, err := setup.DisableAgents(c.Context, repo, agents...)
	return printChanges(c, done, err, "no hooks of ours are in their settings here")
}

// disableHere disables recording in the repository, and deletes what is recorded where it is asked
// to.
func disableHere(c *cli.Context) error {
	repo, err := supported(c)
	if err != nil {
		return err
	}
	if c.Bool("dry-run") {
		found, err := setup.Purge(c.Context, repo, true)
		return printChanges(c, found, err, "nothing is recorded")
	}
	if c.Bool("purge") && asks() {
		if err := confirmPurge(c, repo); err != nil {
			return err
		}
	}
	// Hooks first: an event in between would record again what is being purged.
	done, err := setup.Disable(c.Context, repo)
	// Also after an error: what can be removed is removed.
	shown, err2 := setup.ShowStreams(c.Context, repo)
	done, err = append(done, shown...), errors.Join(err, err2)
	if err == nil && c.Bool("purge") {
		var purged []string
		purged, err = setup.Purge(c.Context, repo, false)
		done = append(done, purged...)
	}
	return printChanges(c, done, err, "not enabled")
}

// confirmPurge asks whether to delete what is recorded.
func confirmPurge(c *cli.Context, repo *gitexec.Repo) error {
	found, err := setup.Purge(c.Context, repo, true)
	if err != nil {
		return err
	}
	w := c.App.ErrWriter
	for _, line := range found {
		fmt.Fprintln(w, line)
	}
	yes, err := agreed(c, "Delete all that is recorded here? It can't be undone. [y/N] ")
	if err != nil {
		return err
	}
	if !yes && len(found) > 0 {
		return errors.New("nothing was changed\nhint: entire-plumb disable keeps what is recorded")
	}
	return nil
}

// changesJSON is what was changed.
type changesJSON struct {
	// Changes are the changes, each in words: of files, hooks, branches and git's configuration. It
	// is empty where all was so already; with disable --purge --dry-run it is what would be
	// deleted.
	Changes []string `json:"changes"`
	Hints   []string `json:"hints,omitempty"` // what else there is to do
}

// printChanges lists what was done, also before an error, which it returns.
func printChanges(c *cli.Context, done []string, err error, nothing string) error {
	if c.Bool("json") {
		if len(done) == 0 && err != nil {
			return err
		}
		return errors.Join(printJSON(c.App.Writer, changesOf(done)), err)
	}
	if len(done) == 0 && err == nil {
		done = []string{nothing}
	}
	for _, line := range done {
		fmt.Fprintln(c.App.Writer, line)
	}
	return err
}

// changesOf tells hints from changes.
func changesOf(done []string) changesJSON {
	all := changesJSON{Changes: []string{}}
	for _, line := range done {
		if hint, ok := strings.CutPrefix(line, "hint: "); ok {
			all.Hints = append(all.Hints, hint)
		} else {
			all.Changes = append(all.Changes, line)
		}
	}
	return all
}

// executable is the path of this program, for hooks to call. It is the path as called, if possible:
// a package manager may move the target of a symlink.
func executable() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("the path of the program is unknown: %w", err)
	}
	real, err := os.Stat(exe)
	if err != nil {
		return "", err
	}
	// os.Executable follows symlinks on Linux.
	for _, called := range asCalled(os.Args[0]) {
		if info, err := os.Stat(called); err == nil && os.SameFile(info, real) {
			return filepath.Abs(called)
		}
	}
	return exe, nil
}

// asCalled are the files that a command's name may mean.
func asCalled(name string) []string {
	if strings.ContainsRune(name, filepath.Separator) {
		return []string{name}
	}
	var files []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		files = append(files, filepath.Join(dir, name))
	}
	return files
}
