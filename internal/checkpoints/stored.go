package checkpoints

import (
	"cmp"
	"errors"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/seal"
	"entire-plumb/internal/sets"
)

// form is how checkpoints are read: as they are shown, or as they are stored, for an index of them.
// What is encrypted then stays so, and each has its turns and its directory.
type form struct {
	branch Branch
	stored bool
}

// Changed says which directories of the branch an index has to read again.
type Changed struct {
	shards map[string][]branchShard // all
	Now    map[string][]gitexec.OID // the objects of each directory, by its name
	Purged gitexec.OID              // the list of what was purged: it hides checkpoints of others' branches
}

// BranchShards lists the directories of the first level, of the branch and of the remotes'.
func BranchShards(db *gitexec.ODB, b Branch) (c Changed, err error) {
	c = Changed{Now: map[string][]gitexec.OID{}}
	if c.shards, err = b.shards(db); err != nil {
		return c, err
	}
	for name, parts := range c.shards {
		for _, part := range parts {
			c.Now[name] = append(c.Now[name], part.ID)
		}
	}
	if b.Tree != "" {
		top, err := conversation.Dir(db, gitexec.Entry{Mode: gitexec.ModeTree, ID: b.Tree}, "the branch")
		if err != nil {
			return c, err
		}
		c.Purged = top[purgedDir].ID
	}
	return c, nil
}

// directoriesAtOnce is how many directories have the limit of gitexec for what is read together: an
// eighth of the 256 that a branch may have. So it is reached eight times for each branch at most,
// whatever others have pushed.
const directoriesAtOnce = 32

// EachStored passes on the checkpoints of some directories, as they are stored: of each directory
// first the names and the objects of all that it has, of which read chooses those that are read.
// A checkpoint that is a duplicate of one in a directory that is not read is not noticed. Damage of
// a directory itself has no Directory, and the name of the directory as its ID.
func EachStored(db *gitexec.ODB, b Branch, c Changed, names []string, read func(shard string, has map[string]gitexec.Entry) (ids []string),
	each func(CommittedInfo) error) error {
	b = Judged(b, nil) // which changes with the history, and an index doesn't
	among := sets.Of(names)
	wanted := func(shard string) bool { return among[shard] }
	defer db.Apart()()
	var dirs []gitexec.Entry
	for _, name := range names {
		for _, part := range c.shards[name] {
			dirs = append(dirs, part.Entry)
		}
	}
	bring(db, dirs, false)
	directories := 0
	var unread []string
	var theirs []gitexec.Entry
	err := eachOf(db, b, c.shards, wanted, func(shard string, level gitexec.Tree, names []string, broken error) error {
		if broken != nil {
			return each(unreadable(shard, broken))
		}
		if directories++; directories%directoriesAtOnce == 0 { // a million checkpoints are more than the limit of a command
			db.Apart()
		}
		has := make(map[string]gitexec.Entry, len(names))
		for _, name := range names {
			has[shard+name] = level[name]
		}
		for _, id := range read(shard, has) {
			unread, theirs = append(unread, id), append(theirs, has[id])
		}
		if len(unread) < readAtOnce { // those of several directories are read at once
			return nil
		}
		err := form{branch: b, stored: true}.eachIn(db, unread, theirs, each)
		unread, theirs = nil, nil
		return err
	})
	if err != nil {
		return err
	}
	return form{branch: b, stored: true}.eachIn(db, unread, theirs, each)
}

// DescribeStored reads checkpoints, given their directories, as they are shown, in the order given.
func DescribeStored(db *gitexec.ODB, b Branch, ids []string, dirs []gitexec.Entry, each func(CommittedInfo) error) error {
	return form{branch: b}.eachIn(db, ids, dirs, each)
}

// eachIn passes on the checkpoints of directories, in the order given.
func (f form) eachIn(db *gitexec.ODB, ids []string, dirs []gitexec.Entry, each func(CommittedInfo) error) error {
	for len(ids) > 0 {
		n := min(len(ids), readAtOnce)
		level := gitexec.Tree{}
		for i, id := range ids[:n] {
			level[id] = dirs[i]
		}
		if err := readSome(db, f, "", level, ids[:n], each); err != nil {
			return err
		}
		ids, dirs = ids[n:], dirs[n:]
	}
	return nil
}

// promptText are a session's prompts as they were read.
type promptText struct {
	text      string
	sealed    string // for whom they are encrypted; empty: they are not, or opened
	encrypted bool   // they are, and were not opened
}

// files are the names of those that are read of a checkpoint.
func (f form) files() []string {
	if f.stored {
		return []string{"metadata.json", conversation.PromptFile, linesFile}
	}
	return []string{"metadata.json", conversation.PromptFile}
}

// prompts reads those of a session's part.
func (f form) prompts(db *gitexec.ODB, s sessionDir) (p promptText, err error) {
	file, path := s.files[conversation.PromptFile], s.dir+"/"+conversation.PromptFile
	if !file.Exists() {
		return p, nil
	}
	err = db.EachBlob(conversation.MostPrompts, []gitexec.OID{file.ID}, func(_ []int, data []byte, err error) error {
		switch {
		case err != nil:
			p.encrypted = f.stored // they are read again when somebody asks for them
			return conversation.Damage(path, err)
		case f.stored && seal.Is(data):
			p.encrypted = true
			return nil
		}
		p.text, p.sealed, err = conversation.ShownText(db, data, path, conversation.MostPrompts)
		return err
	})
	return p, err
}

// turns are those that a part's list of lines names; a list that cannot be read names none.
func (f form) turns(db *gitexec.ODB, s sessionDir) ([]string, error) {
	if !f.stored {
		return nil, nil
	}
	owned, form, err := s.readLines(db, "")
	// A newer version's list is no damage, and what a partial clone lacks is fetched when it is
	// asked for.
	if err = cmp.Or(err, form); errors.Is(err, errNewerLines) || gitexec.IsUnfetched(err) {
		err = nil
	}
	return owned.Turns, err
}

// addTurns adds turns that have work in the checkpoint.
func (info *CommittedInfo) addTurns(turns []string) {
	for _, turn := range turns {
		if turn != "" && !slices.Contains(info.Turns, turn) {
			info.Turns = append(info.Turns, turn)
		}
	}
}
