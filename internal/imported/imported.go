// Package imported links conversations from before recording to the commits that hold their work.
package imported

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/query"
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
}

// Commit is a commit that holds work of a conversation.
type Commit struct {
	Commit     gitexec.OID          `json:"commit"`
	Subject    string               `json:"subject"`
	Checkpoint string               `json:"checkpoint_id,omitempty"` // empty before it is made
	Evidence   checkpoints.Evidence `json:"evidence"`                // by file: lines found, and sought

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
	return all, w.Finish(journal.Entry{Hook: "import", Outcome: "linked " + amount.Of(linked, "commit")}, begun, err)
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
	tops := append(shadow.ReadWorktrees(w.Repo).Tops, w.Repo.Top)
	if main := w.Repo.MainTop(); main != "" {
		tops = append(tops, main)
	}
	sessions, err := q.sessions(w, tops, func(id string) bool { return known[id] || w.Store.Has(id) })
	if err != nil {
		return nil, nil, err
	}
	all = []*Imported{}
	for _, s := range sessions {
		one := &Imported{Session: s.ID, Agent: s.Agent.Title, File: s.File, Begun: s.Begun, Commits: []Commit{}}
		if err := one.read(ctx, tops); err != nil {
			w.WarnLater(fmt.Sprintf("%s: %v", s.File, err))
			continue
		}
		all = append(all, one)
	}
	commits, err = compare(ctx, w, branch, all)
	return all, commits, err
}

// noDirectory is the error for a name that is not a directory's.
func noDirectory(name string, err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s is not a directory\nhint: give one that holds conversations; without it, the agents' own directories are read", name)
	}
	return &query.MisnamedError{Name: name, Wanted: query.ADirectory, Err: err}
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
			return nil, noDirectory(q.Dir, err)
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

// works are what turns of conversations wrote, to be compared with commits.
type works struct {
	all      []lineage.Checkpoint // the ID is the index
	sessions []*Imported          // of each
	earliest int64
	paths    map[gitexec.Path]bool
}

func worksOf(all []*Imported) works {
	w := works{paths: map[gitexec.Path]bool{}}
	for _, one := range all {
		for _, wr := range one.writes {
			if len(w.all) == 0 || wr.when < w.earliest {
				w.earliest = wr.when
			}
			w.all = append(w.all, lineage.Checkpoint{ID: strconv.Itoa(len(w.all)), Made: wr.when, Changed: 1,
				Files: []lineage.File{{Path: wr.path, Lines: wr.lines, All: len(wr.lines)}}})
			w.sessions = append(w.sessions, one)
			w.paths[wr.path] = true
		}
	}
	return w
}

// compare finds the commits that hold what the conversations wrote: with the evidence of lineage,
// each line counted once, rare ones weighing more, in commits without a link that are no older than
// the words.
func compare(ctx context.Context, w *workspace.Workspace, branch checkpoints.Branch, all []*Imported) (map[gitexec.OID]gitexec.Commit, error) {
	works := worksOf(all)
	if len(works.all) == 0 {
		return nil, nil
	}
	unlinked, commits, err := unlinked(ctx, w, branch, time.Unix(works.earliest, 0), works.paths)
	if err != nil {
		return nil, err
	}
	for i, found := range lineage.Relink(works.all, unlinked) {
		c := commits[unlinked[i].Commit]
		for session, sum := range works.evidence(found, c) {
			if sum.certain() {
				session.Commits = append(session.Commits, *sum)
			}
		}
	}
	for _, one := range all {
		slices.SortFunc(one.Commits, func(a, b Commit) int { return inOrder(commits[a.Commit], commits[b.Commit]) })
	}
	return commits, nil
}

// evidence is what a commit has of each conversation, without words that were written after it.
func (w works) evidence(found []lineage.Found, c gitexec.Commit) map[*Imported]*Commit {
	sums := map[*Imported]*Commit{}
	for _, f := range found {
		n, err := strconv.Atoi(f.ID)
		if err != nil || c.When.Unix() < w.all[n].Made {
			continue
		}
		sum := sums[w.sessions[n]]
		if sum == nil {
			subject, _, _ := strings.Cut(string(c.Message), "\n")
			sum = &Commit{Commit: c.ID, Subject: subject}
			sums[w.sessions[n]] = sum
		}
		for _, e := range f.Evidence {
			sum.Evidence.Add(e.Path, e.Found, e.Sought)
			sum.found, sum.sought = sum.found+e.Found, sum.sought+e.Sought
		}
	}
	return sums
}

// certain reports whether the evidence links a conversation.
func (c Commit) certain() bool {
	return c.found >= fewest && float64(c.found) >= most*float64(c.sought)
}

// inOrder compares commits by their times.
func inOrder(a, b gitexec.Commit) int { return cmp.Or(a.When.Compare(b.When), cmp.Compare(a.ID, b.ID)) }

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
			one, err := changed(w.DB, c, paths, texts)
			if err != nil {
				return nil, nil, err
			}
			if one != nil {
				found, commits[c.ID] = append(found, *one), c
			}
		}
	}
	return found, commits, nil
}

