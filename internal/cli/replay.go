package cli

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"entire-plumb/internal/replay"
)

func replayCommand() *cli.Command {
	return &cli.Command{
		Name:      "replay",
		Usage:     "run scenarios (txtar scripts) with this program",
		ArgsUsage: "FILE|DIR…",
		Description: "Each script runs in its own scratch directory, with real git and installed hooks, and with the test suite's\n" +
			"verbs, which testdata/scripts/README.md explains: start, prompt, use, answer, end and others. Former names,\n" +
			"such as stops for answer, still work. To report a bug, send such a script. The exit code is 1 if any fails.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "v", Usage: "print the log of every script, not only of failed ones"}},
		Action: func(c *cli.Context) error {
			if !c.Args().Present() {
				return usagef("which script?\nhint: entire-plumb replay FILE|DIR…")
			}
			files, err := replay.Files(c.Args().Slice())
			if err != nil {
				return err
			}
			exe, err := executable()
			if err != nil {
				return err
			}
			failed := 0
			err = replay.Run(exe, files, func(r replay.Result) {
				verdict := "ok  "
				if r.Skipped {
					verdict = "skip"
				} else if r.Failed {
					verdict = "FAIL"
					failed++
				}
				fmt.Fprintf(c.App.Writer, "%s %s\n", verdict, r.Name)
				if r.Failed || c.Bool("v") {
					fmt.Fprintln(c.App.Writer, "    "+strings.ReplaceAll(strings.TrimSpace(r.Log), "\n", "\n    "))
				}
			})
			if err != nil {
				return err
			}
			if failed > 0 {
				fmt.Fprintf(c.App.ErrWriter, "entire-plumb: %d of %d scenarios failed\n", failed, len(files))
				return errQuiet
			}
			return nil
		},
	}
}
