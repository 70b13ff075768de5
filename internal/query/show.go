package query

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/seal"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

// Shown is a checkpoint as show prints it.
type Shown struct {
	Checkpoint string        `json:"checkpoint_id,omitempty"` // empty: a checkpoint on a stream
	Stream     string        `json:"stream_commit,omitempty"`
	Subject    string        `json:"subject,omitempty"` // of the stream's commit
	Branch     string        `json:"branch,omitempty"`
	Commits    []ShownCommit `json:"commits"` // that link it, newest first; amended, rebased and squashed ones included
	Sessions   []ShownPart   `json:"sessions"`

	Lines   *attribution.Sum `json:"lines,omitempty"`   // of the commit that was named, or of the one that holds it, see Holders; nil: not counted
	Unknown []string         `json:"unknown,omitempty"` // why lines have no known author

	Error  string `json:"error,omitempty"`     // what is damaged or missing
	Purged string `json:"purged_on,omitempty"` // the day on which the checkpoint was purged

	Source *checkpoints.Source `json:"source,omitempty"` // whose word its lines are; nil: it is not here, or on a stream
	// Overruled is what others say of its lines, and this clone recorded otherwise.
	Overruled []checkpoints.Overruled `json:"not_counted,omitempty"`

	Damaged bool                `json:"-"` // not just missing
	holder  gitexec.OID         // the commit whose lines are shown, if none was named
	counted attribution.Counted // its lines
	cut     bool                // of its faults some are not in Error
}

// ShownCommit is a commit that links a checkpoint.
type ShownCommit struct {
	Commit  gitexec.OID `json:"commit"`
	Subject string      `json:"subject"`
	Author  string      `json:"author"`
	When    time.Time   `json:"when"`

	// Link is whose word the link is; nil: the commit is not shown for a link.
	Link *checkpoints.Source `json:"link_source,omitempty"`
}

// ShownPart is one session's part in a checkpoint.
type ShownPart struct {
	checkpoints.SessionMetadata
	Prompts []string            `json:"prompts"`
	Earlier int                 `json:"earlier_prompts,omitempty"` // of the session, which are not shown
	Turns   []ShownTurn         `json:"turns"`
	Tasks   []conversation.Task `json:"tasks,omitempty"`
	// Claimed is the checkpoint's own count, if it doesn't record the lines.
	Claimed *checkpoints.InitialAttribution `json:"claimed_attribution,omitempty"`
	// Source is whose word the session is, where this clone wrote the checkpoint without it.
	Source *checkpoints.Source `json:"source,omitempty"`

	Stored transcript.Stored `json:"-"` // nil: not read

	start       int        // the prompts before those of the part
	first, last int        // lines of the transcript that are of what is shown; last 0: to its end
	begins      *ShownTurn // the turn with which that begins; nil: first says it
}

// HasTranscript reports whether there is a transcript: the human's part on a stream has none.
func (p ShownPart) HasTranscript() bool { return p.Stored != nil }

// WriteTranscript writes the session's transcript as it is stored; nothing for the human's part on
// a stream, which has none.
func (p ShownPart) WriteTranscript(w io.Writer) error {
	if p.Stored == nil {
		return nil
	}
	return p.Stored.WriteTranscript(w)
}

// Show reads the checkpoints of the only name of a selection; see Resolve. Each part of a session
// shows its own prompts and its own part of the conversation; whole, all since the session began.
// The caller calls done when it has read the transcripts.
func (e Source) Show(ctx context.Context, q ShowRequest) (all []Shown, done func(), err error) {
	r, err := e.OpenFor(ctx, q.Selection)
	if err != nil {
		return nil, nil, err
	}
	r.limit, r.transcripts = q.Selection.pathspecs(e.Dir), q.Transcripts
	done = r.Close
	if all, err = shownBy(ctx, r, q.Selection.Names[0]); err != nil {
		done()
		return nil, nil, err
	}
	for i := range all {
		all[i].scope(q.Whole)
	}
	return all, done, nil
}

// scope has each part of a session show its own prompts, or all since the session began.
func (s *Shown) scope(whole bool) {
	for i := range s.Sessions {
		if p := &s.Sessions[i]; whole {
			p.first, p.last, p.begins = 0, 0, nil
		} else {
			p.own()
		}
	}
}

