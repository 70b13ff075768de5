// Package claudesettings puts our hooks into Claude Code's settings.json and takes them out again.
package claudesettings

// The rule: the file is edited as bytes, so that what we didn't write stays as it is, and taking
// out gives the very bytes from before.

import (
	"bytes"
	"fmt"
)

// row is one event of Claude Code and our verb for it.
type row struct {
	event   string
	matcher string // the tool's name for events that have one; else empty and not written
	verb    string
}

// rows are the hooks that Enable installs, in the order in which it writes them.
var rows = []row{
	{event: "SessionStart", verb: "session-start"},
	{event: "UserPromptSubmit", verb: "user-prompt-submit"},
	{event: "Stop", verb: "stop"},
	{event: "PreToolUse", matcher: "Task", verb: "pre-task"},
	{event: "PostToolUse", matcher: "Task", verb: "post-task"},
	{event: "PostToolUse", matcher: "TodoWrite", verb: "post-todo"},
	{event: "SessionEnd", verb: "session-end"},
}

// bom is the UTF-8 byte order mark that some editors write.
var bom = []byte("\xef\xbb\xbf")

// Enable returns the settings with one hook of ours per event, beside what is
// there. data is the file's content, nil or empty when there is no file.
// command makes the shell command for a verb, for example
// "/usr/bin/entire-plumb hooks claude-code stop" for "stop"; a guard such as
// "test -x …" around it is fine.
//
// Where a hook of ours is there with another command, because the program was
// moved, the command is replaced. A hook that calls us as part of a command of
// the user's own counts as installed and is left alone. Enabling twice gives
// the same bytes as enabling once. On an error nothing is given back.
func Enable(data []byte, command func(verb string) string) (out []byte, err error) {
	mark, body := cutBOM(data)
	for _, r := range rows {
		cmd := command(r.verb)
		if verb, how := recognise(cmd); how != ours || verb != r.verb {
			return nil, fmt.Errorf("enable Claude Code's hooks: the command %q for %s is not one that disabling would recognise\n"+
				"hint: the program's file has to be named entire-plumb and be called with `hooks claude-code %s`", cmd, r.event, r.verb)
		}
		if body, err = enableRow(body, r, cmd); err != nil {
			return nil, fmt.Errorf("enable Claude Code's hooks: %w", err)
		}
	}
	return append(bytes.Clone(mark), body...), nil
}

// Disable takes out the hooks of ours, for any verb. After Enable and nothing
// else it gives back the bytes from before; nil means that there was no file,
// or that nothing is left in it. Commands of the user's own that call us are
// left; Installed still reports them.
func Disable(data []byte) (out []byte, err error) {
	mark, body := cutBOM(data)
	for {
		doc, err := load(body)
		if err != nil {
			return nil, fmt.Errorf("disable Claude Code's hooks: %w", err)
		}
		next, found := disableLast(doc)
		if !found {
			break
		}
		body = next
	}
	if len(mark)+len(body) == 0 {
		return nil, nil
	}
	return append(bytes.Clone(mark), body...), nil
}

// Installed reports the verbs of ours that are present under their events, in
// the order of the table; complete when it is as long as Verbs.
func Installed(data []byte) ([]string, error) {
	_, body := cutBOM(data)
	doc, err := load(body)
	if err != nil {
		return nil, fmt.Errorf("find Claude Code's hooks: %w", err)
	}
	var verbs []string
	for _, r := range rows {
		for _, e := range doc.entries() {
			if e.event == r.event && e.verb == r.verb {
				verbs = append(verbs, r.verb)
				break
			}
		}
	}
	return verbs, nil
}

func cutBOM(data []byte) (mark, body []byte) {
	if bytes.HasPrefix(data, bom) {
		return data[:len(bom)], data[len(bom):]
	}
	return nil, data
}
