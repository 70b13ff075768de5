package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/query"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/setup"
	"entire-plumb/internal/share"
	"entire-plumb/internal/skill"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// statusReport is what `status --json` prints.
type statusReport struct {
	Enabled      bool              `json:"enabled"`
	Why          string            `json:"why,omitempty"` // why not
	Strategy     string            `json:"strategy"`
	Version      string            `json:"cli_version"`
	Git          string            `json:"git_version"`
	Worktree     string            `json:"worktree"`
	WorktreeID   string            `json:"worktree_id,omitempty"`
	Branch       string            `json:"branch,omitempty"`
	Head         gitexec.OID       `json:"head,omitempty"`
	GitHooks     map[string]string `json:"git_hooks"`   // name → absent, current, chained, outdated, edited, manual, managed, foreign
	AgentHooks   []string          `json:"agent_hooks"` // the verbs of Claude Code's
	Agents       []statusAgent     `json:"agents"`
	Skill        []setup.SkillFile `json:"skill_files,omitempty"` // of the skill by which agents ask, where they are ours
	Sessions     []statusSession   `json:"sessions"`
	Streams      []string          `json:"streams"`
	Orphaned     []string          `json:"streams_of_removed_worktrees,omitempty"`
	Checkpointed bool              `json:"has_committed_checkpoints"`
	unborn       bool              // HEAD has no commit yet
	// Uncommitted are the worktree's uncommitted lines by author; nil: no stream here has work.
	Uncommitted *query.UncommittedLines `json:"uncommitted_lines,omitempty"`
	Blocked     *statusBlocked          `json:"blocked,omitempty"`
	Unheard     []statusUnheard         `json:"unheard,omitempty"`

	// NotShared is why checkpoints go to no remote, though the user has not asked for that.
	NotShared     string `json:"not_shared,omitempty"`
	notSharedHint string
	// Sharing is where checkpoints go; nil: there is no remote.
	Sharing *statusSharing `json:"sharing,omitempty"`
	// Waiting is that pushes did not bring the checkpoints to their remote lately; nil: they did.
	Waiting *share.Waiting `json:"waiting,omitempty"`

	Ignored []settings.Ignored `json:"ignored_settings,omitempty"` // until they are confirmed
	// EncryptTo are those who can read conversations, if they are encrypted; kept: no setting says
	// it any more.
	EncryptTo     []string `json:"encrypt_to,omitempty"`
	EncryptToKept bool     `json:"encrypt_to_kept,omitempty"`

	restorable []string // the hooks that the next event of an agent puts back
	husky      string   // the directory of the files that husky runs, if one of them calls entire-plumb
}

// statusBlocked is a stale lock, and the branches of ours that cannot be moved because of it.
type statusBlocked struct {
	Lock     string   `json:"lock"`
	Branches []string `json:"branches"`
}

// statusSharing is where checkpoints go with pushes.
type statusSharing struct {
	Elected string       `json:"elected_remote,omitempty"` // the remote whose pushes take them along
	Ground  share.Ground `json:"elected_by,omitempty"`     // what elects it
	Branch  string       `json:"branch,omitempty"`         // whose upstream or pushRemote elects it
	To      string       `json:"to,omitempty"`             // the remote, or the repository of their own; none: they stay here
	Why     string       `json:"why_not,omitempty"`        // why they stay here
	line    string
}

func newSharing(t share.Target) *statusSharing {
	s := &statusSharing{Elected: t.Elected, Ground: t.Ground, Branch: t.Branch, Why: t.Why}
	switch {
	case t.Why == "":
		s.To, s.line = t.Shown(), t.Going()+" (git config entire-plumb.remote NAME changes that)"
	case !t.Asks:
		// What the user has not asked for is a problem, with a hint: see NotShared.
		s.line = "checkpoints stay here: " + t.Why
	}
	return s
}

func (s *statusSharing) print(w io.Writer) {
	if s != nil && s.line != "" {
		fmt.Fprintln(w, printable(s.line))
	}
}

