package cli

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/settings"
)

// confirmSettings lets the user confirm the settings that are ignored so far, with a flag or by an
// answer on a terminal, and says what was confirmed.
func confirmSettings(c *cli.Context, repo *gitexec.Repo) (confirmed []string, err error) {
	chosen, err := settings.Load(c.Context, repo)
	if err != nil || len(chosen.Ignored) == 0 {
		return nil, err
	}
	if !c.Bool("trust-settings") {
		w := c.App.ErrWriter
		if !asks() || c.IsSet("agent") {
			printProblems(w, ignoredProblems(chosen.Ignored)...)
			return nil, nil
		}
		for _, i := range chosen.Ignored {
			fmt.Fprintf(w, "%s says %q: %s\n", i.File, i.Key, printable(string(i.Value))) // whole, since it is what is confirmed
		}
		yes, err := agreed(c, "Others can commit that file. Use these settings? [y/N] ")
		if err != nil {
			return nil, err
		}
		if !yes {
			fmt.Fprintln(w, "The settings are ignored; entire-plumb status lists them.")
			return nil, nil
		}
	}
	if err := settings.Confirm(repo, chosen.Ignored); err != nil {
		return nil, err
	}
	for _, i := range chosen.Ignored {
		confirmed = append(confirmed, fmt.Sprintf("confirmed %s in %s", ignoredValue(i), i.File))
	}
	return confirmed, nil
}

// ignoredProblems are the ignored settings, why they are ignored, and what to do.
func ignoredProblems(ignored []settings.Ignored) (all []problem) {
	for _, i := range ignored {
		hint := "confirm it with entire-plumb enable --trust-settings; or set it in .entire/settings.local.json, untracked"
		if i.Config != "" {
			hint += ", or with git config " + i.Config
		}
		all = append(all, problem{fmt.Sprintf("ignored: %s in %s: %s", ignoredValue(i), i.File, printable(i.Why)), hint})
	}
	return all
}

// ignoredValue is the beginning of a setting that another user wrote, harmless in a terminal.
func ignoredValue(i settings.Ignored) string {
	value := []rune(printable(string(i.Value)))
	if most := 200; len(value) > most {
		value = append(value[:most], []rune(" …")...)
	}
	return fmt.Sprintf("%q: %s", i.Key, string(value))
}
