// Package history rewrites the history of this program's refs: it takes what was recorded out of
// all their commits.
package history

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/seal"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// open opens the repository of a command. It asks no remote for objects: a partial clone would
// fetch all that was ever recorded to search it. What it lacks is counted instead.
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

	// A tree or a file that the user's commits have, too, stays: with another one in its place
	// nothing is gained, as the user's history keeps it.
	own   map[gitexec.OID]bool // objects that only our refs have
	blobs map[gitexec.OID]gitexec.OID
	// Only these are listed for other clones: the ID of a blob on a stream is nothing that they
	// have, and is a hash by which a short text can be guessed.
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
	_, ok := shadow.Tracked(name)
	return ok
}

// refsOf lists our refs, those that are copies of a remote's, and the objects that all others have.
func (w *rewriting) refsOf() (ours, copies []gitexec.Ref, others []gitexec.OID, err error) {
	all, err := w.repo.Refs(w.ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, ref := range all {
		switch {
		// A ref of ours on anything but a commit is not this program's doing: its name protects
		// nothing, and it is left as it is.
		case isOurs(ref.Name) && ref.Type == "commit":
			ours = append(ours, ref)
		case isCopy(ref.Name):
			copies = append(copies, ref)
		case !isOurs(ref.Name):
			others = append(others, ref.ID)
		}
	}
	// A detached HEAD is no ref, and its commits are the user's all the same.
	if !w.repo.Head.ID.IsZero() {
		others = append(others, w.repo.Head.ID)
	}
	return ours, copies, others, nil
}

// mostTree is how many bytes a tree has: a snapshot's may be as large as the user's.
const mostTree = 256 << 20

// rewrite rewrites the histories of refs, and returns their new tips. What others have stays.
func (w *rewriting) rewrite(refs []gitexec.Ref, others []gitexec.OID) (map[string]gitexec.OID, error) {
	tips := map[string]gitexec.OID{}
	if len(refs) == 0 {
		return tips, nil
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
	// Commits are held in memory with their messages, so not all of a long history at once.
	for few := range slices.Chunk(lines, 1000) {
		if err := w.rewriteCommits(few); err != nil {
			return nil, err
		}
	}
	for _, ref := range refs {
		if now, ok := w.commits[ref.ID]; ok && now != ref.ID {
			tips[ref.Name] = now
		}
	}
	return tips, nil
}

// rewriteCommits rewrites commits, each the first of a line, parents before children.
func (w *rewriting) rewriteCommits(lines [][]gitexec.OID) error {
	ids := make([]gitexec.OID, len(lines))
	for i, line := range lines {
		ids[i] = line[0]
	}
	commits, err := w.db.Commits(ids...)
	if err != nil {
		return err
	}
	for _, c := range commits {
		// Runs follow each other: branches and then streams, and all again under the lock. Only
		// what is new is written then.
		if _, done := w.commits[c.ID]; done {
			continue
		}
		// Streams stand on the user's commits, which have no other name afterwards.
		if w.branch == nil && !w.onBranch && !shadow.IsOurs(c) {
			w.commits[c.ID] = c.ID // the user's own, which a stream is based on
		} else if w.commits[c.ID], err = w.commit(c); err != nil {
			return err
		}
	}
	return nil
}

func (w *rewriting) commit(c gitexec.Commit) (gitexec.OID, error) {
	tree := c.Tree
	var err error
	// Parents come before children, so that all that this commit names has its new name already.
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
	message := w.names(c.Message) // what this commit's own objects are called now
	if w.text != nil {
		message = w.text(message)
	}
	parents := slices.Clone(c.Parents)
	for i, p := range parents {
		parents[i] = cmp.Or(w.commits[p], p)
	}
	// A commit that stays the same keeps its ID and its signature, and so does all before it.
	if tree == c.Tree && slices.Equal(parents, c.Parents) && bytes.Equal(message, c.Message) {
		return c.ID, nil
	}
	return w.db.RewriteCommit(c, tree, parents, message)
}

// names puts the new names of objects in the place of the old ones. The text may be large: it is
// read once, and returned if it names none.
func (w *rewriting) names(text []byte) []byte {
	var out []byte
	at := 0
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && isHex(text[end]) {
			end++
		}
		// An ID in either of git's formats, and no part of longer hexadecimal text.
		if n := end - i; n == 40 || n == 64 {
			id := gitexec.OID(text[i:end])
			if now := cmp.Or(w.commits[id], w.trees[id], w.blobs[id], id); now != id {
				out, at = append(append(out, text[at:i]...), now...), end
			}
		}
		i = max(end, i+1)
	}
	if at == 0 {
		return text
	}
	return append(out, text[at:]...)
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }

// tree rewrites a directory. Its path ends with a slash, unless it is empty.
func (w *rewriting) tree(id gitexec.OID, path string) (gitexec.OID, error) {
	if now, done := w.trees[id]; done {
		return now, nil
	}
	// A directory that the user's commits have may be large, and stays: it is not even read.
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
		if e.ID, err = w.entry(e, path, name); err != nil {
			return "", err
		}
		files[name], changed = e, changed || e.ID != was
	}
	now := id
	if changed {
		if now, err = w.write(trees[0], files); err != nil {
			return "", err
		}
	}
	w.trees[id] = now
	return now, nil
}

