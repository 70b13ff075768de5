package gitexec

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Remote is another repository: a remote of git's configuration by its name, or an address.
type Remote struct {
	Name     string        // as git push takes it, after --
	Exact    bool          // it is an address as git uses it: url.<base>.insteadOf has made it, and makes no other of it
	Patience time.Duration // how long one command may take
	Limit    time.Duration // of all commands, of which Patience is left; zero: there is none
	Progress io.Writer     // what git says of its progress; nil: nothing
	// Here says that it is a repository of this machine. Git starts what receives there, which
	// removes what it has received in part when its input ends, but not when it is killed.
	Here bool
	// Unchecked has a fetch bring what git's check of objects refuses.
	Unchecked bool
	// Asks says that the user may be asked for a password, as by their own git: the command keeps
	// the terminal.
	Asks bool
}

// exact stands for the address of an Exact remote, in an argument and in exactly.
const exact = "entire-plumb:"

func (r Remote) argument() string {
	if r.Exact {
		return exact
	}
	return r.Name
}

// exactly is the environment in which git uses the address of an Exact remote: it replaces an
// argument once. An error of git's names the arguments, and an address may hold a password.
func (r Remote) exactly() []string {
	if !r.Exact {
		return nil
	}
	count := cmp.Or(os.Getenv("GIT_CONFIG_COUNT"), "0")
	n, _ := strconv.Atoi(count) // of another count git says what is wrong
	return []string{fmt.Sprintf("GIT_CONFIG_COUNT=%d", n+1), "GIT_CONFIG_KEY_" + count + "=url." + r.Name + ".insteadOf", "GIT_CONFIG_VALUE_" + count + "=" + exact}
}

// RefSpec asks for a ref of the remote to be updated.
type RefSpec struct {
	From  OID    // empty: delete it
	To    string // a full ref name
	Force bool
	Had   OID // with Force: only where it is still there; empty: wherever it is
}

// Pushed is what a remote did with one ref.
type Pushed struct {
	To      string // the ref
	Done    bool   // it is there now, or is deleted
	Deleted bool
	Behind  bool   // it was refused, because the remote's ref has commits that aren't in what was pushed
	Why     string // it was refused, in git's words
}

// Push pushes refs to a remote, each by itself, without any hook. It returns what became of each.
// The error says that the remote was not reached, or answered nothing; of several addresses, one.
// One process, and those of the transport; none without refs, of which git would choose some.
func (r *Repo) Push(ctx context.Context, to Remote, specs []RefSpec) ([]Pushed, error) {
	if len(specs) == 0 {
		return nil, nil
	}
	options, env := r.network(ctx, to)
	// All that the configuration could add to a push is off: tags, signatures, submodules.
	args := append(options, "push", "--porcelain", "--no-verify", "--no-follow-tags", "--no-signed", "--recurse-submodules=no")
	if to.Progress != nil {
		args = append(args, "--progress")
	}
	for _, s := range specs {
		if s.Force && s.Had != "" {
			args = append(args, "--force-with-lease="+s.To+":"+string(s.Had))
		}
	}
	args = append(args, "--", to.argument())
	for _, s := range specs {
		plus := ""
		if s.Force && s.Had == "" {
			plus = "+"
		}
		args = append(args, plus+string(s.From)+":"+s.To)
	}
	out, err := r.remote(ctx, to, command{args: args, env: env})
	pushed := parsePushed(string(out))
	refused := slices.ContainsFunc(pushed, func(p Pushed) bool { return !p.Done })
	// It exits with 1 where some refs were refused: their lines say why. So it does where an http
	// server answers with an error, and then no line says anything.
	if said, ok := errors.AsType[*Error](err); ok && said.Code == 1 && refused {
		err = nil
	}
	if len(pushed) == 0 && err == nil {
		err = errors.New("git push said nothing")
	}
	return pushed, err
}

// parsePushed parses the output of git push --porcelain: a flag, the refs and a summary, divided by
// tabs.
func parsePushed(out string) []Pushed {
	var all []Pushed
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(f) != 3 || len(f[0]) != 1 {
			continue
		}
		_, to, _ := strings.Cut(f[1], ":")
		p := Pushed{To: to, Done: f[0] != "!", Deleted: f[0] == "-"}
		if !p.Done {
			p.Why = strings.Trim(f[2], "[]")
			if _, why, ok := strings.Cut(f[2], "("); ok {
				p.Why = strings.TrimSuffix(why, ")")
			}
			// Git's own words, and those of servers for a ref that another push moves at the same
			// time.
			p.Behind = slices.ContainsFunc([]string{"non-fast-forward", "fetch first", "stale info", "failed to update ref", "cannot lock ref",
				"needs force", "remote ref updated since checkout", "incorrect old value provided", "reference already exists"},
				func(sign string) bool { return strings.Contains(p.Why, sign) })
		}
		all = append(all, p)
	}
	return all
}

// Fetch fetches refs from a remote, and prunes what it has not got any more below the destinations.
// A spec has patterns on both sides; one without would be an error where the remote has no such
// ref. In a partial clone the filter counts, see git rev-list --filter; elsewhere it must be empty.
// The remote's objects are checked first. One process, and those of the transport.
func (r *Repo) Fetch(ctx context.Context, from Remote, filter string, specs ...string) error {
	options, env := r.network(ctx, from)
	args := append(options, "-c", "fetch.fsckObjects="+strconv.FormatBool(!from.Unchecked), "-c", "fetch.recurseSubmodules=false", "fetch", "--no-tags", "--prune",
		"--no-write-fetch-head", "--no-auto-maintenance", "--no-recurse-submodules", "--no-show-forced-updates", "--no-write-commit-graph")
	if from.Progress != nil {
		args = append(args, "--progress")
	} else {
		args = append(args, "--quiet")
	}
	if filter != "" {
		args = append(args, "--filter="+filter)
	}
	// Refspecs by the input: those of checkpoints with refs of their own may be too many for a
	// command line.
	_, err := r.remote(ctx, from, command{args: append(args, "--stdin", "--", from.argument()), env: env,
		stdin: strings.NewReader(strings.Join(specs, "\n") + "\n")})
	return err
}

