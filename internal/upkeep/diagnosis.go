package upkeep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/query"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/share"
	"entire-plumb/internal/turns"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// Trouble is something that recorded work needs of the user, or of doctor --fix.
type Trouble struct {
	Kind string // see the constants
	What string // one line
	Hint string // what to do; empty: nothing, it is only said
}

// The kinds of troubles.
const (
	StuckSession      = "stuck session"
	MissingCheckpoint = "link without a checkpoint"
	ForeignLink       = "link of another repository"
	DamagedState      = "damaged state"
	DamagedStream     = "damaged stream"
	DamagedCheckpoint = "damaged checkpoint"
	StaleLock         = "stale lock"
	TwoBeginnings     = "branch with two beginnings"
	Contradicted      = "contradicted by others"
)

// Diagnosis is what is recorded in a repository, and what is wrong with it.
type Diagnosis struct {
	Troubles    []Trouble `json:"-"`
	Sessions    int       `json:"sessions"`
	Streams     int       `json:"streams"`
	Checkpoints int       `json:"checkpoints"`
	Bytes       int64     `json:"private_bytes"` // of states, caches and the journal
	Hooks       []Speed   `json:"hooks"`         // by name
}

// Speed is how long a hook took lately.
type Speed struct {
	Hook      string `json:"hook"`
	Runs      int    `json:"runs"`
	Median    int64  `json:"median_ms"`
	Longest   int64  `json:"longest_ms"`
	Processes int    `json:"git_processes"` // the median
}

// Diagnose looks at what is recorded. It changes nothing.
func Diagnose(ctx context.Context, e workspace.Env) (d Diagnosis, err error) {
	run, _, done, err := turns.OpenReadOnly(ctx, e)
	if err != nil {
		return d, err
	}
	defer done()
	run.Store.Warn = func(line string) {
		d.Troubles = append(d.Troubles, Trouble{DamagedState, line, "the next hook sets it aside"})
	}
	states, err := run.Store.All()
	if err != nil {
		return d, err
	}
	run.Store.Warn = e.Warn
	d.Sessions = len(states)
	d.Troubles = append(d.Troubles, stuckSessions(run, states)...)
	d.Troubles = append(d.Troubles, damagedStates(workspace.StateDir(run.Repo))...)
	d.Troubles = append(d.Troubles, staleLocks(run.Repo, time.Now())...)
	if err := d.lookAtGit(ctx, run); err != nil {
		return d, err
	}
	for _, dir := range []string{workspace.StateDir(run.Repo), run.Repo.SharedDir()} {
		d.Bytes += sizeOf(dir)
	}
	entries, err := journal.Read(run.Repo.SharedDir())
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	d.Hooks = speeds(entries)
	return d, err
}

// lookAtGit looks at the streams, and then at the checkpoints. What was found before an error
// stays.
func (d *Diagnosis) lookAtGit(ctx context.Context, run *workspace.Run) error {
	listing, err := shadow.List(ctx, run.Repo)
	if err != nil {
		return err
	}
	streams, err := listing.All(run.DB)
	if err != nil {
		return err
	}
	d.Streams = len(streams)
	broken, err := brokenStreams(run.DB, listing)
	if err != nil {
		return err
	}
	d.Troubles = append(d.Troubles, broken...)
	branch, err := checkpoints.ReadBranches(ctx, run.Repo, run.DB)
	if err != nil {
		return err
	}
	census, err := query.TakeCensus(ctx, run.Env, run.Repo, run.DB, branch)
	if err != nil && !errors.Is(err, checkpoints.ErrDamaged) {
		return err
	}
	d.Checkpoints = census.Checkpoints
	for _, check := range []func() ([]Trouble, error){
		func() ([]Trouble, error) { return missingObjects(ctx, run, streams, branch) },
		func() ([]Trouble, error) { return twoBeginnings(ctx, run.Workspace) },
		func() ([]Trouble, error) { return missingCheckpoints(ctx, run.Repo, run.DB, branch, census) },
		func() ([]Trouble, error) { return overruled(ctx, run.Repo, run.DB, branch) },
		func() ([]Trouble, error) { return damagedCheckpoints(census), nil },
	} {
		found, err := check()
		if err != nil {
			return err
		}
		d.Troubles = append(d.Troubles, found...)
	}
	return nil
}

