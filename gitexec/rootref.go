package gitexec

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"entire-plumb/internal/safefile"
)

// rootRefs are refs outside of refs/ that git was asked for, as long as the reftables are the same:
// a hook asks what git is at in many places, and each answer takes a process.
type rootRefs struct {
	mu    sync.Mutex
	of    string // these tables
	known map[string]OID
}

// mostRootRef is how long git may take to look up one ref, and mostTables how many bytes the list
// of tables may have: git merges tables, so that there are few.
const mostRootRef, mostTables = 10 * time.Second, 1 << 20

// rootRef is a ref outside of refs/, of this worktree, where refs are in reftables; empty: there is
// none. One process, the first time.
func (r *Repo) rootRef(name string) OID {
	r.roots.mu.Lock()
	defer r.roots.mu.Unlock()
	if tables := r.tables(); tables != r.roots.of || tables == "" {
		r.roots.of, r.roots.known = tables, map[string]OID{}
	}
	id, known := r.roots.known[name]
	if !known {
		id = r.askRootRef(name)
		r.roots.known[name] = id
	}
	return id
}

// tables are the names of the worktree's reftables, which git gives anew with each change of a ref;
// empty where they can't be read.
func (r *Repo) tables() string {
	names, err := safefile.Read(filepath.Join(r.GitDir, "reftable", "tables.list"), mostTables)
	if err != nil {
		return ""
	}
	return string(names)
}

// askRootRef asks git. rev-parse would take a branch or a tag of that name.
func (r *Repo) askRootRef(name string) OID {
	ctx, cancel := context.WithTimeout(context.Background(), mostRootRef)
	defer cancel()
	out, err := r.output(ctx, command{args: []string{"show-ref", "--verify", "--", name}})
	if err != nil {
		return ""
	}
	if id, _, _ := strings.Cut(string(out), " "); ValidOID(id) {
		return OID(id)
	}
	return ""
}
