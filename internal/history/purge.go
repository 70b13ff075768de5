package history

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/index"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/redact"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/session"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// Purge is what to take out: a text, a regular expression, or checkpoints.
type Purge struct {
	Text        string         // empty: one of the others
	Regex       *regexp.Regexp // nil: one of the others
	Checkpoints []string       // their IDs; empty: one of the others
	Session     string         // whose checkpoints these are; empty: they were named
	Preview     bool           // only say what would be changed

	work *rewriting // what was rewritten already: the lock is held for what has come since alone
}

// Purged is what was taken out, or would be.
type Purged struct {
	Checkpoint string        `json:"checkpoint_id,omitempty"`  // the ID of the committed checkpoint, if it is one alone
	All        []string      `json:"checkpoint_ids,omitempty"` // the IDs of all that are taken out
	Session    string        `json:"session_id,omitempty"`     // whose checkpoints these are, if it was named
	Others     []string      `json:"also_of,omitempty"`        // other sessions, whose conversations these checkpoints have, too
	Objects    []gitexec.OID `json:"objects"`                  // that hold it: git prune removes them
	Files      []string      `json:"files"`                    // in the git directory
	Refs       []MovedRef    `json:"refs"`                     // that are rewritten
	Sessions   []string      `json:"sessions"`                 // whose states are changed
	AlsoIn     []string      `json:"also_in"`                  // other checkpoints with the conversation of a purged one
	GoesOn     []string      `json:"goes_on"`                  // sessions of a purged checkpoint that may go on here, and record its conversation again
	Copies     []Copy        `json:"copies"`                   // remote-tracking branches, which the remote's copy is on
	Encrypted  int           `json:"encrypted"`                // blobs that no identity here opens: they were not searched
	TooLarge   []gitexec.OID `json:"too_large"`                // blobs that were not searched
	Missing    int           `json:"missing"`                  // blobs that a partial clone lacks: they were not searched
	Names      []string      `json:"names"`                    // paths that hold it: they stay
	Worktree   []string      `json:"worktree"`                 // files of the worktree that hold it: they are recorded as they are
	Done       bool          `json:"done"`
}

// MovedRef is a ref that is rewritten.
type MovedRef struct {
	Ref string      `json:"ref"`
	Old gitexec.OID `json:"old"`
	New gitexec.OID `json:"new,omitempty"` // empty before it is done
}

// ErrNothing says that nothing recorded holds what is to be purged.
var ErrNothing = errors.New("nothing that is recorded here holds it")

// shortest is how long a text is at least: shorter ones are everywhere.
const shortest = 4

// ofText reports whether it is a text, or an expression for some.
func (q Purge) ofText() bool { return len(q.Checkpoints) == 0 }

// Run takes it out of streams, the branch of checkpoints, all other refs of this program, session
// states, prompts and private files. All refs and states change in one transaction.
func (q Purge) Run(ctx context.Context, e workspace.Env) (done Purged, err error) {
	if q.ofText() && q.Regex == nil && len(q.Text) < shortest {
		return done, fmt.Errorf("the text has fewer than %d bytes, and would be found everywhere", shortest)
	}
	w, err := open(ctx, e)
	if err != nil {
		return done, err
	}
	begun := time.Now()
	q.work = newRewriting(ctx, w.Repo, w.DB)
	q.work.readers = w.Store.Readers
	if done, _, err = q.plan(ctx, w); q.Preview || err != nil {
		return done, errors.Join(err, w.DB.Close())
	}
	noted := false
	err = w.Locked(ctx, func() error { return q.apply(ctx, w, &done, &noted) })
	return done, w.Finish(journal.Entry{Hook: "purge", Outcome: amount.Of(len(done.Objects), "object")}, begun, err)
}

// apply does it, under the lock. noted is whether what must not be recorded again is noted already.
func (q Purge) apply(ctx context.Context, w *workspace.Workspace, done *Purged, noted *bool) error {
	if err := notBlocked(w.Repo); err != nil {
		return err
	}
	// What hooks have recorded since the first plan is searched as well, and now none can record.
	plan, states, err := q.plan(ctx, w)
	if err != nil {
		return err
	}
	// Before anything is changed: what a hook records from now on must not hold it.
	if q.ofText() && !*noted {
		if err := settings.AddPurged(w.Repo, q.remembered()); err != nil {
			return err
		}
		*noted = true
	}
	*done = plan
	// The prompts first: a state's next checkpoint is made of them.
	edit := q.editor()
	if _, err := editFiles(promptFiles(w), edit, false); err != nil {
		return err
	}
	// States and refs at once: a state names commits by their new IDs, and a session would lose its
	// stream with the one without the other.
	if err := move(ctx, w, plan.Refs, states); err != nil {
		return err
	}
	_, err = editFiles(privateFiles(w), edit, false)
	err = errors.Join(err, index.Remove(ctx, w.Repo.CommonDir, w.Repo.SharedDir())) // it has prompts
	done.Done = err == nil
	return err
}