// shownBy reads the checkpoints of a name.
func shownBy(ctx context.Context, r *Reader, name string) ([]Shown, error) {
	all, err := r.meantBy(ctx, name)
	if err != nil {
		return nil, err
	}
	return r.within(ctx, all)
}

// meantBy reads the checkpoints of what a name means.
func (r *Reader) meantBy(ctx context.Context, name string) ([]Shown, error) {
	found, err := r.Resolve(ctx, name)
	switch {
	case err != nil:
		return nil, err
	case found.Checkpoint != "":
		return r.showAll(ctx, []string{found.Checkpoint}, nil)
	case found.Session != "":
		return r.ShowSession(ctx, found.Session)
	case found.Turn != nil:
		return showTurn(ctx, r, *found.Turn)
	}
	return showCommit(ctx, r, found.Commit)
}

// showTurn reads what is recorded of one turn: in the checkpoints that have work of it, and where
// it is not committed, on streams.
func showTurn(ctx context.Context, r *Reader, t Turn) ([]Shown, error) {
	all, err := r.showAll(ctx, t.Checkpoints, t.OnStreams)
	if err != nil {
		return nil, err
	}
	for i := range all {
		one := &all[i]
		one.Sessions = slices.DeleteFunc(one.Sessions, func(p ShownPart) bool { return p.SessionID == "" })
		var own []ShownPart
		for _, p := range one.Sessions {
			if one.Stream != "" {
				p.alone()
				own = append(own, p)
			} else if p.only(t.ID, one.counted) {
				own = append(own, p)
			}
		}
		if len(own) > 0 {
			one.Sessions = own
		}
	}
	return all, nil
}

// showCommit reads the checkpoints that a commit links, or the one on a stream that it is.
func showCommit(ctx context.Context, r *Reader, id gitexec.OID) ([]Shown, error) {
	commits, err := r.DB.Commits(id)
	if err != nil {
		return nil, err
	}
	shown, _, err := showCommits(ctx, r, commits)
	if err != nil {
		return nil, err
	}
	return shown[0], nil
}

// showCommits reads the checkpoints that each commit links, or the one on a stream that it is, and
// counts the lines of all.
func showCommits(ctx context.Context, r *Reader, commits []gitexec.Commit) (shown [][]Shown, counted []attribution.Counted, err error) {
	r.authors(ctx).Ahead(commits, r.transcripts)
	if counted, err = r.authors(ctx).Count(ctx, r.Repo, commits, r.limit); err != nil {
		return nil, nil, err
	}
	var links []string
	for _, c := range commits {
		links = sets.With(links, r.Branch.Links(r.DB, c)...)
	}
	linking, err := r.LinkingEach(ctx, links)
	if err != nil {
		return nil, nil, err
	}
	for i, c := range commits {
		all := []Shown{}
		k, ours, err := shadow.ReadCheckpoint(r.DB, c.ID)
		switch {
		case err != nil:
		// A checkpoint on a stream has no links, whatever its message says.
		case ours:
			all = append(all, temporary(ctx, r, k))
		default:
			all, err = r.linkedBy(ctx, c, counted[i], linking)
		}
		if err != nil {
			return nil, nil, err
		}
		shown = append(shown, all)
	}
	return shown, counted, nil
}

// linkedBy reads the checkpoints that a commit links, with its numbers.
func (r *Reader) linkedBy(ctx context.Context, c gitexec.Commit, counted attribution.Counted, linking map[string][]gitexec.Commit) ([]Shown, error) {
	all := []Shown{}
	for i, link := range r.Branch.Links(r.DB, c) {
		by := linking[link]
		if !slices.ContainsFunc(by, func(known gitexec.Commit) bool { return known.ID == c.ID }) {
			// It was named, whatever branch it is on, if any.
			by = append([]gitexec.Commit{c}, by...)
		}
		one, err := readShown(ctx, r, link, by)
		version := checkpoints.VersionOf(r.DB, r.Branch, link, c)
		for i := range one.Sessions {
			one.Sessions[i].At(version)
		}
		// The link stays in the message when its checkpoint was purged, or never came here.
		if errors.Is(err, checkpoints.ErrNoCheckpoint) {
			one, err = absent(link, r.Branch.PurgedOn(r.DB, link), r.linkingCommit(ctx, c, link)), nil
		}
		if err != nil {
			return nil, err
		}
		// In this order: a turn is dismissed only where it is known that it has no line.
		one.setLines(counted, counted.Links[i])
		one.setDismissed(func() map[gitexec.OID]OnAStream { return r.Whereabouts(ctx) })
		one.setSource(r.whose(ctx), counted.Links[i])
		all = append(all, one)
	}
	return all, nil
}

