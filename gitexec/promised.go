package gitexec

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"entire-plumb/internal/amount"
	"entire-plumb/internal/sets"
)

// A partial clone lacks objects that a remote has promised. Git fetches each by itself, when it
// reads it. Here nothing is fetched by the way: what is about to be read is listed, and what of it
// is missing is fetched in one request.

// offlineVars keep a command from fetching. git before 2.45 doesn't know the first; the second
// forbids all protocols.
var offlineVars = []string{"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL="}

// promised is what all copies of a repository know of the objects that it may lack.
type promised struct {
	remotes []string     // that promised them; none: it is no partial clone
	run     runner       // fetches: also for a repository of Scratch, to where all objects are
	say     func(string) // how far fetching is, and what cannot be fetched; nil: nothing is said

	mu      sync.Mutex
	here    map[OID]bool // objects that were found
	refused map[OID]bool // objects that no remote has

	unreached atomic.Bool // nothing more can be fetched
}

func (p *promised) partial() bool { return p != nil && len(p.remotes) > 0 }

// readPromises reads which remotes have promised objects. A process where the trace of discovery
// was incomplete.
func (r *Repo) readPromises(ctx context.Context) {
	r.promised = &promised{run: r.runner}
	own, err := r.OwnConfig(ctx)
	if err != nil { // who reads the configuration next reports it
		return
	}
	for _, key := range slices.Sorted(maps.Keys(own)) {
		values := own[key]
		last := values[len(values)-1]
		if key == "extensions.partialclone" {
			r.promised.remotes = append(r.promised.remotes, last)
			continue
		}
		name, ok := strings.CutPrefix(key, "remote.")
		name, ok2 := strings.CutSuffix(name, ".promisor")
		if ok && ok2 && !slices.Contains([]string{"false", "no", "off", "0"}, strings.ToLower(last)) {
			r.promised.remotes = append(r.promised.remotes, name)
		}
	}
	// It becomes an argument of git fetch: a hostile configuration must not pass an option by it.
	r.promised.remotes = slices.DeleteFunc(r.promised.remotes, func(name string) bool { return name == "" || strings.HasPrefix(name, "-") })
}

// Partial reports whether this is a partial clone.
func (r *Repo) Partial() bool { return r.promised.partial() }

// failed reports whether objects could not be fetched.
func (p *promised) failed() bool {
	return p != nil && p.unreached.Load()
}

// Unfetched reports whether it is a partial clone, for which objects could not be fetched.
func (r *Repo) Unfetched() bool { return r.promised.failed() }

// Announce has a partial clone's fetches of objects reported, and their failures.
func (r *Repo) Announce(say func(line string)) {
	if r.promised != nil {
		r.promised.say = say
	}
}

// Bring fetches those of the objects, trees with all that is below them but blobs, that a partial
// clone lacks. What cannot be fetched is reported once; reading it is a MissingError then. No
// process in other clones; else one for each thousand that were not looked for before, and two for
// each request.
func (r *Repo) Bring(ctx context.Context, ids ...OID) {
	if !r.Partial() {
		return
	}
	r.promised.mu.Lock()
	defer r.promised.mu.Unlock()
	// What no remote has is not asked for again: the request would fail as a whole.
	missing := slices.DeleteFunc(r.lacking(ctx, ids), func(id OID) bool { return r.promised.refused[id] })
	if r.offline || r.promised.failed() || ctx.Err() != nil || len(missing) == 0 {
		return
	}
	if err := r.fetchPromised(ctx, missing); err != nil && ctx.Err() == nil {
		r.promised.unreached.Store(true)
		r.say(unbrought(r.promised.remotes[0], len(missing), err))
	}
}

// Lacks reports which of the objects a partial clone lacks. It fetches none.
func (r *Repo) Lacks(ctx context.Context, ids []OID) map[OID]bool {
	if !r.Partial() {
		return nil
	}
	r.promised.mu.Lock()
	defer r.promised.mu.Unlock()
	return sets.Of(r.lacking(ctx, ids))
}

