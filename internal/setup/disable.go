package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/index"
	"entire-plumb/internal/repositories"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/share"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// Disable removes what Enable installed, and keeps recorded data. An error in one part doesn't
// prevent the others; each part is checked before it is changed.
func Disable(ctx context.Context, repo *gitexec.Repo) ([]string, error) {
	theirs, failed := besideEntire(ctx, repo)
	var done []string
	step := func(more []string, err error) (ok bool) {
		done, failed = append(done, more...), errors.Join(failed, err)
		return err == nil
	}
	writes, err := unwriting(ctx, repo)
	step(nil, err)
	step(applyManagers(repo, writes))
	step(disableStubs(ctx, repo))
	step(DisableAgents(ctx, repo))
	step(disableSkill(ctx, repo))
	off := step(nil, checkFiles(ctx, repo, settings.Files...)) && step(settings.Disable(ctx, repo, theirs))
	share.Place{Shared: repo.SharedDir()}.Forget()
	forgot, err := settings.Forget(repo)
	if step(nil, err); forgot {
		done = append(done, "deleted the confirmation of the settings")
	}
	workspace.ForgetUser(repo)
	// If nothing was recorded; else it fails, since the directory is not empty.
	_ = os.Remove(repo.SharedDir())
	if theirs && off {
		_, recorded := os.Stat(repo.SharedDir())
		step(nil, settings.SwitchBack(ctx, repo, recorded == nil))
	}
	step(nil, repositories.Remove(ctx, repositories.File(os.Getenv), repo.Top))
	return done, failed
}

func disableStubs(ctx context.Context, repo *gitexec.Repo) (done []string, err error) {
	if err := checkHooks(ctx, repo); err != nil {
		return nil, err
	}
	stubs, err := githooks.Disable(ctx, repo.SharedDir(), repo.HooksDir, filepath.Join(repo.CommonDir, "hooks"))
	byHand, shared := false, false
	for _, c := range stubs {
		if c.Action != githooks.Unchanged {
			done = append(done, describeStub(c))
			byHand = byHand || c.Line != ""
			shared = shared || filepath.Dir(c.Path) == repo.HooksDir && sharedHooks(repo) && c.Action != githooks.Left && c.Action != githooks.Others
		}
	}
	if byHand {
		done = append(done, "hint: remove those lines; until then they do nothing")
	}
	if shared {
		done = append(done, "hint: other repositories use "+gitexec.Harmless(repo.HooksDir)+", too; where entire-plumb is enabled, the next event of an agent puts the hooks back")
	}
	return done, err
}

// DisableAgents removes our hooks from the agents' settings in the repository; without names, from
// those of all.
func DisableAgents(ctx context.Context, repo *gitexec.Repo, agents ...agent.Agent) (done []string, err error) {
	for _, a := range only(withTheirs(), agents) {
		e, err2 := disabling(ctx, repo, a)
		if err2 == nil {
			var changed bool
			if changed, err2 = e.apply(repo.Top); changed {
				if a.Settings != theirCopilot {
					done = append(done, "removed our hooks from "+a.Settings)
				}
				if e.gaveBack() {
					done = append(done, "gave the entire CLI's hooks back in "+a.Settings)
				}
			}
		}
		err = errors.Join(err, err2)
	}
	return done, err
}

// only are those of all agents that are named; without names, all.
func only(all, named []agent.Agent) []agent.Agent {
	if len(named) == 0 {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(a agent.Agent) bool {
		return !slices.ContainsFunc(named, func(n agent.Agent) bool { return n.Name == a.Name })
	})
}

// Purge removes all that was recorded, on this machine: branches, session states, private files. It
// is for after Disable. If preview is set, it only says what it would delete.
func Purge(ctx context.Context, repo *gitexec.Repo, preview bool) ([]string, error) {
	unlock, err := shadow.Lock(ctx, repo)
	if err != nil {
		return nil, err
	}
	defer unlock()
	ours, elsewhere, err := recordedRefs(ctx, repo)
	if err != nil {
		return nil, err
	}
	verb := "deleted "
	if preview {
		verb = "would delete "
	} else if err := deleteRefs(ctx, repo, ours); err != nil {
		return nil, err
	}
	var done []string
	for _, r := range ours {
		done = append(done, fmt.Sprintf("%s%s (was %s)", verb, strings.Replace(r.Name, "refs/heads/", "branch ", 1), r.ID.Short()))
	}
	for _, dir := range recordedDirs(repo) {
		if !preview {
			if err := os.RemoveAll(dir); err != nil {
				return done, err
			}
		}
		done = append(done, verb+dir)
	}
	for _, name := range elsewhere {
		done = append(done, name+" stays, as does the remote's branch")
	}
	// It enables where the entire CLI records, too: a question that is answered with no, or a dry
	// run, would stop the recording.
	if preview {
		return done, nil
	}
	return done, settings.SwitchBack(ctx, repo, false)
}

// recordedDirs are the directories that hold what was recorded; the main worktree's are the same as
// the repository's.
func recordedDirs(repo *gitexec.Repo) (dirs []string) {
	for _, dir := range []string{workspace.StateDir(repo), repo.PrivateDir(), repo.SharedDir(), index.Dirs(repo.CommonDir, repo.SharedDir())[1]} {
		if _, err := os.Stat(dir); err == nil && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// recordedRefs are the refs of what was recorded, and those of what was fetched.
func recordedRefs(ctx context.Context, repo *gitexec.Repo) (ours []gitexec.Ref, elsewhere []string, err error) {
	refs, err := repo.Refs(ctx, shadow.Prefix, shadow.Private, "refs/remotes/")
	if err != nil {
		return nil, nil, err
	}
	refs, elsewhere = splitRefs(refs)
	db := repo.ODB(ctx)
	defer db.Close()
	ours, err = shadow.Ours(db, refs)
	return ours, elsewhere, err
}

// splitRefs parts what was fetched from the refs here, and names what was fetched of a remote's
// checkpoints: the next fetch would bring it again.
func splitRefs(refs []gitexec.Ref) (here []gitexec.Ref, elsewhere []string) {
	for _, r := range refs {
		if !strings.HasPrefix(r.Name, "refs/remotes/") {
			here = append(here, r)
		} else if branch, _ := shadow.Tracked(r.Name); branch == shadow.Checkpoints {
			elsewhere = append(elsewhere, r.Name)
		}
	}
	return here, elsewhere
}

func deleteRefs(ctx context.Context, repo *gitexec.Repo, refs []gitexec.Ref) error {
	u, err := repo.StartRefUpdate(ctx, "entire-plumb: purge")
	if err != nil {
		return err
	}
	defer u.Abort()
	for _, r := range refs {
		if err := u.Delete(r.Name, r.ID); err != nil {
			return err
		}
	}
	return u.Commit()
}
