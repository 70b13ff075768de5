package shadow

import (
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
}

// Suspect is an extended regular expression. Each commit that [Prove] knows has a line in its
// message that matches it; commits of [Checkpoints] have none. git quotes the messages of what it
// squashes, indented.
const Suspect = `^ *Entire-(Metadata(-Task)?: \.entire/metadata/|Strategy: rewind$)`

// Prove gives those of the commits that are of a stream or of a rewind. Words in a message prove
// nothing, since anybody may quote them: a checkpoint's tree has the session's metadata, and so has
// that of a commit into which git has squashed a stream. Only the
// human's part that begins a stream hasn't; its message is ours to the letter, and its parent the
// base that it names.
func Prove(db *gitexec.ODB, ids []gitexec.OID) ([]Proof, error) {
	var proofs []Proof
	for some := range slices.Chunk(ids, provenTogether) {
		commits, err := db.Commits(some...)
		if err != nil {
			return nil, err
		}
		ask := make([]gitexec.OID, len(commits))
		for i, c := range commits {
			ask[i] = metadataOf(c)
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
			if p.Rewind || (IsCheckpoint(c) || squashes(c)) && metadata[i].Type == "tree" || beginsStream(c) {
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

// squashes reports whether a commit has the message that git gives to a squash, of a checkpoint among
// others.
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

// HoldsMetadata reports for each of the objects, which may be tags, whether it is a tree that has
// sessions' metadata.
func HoldsMetadata(db *gitexec.ODB, ids []gitexec.OID) ([]bool, error) {
	ask := make([]gitexec.OID, 0, 2*len(ids))
	for _, id := range ids {
		ask = append(ask, id+"^{commit}", id+"^{tree}:"+MetadataDir)
	}
	found, err := db.Info(ask...)
	if err != nil {
		return nil, err
	}
	holds := make([]bool, len(ids))
	for i := range ids {
		holds[i] = found[2*i].Type == "" && found[2*i+1].Type == "tree"
	}
	return holds, nil
}
