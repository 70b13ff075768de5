// Package history rewrites the history of this program's refs: it takes what was recorded out of
// all their commits.
package history

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/seal"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// open opens the repository of a command. It asks no remote for objects.
func open(ctx context.Context, e workspace.Env) (*workspace.Workspace, error) {
	w, _, err := e.OpenToRead(ctx, e.Dir)
	if err != nil {
		return nil, err
	}
	w.DB.Close()
	w.Repo = w.Repo.Offline()
	w.DB = w.Repo.ODB(ctx)
	return w, nil
}

// notBlocked is an error where a stale lock keeps refs of ours from being moved.
func notBlocked(repo *gitexec.Repo) error {
	if len(shadow.Blocked(repo)) == 0 {
		return nil
	}
	return fmt.Errorf("a stale lock is in the way of our refs: %s\nhint: remove it, if no git is running", shadow.BlockedBy(repo))
}

// rewriting maps objects to what takes their place. It changes no ref.
type rewriting struct {
	ctx     context.Context
	repo    *gitexec.Repo
	db      *gitexec.ODB
	readers *seal.Recipients

	text   func([]byte) []byte                         // a blob's new content, or a message's; nil: as it is
	branch func(root gitexec.OID) (gitexec.OID, error) // a tree of the checkpoints' branch, before its contents change; nil: as it is

	onBranch bool // the commits are those of the checkpoints' branch

	own     map[gitexec.OID]bool // objects that only our refs have
	blobs   map[gitexec.OID]gitexec.OID
	public  map[gitexec.OID]bool // of the changed blobs, those on the checkpoints' branch
	trees   map[gitexec.OID]gitexec.OID
	commits map[gitexec.OID]gitexec.OID

	named func(path string) bool // a path holds it; nil: none does
	paths map[string]bool        // that do

	sealed  int           // blobs that no identity here opens
	missing int           // that a partial clone lacks
	large   []gitexec.OID // that are too large to be searched
}

func newRewriting(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB) *rewriting {
	return &rewriting{ctx: ctx, repo: repo, db: db, own: map[gitexec.OID]bool{}, blobs: map[gitexec.OID]gitexec.OID{}, public: map[gitexec.OID]bool{},
		trees: map[gitexec.OID]gitexec.OID{}, commits: map[gitexec.OID]gitexec.OID{}, paths: map[string]bool{}}
}

// mostSearched is how many bytes of a blob are searched.
const mostSearched = 512 << 20

// isOurs reports whether this program writes a ref.
func isOurs(name string) bool {
	return strings.HasPrefix(name, shadow.Prefix) || strings.HasPrefix(name, shadow.Private)
}

// isCopy reports whether a ref is what was fetched of such a ref: git moves it at the next fetch.
func isCopy(name string) bool {
	rest, ok := strings.CutPrefix(name, "refs/remotes/")
	_, below, _ := strings.Cut(rest, "/")
	return ok && strings.HasPrefix(below, "entire/")
}

// refsOf lists our refs, those that are copies of a remote's, and the objects that all others have.
func (w *rewriting) refsOf() (ours, copies []gitexec.Ref, others []gitexec.OID, err error) {
	all, err := w.repo.Refs(w.ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, ref := range all {
		switch {
		case isOurs(ref.Name) && ref.Type == "commit":
			ours = append(ours, ref)
		case isCopy(ref.Name):
			copies = append(copies, ref)
		case !isOurs(ref.Name):
			others = append(others, ref.ID)
		}
	}
	if !w.repo.Head.ID.IsZero() {
		others = append(others, w.repo.Head.ID)
	}
	return ours, copies, others, nil
}

// mostTree is how many bytes a tree has: a snapshot's may be as large as the user's.
const mostTree = 256 << 20

// rewrite rewrites the histories of refs, and returns their new tips. What others have stays.
func (w *rewriting) rewrite(refs []gitexec.Ref, others []gitexec.OID) (map[string]gitexec.OID, error) {
	if len(refs) == 0 {
		return nil, nil
	}
	out := gitexec.Outgoing{Has: others}
	for _, ref := range refs {
		out.Tips = append(out.Tips, ref.ID)
	}
	objects, err := out.Objects(w.ctx, w.repo)
	if err != nil {
		return nil, err
	}
	for id := range objects {
		w.own[id] = true
	}
	lines, err := out.Parents(w.ctx, w.repo)
	if err != nil {
		return nil, err
	}
	for few := range slices.Chunk(lines, 1000) {
		ids := make([]gitexec.OID, len(few))
		for i, line := range few {
			ids[i] = line[0]
		}
		commits, err := w.db.Commits(ids...)
		if err != nil {
			return nil, err
		}
		for _, c := range commits {
			if _, done := w.commits[c.ID]; done {
				continue
			}
			if w.branch == nil && !w.onBranch && !shadow.IsOurs(c) {
				w.commits[c.ID] = c.ID // the user's own, which a stream is based on
				continue
			}
			if w.commits[c.ID], err = w.commit(c); err != nil {
				return nil, err
			}
		}
	}
	tips := map[string]gitexec.OID{}
	for _, ref := range refs {
		if now, ok := w.commits[ref.ID]; ok && now != ref.ID {
			tips[ref.Name] = now
		}
	}
	return tips, nil
}

func (w *rewriting) commit(c gitexec.Commit) (gitexec.OID, error) {
	tree := c.Tree
	var err error
	if w.branch != nil {
		if tree, err = w.branch(tree); err != nil {
			return "", err
		}
	}
	if w.text != nil {
		if tree, err = w.tree(tree, ""); err != nil {
			return "", err
		}
	}
	parents, changed := slices.Clone(c.Parents), tree != c.Tree
	for i, p := range parents {
		if now, ok := w.commits[p]; ok && now != p {
			parents[i], changed = now, true
		}
	}
	message := w.names(c.Message)
	if w.text != nil {
		message = w.text(message)
	}
	if !changed && bytes.Equal(message, c.Message) {
		return c.ID, nil
	}
	return w.db.RewriteCommit(c, tree, parents, message)
}

// names puts the new names of objects in the place of the old ones.
func (w *rewriting) names(text []byte) []byte {
	isHex := func(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }
	var out []byte
	at := 0
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && isHex(text[end]) {
			end++
		}
		if n := end - i; n == 40 || n == 64 {
			id := gitexec.OID(text[i:end])
			for _, all := range []map[gitexec.OID]gitexec.OID{w.commits, w.trees, w.blobs} {
				if now, ok := all[id]; ok && now != id && now != "" {
					out, at = append(append(out, text[at:i]...), now...), end
					break
				}
			}
		}
		i = max(end, i+1)
	}
	if at == 0 {
		return text
	}
	return append(out, text[at:]...)
}

