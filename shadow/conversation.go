package shadow

import (
	"os"
	"path/filepath"

	"entire-plumb/gitexec"
	"entire-plumb/internal/safefile"
)

// committedName is a file beside our locks. It exists if a commit of the user's has sessions'
// metadata in its tree. Only then does a push look for such commits: that costs a process, and time
// for each commit.
const committedName = "conversation-committed"

// NoteConversation reports whether a commit adds sessions' metadata to the user's history, and
// records it: its tree has metadata that its parent's tree does not have. Pushes recognise a
// checkpoint's copy, for example by a cherry-pick, by its message.
func NoteConversation(repo *gitexec.Repo, db *gitexec.ODB, c gitexec.Commit, parent gitexec.OID) (bool, error) {
	if isCheckpoint(c) {
		return false, nil
	}
	found, err := db.Info(c.Tree+":"+MetadataDir, parent+":"+MetadataDir)
	if err != nil || found[0].Type != "tree" || found[0].ID == found[1].ID {
		return false, err
	}
	if err := safefile.MkdirAll(repo.SharedDir(), 0o777); err != nil {
		return true, err
	}
	return true, safefile.Write(filepath.Join(repo.SharedDir(), committedName), nil, 0o666)
}

// MayHaveConversations reports whether a commit of the user's may have sessions' metadata, for a
// shared directory of ours; empty: not known.
func MayHaveConversations(sharedDir string) bool {
	_, err := os.Lstat(filepath.Join(sharedDir, committedName))
	return sharedDir == "" || err == nil
}
