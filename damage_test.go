package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/testdir"
)

// recordedIn is a repository's object database and the branch of its checkpoints, of which there
// are a few, by three sessions.
func recordedIn(t *testing.T, ctx context.Context, count int) (where, *gitexec.Repo, *gitexec.ODB, checkpoints.Branch, []string) {
	w := newWorld(t)
	for i := range count {
		id := fmt.Sprint("s", i%3)
		file := fmt.Sprint("file-", i, ".txt")
		testdir.Must(t, w.agent(nil, "user-prompt-submit", id, "Write "+file))
		w.write(file, "what the agent wrote to "+file)
		testdir.Must(t, w.agent(nil, "stop", id, "Wrote "+file))
		w.git("add", "-A")
		w.git("commit", "-qm", "Add "+file)
	}
	// What a clone decided itself outranks what is on the branch: these tests read that as one that
	// fetched it does.
	testdir.Must(t, os.RemoveAll(filepath.Join(w.dir, ".git", "entire-plumb", "decided")))
	for _, e := range w.env {
		if name, value, _ := strings.Cut(e, "="); strings.HasPrefix(name, "GIT_CONFIG") {
			t.Setenv(name, value)
		}
	}
	repo, err := gitexec.Discover(ctx, w.dir, nil)
	testdir.Must(t, err)
	db := repo.ODB(ctx)
	t.Cleanup(func() { db.Close() })
	branch, err := checkpoints.ReadBranch(db, gitexec.OID(w.git("rev-parse", "entire/checkpoints/v1")))
	testdir.Must(t, err)
	ids := strings.Fields(w.git("log", "--format=%(trailers:key=Entire-Checkpoint,valueonly)"))
	if len(ids) != count {
		t.Fatalf("%d checkpoints, want %d", len(ids), count)
	}
	return w, repo, db, branch, ids
}

