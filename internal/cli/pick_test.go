package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
)

// seen is what stands on the terminal in the end, without escape sequences.
func seen(drawn string) string {
	last := drawn[strings.LastIndex(drawn, "\x1b[?7l"):]
	return strings.ReplaceAll(regexp.MustCompile("\x1b\\[[?0-9]*[a-zA-Z]").ReplaceAllString(last, ""), "\r\n", "\n")
}

// TestPicker: keys move within the list, letters filter it, Enter chooses, and anything else that
// ends it chooses nothing.
func TestPicker(t *testing.T) {
	rows := make([]pickRow, 25)
	for i := range rows {
		rows[i].text = fmt.Sprintf("Row %c", 'a'+i)
	}
	rows[7].more, rows[9].text = "files: MAIN.go", "Row ü"
	for name, c := range map[string]struct {
		keys string
		want int
	}{
		"Enter": {"\r", 3}, "down": {"\x1b[B\r", 4}, "up": {"\x10\n", 2}, "a page": {"\x1b[6~\r", 13}, "two pages, and more": {"\x1b[6~\x1b[6~\x1b[6~\r", 24}, "the end": {"\x1b[F\r", 24},
		"the begin": {"\x1b[H\r", 0}, "above it": {"\x1b[H\x10\r", 0}, "escape": {"\x1b", -1}, "the input ends": {"a", -1}, "unknown keys": {"\x01\x1b[21~\x1bOZ\r", 3},
		"a letter": {"row e\r", 4}, "in another line": {"main\r", 7}, "two words": {"row main.go\r", 7}, "erased": {"mainx\x7f\r", 7}, "all erased": {"main\x15\x0e\r", 8}, "none": {"zz\r\x04", -1}, "no longer none": {"zz\r\x7f\x7f\x7f\r", 0},
		"more than ASCII": {"ü\r", 9}, "half of it erased": {"üa\b\r", 9}, "the cursor stays": {"row\r", 3}, "moves among those": {"row\x0e\x0e\r", 5},
	} {
		var out bytes.Buffer
		p := newPicker(&out, "Which?", rows, nil)
		p.at = 3
		got, err := p.run(strings.NewReader(c.keys))
		if err != nil || got != c.want {
			t.Errorf("%s: %d, %v", name, got, err)
		}
		if !strings.Contains(out.String(), "Which?  (type to filter; arrow keys, Enter; Esc: none)") || !strings.HasSuffix(out.String(), "\r\x1b[J") {
			t.Errorf("%s: %q", name, out.String())
		}
	}
}

// TestPickerInterrupted: Ctrl-C, and a signal, end the command, not only the list.
func TestPickerInterrupted(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	in, _ := io.Pipe() // nothing comes
	for name, in := range map[string]io.Reader{"a key": strings.NewReader("ab\x03\r"), "a signal": typed{ended, in}} {
		if at, err := newPicker(io.Discard, "Which?", make([]pickRow, 2), nil).run(in); at != -1 || err != errInterrupted {
			t.Errorf("%s: %d, %v", name, at, err)
		}
	}
}

// TestPickerDrawing: the rows, and what is known of the one under the cursor, as far as there is
// room.
func TestPickerDrawing(t *testing.T) {
	var out bytes.Buffer
	asked := 0
	preview := func(row int) []string {
		asked++
		return []string{"would restore a", "+new\x1b", "-old", "@@", fmt.Sprint("row ", row)}
	}
	p := newPicker(&out, "T", []pickRow{{text: "a", marked: true, more: "m"}, {text: "b", more: "n"}}, preview)
	p.at = 1
	p.draw(false)
	if got := seen(out.String()); got != "T  (type to filter; arrow keys, Enter; Esc: none)\n * a\n>  b\n     n\n" || asked != 0 {
		t.Errorf("%q, asked %d times", got, asked)
	}
	p.draw(true)
	p.draw(true)
	if got := seen(out.String()); !strings.HasSuffix(got, "     n\n  would restore a\n  +new"+printable("\x1b")+"\n  -old\n  @@\n  row 1\n") || asked != 1 {
		t.Errorf("%q, asked %d times", got, asked)
	}
	p.resize(12, 9)
	p.draw(true)
	if got := seen(out.String()); got != "T  (type to…\n * a\n>  b\n     n\n  would res…\n  +new"+printable("\x1b")+"\n  … 3 lines…\n" {
		t.Errorf("%q", got)
	}
	p.press(previewDownKey, "\t")
	p.draw(true)
	if got := seen(out.String()); !strings.Contains(got, "  -old\n  @@\n  … 1 line …\n") {
		t.Errorf("%q", got)
	}
	p.resize(80, 6)
	p.press(letterKey, "x")
	p.draw(true)
	if got := seen(out.String()); got != "T  (filter: x; arrow keys, Enter; Esc: none)\n   no row has this\n" {
		t.Errorf("%q", got)
	}
	p.colour = true
	if p.diffLine("+a\tb") != green+"+a    b"+reset || p.diffLine("+++ b/x") != bold+"+++ b/x"+reset || p.diffLine(" a") != " a" {
		t.Error("colours of a diff")
	}
}
