package gitexec

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Outgoing is what a push sends: the commits in the history of its tips that the remote doesn't
// have.
type Outgoing struct {
	Tips   []OID  // commits and tags; trees and blobs have no history
	Has    []OID  // what the remote has, also if it is missing here
	Remote string // a remote's name: its remote-tracking branches count as what it has
	// AnyRemote counts those of all remotes.
	AnyRemote bool

	below Path // only commits that change files below it; empty: all
}

// Since lists those that are no merges and that were committed since a time, newest first. One
// process.
func (o Outgoing) Since(ctx context.Context, r *Repo, when time.Time) ([]OID, error) {
	return o.ids(ctx, r, "--no-merges", fmt.Sprintf("--max-age=%d", max(0, when.Unix())))
}

// First is the oldest of those that change files below a path, also where a merge has not taken the
// change; empty: none does. One process.
func (o Outgoing) First(ctx context.Context, r *Repo, path Path) (OID, error) {
	o.below = path
	// Without --full-history git leaves out a side of a merge whose change the merge does not have.
	ids, err := o.ids(ctx, r, "--full-history", "--topo-order")
	if err != nil || len(ids) == 0 {
		return "", err
	}
	return ids[len(ids)-1], nil
}

// Touched is a file that a commit adds, or changes.
type Touched struct {
	Name      Path
	Commit    OID
	Committer string // name and email
	When      time.Time
}

// Added passes on the files with names that a pattern matches, by the commits that add them, newest
// first. One process.
func (o Outgoing) Added(ctx context.Context, r *Repo, pattern string, each func(Touched)) error {
	return o.eachFile(ctx, r, each, "--full-history", "--diff-filter=A", "--", ":(top,glob)"+pattern)
}

// Changed passes on all files, by the commits that add, change or delete them, newest first. Merges
// are no such commits. One process.
func (o Outgoing) Changed(ctx context.Context, r *Repo, each func(Touched)) error {
	return o.eachFile(ctx, r, each, "--no-merges")
}

// eachFile passes on what git log lists.
func (o Outgoing) eachFile(ctx context.Context, r *Repo, each func(Touched), options ...string) error {
	mark := "\x01" + rand.Text() + " " // no file's name begins so
	args := append([]string{"log", "--ignore-missing", "--stdin", "--topo-order", "--no-renames", "--name-only", "-z", "--root",
		"--no-show-signature", "--no-notes", "--no-color", "--format=" + mark + "%H %ct %cn <%ce>"}, options...)
	out, err := r.output(ctx, command{args: args, stdin: o.stdin()})
	if err != nil {
		return err
	}
	var at Touched
	for record := range strings.SplitSeq(string(out), "\x00") {
		// With -z a header ends with a NUL, and the first name after it begins on a new line.
		record = strings.TrimPrefix(record, "\n")
		if header, ok := strings.CutPrefix(record, mark); ok {
			id, rest, _ := strings.Cut(header, " ")
			when, who, _ := strings.Cut(rest, " ")
			unix, _ := strconv.ParseInt(when, 10, 64)
			at = Touched{Commit: OID(id), Committer: who, When: time.Unix(unix, 0).UTC()}
		} else if name := record; name != "" {
			at.Name = Path(name)
			each(at)
		}
	}
	return nil
}

// Commits lists them, newest first. One process.
func (o Outgoing) Commits(ctx context.Context, r *Repo) ([]OID, error) { return o.ids(ctx, r) }

// Containing lists those whose message contains the text, newest first, without commits that are
// older than a time; zero: all. One process.
func (o Outgoing) Containing(ctx context.Context, r *Repo, text string, when time.Time) ([]OID, error) {
	// The zero time, as any before 1970, becomes 0: that is all of them.
	return o.ids(ctx, r, "--fixed-strings", "--grep="+text, fmt.Sprintf("--max-age=%d", max(0, when.Unix())))
}

// Objects are all objects in the commits, and in trees that are tips themselves, except those that
// the remote has, each with a path that it has. One process.
func (o Outgoing) Objects(ctx context.Context, r *Repo) (map[OID]Path, error) {
	lines, err := o.revList(ctx, r, "--objects")
	all := make(map[OID]Path, len(lines))
	for _, line := range lines {
		id, path, _ := strings.Cut(line, " ")
		all[OID(id)] = Path(path)
	}
	return all, err
}

func (o Outgoing) ids(ctx context.Context, r *Repo, options ...string) ([]OID, error) {
	lines, err := o.revList(ctx, r, options...)
	ids := make([]OID, len(lines))
	for i, line := range lines {
		ids[i] = OID(line)
	}
	return ids, err
}

// Parents lists each commit followed by its parents, parents before children. One process.
func (o Outgoing) Parents(ctx context.Context, r *Repo) ([][]OID, error) {
	return o.parents(ctx, r, "--topo-order", "--reverse")
}

// FirstParents is Parents of the history of the first parents alone. One process.
func (o Outgoing) FirstParents(ctx context.Context, r *Repo) ([][]OID, error) {
	return o.parents(ctx, r, "--first-parent", "--reverse")
}

// DiskUsage is how many bytes their objects have as they are stored here: about what a push sends.
// One process.
func (o Outgoing) DiskUsage(ctx context.Context, r *Repo) (int64, error) {
	out, err := r.output(ctx, command{args: append([]string{"rev-list", "--missing=allow-any", "--objects", "--disk-usage"}, o.limits()...), stdin: o.stdin()})
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
}

func (o Outgoing) parents(ctx context.Context, r *Repo, options ...string) ([][]OID, error) {
	lines, err := o.revList(ctx, r, append(options, "--parents")...)
	graph := make([][]OID, len(lines))
	for i, line := range lines {
		graph[i] = oids([]byte(line))
	}
	return graph, err
}

func (o Outgoing) revList(ctx context.Context, r *Repo, options ...string) ([]string, error) {
	// --missing prevents a fetch in a partial clone.
	args := append([]string{"rev-list", "--missing=allow-any"}, options...)
	args = append(args, o.limits()...)
	if o.below != "" {
		args = append(args, "--", ":(top,literal)"+string(o.below))
	}
	out, err := r.output(ctx, command{args: args, stdin: o.stdin()})
	if err != nil {
		return nil, err
	}
	var lines []string
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSuffix(line, "\n")
		if id, _, _ := strings.Cut(line, " "); !ValidOID(id) {
			return nil, fmt.Errorf("git rev-list answered %q", line)
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// limits are the options that limit a list of commits to these, with [Outgoing.stdin].
// --ignore-missing skips what the remote has and is missing here.
func (o Outgoing) limits() []string {
	args := []string{"--ignore-missing", "--stdin"}
	switch {
	case o.AnyRemote:
		args = append(args, "--not", "--remotes")
	case o.Remote != "":
		args = append(args, "--not", "--remotes="+literal(o.Remote)+"/*")
	}
	return args
}

func (o Outgoing) stdin() io.Reader {
	var in bytes.Buffer
	for _, id := range o.Tips {
		fmt.Fprintln(&in, id)
	}
	for _, id := range o.Has {
		fmt.Fprintln(&in, "^"+string(id))
	}
	return &in
}

// literal is a pattern that matches one ref's name only.
func literal(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(name)
}