func andMore(n int, one, many string) string {
	switch n {
	case 0:
		return ""
	case 1:
		return one
	}
	return fmt.Sprintf(many, n)
}

// brokenStreams are those whose commit is missing.
func brokenStreams(db *gitexec.ODB, listing shadow.Listing) (troubles []Trouble, err error) {
	broken, err := listing.Broken(db)
	for _, s := range broken {
		troubles = append(troubles, Trouble{DamagedStream, "branch " + s.String() + " is damaged: " + missingTip(s),
			"git fsck says more; if nothing brings the commit back: git update-ref -d " + s.Name.Ref()})
	}
	return troubles, err
}

// damagedCheckpoints counts the committed checkpoints, and says how many cannot be read.
func damagedCheckpoints(census query.Census) (troubles []Trouble) {
	var all []string
	for _, k := range census.Damaged {
		all = append(all, k.Error)
	}
	if all = append(all, census.Beside...); len(all) > 0 {
		troubles = []Trouble{{DamagedCheckpoint, all[0] + andMore(len(all)-1, "; 1 more is damaged", "; %d more are damaged"),
			"entire-plumb checkpoints lists them; git fetch may restore them from a remote that has them"}}
	}
	return troubles
}

// damagedStates are the state files that were set aside.
func damagedStates(dir string) []Trouble {
	var troubles []Trouble
	for _, file := range safefile.Glob(dir, "*.damaged*") {
		troubles = append(troubles, Trouble{DamagedState, fmt.Sprintf("%s was damaged and set aside; its session has started over", filepath.Base(file)),
			"rm " + gitexec.ShellQuote(file)})
	}
	return troubles
}

// oldLock is the age of a lock file that no command holds: an editor may be open for long.
const oldLock = time.Hour

// staleLocks are the lock files that a killed git has left, and that keep refs of ours, the index,
// or the configuration from being written.
func staleLocks(repo *gitexec.Repo, now time.Time) []Trouble {
	common := func(name string) string { return filepath.Join(repo.CommonDir, filepath.FromSlash(name)) }
	locks := []string{filepath.Join(repo.GitDir, "index.lock"), filepath.Join(repo.GitDir, "HEAD.lock"),
		common("packed-refs.lock"), common("reftable/tables.list.lock"), common("config.lock")}
	const remotes = "refs/remotes"
	fetched := filepath.FromSlash("/entire/checkpoints/") // below a remote's name, which may have slashes
	for _, root := range []string{strings.TrimSuffix(shadow.Prefix, "/"), strings.TrimSuffix(shadow.Private, "/"), remotes} {
		_ = filepath.WalkDir(common(root), func(file string, d fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(file, ".lock") && (root != remotes || strings.Contains(file, fetched)) {
				locks = append(locks, file)
			}
			return nil // as much as can be seen
		})
	}
	var troubles []Trouble
	for _, file := range locks {
		if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > oldLock {
			troubles = append(troubles, Trouble{StaleLock, fmt.Sprintf("%s is there since %s: git cannot write what it locks",
				gitexec.Harmless(file), info.ModTime().Format("2006-01-02 15:04")), "if no git command is running: rm " + gitexec.ShellQuote(file)})
		}
	}
	return troubles
}

