package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"entire-plumb/internal/safefile"
)

// promises: what must hold whenever nothing of ours is at work, and, unless it says "but orphans",
// that no checkpoint is there which no commit links.
func promises(ts *testscript.TestScript, neg bool, args []string) {
	orphans := len(args) == 2 && args[0] == "but" && args[1] == "orphans"
	want(ts, neg, len(args) == 0 || orphans, "promises [but orphans]")
	ts.Check(Promises(func(args ...string) (string, error) {
		err := ts.Exec("git", args...)
		return ts.ReadFile("stdout"), err
	}, !orphans))
}

// Promises checks what must hold in a repository whenever nothing of ours is at work, by git's own
// answers: every link resolves; a checkpoint's files are in its commit's diff, and its lines add
// up; a stream holds something that no linked commit has; the repository is sound; no lock and no
// unfinished work remains. If linked is set, there must also be no checkpoint without a commit,
// though one that the user has thrown away leaves such a one, and the checkpoints must not have
// been purged. ask runs git in the repository, and gives what it prints.
func Promises(ask func(args ...string) (string, error), linked bool) error {
	// Without git's own caches, each of which takes a process to check.
	if _, err := ask("-c", "core.commitGraph=false", "-c", "core.multiPackIndex=false", "fsck", "--strict", "--no-dangling"); err != nil {
		return fmt.Errorf("the repository is not sound: %w", err)
	}
	c := checker{ask: ask, links: map[string][]string{}, committed: map[string]bool{}}
	history := c.log("Entire-Checkpoint", "--branches", "HEAD")
	for _, commit := range history {
		for _, id := range commit.words {
			c.links[id] = append(c.links[id], commit.id) // one that was amended may live on, on another branch
		}
	}
	refs := c.lines("for-each-ref", "--format=%(refname)", "refs/heads/entire/", "refs/entire/checkpoints/", "refs/entire-plumb/remotes/")
	c.load(slices.Contains(refs, "refs/heads/"+branch))
	c.sideLinks(history)
	for _, ref := range refs {
		if !strings.HasPrefix(ref, "refs/heads/") {
			delete(c.links, path.Base(ref)) // another program's, with a ref of its own
		}
	}
	if c.stored != nil || linked { // else purged, or a clone without it
		for id, commits := range c.links {
			c.resolves(id, commits, history)
		}
		c.tokensAddUp()
	}
	c.nothingLeft()
	if linked {
		c.allLinked()
	}
	for _, ref := range refs {
		if stream, ok := strings.CutPrefix(ref, "refs/heads/"); ok && stream != branch {
			c.lives(ref)
		}
	}
	return errors.Join(c.faults...)
}

// sideLinks adds the links beside the commits that are there.
func (c *checker) sideLinks(history map[string]commit) {
	for _, file := range c.files() {
		if !strings.HasPrefix(file, "links/") {
			continue
		}
		var link struct {
			Commit      string
			Checkpoints []string
			Removed     []struct{ Checkpoint string } // by unlink
		}
		if !c.read(file, &link) || history[link.Commit].id == "" {
			continue
		}
		if file != "links/"+link.Commit[:2]+"/"+link.Commit[2:]+".json" || len(link.Checkpoints)+len(link.Removed) == 0 {
			c.fault("%s is the side link of %s to %q", file, link.Commit, link.Checkpoints)
		}
		for _, id := range link.Checkpoints {
			if !slices.Contains(c.links[id], link.Commit) {
				c.links[id] = append(c.links[id], link.Commit)
			}
		}
	}
}

type checker struct {
	ask       func(args ...string) (string, error)
	links     map[string][]string // the commits that carry a link
	committed map[string]bool     // versions of files that checkpoints list: path, NUL, mode and object ID
	stored    map[string]string   // the checkpoints' files by path: what they hold, as far as it is here; nil without the branch
	faults    []error
}

func (c *checker) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Errorf(format, args...))
}

// lines returns the lines that a git command prints.
func (c *checker) lines(args ...string) []string {
	out, err := c.ask(args...)
	if err != nil {
		c.fault("git %s: %w", strings.Join(args, " "), err)
	}
	if out = strings.TrimSuffix(out, "\n"); out == "" {
		return nil
	}
	return strings.Split(out, "\n")
}

