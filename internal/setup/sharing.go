package setup

import (
	"context"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/share"
	"entire-plumb/shadow"
)

// ofRemotes is the pattern of remote-tracking branches of committed checkpoints.
const ofRemotes = "refs/remotes/*/entire/checkpoints/v1"

// shareCheckpoints creates the branch of the checkpoints from the elected remote's, as in a clone
// (seed 004, EnsureMetadataBranch), has git fetch bring what others share, and says where pushes
// take the checkpoints; news: enable has changed something. refs are those of ofRemotes and the
// branch. It returns its changes.
func shareCheckpoints(ctx context.Context, repo *gitexec.Repo, refs []gitexec.Ref, news bool) (done []string, err error) {
	remotes, err := share.ReadRemotes(ctx, repo)
	if err != nil {
		return nil, err
	}
	chosen, err := settings.Load(ctx, repo)
	if err != nil {
		return nil, nil // disabled in git's configuration
	}
	target := remotes.Target(chosen, strings.TrimPrefix(repo.Branch, "refs/heads/"))
	from, err := takeCheckpoints(ctx, repo, refs, target.Elected)
	if from != "" {
		done = append(done, "created entire/checkpoints/v1 from "+from)
	}
	if news && (err == nil || target.Elected == "") {
		done = append(done, goesTo(target, chosen.StrategyOptions.Pushes())...)
	}
	if err == nil && target.Elected != "" && !target.Own {
		var more []string
		more, err = shareWith(ctx, repo, target, news || from != "")
		done = append(done, more...)
	}
	return done, err
}

// goesTo says where the checkpoints go that go to no remote of this repository: nowhere yet, or to
// a repository of their own.
func goesTo(target share.Target, pushes bool) []string {
	switch {
	case target.Elected == "" && target.Asks:
		return []string{"checkpoints go to no remote: " + target.Why, "hint: " + target.Hint}
	case target.Elected == "" && pushes:
		return []string{"a push to a remote will take the checkpoints along, unless strategy_options.push_sessions is false"}
	case target.Elected != "" && target.Own && target.Why == "":
		return []string{"pushes to " + target.Elected + " bring the checkpoints to " + target.Shown()}
	}
	return nil
}

// shareWith has git fetch bring what others share from a remote, and says so, and where pushes take
// the checkpoints. A remote from which git fetch brings nothing stays as it is.
func shareWith(ctx context.Context, repo *gitexec.Repo, target share.Target, news bool) (done []string, err error) {
	key := "remote." + target.Elected + ".fetch"
	there, err := repo.LocalConfig(ctx, key)
	if err != nil || len(there) == 0 {
		return nil, err
	}
	wants := share.FetchSpecs(target.Elected, nil)
	outdated := slices.DeleteFunc(slices.Clone(there), func(spec string) bool { // git remote rename leaves it as it is
		return !share.BringsInboxes(spec) || slices.Contains(wants, spec)
	})
	if err := repo.UnsetLocalConfig(ctx, key, outdated...); err != nil {
		return nil, err
	}
	if missing := share.FetchSpecs(target.Elected, there); len(missing) > 0 {
		if err := repo.AddLocalConfig(ctx, key, missing...); err != nil {
			return nil, err
		}
		done = []string{"git fetch " + target.Elected + " brings the checkpoints of others"}
	}
	if (news || len(done) > 0) && target.Why == "" {
		done = append(done, "pushes to "+target.Elected+" take the checkpoints along, unless strategy_options.push_sessions is false")
	}
	return done, nil
}

// unshareCheckpoints removes what shareCheckpoints added to git's configuration.
func unshareCheckpoints(ctx context.Context, repo *gitexec.Repo) (done []string, err error) {
	share.Place{Shared: repo.SharedDir()}.Forget()
	remotes, err := share.ReadRemotes(ctx, repo)
	if err != nil {
		return nil, err
	}
	for name := range remotes.URLs {
		key := "remote." + name + ".fetch"
		there, err := repo.LocalConfig(ctx, key)
		if err != nil {
			return done, err
		}
		wants := share.FetchSpecs(name, nil)
		ours := slices.DeleteFunc(there, func(spec string) bool { return !slices.Contains(wants, spec) && !share.BringsInboxes(spec) })
		if err := repo.UnsetLocalConfig(ctx, key, ours...); err != nil {
			return done, err
		}
		if len(ours) > 0 {
			done = append(done, "git fetch "+name+" no longer brings checkpoints' inboxes")
		}
	}
	return done, nil
}

// takeCheckpoints creates the branch of the committed checkpoints from a remote's, the elected one
// or the only one that has it. It returns the remote's name; empty if the branch exists, or no such
// remote has it.
func takeCheckpoints(ctx context.Context, repo *gitexec.Repo, refs []gitexec.Ref, elected string) (string, error) {
	if own, err := repo.OwnConfig(ctx); err != nil || checkpoints.RequireSignatures(own) {
		return "", err // sync takes what is signed
	}
	ref, remote := firstFrom(refs, elected)
	if remote == "" {
		return "", nil
	}
	u, err := repo.StartRefUpdate(ctx, "entire-plumb: enable")
	if err != nil {
		return "", err
	}
	defer u.Abort()
	if err := u.Create(shadow.Checkpoints, ref.ID); err != nil {
		return "", err
	}
	return remote, u.Commit()
}

// firstFrom chooses the remote whose branch of the checkpoints the one here begins with, of refs:
// the elected one, or the only one that has it. Empty: the branch exists, or there is none.
func firstFrom(refs []gitexec.Ref, elected string) (ref gitexec.Ref, remote string) {
	theirs := map[string]gitexec.Ref{}
	for _, r := range refs {
		if r.Name == shadow.Checkpoints {
			return gitexec.Ref{}, ""
		}
		if name, ok := strings.CutPrefix(r.Name, "refs/remotes/"); ok && r.Type == "commit" {
			remote = strings.TrimSuffix(name, "/entire/checkpoints/v1")
			theirs[remote] = r
		}
	}
	if ref, ok := theirs[elected]; ok {
		return ref, elected
	}
	if len(theirs) != 1 {
		return gitexec.Ref{}, ""
	}
	return theirs[remote], remote
}
