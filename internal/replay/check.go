package replay

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

const branch = "entire/checkpoints/v1"

// link VAR[,VAR…] [REV]: the commit carries exactly as many links, which git itself takes for
// trailers, and the variables hold their IDs. "! link [REV]": it carries none.
func link(ts *testscript.TestScript, neg bool, args []string) {
	names, commit := variables(ts, neg, "link", args)
	links := strings.Fields(ask(ts, "git", "log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly)", commit))
	if len(links) != len(names) {
		ts.Fatalf("%s carries the links %q", commit, links)
	}
	for i, name := range names {
		ts.Setenv(name, links[i])
	}
}

// variables are the arguments VAR[,VAR…] [REV] of a verb; its ! form has no variables.
func variables(ts *testscript.TestScript, neg bool, verb string, args []string) (names []string, rev string) {
	if !neg {
		if len(args) == 0 {
			ts.Fatalf("usage: %s VAR[,VAR…] [REV], or ! %[1]s [REV]", verb)
		}
		names, args = strings.Split(args[0], ","), args[1:]
	}
	return names, append(args, "HEAD")[0]
}

// beside VAR[,VAR…] [REV]: beside the commit are exactly as many links, and the variables hold
// their IDs. "! beside [REV]": there is none.
func beside(ts *testscript.TestScript, neg bool, args []string) {
	names, commit := variables(ts, neg, "beside", args)
	id := strings.TrimSpace(ask(ts, "git", "rev-parse", commit))
	var link struct {
		Commit      string
		Checkpoints []string
	}
	if data := ask(ts, "sh", "-c", `git cat-file blob "$1" 2>/dev/null || :`, "sh", branch+":links/"+id[:2]+"/"+id[2:]+".json"); data != "" {
		ts.Check(json.Unmarshal([]byte(data), &link))
	}
	if len(link.Checkpoints) != len(names) || !neg && link.Commit != id {
		ts.Fatalf("beside %s are the links %q of %q", id, link.Checkpoints, link.Commit)
	}
	for i, name := range names {
		ts.Setenv(name, link.Checkpoints[i])
	}
}

// streams [NAME…]: these are all the shadow branches that there are.
func streams(ts *testscript.TestScript, neg bool, args []string) {
	var have []string
	for _, name := range strings.Fields(ask(ts, "git", "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/entire/")) {
		if name != branch {
			have = append(have, strings.TrimPrefix(name, "entire/"))
		}
	}
	slices.Sort(args)
	if slices.Equal(have, args) == neg {
		ts.Fatalf("the streams are %q", have)
	}
}

// snapshot STREAM: the stream's tip holds the worktree as it is and, beside our metadata, nothing
// else.
func snapshot(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, false, len(args) == 1, "snapshot STREAM")
	const tree = `set -e; git rev-parse -q --verify "$1" >&2; i=$(mktemp -u); trap 'rm -f "$i"' EXIT; cp -p "$(git rev-parse --git-path index)" "$i" 2>/dev/null || :; export GIT_INDEX_FILE="$i"
git add -A; git diff --cached --name-status "$1" | grep -v "	.entire/metadata/" || :`
	if differ := ask(ts, "sh", "-c", tree, "sh", "refs/heads/entire/"+args[0]); (differ == "") == neg {
		ts.Fatalf("from the stream's tip to the worktree: %q", differ)
	}
}

// checkpoint ID: the files of a committed checkpoint, by name. checkpoint ID FILE: what one holds.
// checkpoint ID json: what all its JSON files hold. All on stdout.
func checkpoint(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 1 || len(args) > 2 || len(args[0]) != 12 {
		ts.Fatalf("usage: checkpoint ID [FILE]")
	}
	at, show := branch+":"+args[0][:2]+"/"+args[0][2:], `git ls-tree -r --name-only "$1"`
	switch {
	case len(args) == 2 && args[1] == "json":
		show = `git cat-file -e "$1" && for f in $(git ls-tree -r --name-only "$1" | grep json$); do echo "== $f"; git cat-file blob "$1/$f" | sed "s,$2,\$WORK,g"; done`
	case len(args) == 2:
		at += "/" + args[1]
		show = `git cat-file -e "$1" && git cat-file blob "$1" | sed "s,$2,\$WORK,g"` // lest an expected text differ from run to run
	}
	expect(ts, neg, ts.Exec("sh", "-c", show, "sh", at, filepath.Dir(ts.Getenv("HOME"))), "checkpoint "+strings.Join(args, " "))
}