// InCommits is the command that searches the user's own commits and stashes. It doesn't repeat the
// text.
func (q Purge) InCommits() string {
	if q.Regex != nil {
		return "git log --all --reflog -m -G REGEX"
	}
	return "git log --all --reflog -m -S TEXT"
}

// remembered is what must not be recorded again.
func (q Purge) remembered() redact.Purged {
	if q.Regex != nil {
		return redact.Purged{Regex: q.Regex.String()}
	}
	return redact.PurgedText(q.Text)
}

// expression matches what is purged.
func (q Purge) expression() *regexp.Regexp {
	if q.Regex != nil {
		return q.Regex
	}
	return regexp.MustCompile(regexp.QuoteMeta(q.Text))
}

// places are where a text holds what is purged.
func (q Purge) places(text string) (found [][]int) {
	if q.Regex != nil {
		return q.Regex.FindAllStringIndex(text, -1)
	}
	for at := 0; ; {
		i := strings.Index(text[at:], q.Text)
		if i < 0 {
			return found
		}
		at += i + len(q.Text)
		found = append(found, []int{at - len(q.Text), at})
	}
}

// without is a text without what is purged, however JSON has it.
func (q Purge) without(text []byte) []byte {
	if !q.ofText() {
		return text
	}
	all := redact.RemoveAll(text, q.places)
	// What was JSON must be JSON afterwards: agents and readers go on with it.
	if bytes.Equal(all, text) || !redact.IsRecords(text) || redact.IsRecords(all) {
		return all
	}
	var out []byte // a match goes beyond a string of JSON
	for line := range bytes.Lines(text) {
		after := redact.RemoveAll(line, q.places)
		if !bytes.Equal(after, line) && !json.Valid(after) {
			only, err := redact.New(redact.Options{Rules: []redact.Rule{{ID: "purged", Regex: q.expression().String()}}})
			if err == nil {
				after = only.Records(line)
			}
		}
		out = append(out, after...)
	}
	return out
}

// editor edits private files and states: they hold texts, and name objects.
func (q Purge) editor() func([]byte) []byte {
	return func(text []byte) []byte { return q.work.names(q.without(text)) }
}

// plan rewrites everything but refs and files.
func (q Purge) plan(ctx context.Context, w *workspace.Workspace) (done Purged, states []*session.State, err error) {
	done = Purged{All: q.Checkpoints, Session: q.Session, Objects: []gitexec.OID{}, Files: []string{}, Refs: []MovedRef{}, Sessions: []string{},
		AlsoIn: []string{}, GoesOn: []string{}, Copies: []Copy{}, TooLarge: []gitexec.OID{}, Names: []string{}, Worktree: []string{}}
	if len(q.Checkpoints) == 1 {
		done.Checkpoint = q.Checkpoints[0]
	}
	work := q.work
	ours, copies, others, err := work.refsOf()
	if err != nil {
		return done, nil, err
	}
	if q.ofText() {
		work.text = q.without
		work.named = func(path string) bool { return len(q.places(path)) > 0 }
	} else if err = done.sameConversation(ctx, w); err != nil {
		return done, nil, err
	}
	tips, err := q.rewrite(ctx, w, ours, others)
	if err != nil {
		return done, nil, err
	}
	done.Refs = append(done.Refs, movedRefs(ours, tips)...)
	if done.Copies, err = work.copiesOf(w, branchesIn(ours), copies); err != nil {
		return done, nil, err
	}
	done.Objects = append(append(done.Objects, changed(work.blobs)...), work.dropped()...)
	done.Encrypted, done.TooLarge = work.sealed, append(done.TooLarge, work.large...)
	done.Missing, done.Names = work.missing, append(done.Names, slices.Sorted(maps.Keys(work.paths))...)
	// After the histories: states and files name objects, whose new names are known only now.
	if states, err = q.states(w); err != nil {
		return done, nil, err
	}
	for _, s := range states {
		done.Sessions = append(done.Sessions, s.SessionID)
	}
	if done.Files, err = editFiles(append(promptFiles(w), privateFiles(w)...), q.editor(), true); err != nil {
		return done, nil, err
	}
	if done.Worktree, err = inWorktree(w, q, done.Refs); err == nil {
		err = q.nothing(done)
	}
	return done, states, err
}

