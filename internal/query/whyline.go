package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/sets"
)

// WhyLine is why a line of a file is there.
type WhyLine struct {
	BlamedLine
	File    gitexec.Path  `json:"-"`                // as it was asked for, from the top
	Answer  string        `json:"answer,omitempty"` // the agent's last words of the turn
	Commits []ShownCommit `json:"commits"`          // that the turn's work went through, oldest first, with the line's
}

// LineNamed splits FILE:LINE; ok is whether a name has that form.
func LineNamed(name string) (file string, line int, ok bool) {
	at := strings.LastIndexByte(name, ':')
	// A file's name may have colons itself, and :12 has none before it.
	if at <= 0 {
		return "", 0, false
	}
	line, err := strconv.Atoi(name[at+1:])
	return name[:at], line, err == nil && line > 0
}

// NoLine is why a name that has the form FILE:LINE, of a file that is there, names no line of it,
// or FILE; nil: it has neither form.
func (e Source) NoLine(name string) error {
	isFile := func(name string) bool {
		info, err := os.Lstat(from(e.Dir, name))
		return name != "" && err == nil && !info.IsDir()
	}
	if isFile(name) {
		return fmt.Errorf("%q is a file, and not a line of one\nhint: entire-plumb why %[1]s:12 is about line 12", name)
	}
	at := strings.LastIndexByte(name, ':')
	if at <= 0 || !isFile(name[:at]) {
		return nil
	}
	file, line := name[:at], name[at+1:]
	return fmt.Errorf("%q is no line of %s\nhint: entire-plumb why %[2]s:12 is about line 12", line, file)
}

// WhyLine says whose a line is, what was asked for it, what the agent answered, and which commits
// it went through. rev is empty for the worktree's version.
func (e Source) WhyLine(ctx context.Context, rev, file string, line int) (w WhyLine, err error) {
	r, err := e.open(ctx, true)
	if err != nil {
		return w, err
	}
	defer r.Close()
	r.transcripts = true
	lines, err := r.blame(ctx, BlameRequest{Rev: rev, File: file, Options: gitexec.BlameOptions{Ranges: []string{fmt.Sprintf("%d,%[1]d", line)}}})
	if len(lines) == 0 {
		return w, errors.Join(err)
	}
	w = WhyLine{BlamedLine: lines[0], File: gitexec.Path(fromTop(r.Repo.Top, r.Env.Dir, file)), Commits: []ShownCommit{}}
	var ids []gitexec.OID
	if w.Owner.Kind == attribution.Agent {
		t := exchangeOf(ctx, r, w.Owner, true)
		w.Prompt, w.Model, w.Answer = t.Prompt, t.Model, t.Answer
		through, err := wentThrough(ctx, r, w.BlamedLine)
		if err != nil {
			return w, err
		}
		ids = through
	}
	if w.Committed() {
		// The commit of the line may link nothing, as where it only moved the line.
		ids = sets.With(ids, w.Commit)
		ids = sets.With(ids, renames(ctx, r, w.BlamedLine, rev, file)...)
	}
	entries, _ := journal.Read(r.Repo.SharedDir()) // without it, what was rewritten is not known
	for _, id := range withPredecessors(entries, ids) {
		commits, err := r.DB.Commits(id) // one that was rewritten may be gone
		if err == nil {
			w.Commits = append(w.Commits, ShownCommitOf(commits[0]))
		} else if id == w.Commit {
			return w, err
		}
	}
	slices.SortStableFunc(w.Commits, func(a, b ShownCommit) int { return a.When.Compare(b.When) })
	return w, err
}

// wentThrough lists the commits that link the checkpoint of a line, or another one that has work of
// its turn in its file, as where a revert brought that back; the oldest first.
func wentThrough(ctx context.Context, r *Reader, l BlamedLine) ([]gitexec.OID, error) {
	if l.Owner.Checkpoint == "" {
		return nil, nil
	}
	with := []string{l.Owner.Checkpoint}
	if l.Owner.Turn != "" {
		err := r.ask(ctx, func(c *catalogue) error {
			return c.turns(l.Owner.Turn, func(checkpoint, turn string) {
				// turns looks for the beginning of an ID. Checkpoints of the turn without the file
				// have nothing of the line.
				if turn == l.Owner.Turn && c.Any(keyPath+escaped(string(l.Path))+end+checkpoint) {
					with = sets.With(with, checkpoint)
				}
			})
		})
		if err != nil {
			return nil, err
		}
	}
	linking, err := r.Linking(ctx, with...)
	ids := gitexec.IDsOf(linking)
	slices.Reverse(ids)
	return ids, err
}

// renames lists the commits that renamed the file of a line since the line's own commit, the oldest
// first; those that cannot be found are left out. Two processes for each.
func renames(ctx context.Context, r *Reader, l BlamedLine, rev, file string) (all []gitexec.OID) {
	name := gitexec.Path(fromTop(r.Repo.Top, r.Env.Dir, file))
	tip, err := r.Revision(ctx, cmp.Or(rev, "HEAD"))
	for err == nil && name != l.Path && len(all) < mostPredecessors {
		var since []gitexec.OID
		since, err = r.Repo.History(ctx, gitexec.History{Revs: []string{string(l.Commit) + ".." + string(tip)},
			Paths: gitexec.Pathspecs{All: []string{":(literal)" + string(name)}}})
		if err != nil || len(since) == 0 {
			break
		}
		// The oldest commit with that name is the one that gave it: before it the file has another.
		tip = since[len(since)-1]
		former := renamedFrom(ctx, r, tip, name)
		if former == "" {
			break
		}
		all, name = append(all, tip), former
	}
	slices.Reverse(all)
	return all
}

// renamedFrom is what a file was called before a commit renamed it; empty: it did not.
func renamedFrom(ctx context.Context, r *Reader, id gitexec.OID, name gitexec.Path) (former gitexec.Path) {
	commit, err := r.DB.Commit(id)
	if err != nil || len(commit.Parents) == 0 {
		return ""
	}
	parent, err := r.DB.Commit(commit.Parents[0])
	if err != nil {
		return ""
	}
	_ = r.Repo.PatchTrees(ctx, [][2]gitexec.OID{{parent.Tree, commit.Tree}}, nil, func(p gitexec.FilePatch) error {
		if p.New == name && p.Old != name {
			former = p.Old
		}
		return nil
	})
	return former
}

// mostPredecessors limits the commits that a line went through.
const mostPredecessors = 100

// withPredecessors are commits, each after those that it replaced here, as the journal says.
func withPredecessors(entries []journal.Entry, ids []gitexec.OID) (all []gitexec.OID) {
	var add func(id gitexec.OID, depth int)
	add = func(id gitexec.OID, depth int) {
		// The journal is a file that others may have written to: it may say that two commits
		// replaced each other.
		if depth > mostPredecessors || len(all) > mostPredecessors || slices.Contains(all, id) {
			return
		}
		for _, before := range rewrittenFrom(entries, id) {
			add(before, depth+1)
		}
		all = sets.With(all, id)
	}
	for _, id := range ids {
		add(id, 0)
	}
	return all
}
