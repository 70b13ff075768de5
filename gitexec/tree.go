package gitexec

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
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

// Entry is one entry of a tree. The zero Entry is no entry.
type Entry struct {
	Mode string `json:"mode,omitempty"` // one of the modes above
	ID   OID    `json:"id,omitempty"`
}

// Exists reports whether there is an entry.
func (e Entry) Exists() bool { return e.Mode != "" }

// IsFile reports whether the entry is a regular file, which may have lines.
func (e Entry) IsFile() bool { return e.Mode == ModeFile || e.Mode == ModeExec }

// IsTree reports whether the entry is a directory.
func (e Entry) IsTree() bool { return e.Mode == ModeTree }

// Tree is one tree object: entries by name.
type Tree map[string]Entry

// parseTree parses a tree object's content.
func parseTree(data []byte, format Format) (Tree, error) {
	raw := format.HexLen() / 2
	tree := make(Tree, len(data)/(len("40000 \x00")+raw+12)) // with names of that length
	var id [2 * sha256.Size]byte
	for len(data) > 0 {
		mode, rest, ok := bytes.Cut(data, []byte{' '})
		name, rest, ok2 := bytes.Cut(rest, []byte{0})
		if !ok || !ok2 || len(rest) < raw {
			return nil, fmt.Errorf("a tree object is damaged")
		}
		tree[string(name)] = Entry{Mode: modeOf(mode), ID: OID(id[:hex.Encode(id[:], rest[:raw])])}
		data = rest[raw:]
	}
	return tree, nil
}

// modeOf is a mode as text: mostly a constant, which needs no memory of its own. Old tools padded
// the modes of directories with a zero.
func modeOf(mode []byte) string {
	for _, usual := range [...]string{ModeTree, ModeFile} {
		if string(mode) == usual {
			return usual
		}
	}
	return strings.TrimLeft(string(mode), "0")
}

// Trees reads tree objects, in order. The caller may change them. The zero ID is the empty tree.
func (o *Objects) Trees(ids ...OID) ([]Tree, error) {
	trees, err := o.shared(ids...)
	for i, tree := range trees {
		trees[i] = maps.Clone(tree)
	}
	return trees, err
}

// mostTrees and mostEntries limit the cache of trees: a hook reads the same few repeatedly, and who
// reads many reads them again soon.
const mostTrees, mostEntries = 4096, 100_000

// treeCache has the trees read last, in two generations, and those that are held.
type treeCache struct {
	newer, older, held map[OID]Tree
	entries            int // of newer
}

// get is nil for a tree that is not there.
func (c *treeCache) get(id OID) Tree {
	for _, trees := range []map[OID]Tree{c.newer, c.older, c.held} {
		if tree, ok := trees[id]; ok {
			return tree
		}
	}
	return nil
}

func (c *treeCache) add(id OID, tree Tree) {
	if len(tree) > mostEntries {
		return
	}
	// The older half goes: what was read since the last change stays.
	if c.newer == nil || len(c.newer) == mostTrees/2 || c.entries+len(tree) > mostEntries/2 {
		c.newer, c.older, c.entries = map[OID]Tree{}, c.newer, 0
	}
	c.newer[id] = tree
	c.entries += len(tree)
}

// unread are the trees that are not in the cache, each once.
func (o *Objects) unread(ids []OID) (ask []OID) {
	asked := map[OID]bool{}
	for _, id := range ids {
		if o.trees.get(id) == nil && !asked[id] && !id.IsZero() {
			ask, asked[id] = append(ask, id), true
		}
	}
	return ask
}

// shared reads tree objects through the cache. The caller must not change them.
func (o *Objects) shared(ids ...OID) ([]Tree, error) {
	ask := o.unread(ids)
	trees := make([]Tree, len(ids))
	for i, id := range ids {
		trees[i] = o.trees.get(id)
	}
	objects, err := askNear(o, "contents", ask, true)
	if errors.As(err, new(*MissingError)) && o.repo.Partial() {
		bring(o, ask...)
		objects, err = askNear(o, "contents", ask, true)
	}
	if err != nil {
		return nil, err
	}
	read := make(map[OID]Tree, len(ask))
	for i, object := range objects {
		if object.Type != "tree" {
			return nil, &KindError{Name: string(ask[i]), Kind: object.Type, Want: "tree"}
		}
		tree, err := parseTree(object.Data, o.repo.Format)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", ask[i], err)
		}
		read[ask[i]] = tree
		o.trees.add(ask[i], tree)
	}
	for i, id := range ids {
		if id.IsZero() {
			trees[i] = Tree{}
		} else if trees[i] == nil {
			trees[i] = read[id]
		}
	}
	return trees, nil
}

// Hold keeps a tree that the repository has not got, for reading through o alone, and returns an ID
// for it, which is none of git's.
func (o *ODB) Hold(tree Tree) (OID, error) {
	data, err := tree.encode()
	if err != nil {
		return "", err
	}
	// Another hash than git's, so that no object of the repository has that ID.
	sum := sha512.Sum512(data)
	id := OID(hex.EncodeToString(sum[:])[:o.repo.Format.HexLen()])
	if o.Objects.trees.held == nil {
		o.Objects.trees.held = map[OID]Tree{}
	}
	o.Objects.trees.held[id] = tree
	return id, nil
}

// IsAsWritten reports whether a tree object with an ID is as git writes this tree: sorted, and with
// each name once. git finds no name in others.
func (t Tree) IsAsWritten(id OID) bool {
	data, err := t.encode()
	if err != nil {
		return false
	}
	format := SHA1
	if len(id) == SHA256.HexLen() {
		format = SHA256
	}
	sum := format.hash()
	fmt.Fprintf(sum, "tree %d\x00%s", len(data), data)
	return string(id) == hex.EncodeToString(sum.Sum(nil))
}

// encode is the tree object's content: entries sorted by name, a directory's name with a slash.
func (t Tree) encode() ([]byte, error) {
	key := func(name string) string {
		if t[name].IsTree() {
			return name + "/"
		}
		return name
	}
	names := slices.SortedFunc(maps.Keys(t), func(a, b string) int { return strings.Compare(key(a), key(b)) })
	var out []byte
	for _, name := range names {
		out = append(out, t[name].Mode+" "+name+"\x00"...)
		var err error
		if out, err = hex.AppendDecode(out, []byte(t[name].ID)); err != nil {
			return nil, fmt.Errorf("%q is no object ID: %w", t[name].ID, err)
		}
	}
	return out, nil
}
