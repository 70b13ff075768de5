package gitexec

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

// HashFiles computes the blob IDs of files after the clean filters for their paths, and stores the
// blobs if store is set. Paths are relative to the top level. It ignores the index: see
// [ODB.HashInto] for what `git add` would store.
func (r *Repo) HashFiles(ctx context.Context, store bool, paths ...string) ([]OID, error) {
	args := []string{"hash-object", "--stdin-paths"}
	if store {
		args = append(args, "-w")
	}
	var in bytes.Buffer
	for _, p := range paths {
		in.WriteString(cQuote(p) + "\n")
	}
	out, err := r.output(ctx, command{args: args, stdin: &in})
	if err != nil {
		return nil, err
	}
	return oidLines(out, len(paths))
}

func oidLines(out []byte, want int) ([]OID, error) {
	lines := strings.Fields(string(out))
	if len(lines) != want {
		return nil, fmt.Errorf("git hash-object gave %d IDs for %d files", len(lines), want)
	}
	oids := make([]OID, want)
	for i, l := range lines {
		oids[i] = OID(l)
	}
	return oids, nil
}
