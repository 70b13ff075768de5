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
	switch {
	case news && target.Elected == "" && target.Asks:
		done = append(done, "checkpoints go to no remote: "+target.Why, "hint: "+target.Hint)
	case news && target.Elected == "" && chosen.StrategyOptions.Pushes():
		done = append(done, "a push to a remote will take the checkpoints along, unless strategy_options.push_sessions is false")
	}
	if err != nil || target.Elected == "" {
		return done, err
	}
	if target.Own {
		if news && target.Why == "" {
			done = append(done, "pushes to "+target.Elected+" bring the checkpoints to "+target.Shown())
		}
		return done, nil
	}
	key := "remote." + target.Elected + ".fetch"
	there, err := repo.LocalConfig(ctx, key)
	if err != nil || len(there) == 0 {
		return done, err
	}
	wants := share.FetchSpecs(target.Elected, nil)
	for _, spec := range there { // git remote rename leaves it as it is
		if share.BringsInboxes(spec) && !slices.Contains(wants, spec) {
			if err := repo.UnsetLocalConfig(ctx, key, spec); err != nil {
				return done, err
			}
		}
	}
	for _, spec := range share.FetchSpecs(target.Elected, there) {
		if err := repo.AddLocalConfig(ctx, key, spec); err != nil {
			return done, err
		}
		if !slices.Contains(done, fetching(target.Elected)) {
			done = append(done, fetching(target.Elected))
		}
	}
	if (news || len(done) > 0) && target.Why == "" {
		done = append(done, "pushes to "+target.Elected+" take the checkpoints along, unless strategy_options.push_sessions is false")
	}
	return done, nil
}

func fetching(remote string) string {
	return "git fetch " + remote + " brings the checkpoints of others"
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
		for _, spec := range there {
			if slices.Contains(wants, spec) || share.BringsInboxes(spec) {
				if err := repo.UnsetLocalConfig(ctx, key, spec); err != nil {
					return done, err
				}
				if line := "git fetch " + name + " no longer brings checkpoints' inboxes"; !slices.Contains(done, line) {
					done = append(done, line)
				}
			}
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
	var theirs []gitexec.Ref
	for _, r := range refs {
		if r.Name == shadow.Checkpoints {
			return "", nil
		}
		if strings.HasPrefix(r.Name, "refs/remotes/") && r.Type == "commit" {
			theirs = append(theirs, r)
		}
	}
	name := func(r gitexec.Ref) string {
		return strings.TrimSuffix(strings.TrimPrefix(r.Name, "refs/remotes/"), "/entire/checkpoints/v1")
	}
	if at := slices.IndexFunc(theirs, func(r gitexec.Ref) bool { return name(r) == elected }); at >= 0 {
		theirs = theirs[at : at+1]
	}
	if len(theirs) != 1 {
		return "", nil
	}
	u, err := repo.StartRefUpdate(ctx, "entire-plumb: enable")
	if err != nil {
		return "", err
	}
	defer u.Abort()
	if err := u.Create(shadow.Checkpoints, theirs[0].ID); err != nil {
		return "", err
	}
	return name(theirs[0]), u.Commit()
}
