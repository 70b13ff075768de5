// Package imported links conversations from before recording to the commits that hold their work.
package imported

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/unheard"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// Request says what to import.
type Request struct {
	Agent   string // its name; empty: all, or in a directory Claude Code
	Dir     string // with transcripts; empty: where the agents keep those of this repository's worktrees
	Preview bool   // only say what would be linked
}

// Imported is a conversation that was looked at, and the commits that hold its work.
type Imported struct {
	Session string    `json:"session_id"`
	Agent   string    `json:"agent"`
	File    string    `json:"file"`
	Begun   time.Time `json:"began_at,omitzero"`
	Files   int       `json:"files"` // of this repository that its tools wrote
	Commits []Commit  `json:"commits"`

	writes []write
	one    unheard.Session
}

// Commit is a commit that holds work of a conversation.
type Commit struct {
	Commit     gitexec.OID          `json:"commit"`
	Subject    string               `json:"subject"`
	Checkpoint string               `json:"checkpoint,omitempty"` // empty before it is made
	Evidence   checkpoints.Evidence `json:"evidence"`             // by file: lines found, and sought

	found, sought int
}

// write is what a turn wrote into one file.
type write struct {
	path  gitexec.Path
	when  int64
	lines []lineage.Line
}

// Certain is what links a conversation: so many significant lines of its, most of what it wrote in
// turns of which the commit has any.
const (
	fewest = 3
	most   = 0.5
)

// Run looks for conversations, and links them.
func (q Request) Run(ctx context.Context, e workspace.Env) (all []*Imported, err error) {
	w, err := e.Open(ctx, e.Dir)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	all, commits, err := q.plan(ctx, w) // without the lock: it may take long
	if q.Preview || err != nil {
		return all, errors.Join(err, w.DB.Close())
	}
	linked := 0
	err = w.Locked(ctx, func() (err error) {
		linked, err = store(ctx, w, all, commits)
		return err
	})
	return all, w.Finish(journal.Entry{Hook: "import", Outcome: fmt.Sprintf("linked %d commits", linked)}, begun, err)
}

func (q Request) plan(ctx context.Context, w *workspace.Workspace) (all []*Imported, commits map[gitexec.OID]gitexec.Commit, err error) {
	branch, err := checkpoints.ReadBranches(ctx, w.Repo, w.DB)
	if err != nil {
		return nil, nil, err
	}
	known := map[string]bool{}
	if err := checkpoints.EachCommitted(w.DB, branch, func(info checkpoints.CommittedInfo) error {
		for _, s := range info.Sessions {
			known[s.SessionID] = true
		}
		return nil
	}); err != nil {
		return nil, nil, err
	}
	tops := append(shadow.ReadWorktrees(w.Repo).Tops(), w.Repo.Top)
	if main := w.Repo.MainTop(); main != "" {
		tops = append(tops, main)
	}
	sessions, err := q.sessions(w, tops, func(id string) bool { return known[id] || w.Store.Has(id) })
	if err != nil {
		return nil, nil, err
	}
	all = []*Imported{}
	for _, s := range sessions {
		one := &Imported{Session: s.ID, Agent: s.Agent.Title, File: s.File, Begun: s.Begun, Commits: []Commit{}, one: s}
		if err := one.read(ctx, tops); err != nil {
			w.WarnLater(fmt.Sprintf("%s: %v", s.File, err))
			continue
		}
		all = append(all, one)
	}
	commits, err = compare(ctx, w, branch, all)
	return all, commits, err
}

