package gitexec

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"entire-plumb/internal/safefile"
)

// Operation is the operation that git is in the middle of in a worktree, such as a merge, according
// to the files in the git directory. Each method reads what it needs, and starts no process; but
// where refs are in reftables, the commits that a cherry-pick, a revert or a rebase is at are refs,
// and git is asked for them if its other files say that there may be one.
type Operation struct {
	gitDir string
	refs   func(name string) OID // asks git for a ref in a reftable; nil: refs are files
}

// Operation is the current operation of the worktree.
func (r *Repo) Operation() Operation {
	if r.HasReftables() {
		return Operation{r.GitDir, r.rootRef}
	}
	return Operation{gitDir: r.GitDir}
}

// HasReftables reports whether the repository's refs are in reftables.
func (r *Repo) HasReftables() bool {
	if r.CommonDir == "" {
		return false
	}
	info, err := os.Lstat(filepath.Join(r.CommonDir, "reftable"))
	return err == nil && info.IsDir()
}

// ref is the commit that a ref names that git writes during an operation: beside what its other
// files are about, of which one exists as long as the ref does.
func (o Operation) ref(name string, beside ...string) OID {
	switch {
	case o.refs == nil:
		return o.id(name)
	case o.hasFile(beside...):
		return o.refs(name)
	}
	return ""
}

// picks reports whether a cherry-pick or a revert (name) is at a commit. git keeps the message of
// the next commit then.
func (o Operation) picks(name string) bool {
	return o.refs == nil && o.hasFile(name) || o.refs != nil && o.ref(name, "MERGE_MSG") != ""
}

// mostState limits the size of git's files on an operation, in bytes. They hold messages and lists
// of commits.
const mostState = 64 << 20

// hasFile reports whether one of the files or directories exists.
func (o Operation) hasFile(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		_, err := os.Lstat(filepath.Join(o.gitDir, name))
		return err == nil
	})
}

// text reads a file; a missing one is empty.
func (o Operation) text(name string) string {
	data, err := safefile.Read(filepath.Join(o.gitDir, filepath.FromSlash(name)), mostState)
	if err != nil {
		return ""
	}
	return string(data)
}

func (o Operation) id(name string) OID {
	if id := strings.TrimSpace(o.text(name)); ValidOID(id) {
		return OID(id)
	}
	return ""
}

// UnderWay describes it, such as "a merge is under way"; empty: none. Commits during a bisection
// are ordinary ones.
func (o Operation) UnderWay() (what string, bisecting bool) {
	for _, state := range []struct {
		file, name string
		is         func(string) bool
	}{
		{"MERGE_HEAD", "a merge", nil}, {"CHERRY_PICK_HEAD", "a cherry-pick", o.picks}, {"REVERT_HEAD", "a revert", o.picks},
		{"rebase-merge", "a rebase", nil}, {"rebase-apply", "a rebase, or git am,", nil}, {"sequencer", "a cherry-pick or revert", nil},
		{"BISECT_LOG", "a bisection", nil},
	} {
		if state.is != nil && state.is(state.file) || state.is == nil && o.hasFile(state.file) {
			return state.name + " is under way", state.file == "BISECT_LOG"
		}
	}
	return "", false
}

// Concludes reports whether the next commit concludes a merge, a cherry-pick or a revert.
func (o Operation) Concludes() bool {
	return o.hasFile("MERGE_HEAD") || o.picks("CHERRY_PICK_HEAD") || o.picks("REVERT_HEAD") // MERGE_HEAD is a file, always
}

// Replays reports whether git is replaying a list of commits.
func (o Operation) Replays() bool { return o.hasFile("rebase-merge", "rebase-apply", "sequencer") }

// Rebases reports whether it is a rebase with the merge backend, the default.
func (o Operation) Rebases() bool { return o.hasFile("rebase-merge") }

// Executes reports whether a rebase is at an exec line of its todo list.
func (o Operation) Executes() bool {
	done := strings.Split(strings.TrimSpace(o.text("rebase-merge/done")), "\n")
	// Git writes a line to that file before it acts on it.
	verb, _, _ := strings.Cut(done[len(done)-1], " ")
	return verb == "exec" || verb == "x"
}

// RebasedBranch is the short name of the branch that a rebase moves at its end; empty: no rebase.
func (o Operation) RebasedBranch() string {
	for _, dir := range []string{"rebase-merge", "rebase-apply"} {
		if name := o.text(dir + "/head-name"); name != "" {
			return strings.TrimPrefix(strings.TrimSpace(name), "refs/heads/")
		}
	}
	return ""
}

