package gitexec

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// TestOperation reads what git keeps of an operation, and rubbish in its place.
func TestOperation(t *testing.T) {
	a, b := strings.Repeat("a", 40), strings.Repeat("b", 64)
	for name, c := range map[string]struct {
		files map[string]string
		want  string // what is under way, and which of the questions are answered by yes or a value
	}{
		"nothing": {nil, ""},
		"a merge": {map[string]string{"MERGE_HEAD": a}, "a merge is under way, concludes"},
		"a pick": {map[string]string{"CHERRY_PICK_HEAD": a + "\n", "MERGE_MSG": "x\n\n# Conflicts:\n#\ta\n"},
			"a cherry-pick is under way, concludes, picked " + a},
		"a pick by ; comments": {map[string]string{"CHERRY_PICK_HEAD": b, "MERGE_MSG": "; Conflicts:\n"},
			"a cherry-pick is under way, concludes, picked " + b},
		"a revert": {map[string]string{"REVERT_HEAD": a, "MERGE_MSG": "x\n"}, "a revert is under way, concludes"},
		"a pick that went well": {map[string]string{"CHERRY_PICK_HEAD": a, "MERGE_MSG": "Conflicts: none\n"},
			"a cherry-pick is under way, concludes"},
		"a pick of rubbish": {map[string]string{"CHERRY_PICK_HEAD": "x", "MERGE_MSG": "# Conflicts:\n"},
			"a cherry-pick is under way, concludes"},
		"a rebase": {map[string]string{"rebase-merge/head-name": "refs/heads/topic\n", "REBASE_HEAD": a + "\n",
			"rebase-merge/done":           "exec make\npick " + a + " x\n",
			"rebase-merge/current-fixups": "fixup " + a + "\nsquash " + b + "\nrubbish\n",
			"rebase-merge/orig-head":      b + "\n", "rebase-merge/onto": b + "\n", "rebase-merge/rewritten-list": a + " " + b + "\nrubbish\n", "rebase-merge/rewritten-pending": b},
			"a rebase is under way, replays, rebases, of topic, at " + a + ", onto " + b + ", from " + b + ", replayed " + a + ", replayed " + b + ", fixup " + a + ", fixup " + b},
		"a rebase of a pick": {map[string]string{"rebase-merge/head-name": "refs/heads/topic", "CHERRY_PICK_HEAD": a,
			"MERGE_MSG": "# Conflicts:\n"}, "a cherry-pick is under way, concludes, replays, rebases, of topic"},
		"a rebase that runs a command": {map[string]string{"rebase-merge/done": "pick " + a + " x\nexec git commit --amend\n"},
			"a rebase is under way, replays, rebases, executes"},
		"the same, in short": {map[string]string{"rebase-merge/done": "x true"},
			"a rebase is under way, replays, rebases, executes"},
		"an earlier rebase": {map[string]string{"REBASE_HEAD": a}, ""},
		"patches": {map[string]string{"rebase-apply/head-name": "detached HEAD", "rebase-apply/onto": a},
			"a rebase, or git am, is under way, replays, of detached HEAD, onto " + a},
		"a bisection": {map[string]string{"BISECT_LOG": ""}, "a bisection is under way, the user's"},
		"a squash": {map[string]string{"SQUASH_MSG": "Squashed commit of the following:\n\ncommit " + a +
			"\nAuthor: x\n\n    commit " + b + "\n"}, "squashed " + a},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range c.files {
				file = filepath.Join(dir, file)
				testdir.Must(t, os.MkdirAll(filepath.Dir(file), 0o777))
				testdir.Must(t, os.WriteFile(file, []byte(text), 0o666))
			}
			if said := answers((&Repo{GitDir: dir}).Operation()); said != c.want {
				t.Errorf("%q, want %q", said, c.want)
			}
			// The same where these refs are in reftables.
			refs := map[string]OID{}
			for _, ref := range []string{"CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD"} {
				if _, ok := c.files[ref]; !ok {
					continue
				}
				if refs[ref] = OID(strings.TrimSpace(c.files[ref])); !ValidOID(string(refs[ref])) {
					return // no ref holds rubbish
				}
				testdir.Must(t, os.Remove(filepath.Join(dir, ref)))
			}
			if said := answers(Operation{dir, func(name string) OID { return refs[name] }}); said != c.want {
				t.Errorf("in reftables %q, want %q", said, c.want)
			}
			if len(c.files) == 0 {
				answers(Operation{dir, func(name string) OID { t.Errorf("git was asked for %s", name); return "" }})
			}
		})
	}
}

// answers lists what an operation says.
func answers(op Operation) string {
	var got []string
	what, users := op.UnderWay()
	for _, is := range []struct {
		true bool
		name string
	}{{what != "", what}, {users, "the user's"}, {op.Concludes(), "concludes"}, {op.Replays(), "replays"}, {op.Rebases(),
		"rebases"}, {op.Executes(), "executes"}} {
		if is.true {
			got = append(got, is.name)
		}
	}
	picked := op.Picked()
	if op.MessageWithConflicts() == "" {
		picked = ""
	}
	for _, value := range []struct{ name, text string }{{"of", op.RebasedBranch()}, {"at", string(op.StoppedAt())}, {"onto", string(op.Onto())},
		{"picked", string(picked)}} {
		if value.text != "" {
			got = append(got, value.name+" "+value.text)
		}
	}
	from, replayed := op.Rebased()
	if from != "" {
		got = append(got, fmt.Sprint("from ", from))
	}
	for _, id := range replayed {
		got = append(got, fmt.Sprint("replayed ", id))
	}
	for _, id := range op.Fixups() {
		got = append(got, fmt.Sprint("fixup ", id))
	}
	for _, id := range op.Squashed() {
		got = append(got, fmt.Sprint("squashed ", id))
	}
	return strings.Join(got, ", ")
}

// TestPlans: a rebase's first list tells what it replays or drops, in full or abbreviated; without
// one, anything may be.
func TestPlans(t *testing.T) {
	const id = OID("2fcdd9857cacd7d61b170c5d98b26a22a6641e53")
	for list, want := range map[string]bool{
		"":                                  true,
		"pick " + string(id) + " a subject": true,
		"exec make 2fcd\nfixup -C 2fcdd98 a subject\n": true,
		"drop 2fcdd98":               true,
		"pick 963e6cf 2fcdd98 again": false,
		"pick 2fc a subject":         false,
		"# Rebase 2fcdd98..963e6cf":  false,
		"noop\n":                     false,
	} {
		dir := t.TempDir()
		testdir.Must(t, os.Mkdir(filepath.Join(dir, "rebase-merge"), 0o755))
		testdir.Must(t, os.WriteFile(filepath.Join(dir, "rebase-merge/git-rebase-todo.backup"), []byte(list), 0o644))
		if got := (Operation{gitDir: dir}).Plans(id); got != want {
			t.Errorf("%q: %t", list, got)
		}
	}
}
