package checkpoints

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/message"
	"entire-plumb/shadow"
)

// Source says whose word something on the branch is.
type Source struct {
	Kind   SourceKind `json:"kind"`
	Remote string     `json:"remote,omitempty"` // that it was fetched from
	By     string     `json:"by,omitempty"`     // the committer of the branch's commit, as that says
}

// SourceKind is where something came from.
type SourceKind string

// The kinds.
const (
	Here      SourceKind = "here"    // this clone recorded or decided it
	InMessage SourceKind = "message" // a trailer in the commit's message
	ByContent SourceKind = "content" // this clone found it by content
	Fetched   SourceKind = "fetched" // a remote has it
	InOwnRef  SourceKind = "own ref" // the entire CLI wrote it, in a ref of its own
	OnBranch  SourceKind = "branch"  // it is on the branch, and this clone doesn't know that it recorded it
	OfNote    SourceKind = "note"    // it was imported from a note of another program
	Kept      SourceKind = "kept"    // others have taken it out of the branch, and it stays readable here
)

// String says it in words.
func (s Source) String() string {
	by := ""
	if s.By != "" {
		by = ", written by " + s.By
	}
	switch s.Kind {
	case Here:
		return "recorded here"
	case InMessage:
		return "in the message"
	case ByContent:
		return "found by content, here"
	case InOwnRef:
		return "in a ref of its own, by the entire CLI"
	case Fetched:
		return "fetched from " + s.Remote + by
	case OfNote:
		return "imported from a note of Git AI"
	case Kept:
		return "kept here, since others have taken it out of the branch"
	}
	return "stored on entire/checkpoints/v1" + by
}

// Sources finds out whose word something is. What this clone recorded costs no process; else it is
// one for the refs, and one for each committer.
type Sources struct {
	ctx  context.Context
	repo *gitexec.Repo
	db   *gitexec.ODB
	b    Branch
	refs func() []gitexec.Ref // of what was fetched
	left int                  // committers to be looked up

	// Changers lists the commits that changed a path, without merges: all of a history, and maybe
	// others; nil: each is looked up in the history.
	Changers func(tip gitexec.OID, path gitexec.Path) ([]gitexec.OID, error)
}

// mostSources is how many committers one command looks up, each by a search in the history of the
// checkpoints' branch unless an index has them. Of the others it isn't said who wrote them.
const mostSources = 50

// Sources prepares it.
func (b Branch) Sources(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB) *Sources {
	s := &Sources{ctx: ctx, repo: repo, db: db, b: b, left: mostSources}
	if b.fetched != nil {
		s.refs = b.fetched.refs
	}
	if s.refs == nil {
		s.refs, _ = readRefs(ctx, repo, nil)
	}
	return s
}

// OfLink is whose word it is that a commit links a checkpoint. trailer: its message says so.
func (s *Sources) OfLink(commit gitexec.OID, id string, trailer bool) Source {
	if trailer {
		return Source{Kind: InMessage}
	}
	record := s.b.record(s.db)
	links, _ := record.Links(commit)
	switch {
	case slices.Contains(links, id):
		return Source{Kind: Here}
	case slices.Contains(record.Content(commit), id):
		return Source{Kind: ByContent}
	}
	return s.of(sideLinkPath(commit))
}

// OfLines is whose word the lines of a checkpoint are.
func (s *Sources) OfLines(r Recorded) Source {
	if r.Noted {
		return Source{Kind: OfNote}
	}
	if r.Here {
		return Source{Kind: Here}
	}
	if message.HasOwnRef(r.ID) {
		return Source{Kind: InOwnRef}
	}
	return s.OfCheckpoint(r.ID)
}

// OfAddition is whose word a session is that others added to a checkpoint of this clone's.
func (s *Sources) OfAddition(id, session string) Source {
	c, _ := openReadable(s.db, s.b.root(s.db, id), id)
	dir, _, err := directory(s.db, s.b.root(s.db, id), id)
	if at, there := c.index(session); there && err == nil {
		for name, e := range dir {
			if e.ID == c.sessions[at].tree {
				return s.of(gitexec.Path(Dir(id) + "/" + name))
			}
		}
	}
	return s.of(gitexec.Path(Dir(id)))
}

