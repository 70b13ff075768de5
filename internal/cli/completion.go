package cli

import (
	"fmt"

	"github.com/urfave/cli/v2"
)

const bashCompletion = `# entire-plumb completion for bash: eval "$(entire-plumb completion bash)"
_entire_plumb() {
  local words=("${COMP_WORDS[@]:0:$COMP_CWORD}")
  COMPREPLY=($(compgen -W "$("${words[@]}" --generate-bash-completion 2>/dev/null | cut -d: -f1)" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o bashdefault -o default -F _entire_plumb entire-plumb
`

const zshCompletion = `#compdef entire-plumb
# entire-plumb completion for zsh: eval "$(entire-plumb completion zsh)"
_entire_plumb() {
  local -a found
  found=("${(@f)$(_CLI_ZSH_AUTOCOMPLETE_HACK=1 ${words[@]:0:#words[@]-1} --generate-bash-completion 2>/dev/null)}")
  if [[ -n "${found[1]}" ]]; then _describe 'command' found; else _files; fi
}
compdef _entire_plumb entire-plumb
`

func completionCommand() *cli.Command {
	return &cli.Command{
		Name:        "completion",
		Usage:       "print the completion script of a shell",
		ArgsUsage:   "bash|zsh|fish",
		Description: "In the start-up file of bash or zsh, and of fish:\n\n  eval \"$(entire-plumb completion bash)\"\n  entire-plumb completion fish | source",
		BashComplete: func(c *cli.Context) {
			fmt.Fprintln(c.App.Writer, "bash\nzsh\nfish")
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return unexpected(c, 1)
			}
			switch shell := c.Args().First(); shell {
			case "bash":
				fmt.Fprint(c.App.Writer, bashCompletion)
			case "zsh":
				fmt.Fprint(c.App.Writer, zshCompletion)
			case "fish":
				script, err := c.App.ToFishCompletion()
				if err != nil {
					return err
				}
				fmt.Fprint(c.App.Writer, script)
			default:
				return usagef("unknown shell %q\nhint: bash, zsh or fish", shell)
			}
			return nil
		},
	}
}
