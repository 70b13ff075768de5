package message

import (
	"os"
	"os/exec"
	"strings"
)

// The hooks of the end-to-end tests do what a program's hooks would: the style
// comes from the configuration and from GIT_EDITOR, which git sets to ":" where
// it opens no editor. --cleanup is invisible to hooks, so TEST_CLEANUP tells.

const savedTemplate = "TEST_TEMPLATE" // the file that hands the template on

func hookStyle() Style {
	comment, _ := exec.Command("git", "config", "core.commentChar").Output()
	cleanup := os.Getenv("TEST_CLEANUP")
	if cleanup == "" {
		out, _ := exec.Command("git", "config", "commit.cleanup").Output()
		cleanup = strings.TrimSpace(string(out))
	}
	template, _ := os.ReadFile(os.Getenv(savedTemplate))
	return Style{
		Comment:  strings.TrimSpace(string(comment)),
		Cleanup:  cleanup,
		Editor:   os.Getenv("GIT_EDITOR") != ":",
		Template: template,
	}
}

func hookPrepare(file string, template bool) error {
	msg, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if template {
		if err := os.WriteFile(os.Getenv(savedTemplate), msg, 0o666); err != nil {
			return err
		}
	}
	linked, err := AddLinks(msg, []string{id}, hookStyle(), gitTrailers)
	if err != nil {
		return err
	}
	return os.WriteFile(file, linked, 0o666)
}

func hookCommitMsg(file string) error {
	msg, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if rest, lone := StripLone(msg, hookStyle()); lone {
		return os.WriteFile(file, rest, 0o666)
	}
	return nil
}

// edit is the user's editor; TEST_EDIT says what the user does in it: types that
// on line 1, leaves the file ("leave"), empties it ("empty"), or takes the link
// out and types a subject ("unlink").
func edit(file string) error {
	msg, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text := string(msg)
	switch do := os.Getenv("TEST_EDIT"); do {
	case "leave":
	case "empty":
		text = ""
	case "unlink":
		text = "typed" + strings.Replace(text, link+"\n", "", 1)
	default:
		text = do + text
	}
	return os.WriteFile(file, []byte(text), 0o666)
}
