package agentsettings

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"entire-plumb/internal/agent"
)

// Taken is what stands before a command of the entire CLI that was taken over: the shell does
// nothing. The command stays in its place, so that it can be given back byte for byte whatever else
// is changed in the file, here or in a clone. It needs no escape in JSON.
const Taken = "true # entire-plumb has taken over: "

// TakeOver makes the entire CLI's hooks do nothing, and reports how many it found. mixed are
// commands that call it among other things: they are for the user to change, and stay.
func TakeOver(data []byte, a agent.Agent) (out []byte, found int, mixed []string, err error) {
	if a.Plugin != "" { // a file of ours alone
		return data, 0, nil, nil
	}
	mark, body := cutBOM(data)
	doc, err := load(body, a)
	if err != nil {
		return nil, 0, nil, fmt.Errorf("find the entire CLI's hooks for %s: %w", a.Title, err)
	}
	for twin := doc.twin(); twin != nil; twin = doc.twin() {
		found++
		body = doc.take(*twin)
		if doc, err = load(body, a); err != nil {
			return nil, 0, nil, err
		}
	}
	for _, e := range slices.Backward(doc.all()) { // so that the offsets of those before stay right
		switch calls, alone := callsEntire(e.command()); {
		case strings.HasPrefix(e.command(), Taken):
		case calls && alone:
			found++
			body = splice(body, e.text.StartOffset+1, e.text.StartOffset+1, []byte(Taken))
		case calls:
			mixed = append(mixed, e.command())
		}
	}
	return append(bytes.Clone(mark), body...), found, mixed, nil
}

// twin finds a hook of the entire CLI that was taken over before, and that it has installed once
// more.
func (d document) twin() *entry {
	entries := d.all()
	for _, e := range entries {
		_, alone := callsEntire(e.command())
		if alone && slices.ContainsFunc(entries, func(o entry) bool {
			return o.event == e.event && o.matcher == e.matcher && o.command() == Taken+e.command()
		}) {
			return &e
		}
	}
	return nil
}

// GiveBack makes the hooks that TakeOver stopped run again.
func GiveBack(data []byte, a agent.Agent) (out []byte, err error) {
	if a.Plugin != "" {
		return data, nil
	}
	mark, body := cutBOM(data)
	doc, err := load(body, a)
	if err != nil {
		return nil, fmt.Errorf("find the entire CLI's hooks for %s: %w", a.Title, err)
	}
	for _, e := range slices.Backward(doc.all()) {
		at := e.text.StartOffset + 1
		command, ok := strings.CutPrefix(e.command(), Taken)
		if !ok || !bytes.HasPrefix(body[at:], []byte(Taken)) {
			continue
		}
		if _, alone := callsEntire(command); alone { // else somebody else wrote it
			body = splice(body, at, at+len(Taken), nil)
		}
	}
	return append(bytes.Clone(mark), body...), nil
}

// callsEntire reports whether a shell command calls `entire hooks`, and whether it does nothing
// else. A command of several lines counts as the user's own: a comment ends with its line. So does
// one that doesn't find the program on PATH, and one with anything in it that a shell expands: a
// repository may come with a command that only looks like one that we took over.
func callsEntire(command string) (calls, alone bool) {
	words := split(command)
	alone = !strings.ContainsAny(command, "\n\r`$<")
	if alone && len(words) == 3 && words[0] == "sh" && words[1] == "-c" && words[2] != command { // as newer versions write it
		return callsEntire(words[2])
	}
	for i := 0; i < len(words); i++ {
		switch name := words[i][strings.LastIndexAny(words[i], `/\`)+1:]; {
		case (name == "entire" || name == "entire.exe") && i+3 < len(words) && words[i+1] == "hooks":
			calls = true
			alone = alone && words[i] == "entire" && isWord(words[i+2]) && isWord(words[i+3])
			i += 3 // the agent and the verb
		case words[i] == "entire" || isGuard(words[i]):
		default:
			alone = false
			if strings.Contains(words[i], " ") && words[i] != command { // as for sh -c
				inner, _ := callsEntire(words[i])
				calls = calls || inner
			}
		}
	}
	return calls, calls && alone
}

// isWord reports whether a word is like the names of agents and their events.
func isWord(word string) bool {
	return strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}