// absent is a checkpoint that a commit links, and that is not here. purged is the day on which it
// was purged; empty: it was not.
func absent(link, purged string, by ShownCommit) Shown {
	one := Shown{Checkpoint: link, Error: "the checkpoint is not here", Purged: purged,
		Commits: []ShownCommit{by}, Sessions: []ShownPart{}}
	if purged != "" {
		one.Error = "the checkpoint was purged on " + purged
	}
	return one
}

// mostShown is how many of a session's last checkpoints are shown.
const mostShown = 20

// ShowSession reads a session's last checkpoints, the last one on each stream, and on each deleted
// stream that is kept, if its turn is nowhere else.
func (r *Reader) ShowSession(ctx context.Context, id string) ([]Shown, error) {
	checkpoints, deleted, onStreams, err := recordedOf(ctx, r, id)
	if err != nil {
		return nil, err
	}
	// A long session has hundreds: each is read whole.
	if more := len(checkpoints) - mostShown; more > 0 {
		checkpoints = checkpoints[more:]
		r.Env.Warn(fmt.Sprintf("the session has %d earlier checkpoints (hint: entire-plumb checkpoints --session %s)", more, id))
	}
	all, err := r.showAll(ctx, checkpoints, append(deleted, onStreams...))
	if err != nil {
		return nil, err
	}
	gone, known := sets.Of(deleted), map[int]bool{}
	for _, one := range all {
		for _, t := range one.turnsOf(id) {
			known[t.Number] = known[t.Number] || !gone[gitexec.OID(one.Stream)]
		}
	}
	return slices.DeleteFunc(all, func(one Shown) bool {
		// A stream whose work went on elsewhere is deleted, too: what is left of it is shown.
		return gone[gitexec.OID(one.Stream)] && slices.ContainsFunc(one.turnsOf(id), func(t ShownTurn) bool { return known[t.Number] })
	}), nil
}

// turnsOf are the turns of a session in the checkpoint.
func (s *Shown) turnsOf(session string) (turns []ShownTurn) {
	for _, p := range s.Sessions {
		if p.SessionID == session {
			turns = append(turns, p.Turns...)
		}
	}
	return turns
}

// recordedOf lists a session's committed checkpoints, the earliest first, and the last one on each
// deleted stream that is kept, and on each stream.
func recordedOf(ctx context.Context, r *Reader, id string) (checkpoints []string, deleted, onStreams []gitexec.OID, err error) {
	if checkpoints, err = r.checkpointsOf(ctx, Named{Session: id}); err != nil {
		return nil, nil, nil, err
	}
	add := func(to *[]gitexec.OID, history []shadow.Checkpoint) {
		if last := latestIn(nil, history, id); last != nil {
			*to = sets.With(*to, last.ID)
		}
	}
	streams, err := shadow.ListTemporary(ctx, r.Repo, r.DB)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, s := range streams {
		history, err := s.History(r.DB)
		if err != nil {
			// What can be read of it is shown.
			r.Env.Warn(explain.OneLine(err))
		}
		add(&onStreams, history)
	}
	err = deletedHistories(ctx, r, time.Time{}, func(history []shadow.Checkpoint) { add(&deleted, history) })
	slices.Reverse(deleted)
	return checkpoints, deleted, onStreams, err
}

