package query

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/message"
	"entire-plumb/internal/moves"
	"entire-plumb/internal/sets"
	"entire-plumb/shadow"
)

// Why is whether a commit is linked, and the reason, from the journal of the hooks.
type Why struct {
	Commit    gitexec.OID     `json:"commit"`
	Subject   string          `json:"subject"`
	When      time.Time       `json:"when"`
	Links     []WhyLink       `json:"links"`
	Reason    string          `json:"reason"`
	Otherwise string          `json:"otherwise"` // what would have changed the decision
	Works     []journal.Work  `json:"works"`     // what the commit was compared with
	Hooks     []journal.Entry `json:"hooks"`     // our hooks' runs for it, oldest first
	Rewritten []gitexec.OID   `json:"rewritten"` // its predecessors that git rewrote or squashed, latest first

	Beside *checkpoints.SideLink `json:"side_link,omitempty"` // its side link, with the evidence; nil: it has none
	// Older are checkpoints that a link beside it names, and whose work it precedes: they are not
	// followed.
	Older []string `json:"older_than,omitempty"`
	// Overruled is what others say otherwise, and Removed are the links that somebody removed.
	Overruled []checkpoints.Overruled `json:"not_counted,omitempty"`
	Removed   []checkpoints.Removal   `json:"removed_links,omitempty"`
}

// WhyLink is one link of a commit.
type WhyLink struct {
	ID       string   `json:"checkpoint_id"`
	Former   string   `json:"id"`               // the former name of checkpoint_id; it goes with the next version
	Beside   bool     `json:"beside,omitempty"` // the commit's message has no trailer: it is a side link
	Found    bool     `json:"found"`            // whether its checkpoint is here
	Purged   string   `json:"purged,omitempty"` // the day on which its checkpoint was purged
	Sessions []string `json:"sessions"`
	Error    string   `json:"error,omitempty"`      // what is damaged
	Lacking  bool     `json:"incomplete,omitempty"` // a partial clone lacks objects of it: that is the damage

	Source checkpoints.Source  `json:"source"`                 // whose word the link is
	Lines  *checkpoints.Source `json:"lines_source,omitempty"` // whose word the lines are; nil: there is no checkpoint
}

// Missing reports whether the checkpoint is not here, though it may be elsewhere.
func (l WhyLink) Missing() bool { return !l.Found && l.Purged == "" }

// Why explains the selected commits, newest first. Three processes, and one where no hook is known
// to have run for a commit; of what this clone did not record itself, some for each link: see
// checkpoints.Sources.
func (e Source) Why(ctx context.Context, s Selection) ([]Why, error) {
	r, err := e.OpenFor(ctx, s)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	commits, err := r.Select(ctx, s)
	if err != nil {
		return nil, err
	}
	entries, err := journal.Read(r.Repo.SharedDir())
	if err != nil {
		return nil, err
	}
	sources := r.whose(ctx)
	known := evidence{entries: entries, sources: sources, madeHere: sync.OnceValue(func() map[gitexec.OID]bool { return madeHere(ctx, r.Repo) })}
	all := []Why{}
	for _, c := range commits {
		all = append(all, explainCommit(r, c, known))
	}
	return all, nil
}

// evidence is what explains commits.
type evidence struct {
	entries  []journal.Entry // of the journal
	sources  *checkpoints.Sources
	madeHere func() map[gitexec.OID]bool // the commits that HEAD's reflog says were made in this worktree
}

// mostMoves is how much of HEAD's reflog is read.
const mostMoves = 10_000

// madeHere reads HEAD's reflog. Where it can't be read, it says of no commit where it was made. One
// process.
func madeHere(ctx context.Context, repo *gitexec.Repo) map[gitexec.OID]bool {
	found := map[gitexec.OID]bool{}
	reflog, _ := repo.HeadMoves(ctx, mostMoves)
	for _, m := range moves.MadeHere(reflog) {
		found[m.Commit] = found[m.Commit] || m.Known
	}
	return found
}

