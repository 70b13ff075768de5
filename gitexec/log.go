package gitexec

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Pathspecs select paths, as git's arguments after "--" do.
type Pathspecs struct {
	All []string
	Dir string // that they are relative to; empty: the top of the worktree
}

// FindCommit finds the latest commit on a branch or at HEAD whose message contains the text and
// that isn't in the history of since; empty if there is none.
func (r *Repo) FindCommit(ctx context.Context, text string, since OID) (OID, error) {
	args := []string{"rev-list", "-1", "--ignore-missing", "--fixed-strings", "--grep=" + text, "HEAD", "--branches"}
	if !since.IsZero() {
		args = append(args, "^"+string(since))
	}
	out, err := r.output(ctx, command{args: args})
	return OID(strings.TrimSpace(string(out))), err
}

// FindCommits lists the commits on branches and tags, in HEAD's history and in that of also, whose
// message contains any of the texts, newest first, except on our own branches. One process.
func (r *Repo) FindCommits(ctx context.Context, texts []string, also ...OID) ([]OID, error) {
	args := []string{"rev-list", "--ignore-missing", "--fixed-strings"}
	for _, text := range texts {
		args = append(args, "--grep="+text)
	}
	// The pattern of --exclude is that of the --branches behind it: without refs/heads/.
	args = append(args, "HEAD", "--exclude=entire/*", "--branches", "--tags")
	for _, id := range also {
		args = append(args, string(id))
	}
	return r.list(ctx, args)
}

// Reachable lists those of the commits, which exist, that are on a branch or a tag, or in HEAD's
// history. One process.
func (r *Repo) Reachable(ctx context.Context, commits []OID) ([]OID, error) {
	outside, err := r.outside(ctx, commits, "--not", "HEAD", "--exclude=entire/*", "--branches", "--tags")
	return slices.DeleteFunc(slices.Clone(commits), func(id OID) bool { return outside[id] }), err
}

// InHistory reports whether a commit is in the history of another, or is the same.
func (r *Repo) InHistory(ctx context.Context, id, of OID) (bool, error) {
	out, err := r.output(ctx, command{args: []string{"rev-list", "-1", string(id), "^" + string(of)}})
	return len(out) == 0, err
}

// FirstParents lists the first-parent histories of commits, newest first, without the histories of
// others and without what is older than a time; the zero time: all. It ignores pruned commits. One
// process.
func (r *Repo) FirstParents(ctx context.Context, of, but []OID, since time.Time) ([]OID, error) {
	options := []string{"--first-parent"}
	if !since.IsZero() {
		options = append(options, fmt.Sprintf("--max-age=%d", max(0, since.Unix())))
	}
	return Outgoing{Tips: of, Has: but}.ids(ctx, r, options...)
}

// MentioningAnywhere lists the commits on any ref, in reflogs and in HEAD's history, also those of
// our own branches, whose messages contain a text. One process.
func (r *Repo) MentioningAnywhere(ctx context.Context, text string) ([]OID, error) {
	return r.list(ctx, []string{"rev-list", "--ignore-missing", "--fixed-strings", "--grep=" + text, "--all", "--reflog", "HEAD"})
}

// Own lists the commits in a history that are not in those of others, newest first, at most so
// many. One process.
func (r *Repo) Own(ctx context.Context, of OID, others []OID, most int) ([]OID, error) {
	args := []string{"rev-list", fmt.Sprintf("--max-count=%d", most), string(of)}
	for _, id := range others {
		args = append(args, "^"+string(id))
	}
	return r.list(ctx, args)
}

// LastChange is the last commit in a history that changed a path, and no merge, which only unites
// what others changed; empty: none did. One process.
func (r *Repo) LastChange(ctx context.Context, of OID, path Path) (OID, error) {
	r.bringTrees(ctx, command{args: []string{"rev-list", "--no-merges", "--end-of-options", string(of), "--"}})
	ids, err := r.list(ctx, []string{"rev-list", "-1", "--no-merges", "--end-of-options", string(of), "--", ":(literal)" + string(path)})
	if len(ids) == 0 {
		return "", err
	}
	return ids[0], err
}

