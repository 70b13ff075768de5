package journal

import (
	"os"
	"testing"
)

// TestOldEntries: what was written before there were kinds is read with the kind of its sentence,
// what has a kind with that one.
func TestOldEntries(t *testing.T) {
	dir := t.TempDir()
	for line, want := range map[string][2]Kind{ // of the entry, and of its work
		`{"hook":"prepare-commit-msg","outcome":"no session has work"}`:                                                           {NoWork},
		`{"hook":"prepare-commit-msg","outcome":"the message has a link already"}`:                                                {HasLink},
		`{"hook":"prepare-commit-msg","outcome":"git replayed or merged commits: no new link, their links are kept"}`:             {Replayed},
		`{"hook":"prepare-commit-msg","outcome":"the message is empty: no link"}`:                                                 {Empty},
		`{"hook":"post-commit","outcome":"the commit has no link"}`:                                                               {Unlinked},
		`{"hook":"post-commit","outcome":"the commit has no link, and no session is known here"}`:                                 {UnlinkedAlone},
		`{"hook":"post-commit","outcome":"git replayed it, and it has no link"}`:                                                  {UnlinkedReplayed},
		`{"hook":"claude-code stop","outcome":"checkpoint on entire/0123456-1: no existing suffix"}`:                              {Checkpoint},
		`{"hook":"claude-code stop","outcome":"turn ended"}`:                                                                      {},
		`{"hook":"post-commit","outcome":"x","works":[{"reason":"the commit changes a file that the agent changed"}]}`:            {"", FileModified},
		`{"hook":"post-commit","outcome":"x","works":[{"reason":"the commit holds what the agent wrote"}]}`:                       {},
		`{"hook":"a","outcome":"the commit has no link","kind":"another","works":[{"reason":"reworded","kind":"file-modified"}]}`: {"another", FileModified},
	} {
		if err := os.WriteFile(File(dir), []byte(line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		all, err := Read(dir)
		if err != nil || len(all) != 1 {
			t.Fatalf("%s: %+v, %v", line, all, err)
		}
		got := [2]Kind{all[0].Kind}
		if len(all[0].Works) > 0 {
			got[1] = all[0].Works[0].Kind
		}
		if got != want {
			t.Errorf("%s: %q", line, got)
		}
	}
}

// TestKindsAreWritten: a kind is beside its sentence, and comes back.
func TestKindsAreWritten(t *testing.T) {
	dir := t.TempDir()
	Append(dir, Entry{Hook: "post-commit", Outcome: "reworded", Kind: Unlinked})
	if all, err := Read(dir); err != nil || len(all) != 1 || all[0].Kind != Unlinked {
		t.Errorf("%+v, %v", all, err)
	}
}