// found notes that objects are here now.
func (p *promised) found(ids []OID) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.note(ids)
}

func (p *promised) note(ids []OID) {
	if p.here == nil {
		p.here = map[OID]bool{}
	}
	for _, id := range ids {
		p.here[id] = true
	}
}

// unfetched reports whether git failed because it may not fetch.
func unfetched(stderr string) bool {
	return slices.ContainsFunc([]string{"lazy fetching disabled", "from promisor remote", "unable to read", "not allowed"},
		func(sign string) bool { return strings.Contains(stderr, sign) })
}

// mostLookedFor is how many objects one process looks for, and mostFetched how many one request
// names.
const mostLookedFor, mostFetched = 1000, 10_000

// lacking are the IDs among names of objects that are not here, each once. Git has one command that
// looks for an object without fetching it in all versions: it lists those whose IDs begin so.
func (r *Repo) lacking(ctx context.Context, names []OID) (missing []OID) {
	p := r.promised
	var open []OID
	seen := map[OID]bool{}
	for _, id := range names {
		// A name such as <commit>:<path> is not looked for: what it needs is listed by whoever
		// reads it.
		if !seen[id] && !p.here[id] && ValidOID(string(id)) && !id.IsZero() && id != r.Format.EmptyTree() {
			open, seen[id] = append(open, id), true
		}
	}
	for some := range slices.Chunk(open, mostLookedFor) {
		args := []string{"rev-parse"}
		for _, id := range some {
			args = append(args, "--disambiguate="+string(id))
		}
		out, err := r.output(ctx, command{args: args})
		if err != nil { // reading them says more
			return missing
		}
		p.note(oids(out))
		for _, id := range some {
			if !p.here[id] {
				missing = append(missing, id)
			}
		}
	}
	return missing
}

// fetchPromised fetches objects. A remote that doesn't have one of them gives none: that one is
// left out then.
func (r *Repo) fetchPromised(ctx context.Context, ids []OID) error {
	begun, all, done := time.Now(), len(ids), 0
	of := fmt.Sprintf("fetching what this partial clone lacks from %s: ", r.promised.remotes[0])
	soon := time.AfterFunc(time.Second, func() { r.say(of + amount.Of(all, "object")) })
	defer soon.Stop()
	for some := range slices.Chunk(ids, mostFetched) {
		if err := r.fetchSome(ctx, some); err != nil {
			return err
		}
		if done += len(some); done < all && time.Since(begun) > time.Second {
			r.say(fmt.Sprintf("%s%d of %d objects", of, done, all))
		}
	}
	return nil
}

func (r *Repo) say(line string) {
	if r.promised.say != nil {
		r.promised.say(line)
	}
}

// fetchOfObjects is git's own fetch of what a partial clone lacks, but for the remote, and the
// objects on its input.
var fetchOfObjects = []string{"-c", "fetch.negotiationAlgorithm=noop", "fetch", "--no-tags", "--no-write-fetch-head", "--recurse-submodules=no",
	"--no-auto-maintenance", "--filter=blob:none", "--stdin", "--quiet", "--"}

// mostRefused is how many objects that a remote does not have are left out of a request.
const mostRefused = 3

// fetchSome fetches objects from the first remote that gives them. It may ask the user for what
// git would ask for.
func (r *Repo) fetchSome(ctx context.Context, ids []OID) (err error) {
	ask := "GIT_TERMINAL_PROMPT=" + os.Getenv("GIT_TERMINAL_PROMPT")
	if _, set := os.LookupEnv("GIT_TERMINAL_PROMPT"); !set {
		ask = "GIT_TERMINAL_PROMPT=1"
	}
	for _, remote := range r.promised.remotes {
		for range mostRefused {
			_, err = r.promised.run.output(ctx, command{online: true, env: []string{ask}, stdin: Outgoing{Tips: ids}.stdin(),
				args: append(append([]string{"-c", "gc.auto=0", "-c", "maintenance.auto=false"}, fetchOfObjects...), remote)})
			refused := refusedIn(err)
			if refused == "" {
				break
			}
			// Git ends at the first object that a remote refuses: it is left out, and the rest
			// asked for again.
			ids = slices.DeleteFunc(slices.Clone(ids), func(id OID) bool { return id == refused })
			r.promised.refuse(refused)
		}
		if err == nil {
			r.promised.note(ids)
			return nil
		}
		if ctx.Err() != nil {
			return err
		}
	}
	return err
}

