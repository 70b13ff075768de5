package checkpoints

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/message"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

// countOnce leaves out of what a session's part of a commit's checkpoint counts what a part of
// another clone's counts: the session was there, with the same transcript or a copy of it, and is
// here now. A part that cannot be read, as an encrypted one, counts again.
func countOnce(db *gitexec.ODB, b Branch, commit gitexec.OID, s *session.State, meta shadow.Metadata) {
	if commit == "" || len(meta.Transcript) == 0 {
		return
	}
	mine := conversation.Of(db, meta.Transcript, s.SessionID)
	for _, part := range partsElsewhere(db, b, commit, s) {
		theirs := conversation.Of(db, part.files, part.dir)
		theirs.Chunks = beginning(db, theirs.Chunks, mine.Chunks)
		shared, used, err := transcript.Shared(mine, theirs, s.CheckpointTranscriptStart)
		if err == nil {
			s.CountedThere(shared, used)
		}
	}
}

// beginning are the first chunks of a transcript, as many as another one may have: whoever can push
// may write a large one. None: they cannot be read.
func beginning(db *gitexec.ODB, of, other []gitexec.OID) []gitexec.OID {
	infos, err := db.Info(slices.Concat(other, of)...)
	if err != nil {
		return nil
	}
	most := int64(1 << 20) // what is encrypted is longer
	for _, chunk := range infos[:len(other)] {
		most += chunk.Size
	}
	n, size := 0, int64(0)
	for _, chunk := range infos[len(other):] {
		if size >= most || chunk.Size > most {
			break
		}
		n, size = n+1, size+chunk.Size
	}
	return of[:n]
}

// mostLinks is how many links of one commit are looked at.
const mostLinks = 20

// partsElsewhere are a session's last parts in the history of a commit that other clones wrote,
// since the last one that this clone did; few commits of the history are looked at.
func partsElsewhere(db *gitexec.ODB, b Branch, commit gitexec.OID, s *session.State) (parts []sessionDir) {
	line, err := db.Ancestors(commit, lineage.MostBefore+1) // at once, for what follows
	if err != nil {
		return nil
	}
	roots := []gitexec.OID{b.Tree, FetchedTree(db)} // a pull has brought the latter, which nothing united yet
	seen := map[gitexec.OID]bool{}
	for queue := slices.Clone(line[0].Parents); len(queue) > 0 && len(seen) < lineage.MostBefore; queue = queue[1:] {
		if seen[queue[0]] {
			continue
		}
		seen[queue[0]] = true
		here, err := db.Ancestors(queue[0], 1)
		if err != nil {
			continue // a shallow clone ends here
		}
		links := message.Links(here[0].Message)
		if slices.Contains(links, s.LastCheckpointID) {
			continue // what is before was counted with it
		}
		links = slices.DeleteFunc(links[:min(mostLinks, len(links))], func(id string) bool { return RecordedHere(db, b, id) })
		if found := partsIn(db, roots, links, s.SessionID); len(found) > 0 {
			parts = append(parts, found...)
		} else {
			queue = append(queue, here[0].Parents...)
		}
	}
	return parts
}

// partsIn are a session's parts in some checkpoints, in any of some trees, as far as they can be
// read.
func partsIn(db *gitexec.ODB, roots []gitexec.OID, ids []string, sessionID string) (parts []sessionDir) {
	for _, id := range ids {
		for _, root := range roots {
			c, _ := openReadable(db, root, id)
			if i, there := c.index(sessionID); there {
				parts = append(parts, c.sessions[i])
				break
			}
		}
	}
	return parts
}
