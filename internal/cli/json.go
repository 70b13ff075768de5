package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"entire-plumb/gitexec"
)

// jsonVersion is the version of what is printed as JSON. It grows when a key goes or changes its
// meaning, and not when one is added.
const jsonVersion = 1

// printJSON prints a value as JSON, with its version: that of an object is its first key, and in a
// list each object has it.
func printJSON(w io.Writer, v any) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := escaping{w}.Write(versioned(text.Bytes()))
	return err
}

// versioned adds the version to what the encoder printed. A line break in it is never part of a
// text, so that a line of an opening brace alone begins an object.
func versioned(text []byte) []byte {
	key := fmt.Appendf(nil, "  \"version\": %d,\n", jsonVersion)
	if rest, ok := bytes.CutPrefix(text, []byte("{\n")); ok {
		return slices.Concat([]byte("{\n"), key, rest)
	}
	opens := []byte("\n  {\n")
	return bytes.ReplaceAll(text, opens, slices.Concat(opens, []byte("  "), key))
}

// escaping writes JSON with escapes for characters that control a terminal but need none in JSON.
type escaping struct{ io.Writer }

// Write expects whole runes, as the encoder writes them.
func (w escaping) Write(data []byte) (int, error) {
	commands := func(r rune) bool { return r >= 0x7f && gitexec.ControlsTerminal(r) }
	if !bytes.ContainsFunc(data, commands) {
		return w.Writer.Write(data)
	}
	var b bytes.Buffer
	for _, r := range string(data) {
		if commands(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	if _, err := w.Writer.Write(b.Bytes()); err != nil {
		return 0, err
	}
	return len(data), nil
}
