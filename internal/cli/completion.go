package cli

import (
	_ "embed"
	"fmt"

	"github.com/urfave/cli/v2"
)

// The scripts ask the program what a word may become, and offer that.
var (
	//go:embed completion/bash.sh
	bashCompletion string
	//go:embed completion/zsh.sh
	zshCompletion string
	//go:embed completion/fish.fish
	fishCompletion string
	//go:embed completion/powershell.ps1
	powershellCompletion string
)

func completionCommand() *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print the completion script of a shell",
		ArgsUsage: "bash|zsh|fish|powershell",
		Description: "It completes commands, options and their values, branches and tags, checkpoints with their prompts, sessions with\n" +
			"their titles, and files. In the start-up file of the shell:\n\nExamples:\n\n" +
			"  eval \"$(entire-plumb completion bash)\"\n  eval \"$(entire-plumb completion zsh)\"\n  entire-plumb completion fish | source\n" +
			"  entire-plumb completion powershell | Out-String | Invoke-Expression",
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return unexpected(c, 1)
			}
			scripts := map[string]string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion,
				"powershell": powershellCompletion}
			script, ok := scripts[c.Args().First()]
			if !ok {
				return usagef("unknown shell %q\nhint: bash, zsh, fish or powershell", c.Args().First())
			}
			fmt.Fprint(c.App.Writer, script)
			return nil
		},
	}
}
