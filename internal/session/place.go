package session

import (
	"fmt"
	"slices"
	"time"

	"entire-plumb/gitexec"
)

// Place is a session in one worktree: its streams' base, the turn in progress there, and the work
// that is not committed. An agent may enter another worktree, and its subagents may each work in
// one of their own.
type Place struct {
	// BaseCommit was HEAD when the current work began; it is the base of the session's latest
	// stream.
	BaseCommit            gitexec.OID `json:"base_commit"`
	AttributionBaseCommit gitexec.OID `json:"attribution_base_commit,omitempty"`
	// OtherBases are the other commits that hold streams with the session's work, the latest last:
	// HEAD has moved since, and another stream of the session with it.
	OtherBases   []gitexec.OID `json:"other_bases,omitempty"`
	WorktreePath string        `json:"worktree_path,omitempty"`
	WorktreeID   string        `json:"worktree_id,omitempty"` // empty in the main worktree
	// MadeWorktree says that a turn of the session made the worktree.
	MadeWorktree bool `json:"made_worktree,omitempty"`

	Phase Phase `json:"phase,omitempty"`
	// AgentID is the subagent whose work the turn in progress is; empty: the session's agent's.
	AgentID string `json:"agent_id,omitempty"`
	// TurnStartTree is the worktree when the turn began, TurnStartCommit was HEAD. Empty between
	// turns.
	TurnStartTree   gitexec.OID `json:"turn_start_tree,omitempty"`
	TurnStartCommit gitexec.OID `json:"turn_start_commit,omitempty"`
	// TurnStartIndex is the index then, as a tree, where versions were staged that neither the
	// worktree nor HEAD had.
	TurnStartIndex gitexec.OID `json:"turn_start_index,omitempty"`
	// TurnFoundTree is the worktree when the turn began, also where a part of it is recorded since,
	// and when it is over.
	TurnFoundTree gitexec.OID `json:"turn_found_tree,omitempty"`
	// TurnOpen says that the agent has stopped, and that tasks of the turn continue in the
	// background.
	TurnOpen bool `json:"turn_open,omitempty"`
	// TurnStartStashes are the user's stash entries then, as commits, newest first.
	TurnStartStashes []gitexec.OID `json:"turn_start_stashes,omitempty"`
	// TurnStartStaged are the paths staged then, for the auto-commit strategy; else nil.
	TurnStartStaged []gitexec.Path `json:"turn_start_staged,omitempty"`

	ShadowBranchSuffix int            `json:"shadow_branch_suffix,omitempty"` // 0: on no stream
	CheckpointCount    int            `json:"checkpoint_count"`               // temporary checkpoints since the last commit
	FilesTouched       []gitexec.Path `json:"files_touched,omitempty"`        // by the agent, uncommitted; sorted
	LeftOut            []LeftOut      `json:"left_out,omitempty"`             // what the last snapshot does not hold

	// Ignored are files that its tools wrote and that no snapshot holds, since git ignores them:
	// the user may add them all the same.
	Ignored []Ignored `json:"ignored,omitempty"`

	// Sources are the commits from which commands in its turns have brought lines here, the latest
	// last.
	Sources []gitexec.OID `json:"sources,omitempty"`

	CheckpointTranscriptStart int `json:"checkpoint_transcript_start"` // lines that the last committed checkpoint covers
	// CheckpointPromptStart is how many prompts the last committed checkpoint covers.
	CheckpointPromptStart int `json:"checkpoint_prompt_start,omitempty"`
}

// Ignored is a file that git ignores, and the turn that wrote it last.
type Ignored struct {
	Path   gitexec.Path `json:"path"`
	Turn   string       `json:"turn_id"`
	Prompt string       `json:"prompt,omitempty"`
	Began  time.Time    `json:"began"`
}

// mostSources is how many sources a place names.
const mostSources = 20

// TookFrom records commits from which a command has brought lines.
func (p *Place) TookFrom(commits ...gitexec.OID) {
	p.Sources = slices.DeleteFunc(slices.Clone(p.Sources), func(id gitexec.OID) bool { return slices.Contains(commits, id) })
	p.Sources = append(p.Sources, commits...)
	p.Sources = p.Sources[max(0, len(p.Sources)-mostSources):]
}