// missingCheckpoints are the links of commits on branches whose checkpoints are not here. Those of
// another repository's commits are told apart.
func missingCheckpoints(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, branch checkpoints.Branch, census query.Census) ([]Trouble, error) {
	var missing []string
	for _, link := range slices.Sorted(maps.Keys(census.Unlisted)) {
		if _, err := checkpoints.ReadCommitted(db, branch, link); errors.Is(err, checkpoints.ErrNoCheckpoint) && branch.PurgedOn(db, link) == "" {
			missing = append(missing, link)
		}
	}
	if len(missing) == 0 {
		return nil, nil
	}
	joined, err := repo.JoinedHistories(ctx)
	if err != nil {
		return nil, err
	}
	var own, foreign []string
	for _, link := range missing {
		if slices.ContainsFunc(census.Unlisted[link], func(id gitexec.OID) bool { return !joined[id] }) {
			own = append(own, link)
		} else {
			foreign = append(foreign, link)
		}
	}
	troubles, err := linksWithout(db, census, own, MissingCheckpoint, "", "if it was pushed, entire-plumb fetch brings it")
	if err != nil {
		return nil, err
	}
	notes, err := linksWithout(db, census, foreign, ForeignLink, " of another repository's history", "")
	return append(troubles, notes...), err
}

// linksWithout is the trouble with links whose checkpoints are not here, if there are any.
func linksWithout(db *gitexec.ODB, census query.Census, links []string, kind, where, hint string) ([]Trouble, error) {
	if len(links) == 0 {
		return nil, nil
	}
	commit, err := query.Latest(db, census.Unlisted[links[0]])
	what := fmt.Sprintf("commit %s%s links the checkpoint %s, which is not here", commit.Short(), where, links[0])
	what += andMore(len(links)-1, "; 1 more link has none", "; %d more links have none")
	return []Trouble{{kind, what, hint}}, err
}

// mostNamedOverruled is how much of what others say otherwise is named one by one.
const mostNamedOverruled = 10

// overruled is what others say against what was decided and recorded here.
func overruled(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, branch checkpoints.Branch) (troubles []Trouble, err error) {
	all, err := branch.Overruled(db)
	if err != nil {
		return nil, err
	}
	if err := branch.RecordFault(db); err != nil {
		troubles = append(troubles, Trouble{DamagedState, "what was decided here cannot be read: " + explain.OneLine(err),
			"move the file away: what others say then counts for its commits"})
	}
	few := all[:min(mostNamedOverruled, len(all))]
	branch.Sources(ctx, repo, db).Overruled(few)
	for _, o := range few {
		hint := "what was recorded here counts here; in other clones it may be what others say"
		if o.Commit != "" && !o.Removed {
			hint = fmt.Sprintf("entire-plumb unlink %s %s removes the link for all", o.Commit.Short(), o.Checkpoint)
		}
		troubles = append(troubles, Trouble{Contradicted, "not counted: " + gitexec.Harmless(o.String()), hint})
	}
	if n := len(all) - len(few); n > 0 {
		troubles = append(troubles, Trouble{Contradicted, fmt.Sprintf("not counted: %d more of what others say", n), "entire-plumb why COMMIT says more"})
	}
	return troubles, nil
}

// twoBeginnings says that the branch here and the remote's have no commit in common (seed 004,
// WarnIfMetadataDisconnected).
func twoBeginnings(ctx context.Context, w *workspace.Workspace) ([]Trouble, error) {
	remote, apart, err := share.Disconnected(ctx, w)
	if err != nil || !apart {
		return nil, err
	}
	return []Trouble{{TwoBeginnings, "entire/checkpoints/v1 here and on " + gitexec.Harmless(remote) + " have no commit in common",
		"entire-plumb sync joins them"}}, nil
}

// sizeOf is how many bytes the files below a directory have.
func sizeOf(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // as much as can be seen
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}

// speeds is, by the journal, how long the hooks took.
func speeds(entries []journal.Entry) (all []Speed) {
	times, processes := map[string][]int64{}, map[string][]int{}
	for _, e := range entries {
		if e.Hook == "note" || e.Hook == journal.NoHook || e.Error != "" {
			continue
		}
		times[e.Hook] = append(times[e.Hook], e.Milliseconds)
		processes[e.Hook] = append(processes[e.Hook], e.Processes)
	}
	for hook, ms := range times {
		slices.Sort(ms)
		slices.Sort(processes[hook])
		all = append(all, Speed{hook, len(ms), ms[len(ms)/2], ms[len(ms)-1], processes[hook][len(ms)/2]})
	}
	slices.SortFunc(all, func(a, b Speed) int { return strings.Compare(a.Hook, b.Hook) })
	return all
}
