package share

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/settings"
)

// Target is where the checkpoints go.
type Target struct {
	Election        // the remote whose pushes they go along with
	Remote   string // where they go: its name, or the address of a repository of their own
	Own      bool   // that is a repository of their own
	At       string // the address of a push
	Alone    bool   // git push, called with Remote, goes there and nowhere else
	Apart    bool   // what is fetched, and the remote-tracking branches, may be of another repository
	Partial  bool   // this is a partial clone of it
	Here     bool   // it is a repository of this machine
	Why      string // they go nowhere: why; empty: they go
	Hint     string // what to do about it; empty: nothing
	Wrong    bool   // because of a mistake in the settings
	Asks     bool   // it is not what the user has asked for
}

// Going says where the checkpoints go, and why there.
func (t Target) Going() string {
	if t.Own {
		return "checkpoints go to " + t.Shown() + " with pushes to " + t.Elected + ": " + t.Reason()
	}
	return "checkpoints go with pushes to " + t.Elected + ": " + t.Reason()
}

// HowToChange says what changes where they go.
const HowToChange = "git config entire-plumb.remote NAME elects another remote, git config entire-plumb.pushSessions false none"

// because is why they go nowhere, and what to do about it, in a line.
func (t Target) because() string {
	if t.Hint == "" || t.Wrong {
		return t.Why
	}
	return t.Why + ": " + t.Hint
}

// key is the name of the target's refs.
func (t Target) key() string {
	if !t.Own {
		return key(t.Remote)
	}
	return ownKey + hashed(t.Remote)
}

// Target decides where the checkpoints go.
func (r Remotes) Target(s settings.Settings, branch string) Target {
	t := Target{Election: r.Elect(branch)}
	t.Remote = t.Elected
	to := s.StrategyOptions.CheckpointRemote
	if !t.allowed(s) {
		return r.placed(t)
	}
	switch {
	case t.Elected == "":
		r.noneElected(&t)
	case to != nil:
		// The address has the protocol of the elected remote's.
		t.Remote, t.Own = to.Address(append(append(slices.Clone(r.PushURLs[t.Elected]), r.URLs[t.Elected]...), "")[0]), true
	}
	return r.placed(t)
}

// allowed reports whether the settings let the checkpoints go anywhere, and says why not.
func (t *Target) allowed(s settings.Settings) bool {
	to := s.StrategyOptions.CheckpointRemote
	switch {
	case !s.StrategyOptions.Pushes():
		t.Why = "strategy_options.push_sessions is false"
	// Not to the elected remote meanwhile: the setting may be there to keep them from it.
	case s.Ignores("strategy_options.checkpoint_remote"):
		t.Why, t.Hint = "strategy_options.checkpoint_remote is not confirmed", "entire-plumb enable --trust-settings"
	case s.Ignores("encrypt_to"): // somebody wants it encrypted, and until the user agrees it is not
		t.Why, t.Hint, t.Asks = "encrypt_to is not confirmed", "entire-plumb enable --trust-settings", true
	case to != nil && to.Invalid != "":
		t.Why = "strategy_options.checkpoint_remote: " + to.Invalid
		t.Hint, t.Wrong, t.Asks = "correct or remove it", true, true
	}
	return t.Why == ""
}

// pushedTo is what git push is called with.
func (t Target) pushedTo() gitexec.Remote {
	if t.Alone {
		return gitexec.Remote{Name: t.Remote} // by its name git obeys all of its configuration
	}
	return gitexec.Remote{Name: t.At, Exact: true}
}

// noneElected says why no remote is.
func (r Remotes) noneElected(t *Target) {
	if len(r.URLs)+len(r.PushURLs) == 0 {
		t.Why = "there is no remote"
		return
	}
	t.Why, t.Hint, t.Asks = "no remote is elected", "git config entire-plumb.remote NAME", true
	if len(r.Names()) == 0 {
		t.Why, t.Hint, t.Asks = "git push mirrors this repository to each remote", "git config --add entire-plumb.shareWith NAME lets them go to one", false
	}
	if r.Chosen != "" {
		t.Why, t.Asks = "entire-plumb.remote is "+r.Chosen+", which is not a remote here, or a mirror", true
	}
}

// placed says what kind of place the target is.
func (r Remotes) placed(t Target) Target {
	// A partial clone names the remote that it is of; a repository of their own has no such name.
	t.Partial = !t.Own && r.Partial[t.Remote]
	if all := r.each(t); len(all) > 0 {
		return all[0]
	}
	return t
}
