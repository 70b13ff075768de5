package gitexec

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"strings"
)

// Modes of tree entries, as git writes them.
const (
	ModeFile    = "100644"
	ModeExec    = "100755"
	ModeSymlink = "120000"
	ModeGitlink = "160000"
	ModeTree    = "40000"
)

// Entry is one entry of a tree: what a name stands for. The zero Entry stands for nothing.
type Entry struct {
	Mode string `json:"mode,omitempty"` // one of the modes above
	ID   OID    `json:"id,omitempty"`
}

// Exists reports whether there is something.
func (e Entry) Exists() bool { return e.Mode != "" }

// IsTree reports whether the entry is a directory.
func (e Entry) IsTree() bool { return e.Mode == ModeTree }

// kind is the object type that a mode asks for.
func (e Entry) kind() string {
	switch e.Mode {
	case ModeTree:
		return "tree"
	case ModeGitlink:
		return "commit"
	}
	return "blob"
}

// Tree is one level of a tree, by name.
type Tree map[string]Entry

// ParseTree reads a tree object's content.
func ParseTree(data []byte, format Format) (Tree, error) {
	tree := Tree{}
	raw := format.HexLen() / 2
	for len(data) > 0 {
		mode, rest, ok := bytes.Cut(data, []byte{' '})
		name, rest, ok2 := bytes.Cut(rest, []byte{0})
		if !ok || !ok2 || len(rest) < raw {
			return nil, fmt.Errorf("a tree object is damaged")
		}
		tree[string(name)] = Entry{Mode: string(mode), ID: OID(hex.EncodeToString(rest[:raw]))}
		data = rest[raw:]
	}
	return tree, nil
}

// Trees reads levels of trees, in the order asked for. The zero ID is the tree without entries.
func (o *Objects) Trees(ids ...OID) ([]Tree, error) {
	var ask []OID
	for _, id := range ids {
		if !id.IsZero() {
			ask = append(ask, id)
		}
	}
	objects, err := o.Contents(ask...)
	if err != nil {
		return nil, err
	}
	trees := make([]Tree, len(ids))
	for i, id := range ids {
		if id.IsZero() {
			trees[i] = Tree{}
			continue
		}
		if objects[0].Type != "tree" {
			return nil, fmt.Errorf("object %s is a %s, not a tree", id, objects[0].Type)
		}
		if trees[i], err = ParseTree(objects[0].Data, o.repo.Format); err != nil {
			return nil, fmt.Errorf("%s: %w", id, err)
		}
		objects = objects[1:]
	}
	return trees, nil
}

// TreeWriter stores trees through one mktree --batch process, which is started by the first tree and lives until Close.
type TreeWriter struct {
	repo *Repo
	ctx  context.Context
	proc *process
	out  *bufio.Reader
}

// TreeWriter makes a writer of trees; nothing is started yet.
func (r *Repo) TreeWriter(ctx context.Context) *TreeWriter { return &TreeWriter{repo: r, ctx: ctx} }

// Warm starts the process before it is needed.
func (w *TreeWriter) Warm() error {
	if w.proc != nil {
		return nil
	}
	args := []string{"mktree", "-z", "--batch"}
	if w.repo.PartialClone() {
		args = append(args, "--missing") // what isn't here was promised, and looking for it would fetch it
	}
	proc, err := w.repo.start(w.ctx, command{args: args})
	if err != nil {
		return err
	}
	w.proc, w.out = proc, bufio.NewReader(proc.out)
	return nil
}

// Write stores trees, of any order of names, and gives their IDs. mktree refuses entries whose objects don't exist.
func (w *TreeWriter) Write(trees ...Tree) ([]OID, error) {
	if len(trees) == 0 {
		return nil, nil
	}
	if err := w.Warm(); err != nil {
		return nil, err
	}
	var in bytes.Buffer
	for _, tree := range trees {
		for name, e := range tree {
			fmt.Fprintf(&in, "%s %s %s\t%s\x00", e.Mode, e.kind(), e.ID, name)
		}
		in.WriteByte(0)
	}
	written := make(chan error, 1)
	go func() { _, err := w.proc.in.Write(in.Bytes()); written <- err }()
	ids := make([]OID, len(trees))
	for i := range ids {
		line, err := w.out.ReadString('\n')
		if err != nil {
			return nil, w.dead(err)
		}
		ids[i] = OID(strings.TrimSuffix(line, "\n"))
	}
	if err := <-written; err != nil {
		return nil, w.dead(err)
	}
	return ids, nil
}

// Close ends the process, if one was started.
func (w *TreeWriter) Close() error {
	if w.proc == nil {
		return nil
	}
	proc := w.proc
	w.proc = nil
	return proc.wait()
}

func (w *TreeWriter) dead(cause error) error {
	proc := w.proc
	w.proc = nil
	return proc.broken(cause)
}
