package shadow

import (
	"bytes"
	"errors"
	"strings"

	"entire-plumb/gitexec"
)

// largestText is the size in bytes up to which a file's lines are compared in a hook, for links and
// streams: 100,000 lines of code. A larger file is compared by its version alone, though its lines
// have authors up to checkpoints.LargestCompared.
const largestText = 4 << 20

// Texts reads the lines of file versions from the object database, each version once.
type Texts struct {
	DB   *gitexec.ODB
	seen map[gitexec.OID][]string
}

// Lines returns a version's lines without their ends, CRLF or LF. ok is false for a version without
// lines to compare.
func (t *Texts) Lines(e gitexec.Entry) (lines []string, ok bool, err error) {
	if !e.IsFile() {
		return nil, false, nil
	}
	if lines, ok := t.seen[e.ID]; ok {
		return lines, lines != nil, nil
	}
	lines, err = t.read(e.ID)
	if err != nil {
		return nil, false, err
	}
	if t.seen == nil {
		t.seen = map[gitexec.OID][]string{}
	}
	t.seen[e.ID] = lines
	return lines, lines != nil, nil
}

// read returns nil for a binary file and for one that is too large.
func (t *Texts) read(id gitexec.OID) ([]string, error) {
	data, err := t.DB.Blob(id, largestText)
	// No error: work with such a file is compared by its version alone.
	if large := new(gitexec.TooLargeError); errors.As(err, &large) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if gitexec.IsBinary(data) {
		return nil, nil
	}
	lines := make([]string, 0, 1+bytes.Count(data, []byte("\n")))
	for line := range strings.Lines(string(data)) {
		lines = append(lines, strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"))
	}
	return lines, nil
}
