package cli

import (
	"github.com/urfave/cli/v2"

	"entire-plumb/internal/demo"
)

func demoCommand() *cli.Command {
	return &cli.Command{
		Name:  "demo",
		Usage: "show the main job in a scratch repository",
		Description: "Makes a repository in the temporary directory, plays an agent's turn and a developer's commit in it, and shows\n" +
			"what was recorded and what each hook cost. It changes nothing else, and removes the repository.",
		Flags:  []cli.Flag{&cli.BoolFlag{Name: "keep", Usage: "keep the scratch repository"}},
		Before: takes(0),
		Action: func(c *cli.Context) error {
			exe, err := executable()
			if err != nil {
				return err
			}
			return demo.Run(c.Context, exe, c.App.Writer, c.Bool("keep"))
		},
	}
}
