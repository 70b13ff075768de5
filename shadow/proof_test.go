package shadow

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testdir"
)

// TestProve holds commits of ours against those that only speak of them.
func TestProve(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) { testProve(t, format) })
	}
}

func testProve(t *testing.T, format string) {
	ctx := context.Background()
	dir := newRepo(t, format)
	write(t, dir, "a.txt", "one\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "First")
	repo, err := gitexec.Discover(ctx, dir, nil)
	testdir.Must(t, err)
	db := repo.ODB(ctx)
	defer db.Close()
	blob, err := db.WriteBlob([]byte("x\n"))
	testdir.Must(t, err)
	with, err := db.EditTree(repo.Head.Tree, gitexec.Edits{MetadataDir + "/s1/full.jsonl": {Mode: gitexec.ModeFile, ID: blob}})
	testdir.Must(t, err)
	theirs := "Prompt\n\nEntire-Metadata: .entire/metadata/s1\nEntire-Session: s1\nEntire-Strategy: manual-commit\n"
	task := strings.Replace(theirs, "Metadata: .entire/metadata/s1", "Metadata-Task: .entire/metadata/s1/tasks/toolu_1", 1)
	human := func(base gitexec.OID) string {
		return Checkpoint{Session: "s1", Turn: "0123456789ab", Part: Human, Base: base, Subject: "Before"}.message()
	}
	zero := repo.Format.Zero()
	none := repo.Format.EmptyTree()
	for _, c := range []struct {
		name    string
		tree    gitexec.OID
		parent  gitexec.OID
		message string
		ours    bool
	}{
		{"a checkpoint of the entire CLI", with, repo.Head.ID, theirs, true},
		{"a task's of the entire CLI", with, repo.Head.ID, task, true},
		{"picked, with a line of git's", with, repo.Head.ID, theirs + "(cherry picked from commit 1234567)\n", true},
		{"several messages in one", with, repo.Head.ID, "Mine\n\n" + theirs, true},
		{"the human's part on its base", repo.Head.Tree, repo.Head.ID, human(repo.Head.ID), true},
		{"the human's part before a first commit", repo.Head.Tree, zero, human(zero), true},
		{"before a rewind", repo.Head.Tree, repo.Head.ID, BeforeRewind("1234567", "s1"), true},
		{"before a rewind that moved the branch", repo.Head.Tree, repo.Head.ID, BeforeRewind("1234567", "-") + "Entire-Moved: 1 refs/heads/x\n", true},

		{"the user quotes a message", repo.Head.Tree, repo.Head.ID, theirs, false},
		{"of a rewind", repo.Head.Tree, repo.Head.ID, "See:\n\n" + BeforeRewind("1234567", "s1"), false},
		{"the strategy alone", repo.Head.Tree, repo.Head.ID, "Before rewind to 1\n\nEntire-Strategy: rewind\n", false},
		{"the human's part on another base", repo.Head.Tree, repo.Head.ID, human(zero), false},
		{"with a word of the user's", repo.Head.Tree, repo.Head.ID, human(repo.Head.ID) + "Signed-off-by: U\n", false},
		{"another session's metadata", with, repo.Head.ID, strings.ReplaceAll(theirs, "s1", "s2"), false},
		{"a name that leads elsewhere", with, repo.Head.ID, strings.ReplaceAll(theirs, "s1", "../metadata/s1"), false},
		{"a name that is none", with, repo.Head.ID, strings.ReplaceAll(theirs, "s1", "s1 s1"), false},
		{"of nothing", none, repo.Head.ID, theirs, false},
		{"metadata that the user committed", with, repo.Head.ID, "Mine\n", false},
		{"a committed checkpoint", with, repo.Head.ID, "Checkpoint: a3b2c4d5e6f7\n\nEntire-Session: s1\nEntire-Strategy: manual-commit\nEntire-Agent: Claude Code\n", false},
		{"a committed task's", with, repo.Head.ID, "Checkpoint: a3b2c4d5e6f7\n\nEntire-Session: s1\nEntire-Strategy: manual-commit\nEntire-Metadata-Task: a3/b2c4d5e6f7/tasks/toolu_1\n", false},
	} {
		who := gitexec.Ident{Name: "A", Email: "a@b", When: time.Unix(1, 0)}
		ids, err := db.CommitTree(gitexec.NewCommit{Tree: c.tree, Parents: []gitexec.OID{c.parent}, Author: who, Committer: who, Message: c.message})
		testdir.Must(t, err)
		found, err := Prove(db, ids, nil)
		if err != nil || len(found) > 0 != c.ours {
			t.Errorf("%s: %+v %v", c.name, found, err)
		}
		suspects, err := gitexec.Outgoing{Tips: ids, Has: []gitexec.OID{repo.Head.ID, gitexec.OID(strings.Repeat("ab", len(repo.Head.ID)/2))}}.Search(ctx, repo, func(c gitexec.Commit) bool { return Suspect(c.Message) }, MetadataDir)
		if err != nil || c.ours && (len(suspects) == 0 || suspects[0].ID != ids[0]) {
			t.Errorf("%s is not suspected: %v %v", c.name, suspects, err)
		}
		if strings.HasPrefix(c.name, "a committed") && Suspect([]byte(c.message)) {
			t.Errorf("%s is suspected", c.name)
		}
	}

	git(t, dir, "tag", "-a", "-m", "words", "tree", string(with))
	git(t, dir, "tag", "-a", "-m", "words", "again", "tree")
	ids := []gitexec.OID{with, gitexec.OID(git(t, dir, "rev-parse", "again")), repo.Head.ID, repo.Head.Tree, blob}
	if private, err := PrivateObjects(ctx, repo, db, ids); err != nil || fmt.Sprint(private) != fmt.Sprint(map[gitexec.OID]bool{ids[0]: true, ids[1]: true}) {
		t.Errorf("metadata: %v %v", private, err)
	}
	who := gitexec.Ident{Name: "A", Email: "a@b", When: time.Unix(1, 0)}
	stream, err := db.CommitTree(gitexec.NewCommit{Tree: with, Parents: []gitexec.OID{repo.Head.ID}, Author: who, Committer: who, Message: theirs})
	testdir.Must(t, err)
	git(t, dir, "update-ref", "refs/heads/entire/1234567-1", string(stream[0]))
	git(t, dir, "tag", "-a", "-m", "words", "text", string(blob))
	below := func(path string) gitexec.OID { return gitexec.OID(git(t, dir, "rev-parse", string(with)+":"+path)) }
	ids = []gitexec.OID{below(".entire"), below(MetadataDir), below(MetadataDir + "/s1"), blob, gitexec.OID(git(t, dir, "rev-parse", "text")), repo.Head.Tree, below("a.txt"), repo.Head.ID}
	if private, err := PrivateObjects(ctx, repo, db, ids); err != nil || len(private) != 5 || !private[ids[0]] || !private[ids[4]] {
		t.Errorf("parts of a stream: %v %v", private, err)
	}
	mine, err := db.CommitTree(gitexec.NewCommit{Tree: with, Parents: []gitexec.OID{repo.Head.ID}, Author: who, Committer: who, Message: "Mine\n"})
	testdir.Must(t, err)
	if found, err := Prove(db, mine, map[gitexec.OID][]gitexec.Path{mine[0]: {MetadataDir}}); err != nil || len(found) != 1 || found[0].Users != MetadataDir {
		t.Errorf("metadata that the user committed: %+v %v", found, err)
	}
}
