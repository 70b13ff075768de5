package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/setup"
	"entire-plumb/internal/share"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// statusReport is what `status --json` prints.
type statusReport struct {
	Enabled      bool              `json:"enabled"`
	Why          string            `json:"why,omitempty"` // why not
	Strategy     string            `json:"strategy"`
	Version      string            `json:"version"`
	Git          string            `json:"git_version"`
	Worktree     string            `json:"worktree"`
	WorktreeID   string            `json:"worktree_id,omitempty"`
	Branch       string            `json:"branch,omitempty"`
	Head         gitexec.OID       `json:"head,omitempty"`
	GitHooks     map[string]string `json:"git_hooks"`   // name → absent, current, chained, outdated, edited, manual, managed, foreign
	AgentHooks   []string          `json:"agent_hooks"` // the verbs of Claude Code's
	Agents       []statusAgent     `json:"agents"`
	Sessions     []statusSession   `json:"sessions"`
	Streams      []string          `json:"streams"`
	Orphaned     []string          `json:"streams_of_removed_worktrees,omitempty"`
	Checkpointed bool              `json:"has_committed_checkpoints"`
	Blocked      *statusBlocked    `json:"blocked,omitempty"`
	Unheard      []statusUnheard   `json:"unheard,omitempty"`

	// NotShared is why checkpoints go to no remote, though the user has not asked for that.
	NotShared     string `json:"not_shared,omitempty"`
	notSharedHint string

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

type statusSession struct {
	ID           string            `json:"session_id"`
	Agent        string            `json:"agent,omitempty"`
	Phase        session.Phase     `json:"phase"`
	Base         gitexec.OID       `json:"base_commit"`
	Stream       string            `json:"stream,omitempty"`
	Checkpoints  int               `json:"checkpoint_count"`
	Files        []gitexec.Path    `json:"files_touched"`
	Title        string            `json:"session_title,omitempty"`
	LastPrompt   string            `json:"last_prompt,omitempty"`
	LastActivity *time.Time        `json:"last_interaction_time,omitempty"`
	LeftOut      []session.LeftOut `json:"left_out,omitempty"`
}

func statusCommand() *cli.Command {
	return &cli.Command{
		Name:  "status",
		Usage: "show the state of recording, hooks, sessions and streams",
		Description: "Sessions of Claude Code, Codex and Gemini CLI in this repository from which no event arrived are named, with the\n" +
			"reason as far as it is known, by the newest of the transcripts that these agents keep in your home directory.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print JSON"}},
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			r, err := gatherStatus(c)
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return printJSON(c.App.Writer, r)
			}
			r.print(c.App.Writer)
			return nil
		},
	}
}

func gatherStatus(c *cli.Context) (*statusReport, error) {
	repo, err := discoverCaughtUp(c)
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
	r.Strategy, r.Ignored = chosen.Strategy, chosen.Ignored
	r.EncryptTo, r.EncryptToKept = chosen.EncryptTo, chosen.ReadersKept
	if err != nil {
		if !errors.Is(err, settings.ErrNotEnabled) && !errors.Is(err, settings.ErrDisabled) {
			return nil, err
		}
		r.Enabled, r.Why = false, err.Error()
	}
	stubs, agents, err := setup.Installed(repo, os.Getenv)
	if err != nil {
		return nil, err
	}
	for _, h := range stubs {
		r.GitHooks[h.Name] = string(h.State)
		if h.State == githooks.Manual && h.Manager == githooks.Husky {
			r.husky = filepath.Dir(h.File)
		}
	}
	if chosen.RestoreHooks {
		r.restorable = githooks.Restorable(repo.SharedDir(), repo.HooksDir, repo.Top)
	}
	for _, h := range agents {
		r.agent(h)
	}
	if r.Enabled {
		r.unheard(repo, stubs)
		remotes, err := share.ReadRemotes(c.Context, repo)
		if err != nil {
			return nil, err
		}
		if to := remotes.Target(chosen, r.Branch); to.Asks {
			r.NotShared, r.notSharedHint = to.Why, to.Hint
		}
	}
	return r, r.recorded(c, repo)
}

func (r *statusReport) printNotShared(w io.Writer) {
	if r.NotShared != "" {
		fmt.Fprintf(w, "checkpoints go to no remote: %s\nhint: %s\n", printable(r.NotShared), r.notSharedHint)
	}
}

