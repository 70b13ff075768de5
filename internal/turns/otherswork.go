package turns

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/works"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// claims are what transcripts and checkpoints say about whose the files of a turn are.
type claims struct {
	mine     []gitexec.Path        // its tools name them
	known    bool                  // its tools were used, and name all that they wrote, to its end: no shell ran
	others   map[gitexec.Path]bool // another author is known to have changed them
	recorded []recordedFile        // other sessions' checkpoints have them as they are
}

// recordedFile is a file whose content another session's checkpoint has.
type recordedFile struct {
	path    gitexec.Path
	carried bool // the checkpoint only carries it: whoever changed it since that session's turns made it so
	named   bool // that session's tools name it
}

// own are the files of the touched ones that are the turn's: those that its tools name, and those
// that nothing says are others'.
func (c claims) own(touched []gitexec.Path) []gitexec.Path {
	others := maps.Clone(c.others)
	for _, file := range c.recorded {
		// Equal content alone proves little: two sessions may come to it. It is another's if that
		// one's tools name the file, or if this turn is known not to have written it.
		if c.known || file.named && !file.carried {
			others[file.path] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(touched), func(path gitexec.Path) bool {
		// A file that the turn's own tools name stays its, whatever is said of others.
		return others[path] && !slices.Contains(c.mine, path)
	})
}

// add records that other authors changed some files.
func (c claims) add(files []gitexec.Path) {
	for _, path := range files {
		c.others[path] = true
	}
}

// concern reports whether others are known to have changed any of the files.
func (c claims) concern(touched []gitexec.Path) bool {
	return slices.ContainsFunc(touched, func(path gitexec.Path) bool { return c.others[path] })
}

// ownChanges removes from a turn the files that another author is known to have changed: those that
// the agent of another turn in progress was asked to write and this turn's agent was not; and,
// where this turn's tools named all that they wrote (no shell ran), every other file, which the
// user has saved meanwhile.
func ownChanges(ctx context.Context, run *workspace.Run, s *session.State, t turn) (turn, error) {
	var wrote transcript.Wrote
	if s.TranscriptPath != "" {
		wrote, _ = transcript.Written(ctx, s.TranscriptPath) // an unreadable transcript is no evidence
	}
	states, err := run.Sessions()
	if err != nil {
		return t, err
	}
	theirs := writtenByOthers(ctx, run, states, s)
	c := claims{mine: commits.PathsInWorktree(run.Repo, wrote.Files), known: t.toldBy(wrote) && wrote.Used, others: maps.Clone(theirs)}
	if err := c.nameWritten(ctx, run, s, t, theirs); err != nil {
		return t, err
	}
	saved, err := savedByOthers(ctx, run.Repo, run.DB, s, commits.TurnsBeside(run, s, states), t, c.mine)
	if err != nil {
		return t, err
	}
	c.add(saved)
	apart, err := savedApart(ctx, run, s, t, c.mine)
	if err != nil {
		return t, err
	}
	c.add(apart)
	// No shell ran: what the tools don't name, they did not write.
	if c.known {
		c.add(unnamedFiles(t.touched, c.mine))
	}
	return inFiles(run.DB, t, c.own(t.touched))
}

// writtenByOthers lists the files that the agents of other turns in progress here were asked to
// write. A turn whose agent is known to have exited is not in progress.
func writtenByOthers(ctx context.Context, run *workspace.Run, states []*session.State, s *session.State) map[gitexec.Path]bool {
	except := []string{s.SessionID}
	for _, other := range states {
		if other.Phase != session.Active {
			continue
		}
		// A killed agent's turn is still active in its state, and must not claim what was written
		// after it.
		if alive, known := run.AgentAlive(other); known && !alive {
			except = append(except, other.SessionID)
		}
	}
	others := map[gitexec.Path]bool{}
	for _, wrote := range commits.WrittenInTurns(ctx, run.Repo, states, except) {
		for _, file := range wrote.Files {
			others[file] = true
		}
	}
	return others
}

// withoutOtherSessions removes from a turn the files that transcripts attribute to other sessions:
// those that the agent of another turn in progress was asked to write and this one was not; and
// those that other sessions' checkpoints hold with the same content, if that session's agent was
// asked to write them and they are not only carried there, or this one named all that it wrote and
// did not name them. Where the turn's tools named all that they wrote, and no shell ran, the user
// has saved every other file. A file that no transcript names counts for every turn in which it
// changed.
func withoutOtherSessions(ctx context.Context, run *workspace.Run, s *session.State, t turn, listing shadow.Listing) (turn, error) {
	if len(t.touched) == 0 {
		return t, nil
	}
	states, err := run.Sessions()
	if err != nil {
		return t, err
	}
	recorded, err := othersCheckpoints(run, s, t, listing)
	if err != nil {
		return t, err
	}
	byUser, err := savedByUser(ctx, run, s, t)
	if err != nil {
		return t, err
	}
	theirs := writtenByOthers(ctx, run, states, s)
	c := claims{others: maps.Clone(theirs)}
	c.add(byUser)
	beside := commits.TurnsBeside(run, s, states)
	// One agent at work, the common case.
	if len(recorded)+len(beside) == 0 && !c.concern(t.touched) {
		return t, nil // no transcript needs to be read
	}
	wrote := writtenInTurn(ctx, s, t.prompted)
	// Used: a turn whose tools are unknown here, as of a format without them, names nothing and
	// proves nothing.
	c.mine, c.known = commits.PathsInWorktree(run.Repo, wrote.Files), t.toldBy(wrote) && wrote.Used
	saved, err := savedByOthers(ctx, run.Repo, run.DB, s, beside, t, c.mine)
	if err != nil {
		return t, err
	}
	c.add(saved)
	c.recorded = withNames(ctx, run.Repo, states, recorded)
	for _, file := range c.recorded {
		if file.named {
			theirs[file.path] = true
		}
	}
	if err := c.nameWritten(ctx, run, s, t, theirs); err != nil {
		return t, err
	}
	texts := commits.TextsIn(run.Repo, wrote.Texts)
	// No other turn wrote what it found in a file of its tools. If no command of this turn ran, nor
	// did this one.
	if files := namedFiles(unnamedFiles(t.touched, c.mine), slices.Collect(maps.Keys(theirs))); !c.known {
		if err := addFound(run, beside, files, texts); err != nil {
			return t, err
		}
	}
	return c.limit(run, t, texts)
}

// addFound adds to the texts of a turn what other turns found in some files when they began. No ref
// keeps that: of what git has pruned nothing is added.
func addFound(run *workspace.Run, beside []*session.State, files []gitexec.Path, texts map[gitexec.Path]transcript.Texts) error {
	lines := &shadow.Texts{DB: run.DB}
	for _, o := range beside {
		if len(files) == 0 || !objectsExist(run.DB, o.TurnFoundTree) {
			continue
		}
		found, err := run.DB.Files(o.TurnFoundTree, files...)
		for i, e := range found {
			text, _, fails := lines.Lines(e)
			if err = cmp.Or(err, fails); err == nil && len(text) > 0 {
				texts[files[i]] = texts[files[i]].With(transcript.Texts{Wholes: []string{strings.Join(text, "\n") + "\n"}})
			}
		}
		if err != nil && !gitexec.IsMissing(err) {
			return err
		}
	}
	return nil
}

// nameWritten adds to the files that the turn's tools name those that its commands write, by their
// words, of the ones that other sessions' tools name. Each session has lines in such a file,
// whichever stops first.
func (c *claims) nameWritten(ctx context.Context, run *workspace.Run, s *session.State, t turn, theirs map[gitexec.Path]bool) error {
	files := slices.DeleteFunc(slices.Clone(t.touched), func(path gitexec.Path) bool { return !theirs[path] || slices.Contains(c.mine, path) })
	if len(files) == 0 {
		return nil
	}
	changes, err := run.DB.Versions(t.before, t.snap.Tree, files...)
	c.mine = append(c.mine, commits.WrittenByCommands(ctx, run.Repo.Top, s, changes)...)
	return err
}

// limit is a turn without what others changed. Of a file of theirs it keeps the lines that this
// turn was given as texts, as a shell's command that puts them there: lines say more than a name.
func (c claims) limit(run *workspace.Run, t turn, texts map[gitexec.Path]transcript.Texts) (turn, error) {
	files := c.own(t.touched)
	if len(files) == len(t.touched) {
		return t, nil
	}
	changes, err := run.DB.Versions(t.before, t.snap.Tree, unnamedFiles(t.touched, files)...)
	if err != nil {
		return t, err
	}
	began, err := works.WithoutTexts(run.DB, changes, texts)
	if err != nil {
		return t, err
	}
	// inFiles makes a start with the others' files in it, from which the turn's own work goes. The
	// real start is kept beside it.
	start := t.before
	files = slices.AppendSeq(files, maps.Keys(began))
	slices.Sort(files)
	t, err = inFiles(run.DB, t, files)
	if t.start = start; err != nil {
		return t, err
	}
	t.before, err = run.DB.EditTree(t.before, began)
	return t, err
}

// savedByUser lists the files of a turn that its tools don't name: where they named all that they
// wrote, until it ended, all of them; else those that were saved while none of the tools ran.
func savedByUser(ctx context.Context, run *workspace.Run, s *session.State, t turn) ([]gitexec.Path, error) {
	if t.wrote == nil {
		return nil, nil
	}
	mine := append(commits.PathsInWorktree(run.Repo, t.wrote.Files), t.ofShells...)
	if !t.told() {
		return savedApart(ctx, run, s, t, mine)
	}
	if !t.wrote.Used {
		return nil, nil
	}
	return unnamedFiles(t.touched, mine), nil
}

// writtenInTurn is what the tools of a turn wrote. prompted: the transcript has the next prompt. An
// unreadable transcript is no evidence.
func writtenInTurn(ctx context.Context, s *session.State, prompted bool) (wrote transcript.Wrote) {
	if s.TranscriptPath == "" {
		return wrote
	}
	if prompted {
		wrote, _ = transcript.WrittenInAnswer(ctx, s.TranscriptPath, 0)
	} else {
		wrote, _ = transcript.Written(ctx, s.TranscriptPath)
	}
	return wrote
}

// withNames lists what checkpoints of sessions recorded, and whether their tools name it.
func withNames(ctx context.Context, repo *gitexec.Repo, states []*session.State, recorded map[string][]recordedFile) (all []recordedFile) {
	for _, other := range states {
		files := recorded[other.SessionID]
		if len(files) == 0 {
			continue
		}
		if wrote, err := transcript.WrittenEver(ctx, other.TranscriptPath, other.Recorded.Copied); err == nil {
			byTools := commits.PathsInWorktree(repo, wrote.Files)
			for i := range files {
				files[i].named = slices.Contains(byTools, files[i].path)
			}
		}
		all = append(all, files...)
	}
	return all
}

// othersCheckpoints lists, by session, the files of the turn whose content equals that in another
// session's checkpoint.
func othersCheckpoints(run *workspace.Run, s *session.State, t turn, listing shadow.Listing) (map[string][]recordedFile, error) {
	streams, err := candidates(run, s, listing)
	if err != nil {
		return nil, err
	}
	streams = slices.DeleteFunc(streams, func(stream shadow.Stream) bool {
		sessions, err := stream.Sessions(run.DB)
		// A stream of this session alone has no other's checkpoint. One that cannot be read stays,
		// and is passed over below.
		return err == nil && len(sessions) == 1 && sessions[0] == s.SessionID
	})
	if len(streams) == 0 {
		return nil, nil
	}
	versions, err := run.DB.Files(t.snap.Tree, t.touched...)
	if err != nil {
		return nil, err
	}
	now := map[gitexec.Path]gitexec.Entry{}
	for i, path := range t.touched {
		now[path] = versions[i]
	}
	recorded := map[string][]recordedFile{}
	for _, stream := range streams {
		if changes, err := stream.AgentChanges(run.DB); err == nil { // an unreadable one is no evidence
			recordedNow(recorded, changes, now, s.SessionID)
		}
	}
	return recorded, nil
}

// recordedNow adds, by session, the files that others' changes made what they are now.
func recordedNow(recorded map[string][]recordedFile, changes []shadow.Change, now map[gitexec.Path]gitexec.Entry, sessionID string) {
	for _, c := range changes {
		entry, changed := now[c.Path]
		if !changed || c.Session == sessionID || c.New != entry {
			continue
		}
		// Carried, and in no turn of that session as it is now: another's lines came with it.
		carried := len(c.Of) > 0 && !slices.ContainsFunc(c.Of, func(of shadow.Change) bool { return of.New == entry })
		recorded[c.Session] = append(recorded[c.Session], recordedFile{path: c.Path, carried: carried})
	}
}