// sessions finds conversations of which no event was heard.
func (q Request) sessions(w *workspace.Workspace, tops []string, known func(string) bool) ([]unheard.Session, error) {
	r := unheard.Request{Getenv: w.Getenv, Tops: tops, All: true, Known: func(id string) bool { return session.CheckID(id) != nil || known(id) }}
	by, ok := agent.ByName(cmp.Or(q.Agent, agent.ClaudeCode.Name))
	if !ok {
		return nil, fmt.Errorf("unknown agent %q", q.Agent)
	}
	if q.Dir != "" {
		if info, err := os.Stat(q.Dir); err != nil || !info.IsDir() {
			return nil, cmp.Or(err, fmt.Errorf("%s is not a directory", q.Dir))
		}
		dir, err := filepath.Abs(q.Dir)
		if err != nil {
			return nil, err
		}
		return unheard.In(r, by, dir), nil
	}
	found := unheard.Find(r)
	if q.Agent != "" {
		found = slices.DeleteFunc(found, func(s unheard.Session) bool { return s.Agent.Name != by.Name })
	}
	return found, nil
}

// read reads what the conversation's tools wrote in the repository.
func (i *Imported) read(ctx context.Context, tops []string) error {
	type place struct {
		turn int
		path string
	}
	at, files := map[place]int{}, map[string]bool{}
	return transcript.WrittenTexts(ctx, i.File, func(t transcript.WrittenText) {
		path := below(t.File, tops)
		if path == "" {
			return
		}
		files[path] = true
		i.Files = len(files)
		n, known := at[place{t.Turn, path}]
		if !known {
			n = len(i.writes)
			at[place{t.Turn, path}] = n
			i.writes = append(i.writes, write{path: gitexec.Path(path)})
		}
		when := t.When
		if when.IsZero() {
			when = i.Begun
		}
		i.writes[n].when = max(i.writes[n].when, when.Unix())
		for line := range strings.SplitSeq(t.Text, "\n") {
			if strings.TrimSpace(line) != "" {
				i.writes[n].lines = append(i.writes[n].lines, lineage.HashLine(line))
			}
		}
	})
}

// below is a file's path in the worktree that it is in, of several the innermost one; empty: it is
// in none.
func below(file string, tops []string) (path string) {
	inner := 0
	for _, top := range tops {
		rel, err := filepath.Rel(top, file)
		if err == nil && filepath.IsLocal(rel) && len(top) > inner && rel != "." {
			path, inner = filepath.ToSlash(rel), len(top)
		}
	}
	return path
}

// compare finds the commits that hold what the conversations wrote: with the evidence of lineage,
// each line counted once, rare ones weighing more, in commits without a link that are no older than
// the words.
func compare(ctx context.Context, w *workspace.Workspace, branch checkpoints.Branch, all []*Imported) (map[gitexec.OID]gitexec.Commit, error) {
	type of struct {
		session *Imported
		write   *write
	}
	var works []lineage.Checkpoint
	var owners []of
	earliest := int64(0)
	paths := map[gitexec.Path]bool{}
	for _, one := range all {
		for n := range one.writes {
			wr := &one.writes[n]
			works = append(works, lineage.Checkpoint{ID: fmt.Sprint(len(owners)), Made: wr.when, Changed: 1,
				Files: []lineage.File{{Path: wr.path, Lines: wr.lines, All: len(wr.lines)}}})
			owners = append(owners, of{one, wr})
			paths[wr.path] = true
			if earliest == 0 || wr.when < earliest {
				earliest = wr.when
			}
		}
	}
	if len(works) == 0 {
		return nil, nil
	}
	unlinked, commits, err := unlinked(ctx, w, branch, time.Unix(earliest, 0), paths)
	if err != nil {
		return nil, err
	}
	type pair struct {
		session *Imported
		commit  gitexec.OID
	}
	sums := map[pair]*Commit{}
	for i, found := range lineage.Relink(works, unlinked) {
		for _, f := range found {
			var n int
			fmt.Sscan(f.ID, &n)
			o := owners[n]
			if unlinked[i].When < o.write.when {
				continue // it was made before the words were written
			}
			key := pair{o.session, unlinked[i].Commit}
			if sums[key] == nil {
				subject, _, _ := strings.Cut(string(commits[key.commit].Message), "\n")
				sums[key] = &Commit{Commit: key.commit, Subject: subject}
			}
			for _, e := range f.Evidence {
				sums[key].Evidence.Add(e.Path, e.Found, e.Sought)
				sums[key].found, sums[key].sought = sums[key].found+e.Found, sums[key].sought+e.Sought
			}
		}
	}
	for key, sum := range sums {
		if sum.found >= fewest && float64(sum.found) >= most*float64(sum.sought) {
			key.session.Commits = append(key.session.Commits, *sum)
		}
	}
	for _, one := range all {
		slices.SortFunc(one.Commits, func(a, b Commit) int {
			return cmp.Or(commits[a.Commit].When.Compare(commits[b.Commit].When), cmp.Compare(a.Commit, b.Commit))
		})
	}
	return commits, nil
}

