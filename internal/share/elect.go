package share

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"entire-plumb/gitexec"
)

// Remotes are the remotes of git's configuration, and what says which of them is the elected one.
type Remotes struct {
	URLs        map[string][]string // by name
	PushURLs    map[string][]string
	Fetches     map[string][]string // refspecs
	Mirrors     map[string]bool     // git push pushes all refs to them
	Partial     map[string]bool     // of a partial clone
	Upstream    map[string]string   // the remote of a branch, by the branch's short name
	PushRemote  map[string]string   // the remote that git push takes a branch to, if not that one
	PushDefault string              // the remote that git push takes other branches to
	Trunk       string              // init.defaultBranch
	Chosen      string              // entire-plumb.remote
	Allowed     []string            // entire-plumb.shareWith
	Instead     map[string][]string // how addresses begin that git replaces, by what it puts there
	PushInstead map[string][]string // likewise, for pushes alone
}

// ReadRemotes reads them. One process.
func ReadRemotes(ctx context.Context, repo *gitexec.Repo) (Remotes, error) {
	r := noRemotes()
	all, err := repo.ConfigOf(ctx, `^(remote\..*\.(url|pushurl|fetch|mirror|promisor)|remote\.pushdefault|branch\..*\.(remote|pushremote)|`+
		`url\..*\.(insteadof|pushinsteadof)|init\.defaultbranch|entire-plumb\.(remote|sharewith))$`)
	if err != nil {
		return r, err
	}
	for name, values := range all {
		r.set(name, values)
	}
	return r, nil
}

func noRemotes() Remotes {
	return Remotes{URLs: map[string][]string{}, PushURLs: map[string][]string{}, Fetches: map[string][]string{}, Mirrors: map[string]bool{}, Partial: map[string]bool{},
		Upstream: map[string]string{}, PushRemote: map[string]string{}, Instead: map[string][]string{}, PushInstead: map[string][]string{}}
}

// set takes a key of the configuration, and its values, of which the last one counts.
func (r *Remotes) set(name string, values []string) {
	last := values[len(values)-1]
	section, rest, _ := strings.Cut(name, ".")
	// The name of a remote or of a branch may have dots: it is between the first one and the last.
	at := strings.LastIndexByte(rest, '.')
	of, key := rest[:max(0, at)], section+" "+rest[at+1:]
	yes := !slices.Contains([]string{"false", "no", "off", "0"}, strings.ToLower(last))
	if lists := map[string]map[string][]string{"remote url": r.URLs, "remote pushurl": r.PushURLs, "remote fetch": r.Fetches, "url insteadof": r.Instead,
		"url pushinsteadof": r.PushInstead}[key]; lists != nil {
		lists[of] = values
		if key == "remote url" || key == "remote pushurl" {
			lists[of] = afterEmpty(values)
		}
	}
	if names := map[string]map[string]string{"branch remote": r.Upstream, "branch pushremote": r.PushRemote}[key]; names != nil {
		names[of] = last
	}
	if flags := map[string]map[string]bool{"remote mirror": r.Mirrors, "remote promisor": r.Partial}[key]; flags != nil {
		flags[of] = yes
	}
	if one := map[string]*string{"remote pushdefault": &r.PushDefault, "init defaultbranch": &r.Trunk, "entire-plumb remote": &r.Chosen}[key]; one != nil {
		*one = last
	}
	if key == "entire-plumb sharewith" {
		r.Allowed = values
	}
}

// afterEmpty are the addresses after an empty one: that takes out those before it, since git 2.46.
// Earlier ones push nowhere then.
func afterEmpty(addresses []string) []string {
	for i := len(addresses) - 1; i >= 0; i-- {
		if addresses[i] == "" {
			return addresses[i+1:]
		}
	}
	return addresses
}

// Ground is why a remote is elected.
type Ground string

// The grounds, of which the first that names a remote counts. Whoever pushes to a fork by default
// mostly can't push to the main branch's upstream: nothing would ever be shared.
const (
	ByChoice         Ground = "entire-plumb.remote"
	ByPushRemote     Ground = "pushRemote of the main branch"
	ByPushDefault    Ground = "remote.pushDefault"
	ByMainUpstream   Ground = "upstream of the main branch"
	ByOnly           Ground = "only remote"
	ByOrigin         Ground = "origin"
	ByBranchUpstream Ground = "upstream of the branch"
)

// Election is the one remote that the checkpoints go to, and why; zero: none.
type Election struct {
	Elected string // its name
	Ground  Ground
	Branch  string // the short name of the branch that the ground names; empty: it names none
}

