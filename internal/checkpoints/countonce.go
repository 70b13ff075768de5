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

// mostCompared is how many bytes of other clones' transcripts one of this clone's is compared with:
// a hook waits for it, and whoever can push may write large ones, and many.
const mostCompared = 16 << 20

// countOnce leaves out of what a session's part of a commit's checkpoint counts what a part of
// another clone's counts: the session was there, with the same transcript or a copy of it, and is
// here now. A part that cannot be read, as an encrypted one, counts again.
func countOnce(db *gitexec.ODB, b Branch, commit gitexec.OID, s *session.State, meta shadow.Metadata) {
	if commit == "" || len(meta.Transcript) == 0 {
		return
	}
	parts := partsElsewhere(db, b, commit, s)
	if len(parts) == 0 {
		return
	}
	mine := conversation.Of(db, meta.Transcript, s.SessionID)
	shared, start := sharedLines(db, mine, parts, mostCompared), s.CheckpointTranscriptStart
	// What they have in common was counted by an earlier checkpoint already.
	if shared <= start {
		return
	}
	if used, err := transcript.UsedIn(mine, start, shared); err == nil {
		s.CountedThere(shared, used)
	}
}

// sharedLines counts the lines at the beginning of a transcript that any of some parts has, too, of
// which so many bytes may be read. 0: the transcript cannot be read.
func sharedLines(db *gitexec.ODB, mine *conversation.Conversation, parts []sessionDir, left int64) (shared int) {
	var own transcript.Lines
	ends := []int{0} // of each chunk, in lines
	for i := range mine.Chunks {
		chunk := *mine
		chunk.Chunks = mine.Chunks[i : i+1]
		if own.Add(&chunk) != nil {
			return 0
		}
		ends = append(ends, len(own))
	}
	for _, part := range parts {
		theirs := conversation.Of(db, part.files, part.dir)
		same := 0 // chunks, which need not be read
		for same < min(len(mine.Chunks), len(theirs.Chunks)) && mine.Chunks[same] == theirs.Chunks[same] {
			same++
		}
		// Chunks that are stored alike are the same text. Only what differs behind them is compared
		// line by line.
		theirs.Chunks = within(db, theirs.Chunks[same:], &left)
		more, err := own[ends[same]:].In(theirs)
		if err != nil {
			more = 0
		}
		shared = max(shared, ends[same]+more)
	}
	return shared
}

// within are the first chunks of a transcript that so many bytes have room for, which are taken of
// these. A chunk costs more than its bytes.
func within(db *gitexec.ODB, chunks []gitexec.OID, left *int64) []gitexec.OID {
	const each = 1 << 10
	for i, chunk := range chunks {
		info, err := db.Info(chunk)
		if err != nil || info[0].Size+each > *left {
			return chunks[:i]
		}
		*left -= info[0].Size + each
	}
	return chunks
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
		// What this clone wrote it has counted itself. Whoever can push a commit can put any number
		// of links into its message.
		links = slices.DeleteFunc(links[:min(mostLinks, len(links))], func(id string) bool { return RecordedHere(db, b, id) })
		// What is before the last part is in that part.
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