// rewrite rewrites the histories of refs, and returns their new tips. A checkpoint is on the branch
// alone.
func (q Purge) rewrite(ctx context.Context, w *workspace.Workspace, ours []gitexec.Ref, others []gitexec.OID) (map[string]gitexec.OID, error) {
	work := q.work
	if !q.ofText() {
		work.branch = func(root gitexec.OID) (gitexec.OID, error) {
			return withoutCheckpoints(w.DB, root, q.Checkpoints, work.trees)
		}
	}
	// The branches come first. A blob is written once, and what a stream has as well counts as the
	// branch's: others have it, and have to hear what is in its place.
	work.onBranch = true
	tips, err := work.rewrite(branchesIn(ours), others)
	if err != nil {
		return nil, err
	}
	onBranches := slices.DeleteFunc(changed(work.blobs), func(id gitexec.OID) bool { return !work.public[id] })
	work.onBranch = false
	// Streams have no committed checkpoints: only a text is sought there.
	if q.ofText() {
		streams := slices.DeleteFunc(slices.Clone(ours), func(ref gitexec.Ref) bool { return onBranch(ref.Name) })
		more, err := work.rewrite(streams, others)
		if err != nil {
			return nil, err
		}
		maps.Copy(tips, more)
	}
	return tips, q.list(ctx, w, tips, onBranches)
}

// nothing is ErrNothing where there is nothing to take out, with what was not searched.
func (q Purge) nothing(done Purged) error {
	if len(done.Refs)+len(done.Sessions)+len(done.Files)+len(done.Names) > 0 {
		return nil
	}
	own := ""
	if q.ofText() {
		own = "\nhint: commits and stashes of yours are not searched: " + q.InCommits()
	}
	switch {
	// The text may be in what could not be searched: that there is nothing is not known then.
	case done.Encrypted > 0:
		return fmt.Errorf("%w; %d blobs are encrypted for others, and were not searched%s", ErrNothing, done.Encrypted, own)
	case slices.ContainsFunc(done.Copies, func(c Copy) bool { return c.More }):
		return fmt.Errorf("%w, but a remote's branch has more checkpoints\nhint: entire-plumb fetch brings them", ErrNothing)
	}
	return fmt.Errorf("%w%s", ErrNothing, own)
}

// states are those that change.
func (q Purge) states(w *workspace.Workspace) ([]*session.State, error) {
	all, err := w.Store.All()
	if err != nil {
		return nil, err
	}
	edit := q.editor()
	var changed []*session.State
	for _, s := range all {
		after, err := session.Edited(s, edit)
		if err != nil {
			return nil, err
		}
		if !q.ofText() {
			after = cmp.Or(after, s)
			had := false
			for _, id := range q.Checkpoints {
				had = session.Unlink(after, id) || had
			}
			if !had {
				continue
			}
		}
		if after != nil {
			changed = append(changed, after)
		}
	}
	return changed, nil
}

// list adds what was taken out to the list on the branch.
func (q Purge) list(ctx context.Context, w *workspace.Workspace, tips map[string]gitexec.OID, blobs []gitexec.OID) error {
	entries := map[string]checkpoints.PurgedEntry{}
	for _, id := range q.Checkpoints {
		entries[id] = checkpoints.PurgedEntry{What: checkpoints.PurgedCheckpoint}
	}
	for _, id := range blobs {
		entries[string(id)] = checkpoints.PurgedEntry{What: checkpoints.PurgedBlob, Now: q.work.blobs[id]}
	}
	return addPurged(ctx, w, tips, "purge", entries, fmt.Sprintf("Purge %s\n", amount.Of(len(entries), "object")))
}

// addPurged commits entries of the list of what was taken out, on top of the branch's new tip, if
// it has one.
func addPurged(ctx context.Context, w *workspace.Workspace, tips map[string]gitexec.OID, by string, entries map[string]checkpoints.PurgedEntry, message string) error {
	// The list is only needed where the branch had it: other clones know nothing else.
	tip := tips[shadow.Checkpoints]
	if tip == "" {
		return nil
	}
	commit, err := w.DB.Commit(tip)
	if err != nil {
		return err
	}
	edits := gitexec.Edits{}
	for id, p := range entries {
		p.By, p.When = by, w.Now().UTC().Truncate(time.Second)
		data, err := p.Encode()
		if err != nil {
			return err
		}
		if edits[checkpoints.PurgedPath(id)], err = w.DB.WriteFile(data); err != nil {
			return err
		}
	}
	tree, err := w.DB.EditTree(commit.Tree, edits)
	if err != nil {
		return err
	}
	who := w.Author(nil)
	if name, email, err := workspace.AskUser(ctx, w.Repo); err == nil { // other clones say who purged
		who.Name, who.Email = name, email
	}
	ids, err := w.DB.CommitTree(gitexec.NewCommit{Tree: tree, Parents: []gitexec.OID{tip}, Author: who, Committer: who, Message: message,
		Sign: w.DB.Signs()})
	if err == nil {
		tips[shadow.Checkpoints] = ids[0]
	}
	return err
}