// statusSession is a session of this worktree.
type statusSession struct {
	ID           string            `json:"session_id"`
	Agent        string            `json:"agent,omitempty"`
	Phase        session.Phase     `json:"phase"`
	Base         gitexec.OID       `json:"base_commit"`
	Stream       string            `json:"stream,omitempty"`
	Checkpoints  int               `json:"checkpoint_count"`
	Files        []gitexec.Path    `json:"files_touched"` // that its agent changed, and whose work was not dismissed
	Title        string            `json:"session_title,omitempty"`
	LastPrompt   string            `json:"last_prompt,omitempty"`
	LastActivity *time.Time        `json:"last_interaction_time,omitempty"`
	LeftOut      []session.LeftOut `json:"left_out,omitempty"`
}

func statusCommand() *cli.Command {
	return &cli.Command{
		Name:  "status",
		Usage: "show the state of recording, hooks, sessions and streams",
		Description: "Sessions of Claude Code, Codex, Gemini CLI, Copilot CLI and Qwen Code in this repository from which no event arrived\n" +
			"are named, with the reason as far as it is known, by the newest of the transcripts that these agents keep in your home directory.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "short", Usage: "print a line for a shell's prompt: the agents, and how many files of theirs are not committed"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		},
		Before: takes(0),
		Action: func(c *cli.Context) error {
			if c.Bool("short") {
				return printShort(c)
			}
			r, err := gatherStatus(c)
			if err != nil {
				return err
			}
			return output(c, r, func(io.Writer) { prose(c, r.print) })
		},
	}
}

func gatherStatus(c *cli.Context) (*statusReport, error) {
	e, repo, err := caughtUp(c)
	if err != nil {
		return nil, err
	}
	r := &statusReport{Enabled: true, Version: version(), Worktree: repo.Top, WorktreeID: repo.WorktreeID(),
		Branch: strings.TrimPrefix(repo.Branch, "refs/heads/"), Head: repo.Head.ID, GitHooks: map[string]string{},
		AgentHooks: []string{}, Agents: []statusAgent{}, Sessions: []statusSession{}, Streams: []string{}}
	if r.Git, err = gitexec.CheckVersion(c.Context, tracer(c)); err != nil {
		return nil, err
	}
	chosen, err := settings.Load(c.Context, repo)
	// Also after an error: where recording is off, these are what the settings would do.
	r.Strategy, r.Ignored = chosen.Strategy, chosen.Ignored
	r.EncryptTo, r.EncryptToKept = chosen.EncryptTo, chosen.ReadersKept
	if err != nil {
		if !isOff(err) {
			// That recording is off is what status is to say.
			return nil, err
		}
		r.Enabled, r.Why = false, err.Error()
	}
	if err := r.installed(c, repo, chosen); err != nil {
		return nil, err
	}
	if err := r.recorded(c, repo); err != nil {
		return nil, err
	}
	return r, r.uncommitted(c, source(e), repo)
}

// uncommitted leaves out the files whose work was dismissed, and fills in whose the uncommitted
// lines are, where a stream of this worktree has work. Where that cannot be said, the rest is.
func (r *statusReport) uncommitted(c *cli.Context, e query.Source, repo *gitexec.Repo) error {
	here := func(branch string) bool {
		name, ok := shadow.ParseRef("refs/heads/" + branch)
		return ok && name.In(r.WorktreeID)
	}
	if !slices.ContainsFunc(r.Streams, here) {
		return nil
	}
	lines, err := e.UncommittedLines(c.Context, repo)
	if err != nil {
		if c.Context.Err() != nil {
			return err
		}
		fmt.Fprintln(c.App.ErrWriter, "entire-plumb: uncommitted lines cannot be counted:", harmless(err))
		return nil
	}
	r.Uncommitted = &lines
	gone := func(path gitexec.Path) bool { return !lines.Has(path) }
	if !slices.ContainsFunc(r.Sessions, func(s statusSession) bool { return slices.ContainsFunc(s.Files, gone) }) {
		return nil // which saves the look at the streams
	}
	works := e.Whereabouts(c.Context, e.Env)
	for i := range r.Sessions {
		one := &r.Sessions[i]
		one.Files = query.Present(works, one.ID, one.Files)
	}
	return nil
}

