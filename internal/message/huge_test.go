package message

import (
	"bytes"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// huge are messages of megabytes, each of lines of another kind.
func huge() map[string]string {
	many := func(line string) string { return strings.Repeat(line, testdir.Times(2<<20, 1<<19)/len(line)) }
	return map[string]string{
		"one line":            many("x") + "\n",
		"lines of one byte":   many("x\n"),
		"blank lines":         "s\n" + many("\n") + "end\n",
		"trailers":            "s\n\nb\n\n" + many("Key: value\n"),
		"continued trailer":   "s\n\nb\n\nKey: v\n" + many(" more of it\n"),
		"comments":            "s\n\nb\n" + many("# c\n"),
		"comments above":      many("# c\n") + "\nend\n",
		"CRLF":                many("x\r\n"),
		"paragraphs":          many("p\n\n"),
		"lists of conflicts":  "s\n\n" + many("Conflicts:\n"),
		"scissors":            "s\n\n" + many(cut),
		"white space":         "s\n\n" + many(" ") + "\n\nend\n",
		"paragraphs of links": "s\n\n" + many("Entire-Checkpoint: \n\n"),
	}
}

// TestHuge links huge messages: git is asked about no more than a block of trailers may
// have, and a link is there once and goes as it came.
func TestHuge(t *testing.T) {
	for name, text := range huge() {
		for _, editor := range []bool{false, true} {
			asked := 0
			trailers := func(body []byte, trailer string) ([]byte, error) {
				asked = max(asked, len(body))
				return append(append([]byte{}, body...), trailer+"\n"...), nil
			}
			style := Style{Editor: editor}
			linked, err := AddLinks([]byte(text), []string{id}, style, trailers)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if asked > longestParagraph+1000 {
				t.Errorf("%s: git was asked about %d bytes", name, asked)
			}
			if ids := Links(linked); len(ids) != 1 || ids[0] != id {
				t.Errorf("%s: links %q", name, ids)
			}
			if rest := RemoveLinks(linked, style); !bytes.Equal(bytes.TrimSpace(rest), bytes.TrimSpace([]byte(text))) {
				t.Errorf("%s: %d bytes are %d without the link", name, len(text), len(rest))
			}
			if _, lone := StripLone(linked, style); lone {
				t.Errorf("%s: nothing but a link", name)
			}
		}
	}
}

// TestHugeAllocations counts what is allocated: not a piece for each line.
func TestHugeAllocations(t *testing.T) {
	for name, text := range huge() {
		msg := []byte(text)
		trailers := func(body []byte, trailer string) ([]byte, error) {
			return append(append([]byte{}, body...), trailer+"\n"...), nil
		}
		allocated := testing.AllocsPerRun(1, func() {
			linked, _ := AddLinks(msg, []string{id}, Style{}, trailers)
			StripLone(linked, Style{})
		})
		if allocated > 40_000 { // the last paragraph's lines may have one each
			t.Errorf("%s: %.0f allocations", name, allocated)
		}
	}
}
