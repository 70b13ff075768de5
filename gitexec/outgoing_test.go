package gitexec

import (
	"bufio"
	"fmt"
	"strings"
	"testing"
)

// TestReadSearch reads what git log prints: of merges and empty commits no names, messages that look
// like names, and names that look like commits.
func TestReadSearch(t *testing.T) {
	id := func(c string) string { return strings.Repeat(c, 40) }
	in := "M " + id("a") + "\x00.entire/metadata/x/y\n\x00" + // a message alone
		"M " + id("b") + "\x00\x00\n.entire/metadata/s/full.jsonl\x00.entire/metadata/s/prompt.txt\x00" +
		"M " + id("c") + "\x00Mine\x00\n\x01commit\x00a/b/.entire/metadata/s/x\x00" +
		"M " + id("d") + "\x00Mine\x00\nx.entire/metadata/s\x00.entire/metadata\x00.entire/metadata2/s\x00" +
		"M " + id("e") + "\x00Secret\x00"
	found, n, err := readSearch(bufio.NewReader(strings.NewReader(in)), []byte("M "), func(c Commit) bool { return string(c.Message) == "Secret" }, ".entire/metadata")
	want := []Found{{OID(id("b")), ".entire/metadata"}, {OID(id("c")), "a/b/.entire/metadata"}, {OID(id("e")), ""}}
	if err != nil || n != 5 || fmt.Sprint(found) != fmt.Sprint(want) {
		t.Errorf("%v %d %v", found, n, err)
	}
	if _, _, err := readSearch(bufio.NewReader(strings.NewReader("M rubbish\x00")), []byte("M "), nil, "x"); err == nil {
		t.Error("rubbish is read")
	}
}