// load reads all of the checkpoints, if there are any.
func (c *checker) load(any bool) {
	if !any {
		return // nothing was committed yet
	}
	c.stored = map[string]string{}
	blobs := map[string]string{}
	all, err := c.ask("cat-file", "--batch-all-objects", "--batch=%(objectname) %(objecttype) %(objectsize)")
	for err == nil && all != "" {
		var id, kind string
		var size int
		head, rest, _ := strings.Cut(all, "\n")
		if _, err := fmt.Sscan(head, &id, &kind, &size); err != nil || len(rest) < size+1 {
			c.fault("git cat-file says %q", head)
			return
		}
		if all = rest[size+1:]; kind == "blob" {
			blobs[id] = rest[:size]
		}
	}
	for _, line := range c.lines("ls-tree", "-r", branch) {
		head, file, _ := strings.Cut(line, "\t")
		if words := strings.Fields(head); len(words) == 3 {
			c.stored[file] = blobs[words[2]]
		}
	}
}

// files lists the paths of the checkpoints' files.
func (c *checker) files() []string {
	return slices.Sorted(maps.Keys(c.stored))
}

// read reads a JSON file of the checkpoints.
func (c *checker) read(file string, into any) bool {
	data, err := c.stored[file], error(nil)
	if data == "" { // not there, or not here yet
		data, err = c.ask("cat-file", "blob", branch+":"+file)
	}
	if err == nil && into != nil {
		err = json.Unmarshal([]byte(data), into)
	}
	if err != nil {
		c.fault("%s of the checkpoints cannot be read: %w", file, err)
	}
	return err == nil
}

// tokensAddUp checks that the tokens of a session's checkpoints, each alone, come to what the last
// of them says of the session so far. Other programs record neither that nor lines.
func (c *checker) tokensAddUp() {
	files := c.files()
	alone, soFar, others := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, file := range files {
		dir, ok := strings.CutSuffix(file, "/metadata.json")
		if !ok || strings.Count(file, "/") != 3 {
			continue
		}
		var meta struct {
			Session string `json:"session_id"`
			SoFar   *usage `json:"token_usage"`
			Alone   *usage `json:"checkpoint_token_usage"`
		}
		if c.read(file, &meta) {
			alone[meta.Session] += meta.Alone.all()
			soFar[meta.Session] = max(soFar[meta.Session], meta.SoFar.all())
			others[meta.Session] = others[meta.Session] || !slices.Contains(files, dir+"/lines.json")
		}
	}
	for session, n := range soFar {
		if alone[session] != n && !others[session] {
			c.fault("session %s took %d tokens, and its checkpoints %d together", session, n, alone[session])
		}
	}
}

// usage is what metadata say of tokens.
type usage struct {
	Input     int    `json:"input_tokens"`
	Created   int    `json:"cache_creation_tokens"`
	Read      int    `json:"cache_read_tokens"`
	Output    int    `json:"output_tokens"`
	Calls     int    `json:"api_call_count"`
	Subagents *usage `json:"subagent_tokens"`
}

func (u *usage) all() int {
	if u == nil {
		return 0
	}
	return u.Input + u.Created + u.Read + u.Output + u.Calls + u.Subagents.all()
}

// resolves checks one link.
func (c *checker) resolves(id string, commits []string, history map[string]commit) {
	var summary struct {
		ID       string   `json:"checkpoint_id"`
		Files    []string `json:"files_touched"`
		Sessions []map[string]string
	}
	if _, purged := c.stored["purged/"+id[:2]+"/"+id[2:]]; purged {
		return // the user has taken it out
	}
	if !c.read(id[:2]+"/"+id[2:]+"/metadata.json", &summary) {
		return
	}
	if summary.ID != id || len(summary.Sessions) == 0 {
		c.fault("checkpoint %s calls itself %q and has %d sessions", id, summary.ID, len(summary.Sessions))
	}
	c.linesAddUp(id, summary.Sessions)
	changed := map[string]bool{}
	for _, commit := range commits {
		for path, version := range history[commit].changed {
			if changed[path] = true; slices.Contains(summary.Files, path) {
				c.committed[path+"\x00"+version] = true
			}
		}
	}
	for _, f := range summary.Files {
		if !changed[f] {
			c.fault("checkpoint %s lists %s, which its commit %s doesn't change", id, f, strings.Join(commits, " or "))
		}
	}
}