func (p *promised) refuse(id OID) {
	if p.refused == nil {
		p.refused = map[OID]bool{}
	}
	p.refused[id] = true
}

// refusedIn is the object of which a remote says that it doesn't have it; empty: it says something
// else.
func refusedIn(err error) OID {
	fault, ok := errors.AsType[*Error](err)
	if !ok {
		return ""
	}
	_, after, _ := strings.Cut(fault.Stderr, "not our ref ")
	id, _, _ := strings.Cut(after, "\n")
	if !ValidOID(id) {
		return ""
	}
	return OID(id)
}

// unbrought says that objects are missing.
func unbrought(remote string, n int, err error) string {
	objects := fmt.Sprintf("%s of this partial clone %s", amount.Of(n, "object"), amount.ByNumber(n, "is", "are"))
	why := err.Error()
	if fault, ok := errors.AsType[*Error](err); ok && fault.Stderr != "" {
		why, _, _ = strings.Cut(fault.Stderr, "\n")
	}
	return fmt.Sprintf("%s missing, and cannot be fetched from %s: %s\nhint: what needs them is not shown; once %s can be reached, run the command again",
		objects, remote, strings.TrimPrefix(why, "fatal: "), remote)
}

// bringTrees brings the trees of the commits that rev-list lists with arguments, which compares
// trees or which a command after it does.
func (r *Repo) bringTrees(ctx context.Context, c command) {
	if !r.Partial() {
		return
	}
	c.args = slices.Insert(slices.Clone(c.args), 1, "--no-commit-header", "--format=%T")
	if out, err := r.output(ctx, c); err == nil {
		r.Bring(ctx, oids(out)...)
	}
}

// bringChanged brings what a comparison of the files of trees reads.
func (r *Repo) bringChanged(ctx context.Context, pairs [][2]OID) {
	if r.Partial() {
		r.Bring(ctx, r.ChangedBlobs(ctx, pairs)...)
	}
}

// ChangedBlobs lists both versions of the files that differ between pairs of trees. An empty ID is
// the empty tree. One process.
func (r *Repo) ChangedBlobs(ctx context.Context, pairs [][2]OID) (blobs []OID) {
	_ = r.DiffPairs(ctx, pairs, Pathspecs{}, func(_ int, changes []Change) error {
		for _, c := range changes {
			for _, e := range []Entry{c.Old, c.New} {
				// The commit of a submodule is in another repository.
				if e.Exists() && e.Mode != ModeGitlink {
					blobs = append(blobs, e.ID)
				}
			}
		}
		return nil
	}) // who compares them reports what fails
	return blobs
}

// bringVersions brings the versions of a file in the history of a commit.
func (r *Repo) bringVersions(ctx context.Context, at OID, path string) {
	if !r.Partial() {
		return
	}
	of := string(at)
	if of == "" {
		of = "HEAD"
	}
	r.bringTrees(ctx, command{args: []string{"rev-list", of}})
	if out, err := r.output(ctx, command{args: []string{"rev-list", "--objects", "--missing=print", "--no-object-names", of, "--", path}}); err == nil {
		var missing []OID
		for line := range strings.Lines(string(out)) {
			if id, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "?"); ok {
				missing = append(missing, OID(id))
			}
		}
		r.Bring(ctx, missing...)
	}
}