// Branches asks a remote for its branches, and for refs of other patterns, see git ls-remote. One
// process, and those of the transport.
func (r *Repo) Branches(ctx context.Context, of Remote, others ...string) (refs []Ref, err error) {
	options, env := r.network(ctx, of)
	args := append(options, "ls-remote", "--quiet", "--heads", "--", of.argument())
	if len(others) > 0 { // --heads would leave them out
		args = slices.Concat(options, []string{"ls-remote", "--quiet", "--", of.argument(), "refs/heads/*"}, others)
	}
	out, err := r.remote(ctx, of, command{args: args, env: env})
	for line := range strings.Lines(string(out)) {
		id, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if err == nil && (!ok || !ValidOID(id)) {
			return nil, fmt.Errorf("git ls-remote answered %.200q", line)
		}
		refs = append(refs, Ref{Name: name, ID: OID(id)})
	}
	return refs, err
}

// FetchObjects fetches objects by their IDs, as git does by itself in a partial clone, but many at
// once: trees with all that is below them but blobs. One process, and those of the transport.
func (r *Repo) FetchObjects(ctx context.Context, from Remote, ids []OID) error {
	options, env := r.network(ctx, from)
	args := append(append(options, fetchOfObjects...), from.Name)
	_, err := r.remote(ctx, from, command{args: args, env: env, stdin: Outgoing{Tips: ids}.stdin()})
	if err == nil {
		r.promised.found(ids)
	}
	return err
}

// MissingBeyond lists the missing objects in the histories of tips that are not in those of other
// commits, which may be missing themselves. A missing commit in a history is an error. each, unless
// nil, is called with the number of objects so far. One process.
func (r *Repo) MissingBeyond(ctx context.Context, commits []OID, each func(done int), tips ...OID) (missing []OID, err error) {
	has := slices.DeleteFunc(slices.Clone(commits), func(id OID) bool { return id == "" })
	args := []string{"rev-list", "--objects", "--missing=print", "--no-object-names"}
	if len(commits) > 0 {
		// Those to be left out may be missing themselves.
		args = append(args, "--ignore-missing")
	}
	p, err := r.start(ctx, command{args: append(args, "--stdin")})
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(p.in, Outgoing{Tips: tips, Has: has}.stdin()); err != nil {
		return nil, p.broken(err)
	}
	p.in.Close()
	lines := bufio.NewScanner(p.out)
	for done := 1; lines.Scan(); done++ {
		if id, ok := strings.CutPrefix(lines.Text(), "?"); ok {
			missing = append(missing, OID(id))
		}
		if each != nil {
			each(done)
		}
	}
	if err := lines.Err(); err != nil {
		return missing, p.broken(err)
	}
	return missing, p.wait()
}

// untilEnded is how long what a command has started may take to end after it: see alone.
const untilEnded = time.Second

// remote runs a command that talks to a remote.
func (r *Repo) remote(ctx context.Context, with Remote, c command) ([]byte, error) {
	if with.Name == "" {
		return nil, errors.New("no remote is named")
	}
	c.online = true
	return r.outputAlone(ctx, with, c)
}

// outputAlone runs a command for a time, in a session of its own, without a terminal that the user
// could be asked on. It ends with all that it has started, unless that is to finish by itself. One
// that may ask the user stays in the caller's session: only it is ended.
func (r *runner) outputAlone(ctx context.Context, with Remote, c command) ([]byte, error) {
	if err := r.flush(ctx, c); err != nil { // which isn't the remote's to wait for
		return nil, err
	}
	ctx, stop := context.WithTimeoutCause(ctx, with.Patience, &NoAnswerError{with.Patience, with.Limit})
	defer stop()
	cmd, stderr := r.prepare(ctx, c)
	kill := func() {}
	if !with.Asks {
		kill = alone(cmd, with.Here)
	}
	cmd.WaitDelay = untilEnded
	if with.Progress != nil {
		cmd.Stderr = io.MultiWriter(stderr, with.Progress)
	}
	return r.run(ctx, c, cmd, stderr, func() error {
		err := cmd.Run()
		// What git has started may live on.
		if ctx.Err() != nil && !with.Here {
			kill()
		}
		if errors.Is(err, exec.ErrWaitDelay) { // git itself has succeeded
			return nil
		}
		return err
	})
}

// NoAnswerError says that a remote did not answer in time.
type NoAnswerError struct {
	After time.Duration // that one command had
	Limit time.Duration // that it had with those before it; zero: it was alone
}

func (e *NoAnswerError) Error() string {
	// What is left of the limit for the last command may be a millisecond, and says nothing.
	after := max(e.After, e.Limit)
	return fmt.Sprintf("no answer within %s", cmp.Or(after.Round(time.Second/10), after))
}

// MergeBase is the best common ancestor of two commits; empty: their histories are unrelated. One
// process.
func (r *Repo) MergeBase(ctx context.Context, a, b OID) (OID, error) {
	out, err := r.output(ctx, command{accept: 1, args: []string{"merge-base", string(a), string(b)}})
	if err != nil {
		return "", err
	}
	id, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return OID(id), nil
}