// installed fills in the hooks, the agents' sessions that were not heard, and where checkpoints go.
func (r *statusReport) installed(c *cli.Context, repo *gitexec.Repo, chosen settings.Settings) error {
	stubs, agents, err := setup.Installed(repo, os.Getenv)
	if err != nil {
		return err
	}
	for _, h := range stubs {
		r.GitHooks[h.Name] = string(h.State)
		if h.State == githooks.Manual && h.Manager == githooks.Husky {
			r.husky = filepath.Dir(h.File)
		}
	}
	// An agent's event installs them again: they need no action of the user's.
	if chosen.RestoreHooks {
		r.restorable = githooks.Restorable(repo.SharedDir(), repo.HooksDir, repo.Top)
	}
	for _, h := range agents {
		r.agent(h)
	}
	r.Skill = slices.DeleteFunc(setup.Skill(repo), func(f setup.SkillFile) bool { return f.State == skill.Absent || f.State == skill.Foreign })
	if !r.Enabled {
		return nil
	}
	// Where nothing is recorded no event is expected, and nothing goes anywhere.
	r.unheard(repo, stubs)
	remotes, err := share.ReadRemotes(c.Context, repo)
	if err != nil {
		return err
	}
	to := remotes.Target(chosen, r.Branch)
	if to.Asks {
		r.NotShared, r.notSharedHint = to.Why, to.Hint
	}
	// Without a remote there is nothing to say on it.
	if len(remotes.URLs)+len(remotes.PushURLs) > 0 {
		r.Sharing = newSharing(to)
	}
	r.Waiting, err = remotes.WaitingFor(c.Context, repo, chosen)
	return err
}

// recorded fills in the sessions and streams of this worktree.
func (r *statusReport) recorded(c *cli.Context, repo *gitexec.Repo) error {
	warn := func(line string) { fmt.Fprintln(c.App.ErrWriter, "entire-plumb:", line) }
	store := session.Store{Dir: workspace.StateDir(repo), ReadOnly: true, Warn: warn}
	states, err := store.List()
	if err != nil {
		return err
	}
	listing, err := listStreams(c, repo)
	if err != nil {
		return err
	}
	r.Checkpointed, r.unborn = listing.Checkpoints != "", repo.Head.ID.IsZero()
	if lock := shadow.BlockedBy(repo); lock != "" {
		r.Blocked = &statusBlocked{Lock: lock, Branches: shadow.BlockedRefs(repo)}
	}
	r.Streams = append(r.Streams, listing.Names()...)
	there := shadow.ReadWorktrees(repo)
	for _, branch := range r.Streams {
		if name, ok := shadow.ParseRef("refs/heads/" + branch); ok && !there.HasHash(name.Worktree) {
			r.Orphaned = append(r.Orphaned, branch)
		}
	}
	for _, s := range states {
		if !s.In(repo.WorktreeID()) {
			continue
		}
		one := statusSession{ID: s.SessionID, Agent: s.AgentType, Phase: s.Phase, Base: s.BaseCommit, Checkpoints: s.CheckpointCount,
			Files: append([]gitexec.Path{},
				s.FilesTouched...), Title: s.Title, LastPrompt: s.LastPrompt, LastActivity: s.LastInteractionTime, LeftOut: s.LeftOut}
		if s.ShadowBranchSuffix > 0 {
			one.Stream = shadow.NewName(s.BaseCommit, s.WorktreeID, s.ShadowBranchSuffix).String()
		}
		r.Sessions = append(r.Sessions, one)
	}
	return nil
}

// listStreams lists the streams, those with legacy names, too.
func listStreams(c *cli.Context, repo *gitexec.Repo) (shadow.Listing, error) {
	listing, err := shadow.List(c.Context, repo)
	if err != nil || !listing.HasLegacy() {
		return listing, err
	}
	db := repo.ODB(c.Context)
	defer db.Close()
	return listing.WithLegacy(db)
}

