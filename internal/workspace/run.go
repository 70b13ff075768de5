package workspace

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// Run is one run of a hook or a command in its workspace, and the commit that it acts on: by
// default HEAD when the workspace was opened.
type Run struct {
	*Workspace
	Head gitexec.Head

	moves   []gitexec.HeadMove // HEAD's reflog, as it was read last
	movesAt gitexec.OID        // while HEAD was this commit
}

// Run is a run on HEAD.
func (w *Workspace) Run() *Run { return &Run{Workspace: w, Head: w.Repo.Head} }

// On is the same run on another commit.
func (r *Run) On(head gitexec.Head) *Run {
	other := *r
	other.Head = head
	return &other
}

// MostMoves is how many entries of HEAD's reflog are read.
const MostMoves = 200

// HeadMoves reads HEAD's reflog, newest entry first. One process, once.
func (r *Run) HeadMoves(ctx context.Context) ([]gitexec.HeadMove, error) {
	if r.movesAt == r.Head.ID {
		return r.moves, nil
	}
	moves, err := r.Repo.HeadMoves(ctx, MostMoves)
	if err == nil {
		r.moves, r.movesAt = moves, r.Head.ID
	}
	return moves, err
}

// Staged lists the differences from a commit or tree to what is staged, or to the commit that is
// foreseen. One process for what is staged.
func (r *Run) Staged(ctx context.Context, base gitexec.OID) ([]gitexec.Change, error) {
	if r.Foreseen == "" {
		return r.Repo.DiffStaged(ctx, r.Repo.IndexFile, base)
	}
	if base.IsZero() {
		base = r.Repo.Format.EmptyTree()
	}
	return r.DB.DiffTrees(base, r.Foreseen)
}

// Retry runs a hook's work again, with new processes, if git failed in it, and once more after a
// longer pause. A concurrent git gc moves objects into a pack that a running process does not look
// for, removes directories that it is about to write to, and deletes objects that no ref keeps yet.
// As after a kill, the work can restart from any point.
func (w *Workspace) Retry(ctx context.Context, work func() (string, error)) (outcome string, err error) {
	for _, pause := range []time.Duration{20 * time.Millisecond, 200 * time.Millisecond} {
		if outcome, err = work(); !temporary(err) || ctx.Err() != nil {
			return outcome, err
		}
		w.DB.Close()
		w.DB, w.troubles, w.Notices = w.Repo.ODB(ctx), nil, nil
		time.Sleep(pause)
	}
	return work()
}

// temporary reports whether an error may be one of a moment.
func temporary(err error) bool {
	return errors.As(err, new(*gitexec.Error)) || gitexec.IsMissing(err) || errors.As(err, new(*gitexec.PrunedError))
}

// WarnOf warns, at the hook's end, of errors that did not stop it; nil is none.
func (w *Workspace) WarnOf(troubles ...error) {
	for _, trouble := range troubles {
		if trouble != nil {
			w.WarnLater(explain.OneLine(trouble))
		}
	}
}

// Notify adds a notice for the user, which the agent shows at the hook's end.
func (w *Workspace) Notify(text string) { w.Notices = append(w.Notices, text) }

// Journal writes a hook's line in the journal, with its error if any.
func (w *Workspace) Journal(entry journal.Entry, begun time.Time, err error) {
	if err != nil {
		entry.Error = explain.Past(err)
	}
	entry.Worktree, entry.Link, entry.Works = w.Repo.WorktreeID(), w.Entry.Link, w.Entry.Works
	entry.Rewrote, entry.Made, entry.MadeBy = w.Entry.Rewrote, w.Entry.Made, w.Entry.MadeBy
	entry.Kind = w.Entry.Kind
	entry.Time = w.Now().UTC()
	entry.Milliseconds = time.Since(begun).Milliseconds()
	entry.Processes, entry.Objects = w.Repo.Processes(), w.Repo.ObjectsAsked()
	journal.Append(w.Repo.SharedDir(), entry)
}

// Outcome notes the kind of a run's outcome for its line in the journal, and returns the sentence.
func (w *Workspace) Outcome(kind journal.Kind) string {
	w.Entry.Kind = kind
	return kind.String()
}

// Note writes a line of its own to the journal.
func (w *Workspace) Note(what string) {
	if w.Foreseen != "" {
		return
	}
	journal.Append(w.Repo.SharedDir(), journal.Entry{Time: w.Now().UTC(), Hook: "note", Outcome: what})
}

// Sessions lists the sessions of this worktree that may affect the next commit.
func (w *Workspace) Sessions() ([]*session.State, error) {
	all, err := w.Store.List()
	return w.here(all), err
}

// RecentSessions lists the sessions of this worktree, with those at rest whose links are kept.
func (w *Workspace) RecentSessions() ([]*session.State, error) {
	all, err := w.Store.Recent(w.Now().Add(-session.KeptFor))
	return w.here(all), err
}

// here are the sessions that this worktree concerns: those with a place here, and those with linked
// commits, which may be amended, reset or rebased in any worktree.
func (w *Workspace) here(all []*session.State) []*session.State {
	return slices.DeleteFunc(all, func(s *session.State) bool {
		if s.In(w.Repo.WorktreeID()) {
			return false
		}
		if len(s.Linked) > 0 {
			s.Enter(w.Repo.WorktreeID(), w.Repo.Top, w.Repo.Head.ID)
		}
		return len(s.Linked) == 0
	})
}