// explainCommit says why a commit is linked, or not.
func explainCommit(r *Reader, c gitexec.Commit, known evidence) Why {
	sources := known.sources
	w := Why{Commit: c.ID, Subject: subject(c), When: c.When, Links: []WhyLink{},
		Works: []journal.Work{}, Hooks: []journal.Entry{}, Rewritten: []gitexec.OID{}}
	beside, err := r.Branch.SideLink(r.DB, c.ID)
	if err != nil {
		r.Env.Warn(explain.OneLine(err))
	}
	var lines []checkpoints.Overruled
	for _, id := range r.Branch.Links(r.DB, c) {
		w.Links = append(w.Links, whyLink(r, c, id, sources))
		lines = append(lines, sources.OverruledLines(id)...)
	}
	w.Overruled = r.Branch.OverruledOf(r.DB, c.ID)
	sources.Overruled(w.Overruled)
	w.Overruled = append(lines, w.Overruled...)
	w.Removed = r.Branch.Removals(r.DB, c.ID)
	// git names one like a commit, and the name may come from the list of streams.
	if k, ours, err := shadow.ReadCheckpoint(r.DB, c.ID); err == nil && ours {
		w.Reason = "it is a checkpoint of session " + k.Session + " on a stream; only the user's commits have links"
		w.Otherwise = "nothing: a checkpoint is never linked"
		return w
	}
	w.find(known.entries)
	w.explain(known, len(c.Parents) > 1)
	if beside != nil {
		w.Older = beside.Older
		if len(beside.Checkpoints) > 0 {
			w.Beside = beside
		}
	}
	w.explainBeside(w.Beside)
	return w
}

// whyLink is one of the links of a commit.
func whyLink(r *Reader, c gitexec.Commit, id string, sources *checkpoints.Sources) WhyLink {
	recorded := checkpoints.ReadRecorded(r.DB, r.Branch, id, &c)
	l := WhyLink{ID: id, Former: id, Beside: !r.inMessages.has(c, id), Found: recorded.Found, Purged: recorded.Purged,
		Sessions: []string{}}
	if recorded.Damage != nil {
		l.Error, l.Lacking = explain.OneLine(recorded.Damage), gitexec.IsUnfetched(recorded.Damage)
	}
	for _, s := range recorded.Sessions {
		l.Sessions = append(l.Sessions, s.SessionID)
	}
	l.Source = sources.OfLink(c.ID, id, !l.Beside)
	if recorded.Found {
		lines := sources.OfLines(recorded)
		l.Lines = &lines
	}
	return l
}

// find looks for the hooks' runs for the commit, or else for its predecessors.
func (w *Why) find(entries []journal.Entry) {
	for next := []gitexec.OID{w.Commit}; len(next) > 0; next = next[1:] {
		if len(w.Hooks) == 0 {
			w.Hooks = runs(entries, next[0])
		}
		for _, before := range rewrittenFrom(entries, next[0]) {
			// A journal which says that two commits replaced each other must not send this round
			// and round.
			if !slices.Contains(w.Rewritten, before) {
				w.Rewritten, next = append(w.Rewritten, before), append(next, before)
			}
		}
	}
	for _, e := range w.Hooks {
		if len(e.Works) > 0 {
			w.Works = e.Works
		}
	}
}

func rewrittenFrom(entries []journal.Entry, id gitexec.OID) []gitexec.OID {
	var before []gitexec.OID
	for _, e := range slices.Backward(entries) {
		for _, old := range e.Rewrote[string(id)] {
			before = append(before, gitexec.OID(old))
		}
	}
	return before
}

// runs is the last run of post-commit for a commit, after the run of prepare-commit-msg before it
// in the same worktree.
func runs(entries []journal.Entry, id gitexec.OID) []journal.Entry {
	for i, post := range slices.Backward(entries) {
		switch {
		// No hook of git's ran: the entry of the command or the event that made or found it is all
		// there is.
		case post.Made == string(id), post.Hook == journal.NoHook && post.Commit == string(id):
			return []journal.Entry{post}
		case post.Hook == "post-commit" && post.Commit == string(id):
			return append(prepared(entries[:i], post.Worktree), post)
		}
	}
	return []journal.Entry{}
}