// changed reads what a commit changes; nil: none of the paths, or too much.
func changed(db *gitexec.ODB, c gitexec.Commit, paths map[gitexec.Path]bool, texts *shadow.Texts) (*lineage.Unlinked, error) {
	parent, err := db.ParentTree(c)
	if err != nil {
		return nil, nil // a shallow clone ends here
	}
	changes, err := db.DiffTrees(parent, c.Tree)
	if err != nil || len(changes) > mostChanged || !slices.ContainsFunc(changes, func(g gitexec.Change) bool { return paths[g.Path] }) {
		return nil, err
	}
	one := &lineage.Unlinked{Commit: c.ID, When: c.When.Unix()}
	one.Files, one.Had, err = lineage.FilesOf(changes, texts)
	return one, err
}

// storing writes checkpoints of conversations, with links beside commits.
type storing struct {
	*workspace.Workspace
	branch    checkpoints.Branch
	states    session.Store // for this command alone: who goes on with a session begins one of its own
	known     map[string]*session.State
	edits     gitexec.Edits
	decisions []decided.Entry
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
	temp, err := w.Repo.TempDir()
	if err != nil {
		return 0, err
	}
	defer temp.Remove()
	s := &storing{w, branch, w.Store, map[string]*session.State{}, gitexec.Edits{}, nil}
	s.states.Dir = filepath.Join(temp.Dir, "sessions")
	ids, of := byCommit(all, commits)
	for _, id := range ids {
		// It was linked meanwhile, and the conversation has no part in that.
		if len(branch.Links(w.DB, commits[id])) > 0 {
			for _, one := range of[id] {
				one.Commits = slices.DeleteFunc(one.Commits, func(c Commit) bool { return c.Commit == id })
			}
			continue
		}
		if err := s.commit(ctx, commits[id], of[id]); err != nil {
			return 0, err
		}
	}
	if len(s.edits) == 0 {
		return 0, nil
	}
	return len(s.decisions), s.apply(ctx)
}

// byCommit lists the commits that hold conversations, oldest first, and the conversations of each.
func byCommit(all []*Imported, commits map[gitexec.OID]gitexec.Commit) (ids []gitexec.OID, of map[gitexec.OID][]*Imported) {
	of = map[gitexec.OID][]*Imported{}
	for _, one := range all {
		for _, c := range one.Commits {
			of[c.Commit] = append(of[c.Commit], one)
		}
	}
	return slices.SortedFunc(maps.Keys(of), func(a, b gitexec.OID) int { return inOrder(commits[a], commits[b]) }), of
}

// apply commits the edits, and remembers the links as decided here.
func (s *storing) apply(ctx context.Context) error {
	refs, err := checkpoints.WriteBranch(s.DB, s.branch, s.edits, s.Author(nil), fmt.Sprintf("Import %d conversations\n", len(s.known)))
	if err != nil {
		return err
	}
	if err := shadow.Apply(ctx, s.DB, s.Store, refs, nil); err != nil {
		return err
	}
	return decided.Append(s.Repo.SharedDir(), s.decisions...)
}

// commit adds the edits that store the checkpoint of a commit and its link.
func (s *storing) commit(ctx context.Context, c gitexec.Commit, held []*Imported) (err error) {
	link := checkpoints.SideLink{Commit: c.ID, Checkpoints: []string{s.NewID()}, How: checkpoints.Imported, CreatedAt: c.When,
		Reason: "a conversation from before recording holds its lines"}
	r := checkpoints.Request{ID: link.Checkpoints[0], Version: s.Version, Home: s.Getenv("HOME"), Now: c.When, Commit: c.ID, Tree: c.Tree,
		Imported: true}
	if r.ParentTree, err = s.DB.ParentTree(c); err != nil {
		return err
	}
	if r.Changes, err = s.DB.DiffTrees(r.ParentTree, r.Tree); err != nil {
		return err
	}
	for _, one := range held {
		state := s.known[one.Session]
		if state == nil {
			if state, err = one.state(ctx, s.states); err != nil {
				return err
			}
			s.known[one.Session] = state
		}
		files, err := one.linked(&link)
		if err != nil {
			return err
		}
		r.Matches = append(r.Matches, condense.Matched{Session: state, Reason: condense.ContentMatches, Files: files})
	}
	done, err := checkpoints.WriteCommitted(ctx, s.Repo, s.DB, s.states, s.branch, r, s.edits)
	if err == nil {
		err = errors.Join(done.Troubles...)
	}
	if err != nil {
		return err
	}
	s.decisions = append(s.decisions, decided.Links(c.ID, link.Checkpoints))
	return checkpoints.WriteSideLink(s.DB, s.branch, link, s.edits)
}

// linked records the link to a commit of the conversation, adds the evidence to it, and returns the
// files that the evidence names.
func (i *Imported) linked(link *checkpoints.SideLink) (files []gitexec.Path, err error) {
	n := slices.IndexFunc(i.Commits, func(c Commit) bool { return c.Commit == link.Commit })
	i.Commits[n].Checkpoint = link.Checkpoints[0]
	for name, count := range i.Commits[n].Evidence {
		var path gitexec.Path
		if err := path.UnmarshalText([]byte(name)); err != nil {
			return nil, err
		}
		files = append(files, path)
		link.Evidence.Add(path, count[0], count[1])
	}
	slices.Sort(files)
	return files, nil
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
	err = transcript.Turns(f, transcript.Limits{Prompt: mostPrompt}, func(t transcript.Turn) error {
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