// withoutCheckpoints is a tree of the branch without some checkpoints.
func withoutCheckpoints(db *gitexec.ODB, root gitexec.OID, ids []string, trees map[gitexec.OID]gitexec.OID) (gitexec.OID, error) {
	paths := make([]gitexec.Path, len(ids))
	for i, id := range ids {
		paths[i] = gitexec.Path(checkpoints.Dir(id))
	}
	found, err := db.Lookup(root, paths...)
	if err != nil {
		return root, err
	}
	edits := gitexec.Edits{}
	for i, entry := range found {
		if entry.Exists() {
			// An empty ID is what takes its place: nothing. So [rewriting.dropped] finds it.
			trees[entry.ID], edits[paths[i]] = "", gitexec.Entry{}
		}
	}
	if len(edits) == 0 {
		return root, nil
	}
	return db.EditTree(root, edits)
}

// dropped lists the directories that are gone.
func (w *rewriting) dropped() []gitexec.OID {
	return slices.DeleteFunc(changed(w.trees), func(id gitexec.OID) bool { return w.trees[id] != "" })
}

// sameConversation lists what else has parts of the checkpoints' transcripts, or will: other
// checkpoints, and the sessions whose states are here.
func (done *Purged) sameConversation(ctx context.Context, w *workspace.Workspace) error {
	branch, err := checkpoints.ReadBranches(ctx, w.Repo, w.DB)
	if err != nil {
		return err
	}
	for _, id := range done.All {
		// An ID that does not exist is an error before anything is written. A damaged checkpoint
		// can be taken out like any other.
		if _, err := checkpoints.ReadCommitted(w.DB, branch, id); err != nil && !errors.Is(err, checkpoints.ErrDamaged) {
			return err
		}
	}
	found, err := checkpoints.Describe(w.DB, branch, done.All)
	if err != nil {
		return err
	}
	for _, k := range found {
		for _, s := range k.Sessions {
			if done.Session != "" && s.SessionID != done.Session {
				done.Others = sets.With(done.Others, s.SessionID)
			}
		}
	}
	states, err := w.Store.All()
	if err != nil {
		return err
	}
	has := func(session string) bool {
		return slices.ContainsFunc(found, func(k checkpoints.CommittedInfo) bool { return k.Has(session) })
	}
	for _, s := range states {
		if has(s.SessionID) {
			done.GoesOn = append(done.GoesOn, s.SessionID)
		}
	}
	shared := func(s checkpoints.SessionMetadata) bool { return has(s.SessionID) }
	return checkpoints.EachCommitted(w.DB, branch, func(info checkpoints.CommittedInfo) error {
		if !slices.Contains(done.All, info.ID) && slices.ContainsFunc(info.Sessions, shared) {
			done.AlsoIn = append(done.AlsoIn, info.ID)
		}
		return nil
	})
}

// inWorktree names files of the worktree that hold it, of those that streams recorded with it.
func inWorktree(w *workspace.Workspace, q Purge, refs []MovedRef) ([]string, error) {
	files := []string{}
	for _, ref := range refs {
		// Only streams have the user's files.
		if !q.ofText() || onBranch(ref.Ref) {
			continue
		}
		commits, err := w.DB.Commits(ref.Old, ref.New)
		if err != nil {
			return files, err
		}
		diff, err := w.DB.DiffTrees(commits[0].Tree, commits[1].Tree)
		if err != nil {
			return files, err
		}
		for _, c := range diff {
			if name := string(c.Path); !shadow.IsMetadata(c.Path) && !slices.Contains(files, name) && q.inFile(w.Repo.Top, name) {
				files = append(files, name)
			}
		}
	}
	slices.Sort(files)
	return files, nil
}

// inFile reports whether a file of the worktree holds it.
func (q Purge) inFile(top, name string) bool {
	text, err := safefile.ReadInside(top, name, mostFile)
	return err == nil && !bytes.Equal(q.without(text), text)
}