// prepared is the last run of prepare-commit-msg in a worktree, unless a post-commit came after it.
func prepared(entries []journal.Entry, worktree string) []journal.Entry {
	for _, pre := range slices.Backward(entries) {
		switch {
		// Hooks of several worktrees write into one journal.
		case pre.Worktree != worktree:
		case pre.Hook == "prepare-commit-msg":
			return []journal.Entry{pre}
		case pre.Hook == "post-commit":
			return nil
		}
	}
	return nil
}

// explain sets the reason, and what would have changed it, in words.
func (w *Why) explain(known evidence, merge bool) {
	if len(w.Hooks) == 0 {
		here := !merge && known.madeHere()[w.Commit]
		w.Reason, w.Otherwise = withoutHooks(known.entries, merge, len(w.Links) > 0, here)
		return
	}
	w.Reason, w.Otherwise = w.byHooks(w.Hooks[0])
	if failed := slices.IndexFunc(w.Hooks, func(e journal.Entry) bool { return e.Error != "" }); failed >= 0 {
		// A failure is the reason, whatever was decided before it.
		w.Reason = w.Hooks[failed].Hook + " failed: " + strings.ReplaceAll(w.Hooks[failed].Error, "\n", "; ")
		w.Otherwise = "without the failure it would have finished; the next hook or command retries"
	}
}

// withoutHooks is what is known of a commit for which no hook is known to have run. here: HEAD's
// reflog says that it was made in this worktree.
func withoutHooks(entries []journal.Entry, merge, linked, here bool) (reason, otherwise string) {
	const amend = "git commit --amend runs the hooks for the commit at HEAD; entire-plumb status shows whether they are installed"
	switch {
	case merge: // git merge calls no post-commit hook
		return replayed(linked)
	case linked && here:
		return "the link came with its message: it was made here, and no hook is known to have run for it",
			"nothing here: its message was written with the link, or it was made before the journal starts" + begins(entries)
	case here:
		return "no hook is known to have run for it: it was made here without hooks, or before the journal starts" + begins(entries), amend
	case linked:
		return "the link came with its message: no hook is known to have run for it here",
			"nothing here: it was made elsewhere, cherry-picked, or made before the journal starts" + begins(entries)
	}
	return "no hook is known to have run for it: it was made elsewhere, without hooks, or before the journal starts" + begins(entries), amend
}

// byHooks is what the hooks decided. first is the entry of the first one that ran.
func (w *Why) byHooks(first journal.Entry) (reason, otherwise string) {
	work := slices.IndexFunc(w.Works, func(k journal.Work) bool { return k.Linked })
	switch linked := len(w.Links) > 0; {
	// prepare-commit-msg wrote a link, and the commit has none.
	case !linked && first.Link != "":
		return "the link was deleted from its message",
			fmt.Sprintf("with the line \"%s: %s\" at the end of the message it would be linked", message.LinkKey, first.Link)
	case linked && first.Made != "":
		return "the end of a turn or a task made it (auto-commit)", "with the strategy manual-commit it would not have been made"
	case linked && work >= 0:
		return w.Works[work].Reason, w.withoutWork(w.Works[work].Kind)
	case linked && (first.Kind == journal.Unlinked || first.Kind == journal.UnlinkedAlone): // its user wrote the link
		return journal.HasLink.String(), otherwiseFor(journal.HasLink, linked)
	case !linked && len(w.Works) > 0:
		return "it holds no session's work", "if " + alternatives(w.Works, false) + ", it would be linked"
	case first.Kind == journal.Replayed:
		return replayed(linked)
	default:
		return first.Outcome, otherwiseFor(first.Kind, linked)
	}
}

// replayed is what is said of a commit that git made of others, as a revert or a merge is.
func replayed(linked bool) (reason, otherwise string) {
	if linked {
		return journal.Replayed.String(), "nothing: it has the links of the commits that it was made from"
	}
	return "git replayed, reverted or merged commits, and it has no new line of a session",
		"if it had one, as a revert of a revert has, it would be linked"
}

// withoutWork says when a commit that is linked for a work would not be linked.
func (w *Why) withoutWork(kind journal.Kind) string {
	if kind == journal.FileModified {
		return "if the agent had not changed that file, or the commit reverted its change, " +
			"or the link were deleted from the message, it would not be linked"
	}
	return "if " + alternatives(w.Works, true) + ", or the link were deleted from the message, it would not be linked"
}