// transcriptIsWhole is the check "transcript SESSION ID INDEX": the transcript that a checkpoint
// holds is the session's, whole, and its hash is right.
func transcriptIsWhole(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 3 && len(args[1]) == 12, "transcript SESSION ID INDEX")
	at := branch + ":" + args[1][:2] + "/" + args[1][2:] + "/" + args[2] + "/"
	var chunks []string
	for _, name := range strings.Fields(ask(ts, "git", "ls-tree", "--name-only", strings.TrimSuffix(at, "/"))) {
		if strings.HasPrefix(name, "full.jsonl") {
			chunks = append(chunks, raw(ts, at+name))
		}
	}
	data, err := os.ReadFile(filepath.Join(ts.Getenv("HOME"), "transcripts", args[0]+".jsonl"))
	ts.Check(err)
	whole := strings.Join(chunks, "\n")
	if whole != strings.TrimSuffix(string(data), "\n") {
		ts.Fatalf("the stored transcript is\n%s\nthe session's\n%s", whole, data)
	}
	if got, want := raw(ts, at+"content_hash.txt"), hash(whole); got != want {
		ts.Fatalf("content_hash.txt holds %q, should hold %q", got, want)
	}
}

// attribution ID INDEX NAME=LINES…: what a checkpoint says of a session's part in its commit. What
// isn't named must be 0.
func attribution(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, false, len(args) >= 2 && len(args[0]) == 12, "attribution ID INDEX NAME=LINES…")
	var meta struct {
		Initial map[string]any `json:"initial_attribution"`
	}
	ts.Check(json.Unmarshal([]byte(raw(ts, branch+":"+args[0][:2]+"/"+args[0][2:]+"/"+args[1]+"/metadata.json")), &meta))
	names := map[string]string{"agent": "agent_lines", "added": "human_added", "modified": "human_modified", "removed": "human_removed",
		"others": "other_sessions_lines", "unknown": "unknown_lines"}
	var have, wanted []string
	for name, key := range names {
		if n, _ := meta.Initial[key].(float64); n != 0 {
			have = append(have, fmt.Sprintf("%s=%d", name, int(n)))
		}
	}
	wanted = append(wanted, args[2:]...)
	slices.Sort(have)
	slices.Sort(wanted)
	agent, _ := meta.Initial["agent_lines"].(float64)
	added, _ := meta.Initial["human_added"].(float64)
	modified, _ := meta.Initial["human_modified"].(float64)
	if total, _ := meta.Initial["total_committed"].(float64); total != agent+added+modified || meta.Initial == nil {
		ts.Fatalf("the lines don't add up: %v", meta.Initial)
	}
	if slices.Equal(have, wanted) == neg {
		ts.Fatalf("the lines are %v", have)
	}
}

// state SESSION KEY VALUE: what a session's state file says, as JSON or, for strings, as it is. "-"
// stands for no such key.
func state(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, false, len(args) == 3, "state SESSION KEY VALUE")
	dir := ask(ts, "git", "rev-parse", "--path-format=absolute", "--git-common-dir")
	data, err := os.ReadFile(filepath.Join(dir, "entire-sessions", args[0]+".json"))
	ts.Check(err)
	var all map[string]any
	ts.Check(json.Unmarshal(data, &all))
	value, there := all[args[1]]
	same := false
	var wanted any
	switch text, isText := value.(string); {
	case !there:
		same = args[2] == "-"
	case isText:
		same = text == args[2]
	case json.Unmarshal([]byte(args[2]), &wanted) == nil:
		same = reflect.DeepEqual(value, wanted)
	}
	if same == neg {
		shown, _ := json.Marshal(value)
		ts.Fatalf("%s of %s is %s", args[1], args[0], shown)
	}
}

// raw is a blob, byte for byte.
func raw(ts *testscript.TestScript, name string) string {
	if err := ts.Exec("git", "cat-file", "blob", name); err != nil {
		ts.Fatalf("%s cannot be read", name)
	}
	return ts.ReadFile("stdout")
}

func hash(text string) string { return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text))) }
