package shadow

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
)

// Proof says that a commit is one of a stream or of a rewind, under whatever name it is met.
type Proof struct {
	Commit  gitexec.OID
	Parent  gitexec.OID // empty: it has none
	Subject string
	Rewind  bool // it holds what the worktree was before a rewind
	Users   bool // it is the user's own commit, into which a session's metadata came along
}

// Suspect is an extended regular expression. Each commit that [Prove] knows has a line in its
// message that matches it; commits of [Checkpoints] have none. git quotes the messages of what it
// squashes, indented.
const Suspect = `^ *Entire-(Metadata(-Task)?: \.entire/metadata/|Strategy: rewind$)`

// Prove gives those of the commits that are of a stream or of a rewind. Words in a message prove
// nothing, since anybody may quote them: a checkpoint's tree has the session's metadata, and so has
// that of a commit into which git has squashed a stream. Only the human's part that begins a stream
// hasn't; its message is ours to the letter, and its parent the base that it names. Of those that
// touch sessions' metadata, whatever their messages say, each that has some in its tree is proven.
func Prove(db *gitexec.ODB, ids []gitexec.OID, touch map[gitexec.OID]bool) ([]Proof, error) {
	var proofs []Proof
	for some := range slices.Chunk(ids, provenTogether) {
		commits, err := db.Commits(some...)
		if err != nil {
			return nil, err
		}
		ask := make([]gitexec.OID, 0, 2*len(commits))
		for _, c := range commits {
			ask = append(ask, metadataOf(c), c.ID+":"+MetadataDir)
		}
		metadata, err := db.Info(ask...)
		if err != nil {
			return nil, err
		}
		for i, c := range commits {
			p := Proof{Commit: c.ID, Rewind: isRewind(c)}
			if len(c.Parents) > 0 {
				p.Parent = c.Parents[0]
			}
			p.Subject, _, _ = strings.Cut(string(c.Message), "\n")
			own := p.Rewind || (IsCheckpoint(c) || squashes(c)) && metadata[2*i].Type == "tree" || beginsStream(c)
			p.Users = !own && touch[c.ID] && metadata[2*i+1].Type == "tree"
			if own || p.Users {
				proofs = append(proofs, p)
			}
		}
	}
	return proofs, nil
}

// provenTogether is how many commits are in memory at once.
const provenTogether = 256

// metadataOf names the directory of a checkpoint's session in its tree; of another commit, the
// commit.
func metadataOf(c gitexec.Commit) gitexec.OID {
	dir := c.Trailer(keyMetadata)
	if dir == "" {
		dir, _, _ = strings.Cut(c.Trailer(keyTask), "/tasks/")
	}
	if squashes(c) {
		_, dir, _ = strings.Cut(string(c.Message), "\n    "+keyMetadata+": ")
		dir, _, _ = strings.Cut(dir, "\n")
	}
	id, ok := strings.CutPrefix(dir, MetadataDir+"/")
	if !ok || session.CheckID(id) != nil {
		return c.ID
	}
	return c.ID + ":" + gitexec.OID(dir)
}

// squashes reports whether a commit has the message that git gives to a squash, of a checkpoint
// among others.
func squashes(c gitexec.Commit) bool {
	return strings.HasPrefix(string(c.Message), "Squashed commit of the following:\n") && strings.Contains(string(c.Message), "\n    "+keyMetadata+": ")
}

// beginsStream reports whether a commit is one that we wrote on top of its base.
func beginsStream(c gitexec.Commit) bool {
	k, ok := readCheckpoint(c)
	return ok && k.Base != "" && string(c.Message) == k.message() && (k.Base == k.Parent || k.Base.IsZero() && k.Parent == "")
}

// BeforeRewind is the message of a commit that keeps what the worktree was before a rewind. More
// trailers may follow.
func BeforeRewind(to, session string) string {
	return fmt.Sprintf("%s%s\n\n%s: %s\n%s: rewind\n", beforeRewind, to, keySession, session, keyStrategy)
}

const beforeRewind = "Before rewind to "

func isRewind(c gitexec.Commit) bool {
	subject, _, _ := strings.Cut(string(c.Message), "\n")
	to, ok := strings.CutPrefix(subject, beforeRewind)
	return ok && strings.HasPrefix(string(c.Message), BeforeRewind(to, c.Trailer(keySession)))
}

// PrivateObjects reports for each of the objects, which may be tags, whether it is no commit and
// holds a part of a stream or of a rewind: a tree with sessions' metadata, or anything that streams
// and rewinds have, and other branches don't. Where one may be, it takes two processes, and one for
// each such object.
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
	var others []gitexec.OID // the objects themselves, of those that are not private for their metadata
	for i := range ids {
		switch object := found[2*i]; {
		case object.Type != "tree" && object.Type != "blob":
		case found[2*i+1].Type == "tree":
			private[ids[i]] = true
		default:
			others = append(others, object.ID)
		}
	}
	if len(others) == 0 {
		return private, nil
	}
	ours, err := objectsOfOurs(ctx, repo)
	if err != nil {
		return nil, err
	}
	for i, id := range ids {
		if !slices.Contains(others, found[2*i].ID) {
			continue
		}
		below, err := gitexec.Outgoing{Tips: []gitexec.OID{found[2*i].ID}}.Objects(ctx, repo)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(below, func(o gitexec.OID) bool { return ours[o] }) {
			private[id] = true
		}
	}
	return private, nil
}

// objectsOfOurs lists what streams and rewinds have, and no other branch has. Two processes.
func objectsOfOurs(ctx context.Context, repo *gitexec.Repo) (map[gitexec.OID]bool, error) {
	refs, err := repo.Refs(ctx, "refs/heads/", "refs/remotes/", Private)
	if err != nil {
		return nil, err
	}
	var o gitexec.Outgoing
	for _, r := range refs {
		if LooksLikeStream(r.Name) || strings.HasPrefix(r.Name, Private) {
			o.Tips = append(o.Tips, r.ID)
		} else {
			o.Has = append(o.Has, r.ID)
		}
	}
	ids, err := o.Objects(ctx, repo)
	ours := make(map[gitexec.OID]bool, len(ids))
	for _, id := range ids {
		ours[id] = true
	}
	return ours, err
}