// OfCheckpoint is whose word a whole checkpoint is that this clone didn't write.
func (s *Sources) OfCheckpoint(id string) Source { return s.of(gitexec.Path(Dir(id))) }

// against finds out who says otherwise than the branch here what is at a path of it. Where nobody
// does any more, it is who changed it last.
func (s *Sources) against(path gitexec.Path) Source {
	here := s.lookup(s.b.Tree, path)
	for _, ref := range s.refs() {
		remote := remoteOf(ref.Name)
		if theirs := s.lookup(treeOfCommit(s.db, ref.ID), path); remote != "" && theirs.Exists() && theirs != here {
			return Source{Kind: Fetched, Remote: remote, By: s.committer(ref.ID, path)}
		}
	}
	return s.of(path)
}

// of finds out who else a path of the branch is from.
func (s *Sources) of(path gitexec.Path) Source {
	found := Source{Kind: OnBranch}
	tip, entry := gitexec.OID(""), gitexec.Entry{}
	if s.b.Local != "" {
		tip, entry = s.b.Local, s.lookup(treeOfCommit(s.db, s.b.Local), path)
	}
	for _, ref := range s.refs() {
		remote := remoteOf(ref.Name)
		if remote == "" || found.Kind == Fetched {
			continue
		}
		theirs := s.lookup(treeOfCommit(s.db, ref.ID), path)
		// Only a remote that has the very same said so: one that has it otherwise is no source of
		// what is here.
		if theirs.Exists() && (!entry.Exists() || theirs == entry) {
			found.Kind, found.Remote, tip, entry = Fetched, remote, ref.ID, theirs
		}
	}
	// No branch has it: what is shown is what was kept.
	if !entry.Exists() {
		return Source{Kind: Kept}
	}
	found.By = s.committer(tip, path)
	return found
}

func (s *Sources) lookup(tree gitexec.OID, path gitexec.Path) gitexec.Entry {
	if tree == "" {
		return gitexec.Entry{}
	}
	found, err := s.db.Lookup(tree, path)
	if err != nil {
		return gitexec.Entry{}
	}
	return found[0]
}

func (s *Sources) committer(tip gitexec.OID, path gitexec.Path) string {
	// Each is a walk through the branch's history.
	if s.left--; s.left < 0 || tip == "" {
		return ""
	}
	id, err := s.lastChange(tip, path)
	if err != nil || id == "" {
		return ""
	}
	commit, err := s.db.Commit(id)
	if err != nil {
		return ""
	}
	return commit.Committer
}

// lastChange is the last commit in a branch's history that changed a path that is there.
func (s *Sources) lastChange(tip gitexec.OID, path gitexec.Path) (gitexec.OID, error) {
	if s.Changers != nil {
		// Of several it is not known which is in this history, and the last.
		if found, err := s.Changers(tip, path); err == nil && len(found) == 1 {
			return found[0], nil
		}
	}
	return s.repo.LastChange(s.ctx, tip, path)
}

// remoteOf is the remote of a ref with fetched checkpoints; empty: it is none.
func remoteOf(ref string) string {
	if rest, ok := strings.CutPrefix(ref, fetchedHere); ok {
		key, _, _ := strings.Cut(rest, "/")
		if strings.HasSuffix(ref, "/pushed") { // what this clone pushed
			return ""
		}
		// A remote's name is escaped in refs of ours.
		if name, err := url.PathUnescape(key); err == nil {
			return name
		}
		return key
	}
	rest, ok := strings.CutPrefix(ref, "refs/remotes/")
	name, ok2 := strings.CutSuffix(rest, "/"+strings.TrimPrefix(shadow.Checkpoints, "refs/heads/"))
	if ok && ok2 {
		return name
	}
	return ""
}
