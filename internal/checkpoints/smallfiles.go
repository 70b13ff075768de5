package checkpoints

import (
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
)

// SmallFiles lists the blobs of a tree of the branch without those of conversations, each once:
// metadata, lines, hashes, and the links beside commits. seen are the objects that are listed
// already. It skips what cannot be read.
func SmallFiles(db *gitexec.ODB, root gitexec.OID, seen map[gitexec.OID]bool) (blobs []gitexec.OID, err error) {
	var walk func(path string, e gitexec.Entry, levels int) error
	walk = func(path string, e gitexec.Entry, levels int) error {
		if seen[e.ID] {
			return nil
		}
		seen[e.ID] = true
		tree, err := conversation.Dir(db, e, path)
		if err != nil || levels == 0 {
			return db.Canceled()
		}
		for name, below := range tree {
			switch {
			case below.IsTree() && name != "tasks":
				if err := walk(path+"/"+name, below, levels-1); err != nil {
					return err
				}
			case below.Mode == gitexec.ModeFile && !strings.HasPrefix(name, "full.jsonl") && !seen[below.ID]:
				seen[below.ID] = true
				blobs = append(blobs, below.ID)
			}
		}
		return nil
	}
	err = walk("", rootEntry(root), mostLevels)
	return blobs, err
}
