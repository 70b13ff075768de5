package gitexec

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// HashFiles gives the IDs that files' contents have as blobs after the clean filters for their paths, and stores them
// when store is set. Paths are relative to the top level. It knows nothing of what the index holds: see [Repo.HashInto]
// for what `git add` would store.
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

// TempDir makes a directory for one command's files, which the caller removes. It lies inside the git directory: what
// goes through it may be private, and must not be left in a directory that others read.
func (r *Repo) TempDir() (string, error) {
	parent := filepath.Join(r.PrivateDir(), "tmp")
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", err
	}
	if info, err := os.Lstat(parent); err != nil || !info.IsDir() { // a link's directory is somebody else's, and not to be swept
		return "", fmt.Errorf("%s is not a directory\nhint: remove it", parent)
	}
	sweep(parent)
	return os.MkdirTemp(parent, "")
}

// sweep removes what killed processes left there: no command takes an hour.
func sweep(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > time.Hour {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
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