// besides is what is said of a link that is not in the message, by how it came to be beside the
// commit: the reason, which ends with the link's own where there is a fallback for that.
var besides = map[checkpoints.How]struct{ reason, fallback, otherwise string }{
	checkpoints.Rewritten: {"git made it of commits with links beside them; its own is kept beside it, too", "", notInMessage},
	checkpoints.Hookless: {"no hook ran when it was made, so the link is kept beside it: ", "it replaces a linked commit",
		"with git's hooks the link would be in its message"},
	checkpoints.Brought: {"it brings lines of linked commits back, so a link is kept beside it", "",
		"without these lines it would not be linked"},
	checkpoints.Content: {"no hook of ours saw how it was made, so the link is kept beside it: ", "who found it gave no reason",
		"if it had less than half of their lines, by weight, it would not be linked"},
	checkpoints.FromNote: {"a note of Git AI was imported, so the link is kept beside it", "", "without the note it would not be linked"},
}

const notInMessage = "nothing: the link is not in its message"

// explainBeside explains a link that is not in the message, or was removed.
func (w *Why) explainBeside(link *checkpoints.SideLink) {
	linked := len(w.Links) > 0
	switch {
	case !linked && len(w.Removed) > 0:
		w.Reason, w.Otherwise = "its link was removed", "without entire-plumb unlink it would be linked"
	case link != nil:
		w.Reason, w.Otherwise = w.beside(link)
	// The commit was found later, and compared then.
	case !linked && len(w.Hooks) == 1 && w.Hooks[0].Hook == journal.NoHook:
		w.Reason = "no hook ran when it was made; when it was found, " + w.Reason
		w.Otherwise = "if it held a session's work, a link would be kept beside it"
	}
}

func (w *Why) beside(link *checkpoints.SideLink) (reason, otherwise string) {
	words, known := besides[link.How]
	switch {
	case link.How == checkpoints.Chosen && len(w.Hooks) == 0:
		return "the link came with the checkpoints: hooks elsewhere kept it beside the commit", w.Otherwise
	case link.How == checkpoints.Chosen:
		return w.Reason + "; the setting link keeps it beside the commit", w.Otherwise
	case !known:
		return "the link is kept beside it: " + cmp.Or(link.Reason, string(link.How)), notInMessage
	case words.fallback != "":
		words.reason += cmp.Or(link.Reason, words.fallback)
	}
	return words.reason, words.otherwise
}

func begins(entries []journal.Entry) string {
	if len(entries) == 0 {
		return ", which is empty"
	}
	return " (" + entries[0].Time.Format(time.RFC3339) + ")"
}

// alternatives names the files that decided, or would have decided.
func alternatives(works []journal.Work, linked bool) string {
	var names []string
	for _, w := range works {
		for _, f := range w.Files {
			// Of a linked commit those files that made it so; of another one all of them, since any
			// might have.
			if counts := condense.Verdict(f.Verdict).Counts(); linked == (w.Linked && counts) && !slices.Contains(names, f.Path) {
				names = append(names, f.Path)
			}
		}
		if !linked {
			names = sets.With(names, w.Others...)
		}
	}
	slices.Sort(names)
	// The reason is a sentence.
	if len(names) > 3 {
		names = append(names[:3], fmt.Sprintf("%d more files", len(names)-3))
	}
	list := strings.Join(names, ", ")
	switch {
	case list == "":
		return "the agent had not made the commit in its turn"
	case linked:
		return "none of the agent's work were in " + list
	}
	return "it held the agent's work in one of these files: " + list
}

// otherwiseFor says what would have changed an outcome without a comparison.
func otherwiseFor(kind journal.Kind, linked bool) string {
	switch kind {
	case journal.NoWork:
		return "if a session had uncommitted work here, it would have been compared with the commit"
	case journal.HasLink:
		return "without the link in its message it would have been compared with the sessions' work"
	case journal.Empty:
		return "if the message had text besides the link"
	}
	if linked {
		return "nothing: the commit replaces others that were linked"
	}
	return "if it held a session's work, it would be linked"
}