func (r *statusReport) print(w io.Writer) {
	if r.Enabled {
		fmt.Fprintf(w, "enabled in %s\n", r.Worktree)
		if r.Strategy == settings.AutoCommit {
			fmt.Fprintf(w, "strategy %s: each turn ends in a commit\n", r.Strategy)
		}
	} else {
		fmt.Fprintln(w, r.Why)
	}
	printProblems(w, ignoredProblems(r.Ignored)...)
	r.printReaders(w)
	if r.husky != "" {
		fmt.Fprintf(w, "husky runs git's hooks, and calls entire-plumb from files in %s\n", r.husky)
	}
	printProblems(w, r.hookProblems()...)
	if r.Enabled {
		printProblems(w, r.agentStates()...)
	}
	printProblems(w, r.otherProblems()...)
	r.Sharing.print(w)
	if len(r.Sessions) == 0 {
		fmt.Fprintln(w, "no sessions")
	}
	for _, s := range r.Sessions {
		s.print(w)
	}
	r.printUncommitted(w)
	for _, name := range r.Streams {
		if slices.Contains(r.Orphaned, name) {
			printProblems(w, orphaned(name))
			continue
		}
		fmt.Fprintf(w, "stream %s\n", name)
	}
	// The problems have hints of their own, which come first.
	if next := r.next(); next != "" && len(r.problems()) == 0 {
		fmt.Fprintf(w, "Next: %s\n", next)
	}
}

// next is what a user may want to do now.
func (r *statusReport) next() string {
	has := func(such func(statusSession) bool) bool { return slices.ContainsFunc(r.Sessions, such) }
	switch {
	case !r.Enabled:
		return ""
	case has(func(s statusSession) bool { return s.Phase == session.Active }):
		return "when its turn ends, git add and git commit what you want to keep"
	case has(func(s statusSession) bool { return len(s.Files) > 0 }):
		if r.unborn {
			return "git add and git commit what you want to keep: the commit is linked"
		}
		return "git add and git commit what you want to keep: the commit is linked; entire-plumb rewind takes the rest back"
	case r.Checkpointed:
		return "entire-plumb log lists what the agents' commits hold, and entire-plumb show HEAD the conversation"
	}
	return "start an agent here: what it does is recorded, and your commits of it are linked"
}

// printUncommitted says whose the uncommitted lines are.
func (r *statusReport) printUncommitted(w io.Writer) {
	l := r.Uncommitted
	if l == nil || l.Files == 0 {
		return
	}
	fmt.Fprintln(w, uncommittedLine(*l))
	for _, s := range l.Sessions {
		fmt.Fprintf(w, "  session %s, %s: %s\n", printable(s.SessionID), printable(cmp.Or(s.Agent, "agent")), amount.Of(s.Lines, "line"))
	}
	for _, reason := range l.Reasons {
		fmt.Fprintf(w, "  unknown: %s\n", printable(reason))
	}
}

func uncommittedLine(l query.UncommittedLines) string {
	return fmt.Sprintf("uncommitted lines in %s: agent %d, human %d, unknown %d", amount.Of(l.Files, "file"), l.Agent, l.Human, l.Unknown)
}

// printReaders says who can read conversations, if they are encrypted.
func (r *statusReport) printReaders(w io.Writer) {
	if len(r.EncryptTo) > 0 {
		fmt.Fprintf(w, "conversations are encrypted for %s\n", printable(strings.Join(r.EncryptTo, ", ")))
	}
	ignored := slices.ContainsFunc(r.Ignored, func(i settings.Ignored) bool { return i.Key == "encrypt_to" })
	if r.EncryptToKept && !ignored {
		fmt.Fprintln(w, "the settings that count name none of them any more; git config entire-plumb.encryptTo \"\" stops the encryption")
	}
}

