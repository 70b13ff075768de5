package setup

import (
	"context"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/share"
	"entire-plumb/shadow"
)

// ofRemotes are the patterns of remotes' branches of committed checkpoints: as git fetch, and as
// this program fetched them.
var ofRemotes = []string{"refs/remotes/*/entire/checkpoints/v1", "refs/entire-plumb/remotes/*/heads/v1"}

// shareCheckpoints creates the branch of the checkpoints from the elected remote's, as in a clone
// (seed 004, EnsureMetadataBranch), and says where pushes take the checkpoints; news: enable has
// changed something. refs are those of ofRemotes and the branch. It returns its changes.
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
	if news || len(done) > 0 {
		done = append(done, goesTo(target, chosen.StrategyOptions.Pushes())...)
		share.Place{Shared: repo.SharedDir()}.Announce(target.Elected, target)
	}
	return done, err
}

// goesTo says where the checkpoints go.
func goesTo(target share.Target, pushes bool) []string {
	switch {
	case target.Elected == "" && target.Asks:
		return []string{"checkpoints go to no remote: " + target.Why, "hint: " + target.Hint}
	case target.Elected == "" && pushes:
		return []string{"a push to a remote will take the checkpoints along, unless strategy_options.push_sessions is false"}
	case target.Elected != "" && target.Why == "":
		return []string{target.Going(), "hint: " + share.HowToChange}
	}
	return nil
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
	if err := u.Commit(); err != nil || !repo.Partial() {
		return remote, err
	}
	// A clone without trees lacks the branch's directories, and hooks fetch nothing.
	db := repo.ODB(ctx)
	defer db.Close()
	commit, err := db.Commit(ref.ID)
	if err != nil {
		return remote, err
	}
	repo.Bring(ctx, commit.Tree)
	return remote, nil
}

// firstFrom chooses the remote whose branch of the checkpoints the one here begins with, of refs:
// the elected one, or the only one that has it. Empty: the branch exists, or there is none.
func firstFrom(refs []gitexec.Ref, elected string) (ref gitexec.Ref, remote string) {
	theirs, fetched := map[string]gitexec.Ref{}, gitexec.Ref{}
	for _, r := range refs {
		name, tracking := strings.CutPrefix(r.Name, "refs/remotes/")
		switch {
		case r.Name == shadow.Checkpoints:
			return gitexec.Ref{}, ""
		case r.Type != "commit":
		case tracking:
			remote = strings.TrimSuffix(name, "/entire/checkpoints/v1")
			theirs[remote] = r
		case r.Name == share.FetchedRef(elected):
			fetched = r
		}
	}
	if ref, ok := theirs[elected]; ok {
		return ref, elected
	}
	if fetched.ID != "" {
		return fetched, elected
	}
	if len(theirs) != 1 {
		return gitexec.Ref{}, ""
	}
	return theirs[remote], remote
}
