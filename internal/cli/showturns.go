package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"entire-plumb/internal/amount"
	"entire-plumb/internal/brief"
	"entire-plumb/internal/query"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/upkeep"
)

// printTurns prints a session's prompts, with what came of each.
func printTurns(w io.Writer, p query.ShownPart, whole bool) {
	if p.Earlier > 0 {
		fmt.Fprintf(w, "  %s before; --all prints them\n", amount.Of(p.Earlier, "prompt"))
	}
	for i, prompt := range p.Prompts {
		number := p.Earlier + i + 1
		at := slices.IndexFunc(p.Turns, func(t query.ShownTurn) bool { return t.Number == number })
		if !whole {
			prompt = beginning(prompt)
			if at < 0 && len(p.Turns) > 0 { // it has nothing in the files that are meant
				continue
			}
		}
		fmt.Fprintf(w, "  prompt %d: %s\n", number, indented(prompt))
		if at >= 0 {
			printOutcome(w, p.Turns[at:])
		}
	}
}

// printOutcome prints what came of the first of some turns.
func printOutcome(w io.Writer, turns []query.ShownTurn) {
	t := turns[0]
	more := len(turns) > 1 && t.ID != "" && turns[1].ID == t.ID // a prompt that was entered during the turn
	if text := about(t); text != "" && !more {
		fmt.Fprintf(w, "  %s\n", text)
	}
	for _, use := range t.Tools {
		fmt.Fprintf(w, "    %s\n", inCell(toolLine(use)))
	}
}

// about says what became of a turn; empty: nothing is known.
func about(t query.ShownTurn) string {
	turn := "turn"
	if t.ID != "" {
		turn += " " + printable(short(t.ID, 12))
	}
	switch {
	case t.Nothing() && len(t.Files) > 0:
		return turn + ": " + amount.Of(len(t.Files), "file") + " without a new line"
	case t.Nothing() && t.Work == "":
		return turn + ": no line of it is in the commit"
	case t.Lines != nil && !t.Nothing():
		return turn + ": " + amount.Of(*t.Lines, "line")
	case t.Work != "":
		return turn + ": " + whereIs(t.Work)
	case t.ID != "":
		return turn
	}
	return ""
}

// whereIs says where the work of a turn on a stream is.
func whereIs(work string) string {
	switch work {
	case string(upkeep.InWorktree):
		return "in the worktree"
	case string(upkeep.InStash):
		return "in a stash"
	case string(upkeep.NotKnown):
		return "of a stream that cannot be read"
	case string(upkeep.Elsewhere), string(upkeep.Removed):
		return "in " + strings.TrimSuffix(work, "'s")
	}
	return work // dismissed, committed, deleted
}

// Limits of a prompt that is not printed whole.
const (
	promptLines = 20
	promptBytes = 2000
)

// beginning is the beginning of a prompt, and how much is left out.
func beginning(prompt string) string {
	prompt = strings.TrimSpace(prompt)
	cut, _ := brief.Truncate(brief.FirstLines(prompt, promptLines), promptBytes)
	if more := len(prompt) - len(cut); more > 0 {
		return fmt.Sprintf("%s\n… and %s more; --all prints all", cut, amount.Of(more, "byte"))
	}
	return prompt
}

// toolLine is a use of a tool, in a line.
func toolLine(u transcript.ToolUse) string {
	line, _, more := strings.Cut(strings.TrimSpace(u.String()), "\n")
	if more {
		line += " …"
	}
	return short(line, 200)
}