// tree rewrites a directory. Its path ends with a slash, unless it is empty.
func (w *rewriting) tree(id gitexec.OID, path string) (gitexec.OID, error) {
	if now, done := w.trees[id]; done {
		return now, nil
	}
	if !w.own[id] {
		return id, nil
	}
	if err := w.ctx.Err(); err != nil {
		return "", err
	}
	trees, err := w.db.TreesUpTo(mostTree, id)
	if err != nil {
		return "", err
	}
	files, changed := gitexec.Tree{}, false
	for name, e := range trees[0] {
		was := e.ID
		if w.named != nil && w.named(path+name) && !w.named(path) {
			w.paths[path+name] = true
		}
		switch {
		case e.IsTree():
			e.ID, err = w.tree(e.ID, path+name+"/")
		case e.Mode == gitexec.ModeGitlink:
		default:
			e.ID, err = w.blob(e.ID)
		}
		if err != nil {
			return "", err
		}
		files[name], changed = e, changed || e.ID != was
	}
	if !changed {
		w.trees[id] = id
		return id, nil
	}
	if err := w.rehash(trees[0], files); err != nil {
		return "", err
	}
	w.trees[id], err = w.write(files)
	return w.trees[id], err
}

func (w *rewriting) write(files gitexec.Tree) (gitexec.OID, error) {
	ids, err := w.db.WriteTrees(files)
	if err != nil {
		return "", err
	}
	return ids[0], nil
}

// rehash writes the hash of a transcript that was changed.
func (w *rewriting) rehash(before, files gitexec.Tree) error {
	if !files[conversation.HashFile].Exists() {
		return nil
	}
	stored := conversation.Of(w.db, files, "")
	if slices.Equal(stored.Chunks, conversation.Of(w.db, before, "").Chunks) || len(stored.Chunks) == 0 {
		return nil
	}
	hash := sha256.New()
	if err := stored.WriteTranscript(hash); err != nil {
		return fmt.Errorf("the hash of a changed transcript: %w", err)
	}
	id, err := w.db.WriteBlob([]byte("sha256:" + hex.EncodeToString(hash.Sum(nil))))
	files[conversation.HashFile] = gitexec.Entry{Mode: gitexec.ModeFile, ID: id}
	return err
}

// blob rewrites a file.
func (w *rewriting) blob(id gitexec.OID) (gitexec.OID, error) {
	if now, done := w.blobs[id]; done {
		return now, nil
	}
	if !w.own[id] {
		return id, nil
	}
	w.blobs[id] = id
	info, err := w.db.Info(id)
	switch {
	case err != nil:
		return "", err
	case info[0].Type == "":
		w.missing++
		return id, nil
	case info[0].Size > mostSearched:
		w.large = append(w.large, id)
		return id, nil
	}
	var stored bytes.Buffer
	if err := w.db.Copy(&stored, id, "blob"); err != nil {
		return "", err
	}
	content, closed := stored.Bytes(), seal.Is(stored.Bytes())
	if closed {
		var opened bytes.Buffer
		err := conversation.Copy(w.db, &opened, id)
		if err != nil { // of others, or no file of ours
			w.sealed++
			return id, nil
		}
		content = opened.Bytes()
	}
	now := w.text(content)
	if bytes.Equal(now, content) {
		return id, nil
	}
	if closed {
		if w.readers == nil {
			return "", fmt.Errorf("what is encrypted would have to be encrypted again, and no setting says for whom\nhint: set encrypt_to")
		}
		if now, err = w.readers.Seal(now); err != nil {
			return "", err
		}
	}
	w.blobs[id], err = w.db.WriteBlob(now)
	w.public[id] = w.onBranch
	return w.blobs[id], err
}

// changed lists the blobs that another one takes the place of.
func changed(blobs map[gitexec.OID]gitexec.OID) (all []gitexec.OID) {
	for id, now := range blobs {
		if id != now {
			all = append(all, id)
		}
	}
	slices.Sort(all)
	return all
}

// noteRewriting has what this clone remembers of its checkpoints follow the new history.
func noteRewriting(db *gitexec.ODB, changes []shadow.RefChange) error {
	at := slices.IndexFunc(changes, func(c shadow.RefChange) bool { return c.Ref == shadow.Checkpoints })
	if at < 0 {
		return nil
	}
	before, err := checkpoints.ReadBranch(db, changes[at].Old)
	if err != nil {
		return err
	}
	after := gitexec.OID("")
	if changes[at].New != "" {
		commits, err := db.Commits(changes[at].New)
		if err != nil {
			return err
		}
		after = commits[0].Tree
	}
	return before.NoteRewriting(db, after)
}
