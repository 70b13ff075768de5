package gitexec

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// RewriteCommit writes a commit again with another tree, other parents and another message; author,
// committer and time stay. A signature, which would be wrong, is left out. Where nothing differs it
// is the same commit.
func (db *ODB) RewriteCommit(c Commit, tree OID, parents []OID, message []byte) (OID, error) {
	objects, err := db.contents(c.ID)
	if err != nil {
		return "", err
	}
	head, _, _ := bytes.Cut(objects[0].Data, []byte("\n\n"))
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", tree)
	for _, p := range parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	replaced := false
	for line := range strings.Lines(string(head)) {
		line = strings.TrimSuffix(line, "\n")
		if key, _, _ := strings.Cut(line, " "); key != "" { // otherwise the line before goes on
			replaced = slices.Contains([]string{"tree", "parent", "gpgsig", "gpgsig-sha256"}, key)
		}
		if !replaced {
			b.WriteString(line + "\n")
		}
	}
	b.WriteString("\n")
	b.Write(message)
	return last(db.write("commit", b.Bytes()))
}
