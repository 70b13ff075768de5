package shadow

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
)

// Proof says that a commit is one of a stream or of a rewind, whatever ref names it.
type Proof struct {
	Commit  gitexec.OID
	Parent  gitexec.OID // empty: none
	Subject string
	Rewind  bool         // it holds the worktree before a rewind
	Users   gitexec.Path // the user's own commit, with a session's metadata in this directory
}

// Suspect reports whether a commit with that message may be of a stream or of a rewind; commits of
// [Checkpoints] have no such message. git indents the messages that a squash quotes.
func Suspect(message []byte) bool {
	return bytes.Contains(message, []byte("Entire-")) && suspect().Match(message)
}

var suspect = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^ *Entire-(Metadata(-Task)?: \.entire/metadata/|Strategy: rewind$)`)
})

// Prove returns those of the commits that are of a stream or of a rewind. A message proves nothing,
// since anyone may quote it: a checkpoint's tree has the session's metadata, and so has that of a
// commit into which git has squashed a stream. Only the human's part that begins a stream has none;
// its message is exactly ours, and its parent is the base that it names. Commits in touch change
// directories of that name: each whose tree has one is proven, whatever its message.
func Prove(db *gitexec.ODB, ids []gitexec.OID, touch map[gitexec.OID][]gitexec.Path) ([]Proof, error) {
	var proofs []Proof
	// A push may bring a history of any length.
	for some := range slices.Chunk(ids, provenAtOnce) {
		commits, metadata, err := readMetadata(db, some)
		if err != nil {
			return nil, err
		}
		for i, c := range commits {
			p := Proof{Commit: c.ID, Rewind: IsRewind(c)}
			if len(c.Parents) > 0 {
				p.Parent = c.Parents[0]
			}
			p.Subject, _, _ = strings.Cut(string(c.Message), "\n")
			proven := p.Rewind || isOurs(c, metadata[i].Type == "tree")
			if !proven {
				if p.Users, err = firstTree(db, c.ID, touch[c.ID]); err != nil {
					return nil, err
				}
			}
			if proven || p.Users != "" {
				proofs = append(proofs, p)
			}
		}
	}
	return proofs, nil
}

// readMetadata reads commits, and for each of them what metadataOf names.
func readMetadata(db *gitexec.ODB, ids []gitexec.OID) ([]gitexec.Commit, []gitexec.Object, error) {
	commits, err := db.Commits(ids...)
	if err != nil {
		return nil, nil, err
	}
	ask := make([]gitexec.OID, 0, len(commits))
	for _, c := range commits {
		ask = append(ask, metadataOf(c))
	}
	metadata, err := db.Info(ask...)
	return commits, metadata, err
}

// isOurs reports whether a commit is of a stream; metadata says that its tree has what metadataOf
// names.
func isOurs(c gitexec.Commit, metadata bool) bool {
	return metadata && (isCheckpoint(c) || isSquash(c)) || beginsStream(c)
}

// firstTree is the first of some paths that is a directory in a commit; empty: none is. git can't
// be asked for one with a line break, which counts as there.
func firstTree(db *gitexec.ODB, commit gitexec.OID, paths []gitexec.Path) (gitexec.Path, error) {
	var ask []gitexec.OID
	for _, path := range paths {
		if strings.Contains(string(path), "\n") {
			return path, nil
		}
		ask = append(ask, commit+":"+gitexec.OID(path))
	}
	if len(ask) == 0 {
		return "", nil
	}
	found, err := db.Info(ask...)
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(found, func(o gitexec.Object) bool { return o.Type == "tree" })
	if at < 0 {
		return "", nil
	}
	return paths[at], nil
}

// provenAtOnce is how many commits are in memory at once, and are asked for in one round trip. A
// push of a long history may have a hundred thousand.
const provenAtOnce = 256

// metadataOf names the directory of a checkpoint's session in its tree; for another commit, the
// commit.
func metadataOf(c gitexec.Commit) gitexec.OID {
	dir := c.Trailer(keyMetadata)
	if dir == "" {
		dir, _, _ = strings.Cut(c.Trailer(keyTask), "/tasks/")
	}
	// Git indents what it quotes by four blanks, so that no trailer is found.
	if isSquash(c) {
		_, dir, _ = strings.Cut(string(c.Message), "\n    "+keyMetadata+": ")
		dir, _, _ = strings.Cut(dir, "\n")
	}
	id, ok := strings.CutPrefix(dir, MetadataDir+"/")
	// The path is asked for as it is: an ID must lead nowhere else.
	if !ok || session.CheckID(id) != nil {
		return c.ID
	}
	return c.ID + ":" + gitexec.OID(dir)
}

// isSquash reports whether a commit has git's message for a squash that includes a checkpoint.
func isSquash(c gitexec.Commit) bool {
	text := string(c.Message)
	return strings.HasPrefix(text, "Squashed commit of the following:\n") && strings.Contains(text, "\n    "+keyMetadata+": ")
}

// beginsStream reports whether a commit is one of ours on top of its base.
func beginsStream(c gitexec.Commit) bool {
	k, ok := readCheckpoint(c)
	return ok && k.Base != "" && string(c.Message) == k.message() && (k.Base == k.Parent || k.Base.IsZero() && k.Parent == "")
}

// BeforeRewind is the message of a commit that keeps the worktree before a rewind. More trailers
// may follow.
func BeforeRewind(to, session string) string {
	return fmt.Sprintf("%s%s\n\n%s: %s\n%s: rewind\n", beforeRewind, to, keySession, session, keyStrategy)
}

const beforeRewind = "Before rewind to "

// IsRewind reports whether a commit keeps the worktree before a rewind.
func IsRewind(c gitexec.Commit) bool {
	subject, _, _ := strings.Cut(string(c.Message), "\n")
	to, ok := strings.CutPrefix(subject, beforeRewind)
	return ok && strings.HasPrefix(string(c.Message), BeforeRewind(to, c.Trailer(keySession)))
}

// PrivateObjects reports for each of the objects, which may be tags, whether it is not a commit and
// holds a part of a stream or of a rewind: a tree with sessions' metadata, or any object that only
// streams and rewinds have. Two processes where such an object is possible, and one for each.
func PrivateObjects(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, ids []gitexec.OID) (map[gitexec.OID]bool, error) {
	ask := make([]gitexec.OID, 0, 2*len(ids))
	for _, id := range ids {
		ask = append(ask, id+"^{}", id+"^{tree}:"+MetadataDir)
	}
	found, err := db.Info(ask...)
	if err != nil {
		return nil, err
	}
	private := map[gitexec.OID]bool{}
	var ours map[gitexec.OID]bool // nil: not read yet
	for i, id := range ids {
		object := found[2*i] // peeled
		if object.Type != "tree" && object.Type != "blob" {
			continue
		}
		if found[2*i+1].Type == "tree" {
			private[id] = true
			continue
		}
		if ours == nil {
			if ours, err = privateObjects(ctx, repo); err != nil {
				return nil, err
			}
		}
		if holds, err := holdsPrivate(ctx, repo, object.ID, ours); err != nil {
			return nil, err
		} else if holds {
			private[id] = true
		}
	}
	return private, nil
}

// holdsPrivate reports whether an object is, or has below it, one that only we have, or metadata.
func holdsPrivate(ctx context.Context, repo *gitexec.Repo, id gitexec.OID, ours map[gitexec.OID]bool) (bool, error) {
	below, err := gitexec.Outgoing{Tips: []gitexec.OID{id}}.Objects(ctx, repo)
	for o, path := range below {
		if ours[o] || path.Within(MetadataDir) {
			return true, err
		}
	}
	return false, err
}

// privateObjects lists the objects that streams and rewinds have, and no other branch. Two
// processes.
func privateObjects(ctx context.Context, repo *gitexec.Repo) (map[gitexec.OID]bool, error) {
	refs, err := repo.Refs(ctx, "refs/heads/", "refs/remotes/", Private)
	if err != nil {
		return nil, err
	}
	var o gitexec.Outgoing
	for _, r := range refs {
		// What was fetched of others is known to them.
		if LooksLikeStream(r.Name) || strings.HasPrefix(r.Name, Private) && !strings.HasPrefix(r.Name, Private+"remotes/") {
			o.Tips = append(o.Tips, r.ID)
		} else {
			o.Has = append(o.Has, r.ID)
		}
	}
	objects, err := o.Objects(ctx, repo)
	ours := make(map[gitexec.OID]bool, len(objects))
	for id := range objects {
		ours[id] = true
	}
	return ours, err
}