// Shallow reports whether the repository is a shallow clone: there may be commits that are not
// here.
func (r *Repo) Shallow() bool {
	_, err := os.Lstat(filepath.Join(r.CommonDir, "shallow"))
	return err == nil
}

// Unreferenced lists those of the commits that are missing, or in the history of no ref, no reflog
// and not of HEAD. Two processes.
func (r *Repo) Unreferenced(ctx context.Context, commits []OID) ([]OID, error) {
	if len(commits) == 0 {
		return nil, nil
	}
	o := r.Objects(ctx)
	defer o.Close()
	found, err := o.Info(commits...)
	if err != nil {
		return nil, err
	}
	// What is missing is in no answer: rev-list skips it.
	outside, err := r.outside(ctx, commits, "--not", "--all", "--reflog", "HEAD")
	var all []OID
	for i, id := range commits {
		if found[i].Type != "commit" || outside[id] {
			all = append(all, id)
		}
	}
	return all, err
}

// list runs a command that prints object IDs.
func (r *Repo) list(ctx context.Context, args []string) ([]OID, error) {
	out, err := r.output(ctx, command{args: args})
	return oids(out), err
}

func oids(out []byte) (ids []OID) {
	for line := range strings.FieldsSeq(string(out)) {
		ids = append(ids, OID(line))
	}
	return ids
}

// History selects commits, as git log does. Its zero value is all of HEAD's history.
type History struct {
	Revs   []string // revisions and ranges; none: HEAD
	NoWalk bool     // only the commits that Revs name, if these are no ranges
	Since  string   // as git understands dates; empty: no limit
	Until  string
	Author string // a regular expression
	Paths  Pathspecs
	Most   int // 0: all
}

// arguments are those of git rev-list.
func (h History) arguments() []string {
	args := []string{"rev-list"}
	limit := func(name, value string) {
		if value != "" {
			args = append(args, name+value)
		}
	}
	limit("--since=", h.Since)
	limit("--until=", h.Until)
	limit("--author=", h.Author)
	if h.Most > 0 {
		args = append(args, fmt.Sprintf("--max-count=%d", h.Most))
	}
	revs := h.Revs
	if len(revs) == 0 {
		revs = []string{"HEAD"}
	}
	isRange := func(rev string) bool { return strings.Contains(rev, "..") || strings.HasPrefix(rev, "^") }
	if h.NoWalk && !slices.ContainsFunc(revs, isRange) {
		args = append(args, "--no-walk=unsorted")
	}
	args = append(append(args, "--end-of-options"), revs...)
	return append(append(args, "--"), h.Paths.All...)
}

// History lists the selected commits, newest first. One process.
func (r *Repo) History(ctx context.Context, h History) ([]OID, error) {
	// To limit a history by paths git compares the trees of all its commits: a clone with
	// --filter=tree:0 would fetch them one by one.
	if len(h.Paths.All) > 0 {
		r.bringTrees(ctx, command{args: History{Revs: h.Revs, NoWalk: h.NoWalk}.arguments()})
	}
	out, err := r.output(ctx, command{args: h.arguments(), dir: h.Paths.Dir})
	return oids(out), err
}

// BeyondHistory lists the commits in the histories of tips that are not in HEAD's, newest first, at
// most `most`, or all with 0. It ignores pruned tips. One process.
func (r *Repo) BeyondHistory(ctx context.Context, tips []OID, most int) ([]OID, error) {
	var args []string
	if most > 0 {
		args = append(args, "--max-count="+strconv.Itoa(most))
	}
	if !r.Head.ID.IsZero() {
		args = append(args, "--not", "HEAD")
	}
	return r.listBeyond(ctx, tips, args...)
}