// TookNothing forgets them: what was brought is committed by now, or gone.
func (p *Place) TookNothing() { p.Sources = nil }

// Places lists all places of the session, the one in s.Place first.
func (s *State) Places() []Place { return append([]Place{s.Place}, s.Others...) }

// In makes the session's place in a worktree the one in s.Place, and reports whether the session
// has one there. Where it has none, nothing changes.
func (s *State) In(worktreeID string) bool {
	if s.WorktreeID == worktreeID {
		return true
	}
	at := slices.IndexFunc(s.Others, func(p Place) bool { return p.WorktreeID == worktreeID })
	if at >= 0 {
		s.Place, s.Others[at] = s.Others[at], s.Place
	}
	return at >= 0
}

// Enter is In for a worktree that the session may not know yet: there it has no work, on the commit
// there. What was committed elsewhere counts as committed.
func (s *State) Enter(worktreeID, path string, base gitexec.OID) {
	if s.In(worktreeID) {
		s.WorktreePath = path // it may have been moved
		return
	}
	s.Others = append(s.Others, s.Place)
	s.Place = Place{WorktreeID: worktreeID, WorktreePath: path, BaseCommit: base, AttributionBaseCommit: base, Phase: Idle,
		CheckpointTranscriptStart: s.CheckpointTranscriptStart, CheckpointPromptStart: s.CheckpointPromptStart}
}

// Bases lists the commits that hold, or may hold, streams with the session's work in this place,
// the latest last.
func (p Place) Bases() []gitexec.OID {
	if p.BaseCommit == "" {
		return p.OtherBases
	}
	return append(slices.Clone(p.OtherBases), p.BaseCommit)
}

// Forget removes the places that are not needed any more, except s.Place, and returns them.
func Forget(s *State, needed func(Place) bool) (gone []Place) {
	s.Others = slices.DeleteFunc(s.Others, func(p Place) bool {
		if needed(p) {
			return false
		}
		gone = append(gone, p)
		return true
	})
	return gone
}

// Shorten records that the conversation has fewer lines and prompts than before.
func Shorten(s *State, lines, prompts int) {
	shorten := func(p *Place) {
		p.CheckpointTranscriptStart = min(p.CheckpointTranscriptStart, lines)
		p.CheckpointPromptStart = min(p.CheckpointPromptStart, prompts)
	}
	shorten(&s.Place)
	for i := range s.Others {
		shorten(&s.Others[i])
	}
}

// hasWork reports whether something is in progress or uncommitted there.
func (p Place) hasWork() bool {
	return p.Phase == Active || p.ShadowBranchSuffix != 0 || len(p.FilesTouched) > 0 || len(p.OtherBases) > 0
}

// OnLegacyStream reports whether the state is another program's that gives streams no suffix, and
// shows work on one.
func (p Place) OnLegacyStream() bool {
	return p.ShadowBranchSuffix == 0 && p.CheckpointCount > 0 && len(p.FilesTouched) > 0
}

// check says why a place cannot be a session's.
func (p *Place) check() error {
	objects := []gitexec.OID{p.BaseCommit, p.AttributionBaseCommit, p.TurnStartTree, p.TurnStartCommit, p.TurnStartIndex, p.TurnFoundTree}
	for _, object := range slices.Concat(objects, p.OtherBases, p.TurnStartStashes, p.Sources) {
		if err := checkObject(object); err != nil {
			return err
		}
	}
	if p.ShadowBranchSuffix < 0 {
		return fmt.Errorf("a count in it is negative")
	}
	if p.Phase != None && !slices.Contains(Phases, p.Phase) {
		p.Phase = Idle
	}
	return nil
}

func checkObject(id gitexec.OID) error {
	if id != "" && !gitexec.ValidOID(string(id)) {
		return fmt.Errorf("%.80q is not an object ID", id)
	}
	return nil
}
