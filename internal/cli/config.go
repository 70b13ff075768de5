package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/settings"
)

func configCommand() *cli.Command {
	return &cli.Command{
		Name:      "config",
		Usage:     "list the settings with their sources, or set one",
		ArgsUsage: "[KEY] [VALUE]",
		Description: "Without a key, all settings are listed: the value in force, and what it is from: .entire/settings.local.json, git's\n" +
			"configuration, .entire/settings.json, in this order, or the default. What a file says and doesn't count is listed, too,\n" +
			"with the reason. With a key, its value is printed. With a value, it is set in .entire/settings.local.json, which is\n" +
			"yours alone, or, with --project, in .entire/settings.json, which may be committed. A list has commas between.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "project", Usage: "set it in .entire/settings.json"},
			&cli.BoolFlag{Name: "unset", Usage: "remove it from the file"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			colourFlag(),
		},
		Before: takes(2),
		Action: func(c *cli.Context) error {
			if c.Bool("unset") && c.NArg() != 1 {
				return usagef("--unset needs a key, and nothing more\nhint: %s --unset strategy", c.Command.HelpName)
			}
			// What is printed is the value in force, of whatever file.
			if c.Bool("project") && !c.Bool("unset") && c.NArg() != 2 {
				return usagef("--project needs a key and a value, or --unset\nhint: %s --project link both", c.Command.HelpName)
			}
			repo, err := discover(c)
			if err != nil {
				return err
			}
			switch key := c.Args().First(); {
			case c.Bool("unset"):
				return unsetConfig(c, repo, key)
			case c.NArg() == 2:
				return setConfig(c, repo, key, c.Args().Get(1))
			default:
				return showConfig(c, repo, key)
			}
		},
	}
}

// configJSON is what `config --json` prints.
type configJSON struct {
	Settings []settings.Value `json:"settings"` // all there are
}

// noSetting is a usage error where a key means nothing, or takes no such value.
func noSetting(err error) error {
	if errors.Is(err, settings.ErrNoSetting) || errors.As(err, new(*settings.ValueError)) {
		return usageError{err.Error()}
	}
	return err
}

// showConfig prints all settings, or the value of one.
func showConfig(c *cli.Context, repo *gitexec.Repo, key string) error {
	all, err := settings.List(c.Context, repo)
	if err != nil {
		return err
	}
	if key == "" {
		return output(c, configJSON{all}, func(w io.Writer) { configTable(w, screenOf(c), all) })
	}
	for _, v := range all {
		if v.Key == key {
			return output(c, v, func(w io.Writer) { fmt.Fprintln(w, plainValue(v.Value)) })
		}
	}
	return noSetting(settings.Known(key))
}

func configTable(w io.Writer, on screen, all []settings.Value) {
	t := newTable(column{title: "KEY", colour: yellow, least: 24, wants: 40}, column{title: "VALUE", least: 8}, column{title: "DEFAULT", least: 8, spare: 2},
		column{title: "SOURCE", least: 12, spare: 1})
	for _, v := range all {
		value := cell{text: plainValue(v.Value)}
		if v.Source != "default" {
			value.colour = bold
		}
		t.add(v.Key, value, plainValue(v.Default), v.Source)
		for _, i := range v.Ignored {
			t.add("", fmt.Sprintf("ignored: %s in %s: %s", plainValue(i.Value), i.File, i.Why))
		}
	}
	t.print(w, on)
}

// plainValue is a value as users type it: a text without quotes, and a list with commas.
func plainValue(value json.RawMessage) string {
	var text string
	var list []string
	switch {
	case json.Unmarshal(value, &text) == nil:
		return printable(text)
	case json.Unmarshal(value, &list) == nil:
		return printable(strings.Join(list, ","))
	}
	return printable(string(value))
}

func setConfig(c *cli.Context, repo *gitexec.Repo, key, value string) error {
	file, err := settings.Set(repo, key, value, c.Bool("project"))
	if err != nil {
		return noSetting(err)
	}
	if err := printChanges(c, []string{fmt.Sprintf("set %s in %s", key, file)}, nil, ""); err != nil {
		return err
	}
	return warnOverridden(c, repo, key, file)
}

func unsetConfig(c *cli.Context, repo *gitexec.Repo, key string) error {
	file, had, err := settings.Unset(repo, key, c.Bool("project"))
	switch {
	case err != nil:
		return noSetting(err)
	case !had:
		return printChanges(c, nil, nil, fmt.Sprintf("%s has no %s", file, key))
	}
	return printChanges(c, []string{fmt.Sprintf("removed %s from %s", key, file)}, nil, "")
}

// warnOverridden says why what was set isn't in force, if it isn't.
func warnOverridden(c *cli.Context, repo *gitexec.Repo, key, file string) error {
	all, err := settings.List(c.Context, repo)
	if err != nil {
		return err
	}
	for _, v := range all {
		if v.Key != key || v.Source == file {
			continue
		}
		for _, i := range v.Ignored {
			if i.File == file {
				fmt.Fprintf(c.App.ErrWriter, "entire-plumb: it doesn't count yet: %s\nhint: entire-plumb enable --trust-settings confirms the file as it is\n",
					printable(i.Why))
				return nil
			}
		}
		fmt.Fprintf(c.App.ErrWriter, "entire-plumb: %s comes before it, with %s\n", printable(v.Source), plainValue(v.Value))
	}
	return nil
}
