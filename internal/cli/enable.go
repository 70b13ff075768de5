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
	"entire-plumb/internal/setup"
)

func enableCommand() *cli.Command {
	return &cli.Command{
		Name:  "enable",
		Usage: "record what an agent does in this repository",
		Description: "Installs git's hooks (where git looks for them; hooks of yours stay and still run) and the agent's, and\n" +
			"writes .entire/settings.json. Done twice it changes nothing. `disable` takes out\n" +
			"exactly what it put in. In a clone it takes the checkpoints that were pushed, from the remote's branch.\n\n" +
			"What .entire/settings.json says against your privacy doesn't count until you have confirmed the file as it is:\n" +
			"on a terminal you are asked, unless --agent is given; --trust-settings confirms it unasked.\n\n" +
			"With --hide-streams who fetches from this repository doesn't see shadow branches, nor any other branch\n" +
			"entire/… but the committed checkpoints and trails, and can't push to them (git's transfer.hideRefs).",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "agent", Value: "claude-code", Usage: "the `AGENT`: " + strings.Join(setup.Agents, ", ")},
			&cli.BoolFlag{Name: "hide-streams", Usage: "hide shadow branches from who fetches from this repository"},
			&cli.BoolFlag{Name: "trust-settings", Usage: "confirm what the settings say, as they are now"},
		},
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			if agent := c.String("agent"); !slices.Contains(setup.Agents, agent) {
				return usagef("unknown agent %q\nhint: --agent takes %s", agent, strings.Join(setup.Agents, ", "))
			}
			repo, err := discover(c)
			if err != nil {
				return err
			}
			if _, err := gitexec.CheckVersion(c.Context, nil); err != nil {
				return err
			}
			exe, err := executable()
			if err != nil {
				return err
			}
			done, err := setup.Enable(c.Context, repo, c.String("agent"), exe)
			if err == nil && c.Bool("hide-streams") {
				var hid []string
				hid, err = setup.HideStreams(c.Context, repo)
				done = append(done, hid...)
			}
			if err == nil && len(done) > 0 && onTerminal(c) {
				if hides, err := setup.HidesStreams(c.Context, repo); err == nil && !hides {
					done = append(done, "hint: enable --hide-streams hides the shadow branches from who fetches from this repository")
				}
			}
			if tellChanges(c, done, err, "enabled already; nothing to change"); err != nil {
				return err
			}
			if err := confirmSettings(c, repo); err != nil {
				return err
			}
			if strings.Contains(exe, string(filepath.Separator)+"go-build") {
				fmt.Fprintf(c.App.ErrWriter, "entire-plumb: the hooks call %s, a build of `go run` that won't stay for ever; without it they look on PATH\nhint: go install . && entire-plumb enable\n", exe)
			}
			return nil
		},
	}
}

func disableCommand() *cli.Command {
	return &cli.Command{
		Name:  "disable",
		Usage: "stop recording, and take out what enable put in",
		Description: "What was recorded stays: shadow branches, entire/checkpoints/v1, session states. With --purge it goes\n" +
			"too, from this machine; links in commit messages then lead nowhere.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "purge", Usage: "delete all that was recorded, on this machine"}},
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			repo, err := discover(c)
			if err != nil {
				return err
			}
			done, err := setup.Disable(c.Context, repo)
			shown, err2 := setup.ShowStreams(c.Context, repo)
			done, err = append(done, shown...), errors.Join(err, err2)
			if err == nil && c.Bool("purge") {
				var purged []string
				purged, err = setup.Purge(c.Context, repo)
				done = append(done, purged...)
			}
			tellChanges(c, done, err, "not enabled; nothing to take out")
			return err
		},
	}
}

// report says what was done, also when it ended in an error.
func tellChanges(c *cli.Context, done []string, err error, nothing string) {
	if len(done) == 0 && err == nil {
		done = []string{nothing}
	}
	for _, line := range done {
		fmt.Fprintln(c.App.Writer, line)
	}
}

// executable is the path of this very program, for hooks to call: as it was called, since a package
// manager may move what is behind a symlink, or as the system knows it.
func executable() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("the program's own path cannot be found: %w", err)
	}
	real, err := os.Stat(exe)
	if err != nil {
		return "", err
	}
	for _, called := range asCalled(os.Args[0]) {
		if info, err := os.Stat(called); err == nil && os.SameFile(info, real) {
			return filepath.Abs(called)
		}
	}
	return exe, nil
}

// asCalled are the files that a command's name may stand for.
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