// linesAddUp checks that all files of a checkpoint's sessions are there, and that they count the
// lines of one commit.
func (c *checker) linesAddUp(id string, sessions []map[string]string) {
	whole := -1
	for _, paths := range sessions {
		for _, path := range paths {
			if path != "" { // a note that was imported has no conversation
				c.read(strings.TrimPrefix(path, "/"), nil)
			}
		}
		var meta struct {
			Initial *struct {
				Agent    int `json:"agent_lines"`
				Added    int `json:"human_added"`
				Modified int `json:"human_modified"`
				Total    int `json:"total_committed"`
				Others   int `json:"other_sessions_lines"`
			} `json:"initial_attribution"`
		}
		if !c.read(strings.TrimPrefix(paths["metadata"], "/"), &meta) {
			continue
		}
		if a := meta.Initial; a == nil || a.Agent+a.Added+a.Modified != a.Total || whole >= 0 && whole != a.Total+a.Others {
			c.fault("the lines of checkpoint %s don't add up: %+v", id, a)
		} else {
			whole = a.Total + a.Others
		}
	}
}

// A commit is what git's log says of one.
type commit struct {
	id      string
	at      int               // its place in the log
	words   []string          // the values of a trailer
	changed map[string]string // the files, and what they are then: mode and object ID, all zeros for a deletion
}

// log returns commits by their IDs, with the values of a trailer, and what each changes beside its
// first parent.
func (c *checker) log(trailer string, args ...string) map[string]commit {
	out, err := c.ask(append([]string{"-c", "log.showRoot=true", "log", "--diff-merges=first-parent", "--raw", "-z", "--no-abbrev", "--no-renames",
		"--format=%H %(trailers:key=" + trailer + ",valueonly,separator=%x20)"}, args...)...)
	if err != nil {
		c.fault("git log %s: %w", strings.Join(args, " "), err)
	}
	found := map[string]commit{}
	var now commit
	fields := strings.Split(out, "\x00")
	for i := 0; i < len(fields); i++ {
		words := strings.Fields(fields[i])
		switch {
		case len(words) == 0:
		case words[0][0] != ':':
			now = commit{id: words[0], at: len(found), words: words[1:], changed: map[string]string{}}
			found[now.id] = now
		case len(words) == 5 && i+1 < len(fields):
			i++
			now.changed[fields[i]] = words[1] + " " + words[3]
		}
	}
	return found
}

// nothingLeft checks that no process of ours, or git's for us, has left temporary files.
func (c *checker) nothingLeft() {
	dirs := c.lines("rev-parse", "--path-format=absolute", "--git-common-dir")
	if len(dirs) != 1 {
		return
	}
	locks := safefile.Glob(dirs[0], "refs/heads/entire/*.lock")
	for _, left := range append(locks, filepath.Join(dirs[0], "packed-refs.lock"), filepath.Join(dirs[0], "entire-plumb", "intent.json")) {
		if _, err := os.Lstat(left); err == nil {
			c.fault("%s was left behind", left)
		}
	}
	// A link that was given out to a commit that was then given up stays noted until the next one.
	var pending []struct {
		Head string
		Late bool
	}
	data, err := os.ReadFile(filepath.Join(dirs[0], "entire-plumb", "pending.json"))
	if err != nil {
		return
	}
	head, _ := c.ask("rev-parse", "-q", "--verify", "HEAD")
	if json.Unmarshal(data, &pending) != nil || len(pending) != 1 || pending[0].Late || pending[0].Head != strings.TrimSpace(head) {
		c.fault("a link is pending: %s", data)
	}
}

// allLinked checks that a commit links each checkpoint.
func (c *checker) allLinked() {
	for _, file := range c.files() {
		if shard, rest, _ := strings.Cut(file, "/"); strings.HasSuffix(rest, "/metadata.json") && strings.Count(rest, "/") == 1 {
			if id := shard + strings.TrimSuffix(rest, "/metadata.json"); c.links[id] == nil {
				c.fault("no commit links the checkpoint %s", id)
			}
		}
	}
}

// lives checks that some version of a file on a stream, not the last one perhaps, isn't committed
// with a link already. A branch that only looks like a stream is none of ours.
func (c *checker) lives(ref string) {
	ours := false
	for _, commit := range slices.SortedFunc(maps.Values(c.log("Entire-Strategy", "--first-parent", ref)), func(a, b commit) int { return a.at - b.at }) {
		if !slices.Equal(commit.words, []string{"manual-commit"}) {
			break
		}
		ours = true
		for path, version := range commit.changed {
			if !strings.HasPrefix(path, ".entire/metadata/") && !c.committed[path+"\x00"+version] {
				return
			}
		}
	}
	if ours {
		c.fault("all that %s holds is committed and linked", ref)
	}
}
