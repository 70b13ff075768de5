package agentsettings

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"

	"entire-plumb/internal/agent"
)

// blanks are JSON's white space.
const blanks = " \t\r\n"

// style is how a file is laid out, for what we write into it.
type style struct {
	newline string // LF or CRLF
	unit    string // one level of indentation
	oneLine bool   // no line breaks at all between the outer brackets
	colon   string // between key and value in one line
	space   string // after a comma in one line
}

// styleOf finds the style of a document; the agents' own, two spaces, where there is nothing to go
// by.
func styleOf(d document) style {
	st := style{newline: newlineOf(d.data), unit: "  ", colon: ": ", space: " "}
	if len(d.root.items) == 0 {
		return st
	}
	first := d.root.items[0]
	if indent, ok := lastLine(first.before); ok {
		st.unit = indent
	}
	st.oneLine = bytes.IndexByte(d.data[d.root.open:d.root.close], '\n') < 0
	if len(first.value.BeforeExtra) == 0 {
		st.colon, st.space = ":", ""
	}
	return st
}

// newlineOf returns the line ending of a file's first line.
func newlineOf(data []byte) string {
	if i := bytes.IndexByte(data, '\n'); i > 0 && data[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// pair writes a key and its value in one line.
func (st style) pair(key, value string) string { return string(hujson.String(key)) + st.colon + value }

// group writes the group that we add to an event, in one line.
func (st style) group(a agent.Agent, e agent.Event, command string) string {
	if a.Flat != "" {
		return st.hook(a, e, a.Flat, command)
	}
	text := `{`
	if e.Matcher != "" {
		text += st.pair("matcher", string(hujson.String(e.Matcher))) + "," + st.space
	}
	return text + st.pair("hooks", `[`+st.hook(a, e, "command", command)+`]`) + `}`
}

// hook writes one hook, with its command under a key.
func (st style) hook(a agent.Agent, e agent.Event, key, command string) string {
	text := `{` + st.pair("type", `"command"`) + "," + st.space + st.pair(key, string(hujson.String(command)))
	if e.Timeout > 0 {
		text += "," + st.space + st.timeout(a, e)
	}
	return text + `}`
}

// timeoutKey is the key of a hook's timeout.
func timeoutKey(a agent.Agent) string { return cmp.Or(a.TimeoutKey, "timeout") }

// timeout writes how long a hook may take, in the agent's unit.
func (st style) timeout(a agent.Agent, e agent.Event) string {
	return st.pair(timeoutKey(a), strconv.Itoa(e.Timeout*a.TimeoutUnit))
}

// pretty breaks one item, a value or a key with its value, into lines; all but
// the first begin with indent.
func (st style) pretty(text, indent string) string {
	key, value := "", text
	if text[0] == '"' {
		i := strings.IndexByte(text, ':') // no key of ours has one
		key, value = text[:i]+": ", text[i+1:]
	}
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(value), indent, st.unit); err != nil {
		return text // can't be: the text is ours; and in one line it is as good
	}
	return key + strings.ReplaceAll(b.String(), "\n", st.newline)
}

// lastLine returns the indentation that an extra ends with; ok is false when the
// item after it doesn't begin a line.
func lastLine(extra []byte) (indent string, ok bool) {
	i := bytes.LastIndexByte(extra, '\n')
	indent = string(extra[i+1:])
	return indent, i >= 0 && strings.Trim(indent, blanks) == ""
}

// lineIndent returns the blanks at the beginning of the line that holds offset at.
func lineIndent(data []byte, at int) string {
	line := data[bytes.LastIndexByte(data[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}