// Reason says in a clause why the remote is elected.
func (e Election) Reason() string {
	switch e.Ground {
	case ByChoice, ByPushDefault:
		return string(e.Ground) + " names " + e.Elected
	case ByPushRemote:
		return "branch." + e.Branch + ".pushRemote names " + e.Elected
	case ByMainUpstream, ByBranchUpstream:
		return e.Elected + " is the upstream of " + e.Branch
	case ByOnly:
		return e.Elected + " is the only remote"
	}
	return e.Elected + " is the default, as the main branch has no upstream"
}

// Elect elects a remote. It is the one that git config entire-plumb.remote names; else the one that
// git push takes the main branch to, so that a branch that is pushed to a fork elects no fork; else
// the only remote, origin, or the upstream of a branch, short.
func (r Remotes) Elect(branch string) Election {
	for _, e := range r.candidates(branch) {
		if r.usable(e.Elected) {
			return e
		}
	}
	return Election{}
}

func (r Remotes) usable(name string) bool {
	// A mirror gets all refs as they are here, by force, and loses those that are not here, as
	// others' inboxes.
	return len(r.URLs[name])+len(r.PushURLs[name]) > 0 && !r.Mirrors[name]
}

func (r Remotes) candidates(branch string) (all []Election) {
	// The user's word. Where there is no such remote, another one might be a place that they do not
	// want.
	if r.Chosen != "" {
		return []Election{{r.Chosen, ByChoice, ""}}
	}
	// The main branch is where a team's work meets. Any other may be pushed to a fork.
	trunks := []string{cmp.Or(r.Trunk, "main"), "main", "master"}
	for _, trunk := range trunks {
		all = append(all, Election{r.PushRemote[trunk], ByPushRemote, trunk})
	}
	all = append(all, Election{r.PushDefault, ByPushDefault, ""})
	for _, trunk := range trunks {
		all = append(all, Election{r.Upstream[trunk], ByMainUpstream, trunk})
	}
	if names := r.Names(); len(names) == 1 {
		all = append(all, Election{names[0], ByOnly, ""})
	}
	return append(all, Election{"origin", ByOrigin, ""}, Election{r.Upstream[branch], ByBranchUpstream, branch})
}

// Names are the remotes that could be elected.
func (r Remotes) Names() []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(r.URLs)), maps.Keys(r.PushURLs))
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(name string) bool { return !r.usable(name) })
}

// Is reports whether a push goes to a remote: git names it by its name, or by its address.
func (r Remotes) Is(name, pushed string) bool {
	if pushed == name {
		return true
	}
	// Who pushes to an address without a name has the hook get that, as it was typed: as it is
	// configured, or as git replaces it.
	addresses := slices.Concat(r.URLs[name], r.PushURLs[name])
	return slices.ContainsFunc(addresses, func(address string) bool {
		return pushed == address || r.replaced(pushed, false) == r.replaced(address, false) || pushed == r.replaced(address, true)
	})
}

// beyondBranches are the refs of a remote that are no branches there, and of which fetches make
// remote-tracking branches, as patterns: GitHub's refs/pull/*/head is one.
func (r Remotes) beyondBranches(name string) (patterns []string) {
	for _, spec := range r.Fetches[name] {
		from, to, _ := strings.Cut(strings.TrimPrefix(spec, "+"), ":")
		if strings.HasPrefix(to, "refs/remotes/"+name+"/") && strings.HasPrefix(from, "refs/") && !strings.HasPrefix(from, "refs/heads/") {
			patterns = append(patterns, from)
		}
	}
	return patterns
}

// another reports whether a remote-tracking branch, by its place below that of a remote one of its,
// is one that fetches make from another remote: that may be called team/mine, and this one team.
func (r Remotes) another(name, ref string) bool {
	for other, specs := range r.Fetches {
		for _, spec := range specs {
			_, to, _ := strings.Cut(spec, ":")
			before, after, pattern := strings.Cut(to, "*")
			if other != name && (to == ref || pattern && strings.HasPrefix(ref, before) && strings.HasSuffix(ref, after)) {
				return true
			}
		}
	}
	return false
}

// Allows reports whether the user lets a push take the branch of the checkpoints to a remote that
// is not elected.
func (r Remotes) Allows(pushed string) bool {
	return slices.ContainsFunc(r.Allowed, func(name string) bool { return name == pushed || r.Is(name, pushed) })
}
