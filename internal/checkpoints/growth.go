package checkpoints

import (
	"bytes"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/session"
)

// What has all that another part of a checkpoint has was added to, and not changed.

// mostProved is how many bytes of a transcript are compared beyond the chunks that both sides have.
// Sides that went on from one another share all but the last chunk of 64 KiB; without it, who
// pushes two transcripts of gigabytes would have each clone read both. What is not compared counts
// as changed.
const mostProved = 32 << 20

// hasVersions reports whether one has all versions of lines of another one, as they are there.
func hasVersions(_ *gitexec.ODB, more, less *sessionDir) bool {
	has := more.equals()
	return !slices.ContainsFunc(less.recorded(), func(v recordedVersion) bool { return !has[v.key()] })
}

// hasConversation reports whether a conversation begins with all of another one, and has its other
// files. What describes a conversation as a whole may differ once that has grown.
func hasConversation(db *gitexec.ODB, more, less *sessionDir) bool {
	// Another agent's transcript has another form: it cannot have grown from this one.
	if more.meta.Agent != less.meta.Agent && less.meta.Agent != "" {
		return false
	}
	var talks [2][]gitexec.OID
	for i, s := range []*sessionDir{more, less} {
		talks[i] = conversation.Of(db, s.files, s.dir).Chunks
	}
	longer, grew := begins(db, talks[0], talks[1], "\n")
	asked := [2][]gitexec.OID{}
	for i, s := range []*sessionDir{more, less} {
		if e := s.files[conversation.PromptFile]; e.Exists() {
			asked[i] = []gitexec.OID{e.ID}
		}
	}
	further, asks := begins(db, asked[0], asked[1], session.PromptSeparator)
	if !grew || !asks {
		return false
	}
	// Other files may only differ where there is more of the conversation: then they describe that.
	return hasOthers(db, more, less, longer || further)
}

// hasOthers reports whether a part has the files of another one that are not its conversation; of
// a longer one they may be others.
func hasOthers(db *gitexec.ODB, more, less *sessionDir, longer bool) bool {
	for name, e := range less.files {
		switch {
		// These were compared by themselves, or are written again from the parts.
		case isLines(name) || isChunk(name) || name == "metadata.json" || name == conversation.PromptFile:
		case longer && !e.IsTree() && more.files[name].Exists():
		case !hasEntry(db, more.files[name], e, longer, mostLevels):
			return false
		}
	}
	return true
}

// begins reports whether a text in parts begins with another one, up to the end of a record, and
// whether it is longer.
func begins(db *gitexec.ODB, more, less []gitexec.OID, between string) (longer, grew bool) {
	same := 0
	for same < min(len(more), len(less)) && more[same] == less[same] {
		same++
	}
	more, less = more[same:], less[same:]
	if len(less) == 0 {
		return len(more) > 0, true
	}
	beginning, ok := joined(db, less, between)
	if !ok {
		return false, false
	}
	whole, ok := joined(db, more, between)
	rest, has := bytes.CutPrefix(whole, beginning)
	// Without it, one record could be changed by adding to its end.
	ends := len(beginning) == 0 || len(rest) == 0 || bytes.HasSuffix(beginning, []byte("\n")) || bytes.HasPrefix(rest, []byte(between))
	return len(rest) > 0, ok && has && ends
}

// joined is the text of some parts; ok is false where it cannot be read, or is too large.
func joined(db *gitexec.ODB, parts []gitexec.OID, between string) (text []byte, ok bool) {
	infos, err := db.Info(parts...)
	size := int64(0)
	for _, info := range infos {
		size += info.Size
	}
	// What is not proved counts as changed.
	if err != nil || size > mostProved || db.CheckLimit() != nil {
		return nil, false
	}
	for i, id := range parts {
		if i > 0 {
			text = append(text, between...)
		}
		data, err := conversation.File(db, gitexec.Entry{Mode: gitexec.ModeFile, ID: id}, "", mostProved)
		if err != nil {
			return nil, false
		}
		text = append(text, data...)
	}
	return text, true
}

// hasEntry reports whether a directory has all files of another one: as they are there, or, where
// they may have grown, with them as their beginning.
func hasEntry(db *gitexec.ODB, more, less gitexec.Entry, grows bool, levels int) bool {
	switch {
	case more == less:
		return true
	case !more.Exists() || more.IsTree() != less.IsTree() || !grows || levels == 0:
		return false
	case !less.IsTree():
		_, grew := begins(db, []gitexec.OID{more.ID}, []gitexec.OID{less.ID}, "\n")
		return grew
	}
	now, err := conversation.Dir(db, more, "")
	was, err2 := conversation.Dir(db, less, "")
	if err != nil || err2 != nil {
		return false
	}
	for name, e := range was {
		if !hasEntry(db, now[name], e, grows, levels-1) {
			return false
		}
	}
	return true
}

// Lost lists the checkpoints of a tree of the branch that another tree lacks, or has without a part
// of them.
func Lost(db *gitexec.ODB, before, after gitexec.OID) (ids []string, err error) {
	u := uniting{db: db}
	// What comes from "there" is what the tree before has, so that its directories that did not
	// change are not read.
	err = u.level("", sides{ours: rootEntry(after), theirs: rootEntry(before)}, func(shard string, s sides) error {
		if !ValidShard(shard) {
			return nil
		}
		return u.level(shard, s.trees(), func(rest string, s sides) error {
			if id := shard + rest; ValidID(id) && s.theirs.IsTree() && !hasCheckpoint(db, after, before, id) {
				ids = append(ids, id)
			}
			return nil
		})
	})
	return ids, err
}

// hasCheckpoint reports whether a tree of the branch has all that another one has of a checkpoint.
func hasCheckpoint(db *gitexec.ODB, more, less gitexec.OID, id string) bool {
	now, _ := openReadable(db, more, id)
	was, _ := openReadable(db, less, id)
	return hasAll(db, now, was)
}

// hasAll reports whether a checkpoint has all sessions of another one, whole.
func hasAll(db *gitexec.ODB, more, less *checkpoint) bool {
	for i := range less.sessions {
		was := &less.sessions[i]
		at, there := more.index(was.meta.SessionID)
		if !there || !hasVersions(db, &more.sessions[at], was) || !hasConversation(db, &more.sessions[at], was) {
			return false
		}
	}
	return true
}
