package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/unheard"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// statusUnheard are an agent's sessions in one directory whose hooks never called this program.
type statusUnheard struct {
	Agent     string         `json:"agent"`
	Directory string         `json:"directory"`
	Sessions  []string       `json:"sessions"` // newest first
	Last      time.Time      `json:"last_written"`
	Reason    unheard.Reason `json:"reason"`

	one unheard.Session
}

// unheard finds the sessions of this repository that were not heard since it was enabled.
func (r *statusReport) unheard(repo *gitexec.Repo, stubs []githooks.Hook) {
	since, ok := enabledSince(repo, stubs)
	if !ok {
		return
	}
	tops := append(shadow.ReadWorktrees(repo).Tops, repo.Top)
	if main := repo.MainTop(); main != "" {
		tops = append(tops, main)
	}
	store := session.Store{Dir: workspace.StateDir(repo), ReadOnly: true}
	type place struct {
		agent, dir string
		reason     unheard.Reason
	}
	at := map[place]int{}
	for _, s := range unheard.Find(unheard.Request{Getenv: os.Getenv, Tops: tops, Since: since, Known: store.Has}) {
		p := place{s.Agent.Name, s.Dir, s.Reason(os.Getenv)}
		i, ok := at[p]
		if !ok {
			i = len(r.Unheard)
			at[p] = i
			r.Unheard = append(r.Unheard, statusUnheard{Agent: s.Agent.Title, Directory: s.Dir, Last: s.Last.UTC(), Reason: p.reason, one: s})
		}
		r.Unheard[i].Sessions = append(r.Unheard[i].Sessions, s.ID)
	}
}

// enabledSince is when recording was enabled, as far as files tell: our oldest hook, or the
// settings if a hook manager has the hooks.
func enabledSince(repo *gitexec.Repo, stubs []githooks.Hook) (since time.Time, ok bool) {
	files := []string{}
	for _, h := range stubs {
		if h.Exe != "" {
			files = append(files, h.Path)
		}
	}
	if len(files) == 0 {
		for _, top := range []string{repo.Top, repo.MainTop()} {
			files = append(files, filepath.Join(top, filepath.FromSlash(settings.Files[0])))
		}
	}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && (!ok || info.ModTime().Before(since)) {
			since, ok = info.ModTime(), true
		}
	}
	return since, ok
}

// enabling is the command that installs an agent's hooks: some have them in the user's own settings
// alone.
func enabling(a agent.Agent) string {
	if a.Settings == "" && a.UserSettings != "" {
		return "entire-plumb enable --user --agent " + a.Name
	}
	return "entire-plumb enable --agent " + a.Name
}

// problem says in a sentence what was not heard, why, and what to do.
func (u statusUnheard) problem() problem {
	a := u.one.Agent
	why, hint := "the reason is not known", "restart it; its own list of hooks says whether it has ours"
	switch u.Reason {
	case unheard.Below:
		why = "it reads " + a.Settings + " of the directory that it is started in alone"
		hint = "entire-plumb enable --user --agent " + a.Name + ", then restart it"
	case unheard.NoHooks:
		why = "there are no hooks of ours in its settings"
		hint = enabling(a) + "; then restart it"
		if a.Settings != "" {
			hint = enabling(a) + " there, or enable --user; then restart it"
		}
	case unheard.Older:
		why, hint = a.Title+" "+u.one.Version+" does not run such hooks, "+a.Since+" does", "update "+a.Title
	case unheard.Earlier:
		why, hint = "it was started before its hooks were installed", "restart it"
	case unheard.Untrusted:
		why, hint = "its hooks may not be trusted yet", a.Trust
	}
	return problem{fmt.Sprintf("no event arrived from %s of %s in %s, last written %s: %s",
		amount.Of(len(u.Sessions), "session"), a.Title, printable(u.Directory), u.Last.Local().Format("2006-01-02 15:04"), why), hint}
}
