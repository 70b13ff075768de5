package agentsettings

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/tailscale/hujson"

	"entire-plumb/internal/agent"
)

// Settings in TOML have a table of their own for each hook, under one header: [[hooks]]. Kimi Code
// writes its file anew whenever one of its settings changes, so that nothing but the command tells
// which tables are ours.

const tomlHeader = "[[hooks]]"

var errNoTables = errors.New("\"hooks\" is not written as one table for each hook\n" +
	"hint: write each as a table of its own, under " + tomlHeader + ", then try again")

var errMore = errors.New("a table of ours has a value that we did not write\nhint: remove by hand the tables whose command calls entire-plumb")

// tomlHook is a hook's table.
type tomlHook struct {
	Event   string `toml:"event"`
	Matcher string `toml:"matcher"`
	Command string `toml:"command"`

	start, end int // from its header to the end of its last line
}

func (h tomlHook) isFor(e agent.Event) bool {
	verb, k := recognise(h.Command)
	return k != foreign && verb == e.Verb && h.Event == e.Name
}

// tomlHooks lists the hooks of a file, in its order.
func tomlHooks(data []byte) ([]tomlHook, error) {
	var all struct {
		Hooks []tomlHook `toml:"hooks"`
	}
	if err := toml.Unmarshal(data, &all); err != nil {
		if bad, ok := errors.AsType[*toml.DecodeError](err); ok {
			row, _ := bad.Position()
			err = fmt.Errorf("line %d: %w", row, err)
		}
		return nil, fmt.Errorf("the settings are not valid TOML: %w\nhint: correct the file by hand, then try again", err)
	}
	tables := tomlTables(data)
	if len(tables) != len(all.Hooks) {
		return nil, errNoTables
	}
	for i, at := range tables {
		all.Hooks[i].start, all.Hooks[i].end = at[0], at[1]
	}
	return all.Hooks, nil
}

// tomlTables finds where the tables of hooks are, in a valid file: from the header to the end of
// the last line of each.
func tomlTables(data []byte) (found [][2]int) {
	p := unstable.Parser{}
	p.Reset(data)
	within := false
	for p.NextExpression() {
		e := p.Expression()
		var last *unstable.Node
		names := []string{}
		for key := e.Key(); key.Next(); {
			last = key.Node()
			names = append(names, string(last.Data))
		}
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			if within = e.Kind == unstable.ArrayTable && slices.Equal(names, []string{"hooks"}); within {
				at := int(last.Raw.Offset)
				found = append(found, [2]int{lineStart(data, at), lineEnd(data, at)})
			}
		case unstable.KeyValue:
			if within {
				found[len(found)-1][1] = lineEnd(data, valueEnd(e.Value(), int(last.Raw.Offset)))
			}
		}
	}
	return found
}

// valueEnd is an offset in the last line of a value, which may be of several; key is that of its
// key.
func valueEnd(v *unstable.Node, key int) int {
	end := max(key, int(v.Raw.Offset)+max(int(v.Raw.Length), 1)-1)
	for children := v.Children(); children.Next(); {
		end = max(end, valueEnd(children.Node(), end))
	}
	return end
}

func lineStart(data []byte, at int) int { return bytes.LastIndexByte(data[:at], '\n') + 1 }

// lineEnd is behind the line's break.
func lineEnd(data []byte, at int) int {
	if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(data)
}

// enableTOML adds what is missing at the end, and replaces commands of ours that differ.
func enableTOML(data []byte, a agent.Agent, command func(verb string) string) ([]byte, error) {
	hooks, err := tomlHooks(data)
	if err != nil {
		return nil, fmt.Errorf("enable %s's hooks: %w", a.Title, err)
	}
	out := bytes.Clone(data)
	for _, h := range slices.Backward(hooks) { // so that the offsets of those before stay right
		at := slices.IndexFunc(a.Events, h.isFor)
		if at < 0 {
			continue
		}
		if _, k := recognise(h.Command); k == ours && h.Command != command(a.Events[at].Verb) {
			out = splice(out, h.start, h.end, []byte(h.table(a, a.Events[at], command, newlineOf(data))))
		}
	}
	for _, e := range a.Events {
		if !slices.ContainsFunc(hooks, func(h tomlHook) bool { return h.isFor(e) }) {
			before := newlineOf(data)
			if len(out) == 0 {
				before = ""
			}
			out = append(out, before+tomlHook{Matcher: e.Matcher}.table(a, e, command, newlineOf(data))...)
		}
	}
	if _, err := tomlHooks(out); err != nil { // the agent could not read what else is in it
		return nil, fmt.Errorf("enable %s's hooks: %w", a.Title, errNoTables)
	}
	return out, nil
}

// table writes a hook of ours.
func (h tomlHook) table(a agent.Agent, e agent.Event, command func(verb string) string, newline string) string {
	lines := []string{tomlHeader, "event = " + quotedTOML(e.Name)}
	if h.Matcher != "" {
		lines = append(lines, "matcher = "+quotedTOML(h.Matcher))
	}
	lines = append(lines, "command = "+quotedTOML(command(e.Verb)))
	if e.Timeout > 0 {
		lines = append(lines, "timeout = "+strconv.Itoa(e.Timeout*a.TimeoutUnit))
	}
	return strings.Join(append(lines, ""), newline)
}

// quotedTOML is a basic string, whose escapes are those of JSON.
func quotedTOML(text string) string { return string(hujson.String(text)) }

// disableTOML removes our tables, each with the blank line before it.
func disableTOML(data []byte, a agent.Agent) ([]byte, error) {
	hooks, err := tomlHooks(data)
	if err != nil {
		return nil, fmt.Errorf("disable %s's hooks: %w", a.Title, err)
	}
	out, newline := bytes.Clone(data), newlineOf(data)
	for _, h := range slices.Backward(hooks) {
		if _, k := recognise(h.Command); k != ours {
			continue
		}
		start := h.start
		blank := h.end == len(out) || bytes.HasSuffix(out[:start], []byte(newline+newline))
		if blank && bytes.HasSuffix(out[:start], []byte(newline)) {
			start -= len(newline)
		}
		out = splice(out, start, h.end, nil)
	}
	if len(bytes.TrimSpace(out)) == 0 {
		return nil, nil
	}
	if _, err := tomlHooks(out); err != nil { // the agent could not read what else is in it
		return nil, fmt.Errorf("disable %s's hooks: %w", a.Title, errMore)
	}
	return out, nil
}