// showAll reads committed checkpoints, and those on streams.
func (r *Reader) showAll(ctx context.Context, checkpoints []string, onStreams []gitexec.OID) ([]Shown, error) {
	all := []Shown{}
	linking, err := r.LinkingEach(ctx, checkpoints)
	if err != nil {
		return nil, err
	}
	// In a partial clone each of these objects would be fetched by itself.
	if r.Repo.Partial() {
		var commits []gitexec.Commit
		for _, id := range checkpoints {
			commits = append(commits, linking[id]...)
		}
		r.authors(ctx).Ahead(commits, r.transcripts, checkpoints...)
	}
	holders, err := Holders(ctx, r, linking)
	if err != nil {
		return nil, err
	}
	counted, err := r.countEach(ctx, holders)
	if err != nil {
		return nil, err
	}
	for _, id := range checkpoints {
		one, err := readShown(ctx, r, id, linking[id])
		if err != nil {
			return nil, err
		}
		if c, known := holders[id]; known {
			one.holder = c.ID
			one.setHeld(r.whose(ctx), counted[c.ID])
			one.setDismissed(func() map[gitexec.OID]OnAStream { return r.Whereabouts(ctx) })
		}
		all = append(all, one)
	}
	for _, id := range onStreams {
		k, ours, err := shadow.ReadCheckpoint(r.DB, id)
		if err != nil {
			return nil, err
		}
		if ours {
			all = append(all, temporary(ctx, r, k))
		}
	}
	return all, nil
}

// countEach counts the lines of commits that hold checkpoints. One process for all.
func (r *Reader) countEach(ctx context.Context, holders map[string]gitexec.Commit) (map[gitexec.OID]attribution.Counted, error) {
	by := map[gitexec.OID]attribution.Counted{}
	var once []gitexec.Commit
	for _, id := range slices.Sorted(maps.Keys(holders)) {
		c := holders[id]
		if _, listed := by[c.ID]; !listed {
			by[c.ID], once = attribution.Counted{}, append(once, c)
		}
	}
	counted, err := r.authors(ctx).Count(ctx, r.Repo, once, r.limit)
	for i, n := range counted {
		by[once[i].ID] = n
	}
	return by, err
}

// setHeld sets the numbers of the commit that holds it.
func (s *Shown) setHeld(of *checkpoints.Sources, n attribution.Counted) {
	for _, link := range n.Links {
		if link.ID == s.Checkpoint {
			s.setLines(n, link)
			s.setSource(of, link)
		}
	}
}

// setLines replaces the checkpoint's own counts by those of a commit.
func (s *Shown) setLines(n attribution.Counted, link checkpoints.Recorded) {
	s.Lines, s.Unknown = linesIn(n)
	s.counted = n
	for i := range s.Sessions {
		p := &s.Sessions[i]
		p.setTurns(n, link)
		// What the checkpoint says of itself is of another version of the commit, as before an
		// amend, or was written by others.
		p.InitialAttribution = nil
		for _, session := range link.Sessions {
			if session.SessionID == p.SessionID {
				p.InitialAttribution = n.Of(link.ID, session)
				// Where lines can't be told, the checkpoint's own count is all there is. It is
				// shown apart, as a claim.
				if n.Lines.Unknown > 0 || n.NotCounted != "" {
					p.Claimed = session.Claimed
				}
			}
		}
	}
}

// setSource says whose word the lines are.
func (s *Shown) setSource(of *checkpoints.Sources, link checkpoints.Recorded) {
	if !link.Found {
		return
	}
	source := of.OfLines(link)
	s.Source, s.Overruled = &source, of.OverruledLines(link.ID)
	if !link.Here {
		// Only of a checkpoint that this clone wrote it is known which sessions it had.
		return
	}
	for i := range s.Sessions {
		p := &s.Sessions[i]
		if !slices.ContainsFunc(link.Sessions, func(known checkpoints.RecordedSession) bool { return known.SessionID == p.SessionID }) {
			added := of.OfAddition(link.ID, p.SessionID)
			p.Source = &added
		}
	}
}

// ShownCommitOf is a commit, to be shown.
func ShownCommitOf(c gitexec.Commit) ShownCommit {
	return ShownCommit{Commit: c.ID, Subject: subject(c), Author: c.Author, When: c.When}
}

// linkingCommit is a commit that links a checkpoint, to be shown.
func (r *Reader) linkingCommit(ctx context.Context, c gitexec.Commit, id string) ShownCommit {
	source := r.whose(ctx).OfLink(c.ID, id, r.inMessages.has(c, id))
	shown := ShownCommitOf(c)
	shown.Link = &source
	return shown
}

// subject is the first line of a commit's message.
func subject(c gitexec.Commit) string {
	line, _, _ := bytes.Cut(c.Message, []byte("\n"))
	return string(line)
}

