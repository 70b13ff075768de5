package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// endOfWritten ends a part of a page that is written.
const endOfWritten = "<!-- end of what is written -->\n"

// writeInto replaces what is between a mark with the options given and the end of what is written.
func writeInto(page, options, text string) error {
	data, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	mark := "<!-- written by: go run ./internal/bench " + options + " "
	before, rest, ok := strings.Cut(string(data), mark)
	line, rest, ok2 := strings.Cut(rest, "\n")
	_, after, ok3 := strings.Cut(rest, endOfWritten)
	if !ok || !ok2 || !ok3 {
		return fmt.Errorf("%s has no part that begins with %q and ends with %q", page, mark, strings.TrimSpace(endOfWritten))
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s%s%s\n\n%s\n%s%s", before, mark, line, strings.TrimSpace(text), endOfWritten, after)
	return os.WriteFile(page, b.Bytes(), 0o644)
}