// TestDamagedCheckpoints damages files of one checkpoint at random, and reads: nothing panics,
// every error says that something is damaged or not there, and the other checkpoints are read as
// before.
func TestDamagedCheckpoints(t *testing.T) {
	_, repo, db, branch, ids := recordedIn(t, context.Background(), 4)
	victim, healthy := ids[1], []string{ids[0], ids[2], ids[3]}
	for _, id := range ids {
		testdir.Must(t, readEverything(db, branch, id))
	}
	random := rand.New(rand.NewPCG(7, 7))
	foreign := []string{"", "null", "{}", "[]", "1", `"x"`, "[1,2", `{"session_id":7}`, `{"sessions":{}}`,
		`{"files":[{"ranges":[[1,-1,99]]}]}`, "\x00\xff\xfe", "{\"session_id\":\"\\u001b[2J\"}"}
	dir := checkpoints.Dir(victim)
	names := []string{"metadata.json", "0", "0/metadata.json", "0/full.jsonl", "0/prompt.txt", "0/context.md", "0/content_hash.txt",
		"0/lines.json", "1", ""}
	missing := gitexec.OID(strings.Repeat("1", repo.Format.HexLen()))
	damaged := 0
	for round := range 150 {
		edits, what := gitexec.Edits{}, []string{}
		for range 1 + random.IntN(2) {
			name := names[random.IntN(len(names))]
			path := gitexec.Path(strings.TrimSuffix(dir+"/"+name, "/"))
			var entry gitexec.Entry
			kind := random.IntN(5)
			switch kind {
			case 0: // gone
			case 1:
				entry = gitexec.Entry{Mode: gitexec.ModeFile, ID: blobOf(t, db, foreign[random.IntN(len(foreign))])}
			case 2: // cut short
				found, err := db.Lookup(branch.Tree, path)
				testdir.Must(t, err)
				if !found[0].Exists() || found[0].IsTree() {
					continue
				}
				data, err := db.Blob(found[0].ID, 1<<20)
				testdir.Must(t, err)
				entry = gitexec.Entry{Mode: gitexec.ModeFile, ID: blobOf(t, db, string(data[:random.IntN(len(data))]))}
			case 3: // a directory
				tree, err := db.WriteTrees(gitexec.Tree{"deeper": {Mode: gitexec.ModeFile, ID: blobOf(t, db, "x")}})
				testdir.Must(t, err)
				entry = gitexec.Entry{Mode: gitexec.ModeTree, ID: tree[0]}
			case 4:
				entry = gitexec.Entry{Mode: []string{gitexec.ModeFile, gitexec.ModeTree, gitexec.ModeSymlink,
					gitexec.ModeGitlink}[random.IntN(4)], ID: missing}
			}
			overlaps := false
			for other := range edits {
				overlaps = overlaps || strings.HasPrefix(string(other), string(path)) || strings.HasPrefix(string(path), string(other))
			}
			if !overlaps {
				edits[path] = entry
				what = append(what, fmt.Sprint(path, " kind ", kind, " ", entry))
			}
		}
		tree, err := db.EditTree(branch.Tree, edits)
		if err != nil {
			t.Fatalf("round %d: %v: %v", round, what, err)
		}
		broken := checkpoints.Branch{Tip: branch.Tip, Tree: tree}
		if err := readEverything(db, broken, victim); err != nil {
			damaged++
			if !errors.Is(err, checkpoints.ErrDamaged) && !errors.Is(err, checkpoints.ErrNoCheckpoint) {
				t.Errorf("round %d: %v: %v", round, what, err)
			}
			if errors.Is(err, checkpoints.ErrDamaged) && !strings.Contains(err.Error(), dir) {
				t.Errorf("round %d: %v: the error doesn't say where: %v", round, what, err)
			}
		}
		for _, id := range healthy {
			if err := readEverything(db, broken, id); err != nil {
				t.Errorf("round %d: %v: %s is harmed: %v", round, what, id, err)
			}
		}
		listed, err := checkpoints.ListCommitted(db, broken, func(checkpoints.CommittedInfo) bool { return true })
		if err != nil {
			t.Fatalf("round %d: %v: %v", round, what, err)
		}
		whole := 0
		for _, info := range listed {
			if info.ID != victim && info.Error == "" && len(info.Sessions) == 1 {
				whole++
			}
		}
		if whole != len(healthy) {
			t.Errorf("round %d: %v: %d healthy checkpoints are listed, want %d", round, what, whole, len(healthy))
		}
	}
	if damaged < 75 {
		t.Errorf("only %d rounds did any damage", damaged)
	}
}

func blobOf(t *testing.T, db *gitexec.ODB, content string) gitexec.OID {
	t.Helper()
	id, err := db.WriteBlob([]byte(content))
	testdir.Must(t, err)
	return id
}

// readEverything reads all that can be read of a checkpoint.
func readEverything(db *gitexec.ODB, b checkpoints.Branch, id string) error {
	_, err := checkpoints.ReadCommitted(db, b, id)
	_, err2 := checkpoints.ResolveID(db, b, id[:6])
	all := errors.Join(err, err2)
	parts, damaged := checkpoints.ReadSessions(db, b, id)
	all = errors.Join(all, errors.Join(damaged...))
	for _, c := range parts {
		all = errors.Join(all, c.WriteTranscript(io.Discard))
	}
	return errors.Join(all, checkpoints.ReadRecorded(db, b, id, &gitexec.Commit{}).Damage)
}

// TestCanceled breaks reading off: the error is the context's, and not one of damage.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	_, _, db, branch, ids := recordedIn(t, ctx, 1)
	c, err := checkpoints.ReadSessionContent(db, branch, ids[0], 0)
	testdir.Must(t, err)
	cancel()
	if err := c.WriteTranscript(io.Discard); !errors.Is(err, context.Canceled) || errors.Is(err, checkpoints.ErrDamaged) {
		t.Errorf("WriteTranscript: %v", err)
	}
	if err := readEverything(db, branch, ids[0]); !errors.Is(err, context.Canceled) || errors.Is(err, checkpoints.ErrDamaged) {
		t.Errorf("reading: %v", err)
	}
	_, err = checkpoints.ListCommitted(db, branch, func(checkpoints.CommittedInfo) bool { return true })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("ListCommitted: %v", err)
	}
}

