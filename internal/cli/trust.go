package cli

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/settings"
)

// confirmSettings lets the user confirm the settings that are ignored so far, with a flag or by an
// answer on a terminal.
func confirmSettings(c *cli.Context, repo *gitexec.Repo) error {
	chosen, err := settings.Load(c.Context, repo)
	if err != nil || len(chosen.Ignored) == 0 {
		return err
	}
	switch {
	case c.Bool("trust-settings"):
	case !asks() || c.IsSet("agent"):
		printIgnored(c.App.ErrWriter, chosen.Ignored)
		return nil
	default:
		w := c.App.ErrWriter
		for _, i := range chosen.Ignored {
			fmt.Fprintf(w, "%s says %q: %s\n", i.File, i.Key, printable(string(i.Value))) // whole, since it is what is confirmed
		}
		if answer := ask(w, "Others can commit that file. Use these settings? [y/N] "); answer != "y" && answer != "yes" {
			fmt.Fprintln(w, "The settings are ignored; entire-plumb status lists them.")
			return nil
		}
	}
	if err := settings.Confirm(repo, chosen.Ignored); err != nil {
		return err
	}
	for _, i := range chosen.Ignored {
		fmt.Fprintf(c.App.Writer, "confirmed %s in %s\n", ignoredValue(i), i.File)
	}
	return nil
}

// printIgnored lists the ignored settings, why they are ignored, and what to do.
func printIgnored(w io.Writer, ignored []settings.Ignored) {
	for _, i := range ignored {
		fmt.Fprintf(w, "ignored: %s in %s: %s\n"+
			"hint: confirm it with entire-plumb enable --trust-settings; or set it in .entire/settings.local.json, untracked",
			ignoredValue(i), i.File, printable(i.Why))
		if i.Config != "" {
			fmt.Fprintf(w, ", or with git config %s", i.Config)
		}
		fmt.Fprintln(w)
	}
}

// ignoredValue is the beginning of a setting that another user wrote, harmless in a terminal.
func ignoredValue(i settings.Ignored) string {
	value := []rune(printable(string(i.Value)))
	if most := 200; len(value) > most {
		value = append(value[:most], []rune(" …")...)
	}
	return fmt.Sprintf("%q: %s", i.Key, string(value))
}
