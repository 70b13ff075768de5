package claudesettings

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tailscale/hujson"
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

// styleOf finds the style of a document; Claude Code's own, two spaces, where
// there is nothing to go by.
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

// group writes the group that we add to an event, in one line.
func (st style) group(r row, command string) string {
	pair := func(key, value string) string { return string(hujson.String(key)) + st.colon + value }
	text := `{`
	if r.matcher != "" {
		text += pair("matcher", string(hujson.String(r.matcher))) + "," + st.space
	}
	entry := `{` + pair("type", `"command"`) + "," + st.space + pair("command", string(hujson.String(command))) + `}`
	return text + pair("hooks", `[`+entry+`]`) + `}`
}

// pretty breaks one item, a value or a key with its value, into lines; all but
// the first begin with indent.
func (st style) pretty(text, indent string) string {
	key, value := "", text
	if text[0] == '"' {
		i := strings.IndexAny(text, "{[")
		key, value = strings.TrimRight(text[:i], " :")+": ", text[i:]
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