// Locked runs f under the repository's lock, after interrupted or blocked transactions were
// finished. When another process moved one of our refs meanwhile, f runs again, and must read
// everything again.
//
// Where a commit is only foreseen, f runs without a lock, on states that are copied aside: nothing
// but this run sees what it changes.
func (w *Workspace) Locked(ctx context.Context, f func() error) error {
	if w.Foreseen != "" {
		if err := w.statesAside(); err != nil {
			return err
		}
		return f()
	}
	unlock, err := shadow.Lock(ctx, w.Repo)
	if err != nil {
		return err
	}
	defer unlock()
	if err := shadow.Recover(ctx, w.DB, w.Store); err != nil {
		return err
	}
	defer w.noteBlocked(shadow.BlockedRefs(w.Repo))
	return retryMoved(func() error {
		if shadow.Unblocked(w.Repo) {
			if err := shadow.Apply(ctx, w.DB, w.Store, nil, nil); errors.As(err, new(*gitexec.RefMovedError)) {
				return err // the ref to be moved has another value now
			} else if err != nil {
				w.WarnLater("blocked refs cannot be moved: " + explain.OneLine(err)) // all else is recorded
			}
		}
		return f()
	})
}

// retryMoved runs f again, a few times, where it fails because another process moved one of our
// refs.
func retryMoved(f func() error) (err error) {
	const attempts = 4
	for i := range attempts {
		if err = f(); !errors.As(err, new(*gitexec.RefMovedError)) {
			return err
		}
		time.Sleep(time.Duration(10<<i) * time.Millisecond)
	}
	return err
}

// noteBlocked reports once that our refs cannot be moved and what is in the way, and once that they
// were moved. before are the refs that were blocked until now.
func (w *Workspace) noteBlocked(before []string) {
	text, warn := blocked(before, shadow.BlockedRefs(w.Repo), func() string { return shadow.BlockedBy(w.Repo) })
	if text != "" {
		w.Note(text)
	}
	if warn {
		w.WarnLater(text)
	}
}

// blocked says what is new of refs that cannot be moved, and whether the user is to be warned of
// it; empty: nothing.
func blocked(before, now []string, by func() string) (text string, warn bool) {
	switch {
	case len(now) > 0 && len(before) == 0:
		return fmt.Sprintf("%s cannot be moved: %s is in the way. What is recorded waits until it is removed", strings.Join(now, ", "), by()), true
	case len(now) == 0 && len(before) > 0:
		return "moved: " + strings.Join(before, ", "), false
	}
	return "", false
}

// Author is the author of a session's commits, and of others: git's user when the session started,
// or when somebody asked last. No process.
func (w *Workspace) Author(s *session.State) gitexec.Ident {
	who := gitexec.Ident{Name: "entire-plumb", Email: "entire-plumb@localhost", When: w.Now()}
	if s != nil && s.AuthorName != "" && s.AuthorEmail != "" {
		who.Name, who.Email = s.AuthorName, s.AuthorEmail
	} else if known := knownUser(w.Repo); known != (user{}) {
		who.Name, who.Email = known.Name, known.Email
	}
	return who
}

// WarnLater keeps a warning until the hook's end. It is dropped if the hook fails: then its error
// is printed.
func (w *Workspace) WarnLater(line string) { w.troubles = append(w.troubles, line) }

// PrintWarnings prints the warnings that were kept.
func (w *Workspace) PrintWarnings() {
	for _, line := range w.troubles {
		w.Env.Warn(line)
	}
	w.troubles = nil
}

// Finish ends a hook: it closes its processes, prints the warnings, and writes its line in the
// journal.
func (w *Workspace) Finish(entry journal.Entry, begun time.Time, err error) error {
	if err2 := w.DB.Close(); err == nil {
		err = err2
	}
	if line := w.NotSigned(); line != "" {
		w.WarnLater(line)
	}
	if err == nil {
		w.PrintWarnings()
	}
	if late := w.Store.Secrets.Late(); len(late) > 0 {
		w.Env.Warn(fmt.Sprintf("rules of redaction take too long, and were not used for all of the conversation: %s\n"+
			"hint: make their expressions simpler, or confirm them with entire-plumb enable --trust-settings", strings.Join(late, ", ")))
	}
	w.Journal(entry, begun, err)
	return err
}

// NotSigned says, and notes in the journal, why commits of the checkpoints are not signed though
// the user's git signs; empty: they are.
func (w *Workspace) NotSigned() string {
	if w.DB.Unsigned == nil {
		return ""
	}
	line := "checkpoints are recorded without a signature: " + whyUnsigned(w.DB.Unsigned)
	w.Note(line)
	return line
}

// whyUnsigned is why a commit could not be signed, in git's words.
func whyUnsigned(err error) string {
	if silent, ok := errors.AsType[*gitexec.NoAnswerError](err); ok {
		return silent.Error()
	}
	if fault, ok := errors.AsType[*gitexec.Error](err); ok && fault.Stderr != "" {
		why, _, _ := strings.Cut(strings.TrimPrefix(fault.Stderr, "error: "), "\n")
		return why
	}
	return explain.OneLine(err)
}
