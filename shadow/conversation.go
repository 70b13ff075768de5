package shadow

import "entire-plumb/gitexec"

// AddsConversation reports whether a commit adds sessions' metadata to the user's history: its tree
// has metadata that its parent's tree does not have. It is no checkpoint's copy, for example by a
// cherry-pick.
func AddsConversation(db *gitexec.ODB, c gitexec.Commit, parent gitexec.OID) (bool, error) {
	if isCheckpoint(c) {
		return false, nil
	}
	found, err := db.Info(c.Tree+":"+MetadataDir, parent+":"+MetadataDir)
	return err == nil && found[0].Type == "tree" && found[0].ID != found[1].ID, err
}