// mostChanged is how many files a commit may change to be compared.
const mostChanged = 5000

// unlinked reads the commits of all branches since a time that have no link, are no merges, and
// change one of the paths.
func unlinked(ctx context.Context, w *workspace.Workspace, branch checkpoints.Branch, since time.Time, paths map[gitexec.Path]bool) (
	found []lineage.Unlinked, commits map[gitexec.OID]gitexec.Commit, err error) {
	refs, err := w.Repo.Refs(ctx, "refs/heads/")
	if err != nil {
		return nil, nil, err
	}
	out := gitexec.Outgoing{Tips: []gitexec.OID{w.Repo.Head.ID}}
	for _, ref := range refs {
		if !strings.HasPrefix(ref.Name, shadow.Prefix) && ref.Type == "commit" {
			out.Tips = append(out.Tips, ref.ID)
		}
	}
	ids, err := out.Since(ctx, w.Repo, since)
	if err != nil {
		return nil, nil, err
	}
	commits = map[gitexec.OID]gitexec.Commit{}
	texts := &shadow.Texts{DB: w.DB}
	slices.Reverse(ids)
	for few := range slices.Chunk(ids, 500) {
		some, err := w.DB.Commits(few...)
		if err != nil {
			return nil, nil, err
		}
		for _, c := range some {
			if len(branch.Links(w.DB, c)) > 0 {
				continue
			}
			parent, err := w.DB.ParentTree(c)
			if err != nil {
				continue // a shallow clone ends here
			}
			changes, err := w.DB.DiffTrees(parent, c.Tree)
			if err != nil {
				return nil, nil, err
			}
			if len(changes) > mostChanged || !slices.ContainsFunc(changes, func(g gitexec.Change) bool { return paths[g.Path] }) {
				continue
			}
			one := lineage.Unlinked{Commit: c.ID, When: c.When.Unix()}
			if one.Files, one.Had, err = lineage.FilesOf(changes, texts); err != nil {
				return nil, nil, err
			}
			found, commits[c.ID] = append(found, one), c
		}
	}
	return found, commits, nil
}