// TestManyCheckpoints has the commands and hooks run beside very many checkpoints: they must not
// have them all in memory. MANY sets how many are in each of the 256 directories of the branch.
func TestManyCheckpoints(t *testing.T) {
	whole(t)
	each := 10
	if n, err := strconv.Atoi(os.Getenv("MANY")); err == nil {
		each = n
	}
	w, _, db, branch, ids := recordedIn(t, context.Background(), 30)
	found, err := db.Lookup(branch.Tree, gitexec.Path(checkpoints.Dir(ids[29])))
	testdir.Must(t, err)
	like, err := db.Trees(found[0].ID)
	testdir.Must(t, err)
	edits := gitexec.Edits{}
	for i := range 256 {
		var names []string
		var dirs []gitexec.Tree // no two are the same
		for n := range each {
			name := fmt.Sprintf("%02x/%010x", i, n)
			dir := maps.Clone(like[0])
			dir["of-"+strings.ReplaceAll(name, "/", "")] = like[0]["metadata.json"]
			names, dirs = append(names, name), append(dirs, dir)
		}
		written, err := db.WriteTrees(dirs...)
		testdir.Must(t, err)
		for n, id := range written {
			edits[gitexec.Path(names[n])] = gitexec.Entry{Mode: gitexec.ModeTree, ID: id}
		}
	}
	tree, err := db.EditTree(branch.Tree, edits)
	testdir.Must(t, err)
	testdir.Must(t, db.Flush())
	commit := w.git("commit-tree", "-p", "entire/checkpoints/v1", "-m", "very many", string(tree))
	w.git("update-ref", "refs/heads/entire/checkpoints/v1", commit)
	log := filepath.Join(w.home, "memory")
	w.env = append(w.env, memoryVariable+"="+log)
	begun := time.Now()
	took := func(what string) {
		t.Logf("%8d ms %s", time.Since(begun).Milliseconds(), what)
		begun = time.Now()
	}
	listed := w.must("entire-plumb", "checkpoints")
	took("checkpoints")
	if !strings.Contains(listed, ids[0]) || !strings.Contains(listed, fmt.Sprintf("and %d more checkpoints", 30+256*each-20)) {
		t.Errorf("checkpoints: %s", listed)
	}
	w.must("entire-plumb", "checkpoints", "--text", "file-7")
	took("checkpoints --text")
	for _, args := range [][]string{{"show", ids[3]}, {"show", "--raw", "ab0000000001"}, {"log"}, {"why"}, {"attribution"},
		{"blame", "file-1.txt"}, {"status"}, {"streams"}, {"sessions"}} {
		w.must("entire-plumb", args...)
		took(strings.Join(args, " "))
	}
	if out, err := w.run(nil, nil, "entire-plumb", "show", "ab00000000"); err == nil ||
		!strings.Contains(err.Error(), `"ab00000000" is the beginning of several: ab0000000000, ab0000000001`) {
		t.Errorf("an abbreviated ID: %s, %v", out, err)
	}
	took("show, ambiguous")
	testdir.Must(t, w.agent(nil, "user-prompt-submit", "s9", "Again"))
	w.write("again.txt", "again")
	testdir.Must(t, w.agent(nil, "stop", "s9", "Done"))
	w.git("add", "-A")
	took("a turn")
	w.git("commit", "-qm", "Again")
	took("a commit")
	if !strings.Contains(w.must("entire-plumb", "show", "HEAD"), "prompt 1: Again") {
		t.Error("the commit has no checkpoint")
	}
	for _, n := range memory(t, log) {
		if most := 48 << 20; n.resident > most && (n.what != "sessions" || each <= 20) {
			t.Errorf("%s had %d MiB", n.what, n.resident>>20)
		}
	}
}
