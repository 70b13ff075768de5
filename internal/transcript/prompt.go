package transcript

import "strings"

// wrappers begin the tags of what the agent's program puts in the user's name:
// slash commands and their output, shell mode, reminders, the editor's state.
var wrappers = []string{
	"<command-", "<local-command-", "<bash-", "<system-reminder>", "<task-notification>", "<ide_",
}

// Notification reports whether a text that the agent's program submits as a prompt is its own: a
// task in the background has ended.
func Notification(text string) bool {
	return strings.HasPrefix(strings.TrimSpace(text), "<task-notification>")
}

// interrupted begins what the agent's program writes when the user stops it.
const interrupted = "[Request interrupted by user"

// prompt is what the user asked in this record, its blocks of text joined by
// newlines; "" if it is no prompt. Text beside a tool's result is the agent's
// program's.
func (r record) prompt() string {
	if r.Type != typeUser || r.IsMeta || r.IsCompactSummary {
		return ""
	}
	var texts []string
	for _, block := range r.Message.Content {
		switch block.Type {
		case blockToolResult:
			return ""
		case blockText:
			if text := unwrapped(block.Text); text != "" {
				texts = append(texts, text)
			}
		}
	}
	return strings.Join(texts, "\n")
}

// unwrapped is text without the wrappers before it; "" if nothing is left.
func unwrapped(text string) string {
	text = strings.TrimSpace(text)
	for wrapped(text) {
		name := text[1:strings.IndexAny(text+">", "> ")]
		_, after, _ := strings.Cut(text, "</"+name+">")
		text = strings.TrimSpace(after)
	}
	if strings.HasPrefix(text, interrupted) {
		return ""
	}
	return text
}

func wrapped(text string) bool {
	for _, w := range wrappers {
		if strings.HasPrefix(text, w) {
			return true
		}
	}
	return false
}

// lastText is the last text that is not blank; "" if none.
func (c content) lastText() string {
	for i := len(c) - 1; i >= 0; i-- {
		if text := strings.TrimSpace(c[i].Text); c[i].Type == blockText && text != "" {
			return text
		}
	}
	return ""
}