// standings say what is wrong with a hook.
var standings = map[githooks.Standing]string{
	githooks.Absent:   "is missing",
	githooks.Outdated: "is not as entire-plumb installs it",
	githooks.Edited:   "was edited: it stays as it is",
	githooks.Foreign:  "is another program's, and doesn't call entire-plumb",
	githooks.Managed:  "reads its own name, or is a hook manager's, and doesn't call entire-plumb",
}

// broken is what is wrong with a hook.
type broken struct {
	state githooks.Standing
	soon  bool // the agent's next event installs it again
}

// hookProblems says which of git's hooks don't call this program: those that the entire CLI has,
// one by one, and then the others, by what is wrong.
func (r *statusReport) hookProblems() (all []problem) {
	if !r.Enabled {
		return nil
	}
	var order []broken
	hooks := map[broken][]string{}
	for _, name := range githooks.Names {
		switch state := githooks.Standing(r.GitHooks[name]); state {
		case githooks.Current, githooks.Chained, githooks.Manual:
		case githooks.Entire:
			all = append(all, problem{"git's " + name + " hook is the entire CLI's", "entire-plumb enable --take-over"})
		default:
			b := broken{state, slices.Contains(r.restorable, name)}
			if hooks[b] == nil {
				// In the order of githooks.Names: a map has none.
				order = append(order, b)
			}
			hooks[b] = append(hooks[b], name)
		}
	}
	var lines []string
	for _, b := range order {
		lines = append(lines, b.lines(hooks[b])...)
	}
	if len(lines) > 0 {
		all = append(all, problem{strings.Join(lines, "\n"), "entire-plumb enable"})
	}
	return all
}

// lines name the hooks of which the same is wrong.
func (b broken) lines(names []string) (lines []string) {
	// As in a fresh clone: one line says it.
	if len(names) == len(githooks.Names) && b == (broken{state: githooks.Absent}) {
		return []string{"git's hooks are not installed here, so nothing is linked"}
	}
	what := standings[b.state]
	if b.soon {
		what += "; the agent's next event installs it again"
	}
	for _, name := range names {
		lines = append(lines, "git's "+name+" hook "+what)
	}
	return lines
}

// otherProblems are those of sessions, branches and remotes.
func (r *statusReport) otherProblems() (all []problem) {
	for _, u := range r.Unheard {
		all = append(all, u.problem())
	}
	if r.Blocked != nil {
		all = append(all, problem{fmt.Sprintf("%s can't be updated while %s exists; nothing recorded is lost",
			strings.Join(r.Blocked.Branches, ", "), r.Blocked.Lock), "if no git command is running, remove that file"})
	}
	if r.NotShared != "" {
		all = append(all, problem{"checkpoints go to no remote: " + printable(r.NotShared), r.notSharedHint})
	}
	if w := r.Waiting; w != nil {
		all = append(all, problem{printable(w.Text()), strings.Join(w.Fault.Hints(w.Words), "\nhint: ")})
	}
	return all
}

func orphaned(name string) problem {
	return problem{"stream " + name + " of a removed worktree",
		fmt.Sprintf("restore its files with git restore -s %s -- FILE, or delete it with git branch -D %[1]s", name)}
}

func (s statusSession) print(w io.Writer) {
	fmt.Fprintf(w, "session %s: %s, %s", printable(s.ID), printable(s.Agent), s.Phase)
	if s.Stream != "" {
		fmt.Fprintf(w, ", %s on %s", amount.Of(s.Checkpoints, "checkpoint"), s.Stream)
	}
	fmt.Fprintln(w)
	if s.Title != "" {
		fmt.Fprintf(w, "  title: %s\n", printable(s.Title))
	}
	if s.LastPrompt != "" {
		fmt.Fprintf(w, "  last prompt: %s\n", described(s.LastPrompt))
	}
	for _, p := range s.Files {
		fmt.Fprintf(w, "  touched: %s\n", p.Display())
	}
	for _, l := range s.LeftOut {
		fmt.Fprintf(w, "  not in the last snapshot: %s: %s\n", l.Path.Display(), l.Reason)
	}
}
