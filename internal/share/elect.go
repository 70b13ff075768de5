package share

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/settings"
)

// Remotes are the remotes of git's configuration, and what says which of them is the elected one.
type Remotes struct {
	URLs     map[string][]string // by name
	PushURLs map[string][]string
	Mirrors  map[string]bool   // git push pushes all refs to them
	Partial  map[string]bool   // of a partial clone
	Upstream map[string]string // the remote of a branch, by the branch's short name
	Trunk    string            // init.defaultBranch
	Chosen   string            // entire-plumb.remote
	Allowed  []string          // entire-plumb.shareWith
}

// ReadRemotes reads them. One process.
func ReadRemotes(ctx context.Context, repo *gitexec.Repo) (Remotes, error) {
	r := Remotes{URLs: map[string][]string{}, PushURLs: map[string][]string{}, Mirrors: map[string]bool{}, Partial: map[string]bool{}, Upstream: map[string]string{}}
	all, err := repo.ConfigOf(ctx, `^(remote\..*\.(url|pushurl|mirror|promisor)|branch\..*\.remote|init\.defaultbranch|entire-plumb\.(remote|sharewith))$`)
	if err != nil {
		return r, err
	}
	for name, values := range all {
		r.set(name, values)
	}
	return r, nil
}

// set takes a key of the configuration, and its values, of which the last one counts.
func (r *Remotes) set(name string, values []string) {
	last := values[len(values)-1]
	section, rest, _ := strings.Cut(name, ".")
	at := strings.LastIndexByte(rest, '.')
	of, key := rest[:max(0, at)], rest[at+1:]
	yes := !slices.Contains([]string{"false", "no", "off", "0"}, strings.ToLower(last))
	switch section + " " + key {
	case "init defaultbranch":
		r.Trunk = last
	case "entire-plumb remote":
		r.Chosen = last
	case "entire-plumb sharewith":
		r.Allowed = values
	case "branch remote":
		r.Upstream[of] = last
	case "remote url":
		r.URLs[of] = values
	case "remote pushurl":
		r.PushURLs[of] = values
	case "remote mirror":
		r.Mirrors[of] = yes
	case "remote promisor":
		r.Partial[of] = yes
	}
}

// Elect is the one remote that the checkpoints go to, by its name; empty: none. It is the one that
// git config entire-plumb.remote names; else the upstream of the main branch, so that a branch that
// is pushed to a fork elects no fork; else origin, the only remote, or the upstream of a branch,
// short.
func (r Remotes) Elect(branch string) string {
	usable := func(name string) bool { return len(r.URLs[name])+len(r.PushURLs[name]) > 0 && !r.Mirrors[name] }
	if r.Chosen != "" {
		if usable(r.Chosen) {
			return r.Chosen
		}
		return ""
	}
	only := ""
	if len(r.URLs) == 1 {
		for only = range r.URLs {
		}
	}
	for _, name := range []string{r.Upstream[cmp.Or(r.Trunk, "main")], r.Upstream["main"], r.Upstream["master"], "origin", only, r.Upstream[branch]} {
		if usable(name) {
			return name
		}
	}
	return ""
}

// Is reports whether a push goes to a remote: git names it by its name, or by its address.
func (r Remotes) Is(name, pushed string) bool {
	return pushed == name || slices.Contains(r.URLs[name], pushed) || slices.Contains(r.PushURLs[name], pushed)
}

// Allows reports whether the user lets a push take the branch of the checkpoints to a remote that
// is not elected.
func (r Remotes) Allows(pushed string) bool {
	return slices.ContainsFunc(r.Allowed, func(name string) bool { return name == pushed || r.Is(name, pushed) })
}

// Target is where the checkpoints go.
type Target struct {
	Elected string // the remote whose pushes they go along with; empty: none
	Remote  string // where they go: its name, or the address of a repository of their own
	Own     bool   // that is a repository of their own
	Partial bool   // this is a partial clone of it
	Here    bool   // it is a repository of this machine
	Why     string // they go nowhere: why; empty: they go
	Hint    string // what to do about it; empty: nothing
	Wrong   bool   // because of a mistake in the settings
	Asks    bool   // it is not what the user has asked for
}

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
	sum := sha256.Sum256([]byte(t.Remote))
	return ownKey + hex.EncodeToString(sum[:6])
}

// ownKey begins the key of a repository of the checkpoints' own.
const ownKey = "url-"

// key is the name of a remote's refs: one level, whatever the remote is called.
func key(remote string) string { return strings.ReplaceAll(remote, "/", "%2F") }

// Target decides where the checkpoints go.
func (r Remotes) Target(s settings.Settings, branch string) Target {
	t := Target{Elected: r.Elect(branch)}
	t.Remote = t.Elected
	to := s.StrategyOptions.CheckpointRemote
	if !t.allowed(s) {
		return r.placed(t)
	}
	switch {
	case t.Elected == "":
		r.noneElected(&t)
	case to != nil:
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

// noneElected says why no remote is.
func (r Remotes) noneElected(t *Target) {
	if len(r.URLs) == 0 {
		t.Why = "there is no remote"
		return
	}
	t.Why, t.Hint = "no remote is elected", "git config entire-plumb.remote NAME"
	for name := range r.URLs {
		t.Asks = t.Asks || !r.Mirrors[name]
	}
	if r.Chosen != "" {
		t.Why, t.Asks = "entire-plumb.remote is "+r.Chosen+", which is not a remote here, or a mirror", true
	}
}

// placed says what kind of place the target is.
func (r Remotes) placed(t Target) Target {
	t.Partial = !t.Own && r.Partial[t.Remote]
	t.Here = t.Remote != "" && !slices.ContainsFunc(r.addresses(t), func(address string) bool { return !isPath(address) })
	return t
}

// addresses are where git pushes to.
func (r Remotes) addresses(t Target) []string {
	switch {
	case t.Own:
		return []string{t.Remote}
	case len(r.PushURLs[t.Remote]) > 0:
		return r.PushURLs[t.Remote]
	}
	return r.URLs[t.Remote]
}

// isPath reports whether an address is that of a directory, as git reads it.
func isPath(address string) bool {
	if strings.Contains(address, "://") {
		return strings.HasPrefix(address, "file://")
	}
	host, _, remote := strings.Cut(address, ":")
	return !remote || strings.Contains(host, "/")
}
