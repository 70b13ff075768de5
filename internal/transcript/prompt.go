package transcript

import (
	"slices"
	"strings"
)

// wrappers begin the tags of what the agent's program puts in the user's name:
// slash commands and their output, shell mode, reminders, the editor's state.
var wrappers = []string{
	"<command-", "<local-command-", "<bash-", "<system-reminder>", "<task-notification>", "<ide_",
	"<environment_context>", "<user_instructions>", "<turn_aborted>", "<session_context>",
}

// Notification reports whether a text that the agent's program submits as a prompt is its own: a
// task in the background has ended.
func Notification(text string) bool {
	return strings.HasPrefix(strings.TrimSpace(text), "<task-notification>")
}

// NotifiedTask is the ID of the task that a notification is about; "" if the text is none. stopped:
// it did not come to its end, but was killed, as a server is.
func NotifiedTask(text string) (id string, stopped bool) {
	if !Notification(text) {
		return "", false
	}
	return inside(text, "task-id"), slices.Contains([]string{"killed", "stopped", "cancelled"}, inside(text, "status"))
}

// notified is the tool use that a notification is about; nil if the text is none.
func notified(text string) *string {
	if !Notification(text) {
		return nil
	}
	use := inside(text, "tool-use-id")
	return &use
}

// interrupted begins what the agent's program writes when the user stops it.
const interrupted = "[Request interrupted by user"

// unwrapped is text without the wrappers before it; "" if nothing is left. A command that has the
// agent do something, such as a skill, is what the user entered. One that the agent's program does
// by itself, such as /clear, begins with the command's name instead of its message.
func unwrapped(text string) string {
	text = strings.TrimSpace(text)
	// The user typed /NAME ARGUMENTS, which the program writes so.
	if strings.HasPrefix(text, "<command-message>") {
		return strings.TrimSpace(inside(text, "command-name") + " " + inside(text, "command-args"))
	}
	for slices.ContainsFunc(wrappers, func(w string) bool { return strings.HasPrefix(text, w) }) {
		// A tag may have attributes. Without an end the text is all wrapper.
		name := text[1:strings.IndexAny(text+">", "> ")]
		_, after, _ := strings.Cut(text, "</"+name+">")
		text = strings.TrimSpace(after)
	}
	if strings.HasPrefix(text, interrupted) {
		return ""
	}
	return text
}

// inside is the text between a tag and its end; "" if it isn't there.
func inside(text, tag string) string {
	_, text, _ = strings.Cut(text, "<"+tag+">")
	// A tag without an end is one that the user wrote, or was cut off.
	text, _, ok := strings.Cut(text, "</"+tag+">")
	if !ok {
		return ""
	}
	return strings.TrimSpace(text)
}