// store writes a checkpoint for each commit, with a link beside it, in one commit of the branch.
func store(ctx context.Context, w *workspace.Workspace, all []*Imported, commits map[gitexec.OID]gitexec.Commit) (linked int, err error) {
	tip, err := shadow.CheckpointsTip(w.Repo, w.DB)
	if err != nil {
		return 0, err
	}
	branch, err := checkpoints.ReadBranch(w.DB, tip)
	if err != nil {
		return 0, err
	}
	// The states are for this command alone: who goes on with a session begins one of its own.
	temp, err := w.Repo.TempDir()
	if err != nil {
		return 0, err
	}
	defer temp.Remove()
	states := w.Store
	states.Dir = filepath.Join(temp.Dir, "sessions")
	of := map[gitexec.OID][]*Imported{}
	for _, one := range all {
		for _, c := range one.Commits {
			of[c.Commit] = append(of[c.Commit], one)
		}
	}
	edits := gitexec.Edits{}
	var decisions []decided.Entry
	known := map[string]*session.State{}
	ids := slices.Collect(maps.Keys(of))
	slices.SortFunc(ids, func(a, b gitexec.OID) int { return cmp.Or(commits[a].When.Compare(commits[b].When), cmp.Compare(a, b)) })
	for _, id := range ids {
		c := commits[id]
		if len(branch.Links(w.DB, c)) > 0 {
			continue // linked meanwhile
		}
		link := checkpoints.SideLink{Commit: id, Checkpoints: []string{w.NewID()}, How: checkpoints.Imported, CreatedAt: c.When,
			Reason: "a conversation from before recording holds its lines"}
		r := checkpoints.Request{ID: link.Checkpoints[0], Version: w.Version, Home: w.Getenv("HOME"), Now: c.When, Commit: id, Tree: c.Tree,
			Imported: true}
		if r.ParentTree, err = w.DB.ParentTree(c); err != nil {
			return 0, err
		}
		if r.Changes, err = w.DB.DiffTrees(r.ParentTree, r.Tree); err != nil {
			return 0, err
		}
		for _, one := range of[id] {
			s := known[one.Session]
			if s == nil {
				if s, err = one.state(ctx, states); err != nil {
					return 0, err
				}
				known[one.Session] = s
			}
			m := condense.Matched{Session: s, Reason: condense.ContentMatches}
			n := slices.IndexFunc(one.Commits, func(of Commit) bool { return of.Commit == id })
			one.Commits[n].Checkpoint = r.ID
			for name, count := range one.Commits[n].Evidence {
				var path gitexec.Path
				if err := path.UnmarshalText([]byte(name)); err != nil {
					return 0, err
				}
				m.Files = append(m.Files, path)
				link.Evidence.Add(path, count[0], count[1])
			}
			slices.Sort(m.Files)
			r.Matches = append(r.Matches, m)
		}
		done, err := checkpoints.WriteCommitted(ctx, w.Repo, w.DB, states, branch, r, edits)
		if err == nil && len(done.Troubles) > 0 {
			err = errors.Join(done.Troubles...)
		}
		if err != nil {
			return 0, err
		}
		if err := checkpoints.WriteSideLink(w.DB, branch, link, edits); err != nil {
			return 0, err
		}
		decisions = append(decisions, decided.Links(id, link.Checkpoints))
	}
	if len(edits) == 0 {
		return 0, nil
	}
	prepared, err := branch.Commits(w.DB, edits, w.Author(nil), fmt.Sprintf("Import %d conversations\n", len(known)))
	if err != nil {
		return 0, err
	}
	written, err := w.DB.CommitTree(prepared...)
	if err != nil {
		return 0, err
	}
	change := shadow.RefChange{Ref: shadow.Checkpoints, Old: branch.Local, New: written[len(written)-1]}
	if err := shadow.Apply(ctx, w.DB, w.Store, []shadow.RefChange{change}, nil); err != nil {
		return 0, err
	}
	return len(ids), decided.Append(w.Repo.SharedDir(), decisions...)
}

// mostPrompt is how many bytes of a prompt are stored.
const mostPrompt = 1 << 20

// state makes a state of the conversation, whose prompts have no secrets.
func (i *Imported) state(ctx context.Context, states session.Store) (*session.State, error) {
	f, err := safefile.Open(i.File)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var prompts []string
	_, err = transcript.Turns(f, transcript.Limits{Prompt: mostPrompt}, func(t transcript.Turn) error {
		if text := strings.TrimSpace(t.Prompt); text != "" {
			prompts = append(prompts, states.Secrets.Text(text))
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	if err := safefile.MkdirAll(states.Dir, 0o700); err != nil {
		return nil, err
	}
	if err := states.SavePrompts(i.Session, []byte(strings.Join(prompts, session.PromptSeparator))); err != nil {
		return nil, err
	}
	return session.FromTranscript(i.Session, i.Agent, i.File, i.Begun), nil
}
