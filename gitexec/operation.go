package gitexec

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"entire-plumb/internal/safefile"
)

// Operation is the operation that git is in the middle of in a worktree, such as a merge, according
// to the files in the git directory. Each method reads what it needs, and starts no process.
type Operation struct{ gitDir string }

// Operation is the current operation of the worktree.
func (r *Repo) Operation() Operation { return Operation{r.GitDir} }

// mostState limits the size of git's files on an operation, in bytes. They hold messages and lists
// of commits.
const mostState = 64 << 20

// has reports whether one of the files or directories exists.
func (o Operation) has(names ...string) bool {
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(o.gitDir, name)); err == nil {
			return true
		}
	}
	return false
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
	for _, state := range []struct{ file, name string }{
		{"MERGE_HEAD", "a merge"}, {"CHERRY_PICK_HEAD", "a cherry-pick"}, {"REVERT_HEAD", "a revert"},
		{"rebase-merge", "a rebase"}, {"rebase-apply", "a rebase, or git am,"}, {"sequencer", "a cherry-pick or revert"},
		{"BISECT_LOG", "a bisection"},
	} {
		if o.has(state.file) {
			return state.name + " is under way", state.file == "BISECT_LOG"
		}
	}
	return "", false
}

// Concludes reports whether the next commit concludes a merge, a cherry-pick or a revert.
func (o Operation) Concludes() bool { return o.has("CHERRY_PICK_HEAD", "REVERT_HEAD", "MERGE_HEAD") }

// Replays reports whether git is replaying a list of commits.
func (o Operation) Replays() bool { return o.has("rebase-merge", "rebase-apply", "sequencer") }

// Rebases reports whether it is a rebase with the merge backend, the default.
func (o Operation) Rebases() bool { return o.has("rebase-merge") }

// Executes reports whether a rebase is at an exec line of its todo list.
func (o Operation) Executes() bool {
	done := strings.Split(strings.TrimSpace(o.text("rebase-merge/done")), "\n")
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
	return o.id("REBASE_HEAD")
}

// Fixups lists the commits that a rebase is squashing into HEAD (squash and fixup).
func (o Operation) Fixups() []OID {
	var ids []OID
	for line := range strings.Lines(o.text("rebase-merge/current-fixups")) {
		if words := strings.Fields(line); len(words) > 0 && ValidOID(words[len(words)-1]) {
			ids = append(ids, OID(words[len(words)-1]))
		}
	}
	return ids
}

// SquashMessage is the message that git merge --squash prepared for the next commit.
func (o Operation) SquashMessage() string { return o.text("SQUASH_MSG") }

// Squashed lists the commits that git merge --squash applied to the worktree.
func (o Operation) Squashed() []OID {
	var ids []OID
	for line := range strings.Lines(o.SquashMessage()) {
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
	return o.id("CHERRY_PICK_HEAD")
}

// PickedWithConflicts is the commit of a cherry-pick outside of a rebase, if it had conflicts.
func (o Operation) PickedWithConflicts() OID {
	if !conflictComment.MatchString(o.MergeMessage()) {
		return ""
	}
	return o.Picked()
}

// conflictComment is the line before git's list of conflicts, after core.commentChar.
var conflictComment = regexp.MustCompile(`(?m)^\S* ?Conflicts:$`)