// recorded fills in the sessions and streams of this worktree.
func (r *statusReport) recorded(c *cli.Context, repo *gitexec.Repo) error {
	warn := func(line string) { fmt.Fprintln(c.App.ErrWriter, "entire-plumb:", line) }
	store := session.Store{Dir: workspace.StateDir(repo), ReadOnly: true, Warn: warn}
	states, err := store.List()
	if err != nil {
		return err
	}
	listing, err := shadow.List(c.Context, repo)
	if err != nil {
		return err
	}
	if listing.HasLegacy() {
		db := repo.ODB(c.Context)
		listing, err = listing.WithLegacy(db)
		db.Close()
		if err != nil {
			return err
		}
	}
	r.Checkpointed = listing.Checkpoints != ""
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

func (r *statusReport) print(w io.Writer) {
	if r.Enabled {
		fmt.Fprintf(w, "enabled in %s\n", r.Worktree)
		if r.Strategy == settings.AutoCommit {
			fmt.Fprintf(w, "strategy %s: each turn ends in a commit\n", r.Strategy)
		}
	} else {
		fmt.Fprintln(w, r.Why)
	}
	printIgnored(w, r.Ignored)
	if len(r.EncryptTo) > 0 {
		fmt.Fprintf(w, "conversations are encrypted for %s\n", printable(strings.Join(r.EncryptTo, ", ")))
	}
	ignored := slices.ContainsFunc(r.Ignored, func(i settings.Ignored) bool { return i.Key == "encrypt_to" })
	if r.EncryptToKept && !ignored {
		fmt.Fprintln(w, "the settings that count name none of them any more; git config entire-plumb.encryptTo \"\" stops the encryption")
	}
	if r.husky != "" {
		fmt.Fprintf(w, "husky runs git's hooks, and calls entire-plumb from files in %s\n", r.husky)
	}
	r.printHooks(w)
	if r.Enabled {
		r.printAgents(w, false)
	}
	for _, u := range r.Unheard {
		u.print(w)
	}
	r.printBlocked(w)
	r.printNotShared(w)
	if len(r.Sessions) == 0 {
		fmt.Fprintln(w, "no sessions")
	}
	for _, s := range r.Sessions {
		s.print(w)
	}
	for _, name := range r.Streams {
		if slices.Contains(r.Orphaned, name) {
			printOrphaned(w, name)
			continue
		}
		fmt.Fprintf(w, "stream %s\n", name)
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

// printHooks says which of git's hooks don't call this program.
func (r *statusReport) printHooks(w io.Writer) {
	var wrong [][]string // what is wrong, and the hooks of which it is
	for _, name := range githooks.Names {
		state := githooks.Standing(r.GitHooks[name])
		if r.Enabled && state != githooks.Current && state != githooks.Chained && state != githooks.Manual {
			if state == githooks.Entire {
				fmt.Fprintf(w, "git's %s hook is the entire CLI's\nhint: entire-plumb enable --take-over\n", name)
				continue
			}
			soon := ""
			if slices.Contains(r.restorable, name) {
				soon = "; the agent's next event installs it again"
			}
			what := standings[state] + soon
			at := slices.IndexFunc(wrong, func(names []string) bool { return names[0] == what })
			if at < 0 {
				at, wrong = len(wrong), append(wrong, []string{what})
			}
			wrong[at] = append(wrong[at], name)
		}
	}
	for _, names := range wrong {
		what, names := names[0], names[1:]
		if len(names) == len(githooks.Names) && what == standings[githooks.Absent] {
			fmt.Fprintln(w, "git's hooks are not installed here, so nothing is linked")
			continue
		}
		for _, name := range names {
			fmt.Fprintf(w, "git's %s hook %s\n", name, what)
		}
	}
	if len(wrong) > 0 {
		fmt.Fprintln(w, "hint: entire-plumb enable")
	}
}

func (r *statusReport) printBlocked(w io.Writer) {
	if r.Blocked != nil {
		fmt.Fprintf(w, "%s can't be updated while %s exists; nothing recorded is lost\nhint: if no git command is running, remove that file\n",
			strings.Join(r.Blocked.Branches, ", "), r.Blocked.Lock)
	}
}

func printOrphaned(w io.Writer, name string) {
	fmt.Fprintf(w, "stream %s of a removed worktree\nhint: restore its files with git restore -s %s -- FILE, or delete it with git branch -D %s\n", name, name, name)
}

func (s statusSession) print(w io.Writer) {
	fmt.Fprintf(w, "session %s: %s, %s", printable(s.ID), printable(s.Agent), s.Phase)
	if s.Stream != "" {
		fmt.Fprintf(w, ", %s on %s", plural(s.Checkpoints, "checkpoint"), s.Stream)
	}
	fmt.Fprintln(w)
	if s.Title != "" {
		fmt.Fprintf(w, "  title: %s\n", printable(s.Title))
	}
	if s.LastPrompt != "" {
		fmt.Fprintf(w, "  last prompt: %s\n", printable(s.LastPrompt))
	}
	for _, p := range s.Files {
		fmt.Fprintf(w, "  touched: %s\n", p.Display())
	}
	for _, l := range s.LeftOut {
		fmt.Fprintf(w, "  not in the last snapshot: %s: %s\n", l.Path.Display(), l.Reason)
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(escaping{w})
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// escaping writes JSON with escapes for characters that control a terminal but need none in JSON.
type escaping struct{ io.Writer }

// Write expects whole runes, as the encoder writes them.
func (w escaping) Write(data []byte) (int, error) {
	commands := func(r rune) bool { return r >= 0x7f && gitexec.ControlsTerminal(r) }
	if !bytes.ContainsFunc(data, commands) {
		return w.Writer.Write(data)
	}
	var b bytes.Buffer
	for _, r := range string(data) {
		if commands(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	if _, err := w.Writer.Write(b.Bytes()); err != nil {
		return 0, err
	}
	return len(data), nil
}