// readShown reads a committed checkpoint, which some commits link.
func readShown(ctx context.Context, r *Reader, id string, linking []gitexec.Commit) (one Shown, err error) {
	summary, err := checkpoints.ReadCommitted(r.DB, r.Branch, id)
	if err != nil && !errors.Is(err, checkpoints.ErrDamaged) {
		return one, err
	}
	one = Shown{Checkpoint: id, Commits: []ShownCommit{}, Sessions: []ShownPart{}}
	one.Note(err)
	if summary != nil {
		one.Branch = summary.Branch
	}
	for _, c := range linking {
		one.Commits = append(one.Commits, r.linkingCommit(ctx, c, id))
	}
	parts, damaged := checkpoints.ReadSessions(r.DB, r.Branch, id)
	for _, err := range damaged {
		one.Note(err)
	}
	for _, content := range parts {
		p := PartOf(content)
		if content.Added {
			added := r.whose(ctx).OfAddition(id, p.SessionID)
			p.Source = &added
		}
		one.Sessions = append(one.Sessions, p)
	}
	return one, nil
}

// Note adds a fault, each once.
func (s *Shown) Note(err error) {
	if err == nil {
		return
	}
	s.Damaged = true
	switch what := strings.ReplaceAll(err.Error(), "\n", "; "); {
	// One damaged object is met by each reader of the checkpoint.
	case strings.Contains(s.Error, what):
	case s.Error == "":
		s.Error = what
	case len(s.Error) < mostFaults:
		s.Error += "; " + what
	case !s.cut:
		s.Error, s.cut = s.Error+"; and more", true
	}
}

// PartOf is a session's part in a checkpoint, to be shown.
func PartOf(content *checkpoints.SessionContent) ShownPart {
	p := ShownPart{SessionMetadata: content.Metadata, Prompts: conversation.Split(content.Prompts),
		Tasks: content.Tasks, Stored: content}
	// Until a commit's lines are known nothing is said of the turns' lines.
	p.setTurns(attribution.Counted{}, checkpoints.Recorded{})
	return p
}

// mostFaults limits the faults of a checkpoint, in bytes.
const mostFaults = 32 << 10

// temporary reads a checkpoint on a stream.
func temporary(ctx context.Context, r *Reader, k shadow.Checkpoint) Shown {
	one := Shown{Stream: string(k.ID), Subject: k.Subject, Commits: []ShownCommit{}}
	part := ShownPart{SessionMetadata: checkpoints.SessionMetadata{SessionID: k.Session}, Prompts: []string{}}
	if k.Part == shadow.Agent { // the human's part repeats the metadata of the agent's part before it
		var err error
		part, err = OnStream(r.DB, k, k.Session)
		one.Note(err)
		// A task's checkpoint has no prompt of the user's.
		if len(part.Prompts) == 0 && k.Task == "" {
			part.Prompts = append(part.Prompts, k.Subject)
		}
		part.TokenUsage, err = tokensOnStream(part, r.States())
		if sealed := new(seal.Error); !errors.As(err, &sealed) { // encrypted is not damaged
			one.Note(err)
		}
	}
	part.TurnID, part.CreatedAt, part.FilesTouched = k.Turn, k.When, []gitexec.Path{}
	// The files of this checkpoint alone: the stream's tree has those of all before it.
	parent, err := r.DB.Commit(k.Parent)
	if err == nil {
		var diff []gitexec.Change
		diff, err = r.DB.DiffTrees(parent.Tree, k.Tree)
		for _, c := range diff {
			if !shadow.IsMetadata(c.Path) {
				part.FilesTouched = append(part.FilesTouched, c.Path)
			}
		}
	}
	one.Note(err)
	part.setLastTurn(k.Prompt, r.Whereabouts(ctx)[k.ID].Work)
	one.Sessions = []ShownPart{part}
	return one
}

// Spoken reads what is shown of the conversation in a stored transcript: see transcript.Spoken.
func Spoken(p ShownPart, each func(transcript.Words) error) error {
	// A part on a stream doesn't record with which line its turn begins: the transcript is searched
	// for the prompt.
	if p.begins != nil {
		p.first = p.inTranscript(*p.begins, transcript.Limits{}).First
	}
	return transcript.ReadStored(p, func(in io.Reader) error {
		return transcript.Spoken(in, func(w transcript.Words) error {
			if !p.has(w.Line) {
				return nil
			}
			return each(w)
		})
	})
}