// write writes a changed directory.
func (w *rewriting) write(before, files gitexec.Tree) (gitexec.OID, error) {
	if err := w.rehash(before, files); err != nil {
		return "", err
	}
	return w.db.WriteTree(files)
}

// entry rewrites an entry of a directory, and notes its path if the name holds it.
func (w *rewriting) entry(e gitexec.Entry, path, name string) (gitexec.OID, error) {
	// Of a directory whose name holds it, what is below would match as well: the path is named
	// once.
	if w.named != nil && w.named(path+name) && !w.named(path) {
		w.paths[path+name] = true
	}
	switch {
	case e.IsTree():
		return w.tree(e.ID, path+name+"/")
	// The commit is in another repository.
	case e.Mode == gitexec.ModeGitlink:
		return e.ID, nil
	}
	return w.blob(e.ID)
}

// rehash writes the hash of a transcript that was changed.
func (w *rewriting) rehash(before, files gitexec.Tree) error {
	if !files[conversation.HashFile].Exists() {
		return nil
	}
	stored := conversation.Of(w.db, files, "")
	// Only the transcript's chunks are hashed: where prompts alone have changed, the hash is still
	// right.
	if slices.Equal(stored.Chunks, conversation.Of(w.db, before, "").Chunks) || len(stored.Chunks) == 0 {
		return nil
	}
	hash := sha256.New()
	if err := stored.WriteTranscript(hash); err != nil {
		return fmt.Errorf("the hash of a changed transcript: %w", err)
	}
	var err error
	files[conversation.HashFile], err = w.db.WriteFile([]byte("sha256:" + hex.EncodeToString(hash.Sum(nil))))
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
	// Noted before it is read: one that cannot be searched is counted once, however many trees have
	// it.
	w.blobs[id] = id
	content, closed, err := w.read(id)
	if err != nil || content == nil {
		return id, err
	}
	now := w.text(content)
	if bytes.Equal(now, content) {
		return id, nil
	}
	// It must not come back in plain text.
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

// read returns a blob's content, opened if it is sealed; nil: it is counted as one that cannot be
// searched.
func (w *rewriting) read(id gitexec.OID) (content []byte, sealed bool, err error) {
	info, err := w.db.Info(id)
	switch {
	case err != nil:
		return nil, false, err
	case info[0].Type == "":
		w.missing++
		return nil, false, nil
	// Blobs of streams are the user's files, which may be of any size.
	case info[0].Size > mostSearched:
		w.large = append(w.large, id)
		return nil, false, nil
	}
	stored := bytes.NewBuffer([]byte{}) // an empty file has no nil content
	if err := w.db.Copy(stored, id, "blob"); err != nil || !seal.Is(stored.Bytes()) {
		return stored.Bytes(), false, err
	}
	opened := bytes.NewBuffer([]byte{})
	if err := conversation.Copy(w.db, opened, id); err != nil { // of others, or no file of ours
		w.sealed++
		return nil, true, nil
	}
	return opened.Bytes(), true, nil
}

// changed lists the objects that another one takes the place of, or none.
func changed(objects map[gitexec.OID]gitexec.OID) []gitexec.OID {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(objects)), func(id gitexec.OID) bool { return objects[id] == id })
}

// movedRefs are the refs with new tips.
func movedRefs(refs []gitexec.Ref, tips map[string]gitexec.OID) (moved []MovedRef) {
	for _, ref := range refs {
		if now := tips[ref.Name]; now != "" {
			moved = append(moved, MovedRef{ref.Name, ref.ID, now})
		}
	}
	return moved
}

// move moves refs and saves states in one transaction. What this clone remembers of its checkpoints
// follows the new history.
func move(ctx context.Context, w *workspace.Workspace, refs []MovedRef, states []*session.State) error {
	var changes []shadow.RefChange
	for _, ref := range refs {
		changes = append(changes, shadow.RefChange{Ref: ref.Ref, Old: ref.Old, New: ref.New})
		// The record of what this clone wrote names objects of the branch alone.
		if ref.Ref != shadow.Checkpoints {
			continue
		}
		before, err := checkpoints.ReadBranch(w.DB, ref.Old)
		if err != nil {
			return err
		}
		after, err := w.DB.Commit(ref.New)
		if err != nil {
			return err
		}
		// Before the refs move: a process that is killed in between leaves a record that does not
		// match the old branch, and never one that names what was taken out.
		if err := before.NoteRewriting(w.DB, after.Tree); err != nil {
			return err
		}
	}
	return shadow.Apply(ctx, w.DB, w.Store, changes, states)
}

// onBranch reports whether a ref is the branch of checkpoints, an inbox that is united with it, or
// what is kept of it.
func onBranch(ref string) bool {
	branch, _ := shadow.Tracked(ref)
	return ref == checkpoints.KeptRef || shadow.Checkpoints == cmp.Or(branch, ref) || strings.HasPrefix(ref, shadow.Private+"inbox/")
}

// branchesIn are the refs that hold the branch of checkpoints.
func branchesIn(refs []gitexec.Ref) []gitexec.Ref {
	return slices.DeleteFunc(slices.Clone(refs), func(ref gitexec.Ref) bool { return !onBranch(ref.Name) })
}

// checkpointsRef is the index of the branch of checkpoints among refs; -1: there is none.
func checkpointsRef(refs []gitexec.Ref) int {
	return slices.IndexFunc(refs, func(ref gitexec.Ref) bool { return ref.Name == shadow.Checkpoints })
}