// StoppedAt is the commit that a rebase has stopped at; empty: none.
func (o Operation) StoppedAt() OID {
	if o.RebasedBranch() == "" {
		return "" // the file may be from an earlier rebase
	}
	return o.ref("REBASE_HEAD", "rebase-merge", "rebase-apply")
}

// Onto is the commit that a rebase goes on from; empty: no rebase.
func (o Operation) Onto() OID { return cmp.Or(o.id("rebase-merge/onto"), o.id("rebase-apply/onto")) }

// Rebased is the commit that a rebase began at, and the commits that it has replayed already.
// Empty: no rebase with the merge backend.
func (o Operation) Rebased() (from OID, replayed []OID) {
	if from = o.id("rebase-merge/orig-head"); from == "" {
		return "", nil
	}
	// Those of a chain of fixups are pending until the last of them is done.
	list := o.text("rebase-merge/rewritten-list") + o.text("rebase-merge/rewritten-pending")
	return from, idsOf(list, firstWord)
}

// idsOf lists the IDs of a text's lines, by what pick takes out of a line's words.
func idsOf(text string, pick func(words []string) string) (ids []OID) {
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 0 && ValidOID(pick(words)) {
			ids = append(ids, OID(pick(words)))
		}
	}
	return ids
}

func firstWord(words []string) string { return words[0] }

// Plans reports whether a rebase began with a commit in its list: whether it replays or drops it.
// True where the list is not known, as with the apply backend.
func (o Operation) Plans(id OID) bool {
	list := o.text("rebase-merge/git-rebase-todo.backup")
	for line := range strings.Lines(list) {
		words := strings.Fields(line)
		if len(words) > 2 && strings.HasPrefix(words[1], "-") { // fixup -C
			words = words[1:]
		}
		// Git abbreviates to four digits at least. A shorter word is a label, or a name.
		if len(words) > 1 && len(words[1]) >= 4 && strings.HasPrefix(string(id), words[1]) {
			return true
		}
	}
	return list == ""
}

// Fixups lists the commits that a rebase is squashing into HEAD (squash and fixup).
func (o Operation) Fixups() []OID {
	// A line is `fixup <id>` or `squash <id>`.
	return idsOf(o.text("rebase-merge/current-fixups"), func(words []string) string { return words[len(words)-1] })
}

// Merged are the commits that a merge brings.
func (o Operation) Merged() []OID { return idsOf(o.text("MERGE_HEAD"), firstWord) }

// SquashMessage is the message that git merge --squash prepared for the next commit.
func (o Operation) SquashMessage() string { return o.text("SQUASH_MSG") }

// Squashed lists the commits that git merge --squash applied to the worktree.
func (o Operation) Squashed() []OID {
	var ids []OID
	for line := range strings.Lines(o.SquashMessage()) {
		// Git indents the messages that it quotes: a line of one of these is no header.
		if id, ok := strings.CutPrefix(strings.TrimSpace(line), "commit "); ok && line[0] != ' ' && ValidOID(id) {
			ids = append(ids, OID(id))
		}
	}
	return ids
}

// MergeMessage is the message that a merge or a cherry-pick prepared for the next commit.
func (o Operation) MergeMessage() string { return o.text("MERGE_MSG") }

// Picked is the commit of a cherry-pick outside of a rebase.
func (o Operation) Picked() OID {
	if o.Rebases() {
		return ""
	}
	return o.ref("CHERRY_PICK_HEAD", "MERGE_MSG")
}

// Brings are the commits that git merges, the newest of those that it squashes, and the one that it
// picks.
func (o Operation) Brings() []OID {
	ids := o.Merged()
	if squashed := o.Squashed(); len(squashed) > 0 {
		ids = append(ids, squashed[0])
	}
	if picked := o.Picked(); picked != "" {
		ids = append(ids, picked)
	}
	return ids
}

// Reverted is the commit that a revert takes back.
func (o Operation) Reverted() OID { return o.ref("REVERT_HEAD", "MERGE_MSG") }

// MessageWithConflicts is that message, if git has listed conflicts in it.
func (o Operation) MessageWithConflicts() string {
	text := o.MergeMessage()
	if !conflictComment().MatchString(text) {
		return ""
	}
	return text
}

// conflictComment is the line before git's list of conflicts, after core.commentChar.
var conflictComment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\S* ?Conflicts:$`) })
