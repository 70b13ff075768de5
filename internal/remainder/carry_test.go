package remainder

import (
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// Lines that are evidence by themselves.
const (
	human = "the human wrote zero\n"
	one   = "the agent wrote one\n"
	two   = "the agent wrote two\n"
	three = "the agent wrote three\n"
)

// TestCarryForward: what becomes of the work on streams after a commit, by what the commit, the
// worktree and the stash have of it.
func TestCarryForward(t *testing.T) {
	for name, c := range map[string]struct {
		make func(*repository)
		want string
	}{
		"the commit holds all": {func(r *repository) {
			r.stream(1, "s", []string{"f", human + one})
			r.Git("commit", "-qam", "All")
		}, "drop 1"},
		"the commit holds nothing": {func(r *repository) {
			r.stream(1, "s", []string{"f", human + one})
			r.Git("commit", "-qm", "None", "--allow-empty")
		}, `1: s(agent) f="HO"|drop 1`},
		"a partial commit": {func(r *repository) {
			r.stream(1, "s", []string{"f", human + one, "n", two})
			r.Git("add", "n")
			r.Git("commit", "-qm", "n", "--", "n")
		}, `1: s(agent) f="HO"|drop 1`},
		"some of a file's lines": {func(r *repository) {
			r.stream(1, "s", []string{"f", human + one + two})
			r.write("f", human+one)
			r.Git("commit", "-qam", "Some")
			r.write("f", human+one+two)
		}, `1: s(agent) f="HOT"|drop 1`},
		"the human edited the file since": {func(r *repository) {
			r.stream(1, "s", []string{"f", human + one})
			r.Git("commit", "-qm", "None", "--allow-empty")
			r.write("f", human+one+"more of the human\n")
		}, `1: s(agent) f="HOmore of the human\n"|drop 1`},
		"the human took it out": {func(r *repository) {
			r.stream(1, "s", []string{"f", human + one})
			r.write("f", human)
			r.Git("commit", "-qm", "None", "--allow-empty")
		}, `keep 1|s dismissed f="HO"`},
		"the human took some of it out": {func(r *repository) {
			r.stream(1, "s", []string{"f", human + one, "n", two})
			r.write("f", human)
			r.Git("commit", "-qm", "None", "--allow-empty")
		}, `1: s(agent) n="T"|keep 1|s dismissed f="HO"`},
		"the human deleted the new file": {func(r *repository) {
			r.stream(1, "s", []string{"n", one})
			r.write("n", "")
			r.Git("commit", "-qm", "None", "--allow-empty")
		}, `keep 1|s dismissed n="O"`},
		"a deletion that the commit holds": {func(r *repository) {
			r.stream(1, "s", []string{"f", ""})
			r.Git("commit", "-qam", "Without f")
		}, "drop 1"},
		"a deletion that it does not hold": {func(r *repository) {
			r.stream(1, "s", []string{"f", ""})
			r.Git("commit", "-qm", "None", "--allow-empty")
		}, `1: s(agent) f=""|drop 1`},
		"a deletion that the human undid": {func(r *repository) {
			r.stream(1, "s", []string{"f", ""})
			r.write("f", human)
			r.Git("commit", "-qm", "None", "--allow-empty")
		}, `drop 1`},
		"a stash entry holds it": {func(r *repository) {
			r.stream(1, "s", []string{"f", human + one})
			r.Git("stash")
			r.Git("commit", "-qm", "None", "--allow-empty")
		}, `1: s(agent) f="HO"|drop 1`},
		"a stash entry holds a new file": {func(r *repository) {
			r.stream(1, "s", []string{"n", one})
			r.Git("stash", "-u")
			r.Git("commit", "-qm", "None", "--allow-empty")
		}, `1: s(agent) n="O"|drop 1`},
		"a stash entry holds one turn, the worktree another": {func(r *repository) {
			r.stream(1, "s", []string{"f", human + one}, []string{"n", two})
			r.Git("stash", "push", "--", "f")
			r.Git("commit", "-qm", "None", "--allow-empty")
		}, `1: s(agent) n="T"|2: s(agent) f="HO"|drop 1`},
		"a stash entry of another file": {func(r *repository) {
			r.stream(1, "s", []string{"f", human + one})
			r.write("f", human, "other", "of the human\n")
			r.Git("stash", "-u")
			r.Git("commit", "-qm", "None", "--allow-empty")
		}, `keep 1|s dismissed f="HO"`},
		"turn by turn, where only a stash entry holds it": {func(r *repository) {
			r.stream(1, "s", []string{"f", human + one}, []string{"f", human + one + two})
			r.Git("stash")
			r.Git("commit", "-qm", "None", "--allow-empty")
		}, `1: s(agent) f="HO" s(agent) f="HOT"|drop 1`},
		"what the commit holds, and a stash entry has otherwise": {func(r *repository) {
			r.stream(1, "s", []string{"f", human + one})
			r.write("f", human+one+two)
			r.Git("stash")
			r.write("f", human+one)
			r.Git("commit", "-qam", "All")
		}, "drop 1"},
		"two streams": {func(r *repository) {
			r.stream(1, "s", []string{"f", human + one})
			r.stream(2, "t", []string{"n", two})
			r.Git("commit", "-qm", "None", "--allow-empty")
		}, `1: s(agent) f="HO" t(agent) n="T"|drop 1|drop 2`},
		"two streams, one of which the commit holds": {func(r *repository) {
			r.stream(1, "s", []string{"f", human + one})
			r.stream(2, "t", []string{"n", two})
			r.Git("commit", "-qam", "f")
		}, `1: t(agent) n="T"|drop 1|drop 2`},
		"two streams, one of which is in the stash": {func(r *repository) {
			r.stream(1, "s", []string{"f", human + one})
			r.Git("stash")
			r.stream(2, "t", []string{"n", two})
			r.Git("commit", "-qm", "None", "--allow-empty")
		}, `1: t(agent) n="T"|2: s(agent) f="HO"|drop 1|drop 2`},
		"two streams, one of which is dismissed": {func(r *repository) {
			r.stream(1, "s", []string{"f", human + one})
			r.write("f", human)
			r.stream(2, "t", []string{"n", two})
			r.Git("commit", "-qm", "None", "--allow-empty")
		}, `1: t(agent) n="T"|drop 2|keep 1|s dismissed f="HO"`},
		"two sessions in one file": {func(r *repository) {
			r.stream(1, "s", []string{"f", human + one})
			r.stream(2, "t", []string{"f", human + one + two})
			r.Git("commit", "-qm", "None", "--allow-empty")
		}, `1: s(agent) f="HOT" t(human) f="H" t(agent) f="HOT"|drop 1|drop 2`},
		"the human renamed the new file": {func(r *repository) {
			r.stream(1, "s", []string{"n", one + two + three})
			r.Git("commit", "-qm", "None", "--allow-empty")
			r.write("n", "", "m", one+two+three)
		}, `1: s(agent) m="OT3"|drop 1`},
		"the human renamed the file": {func(r *repository) {
			r.stream(1, "s", []string{"f", human + one + two + three})
			r.Git("commit", "-qm", "None", "--allow-empty")
			r.write("f", "", "g", human+one+two+three)
		}, `1: s(human) f="" s(agent) g="HOT3"|drop 1`},
		"the commit renamed the file, without the work": {func(r *repository) {
			r.stream(1, "s", []string{"f", human + one + two + three})
			r.Git("mv", "f", "g")
			r.write("g", human)
			r.Git("add", ".")
			r.Git("commit", "-qm", "Rename")
			r.write("g", human+one+two+three)
		}, `1: s(agent) g="HOT3"|drop 1`},
		"a file that the worktree lacks, and others that are unlike it": {func(r *repository) {
			r.stream(1, "s", []string{"n", one + two + three})
			r.Git("commit", "-qm", "None", "--allow-empty")
			r.write("n", "", "m", "of the human\n")
		}, `keep 1|s dismissed n="OT3"`},
		"a directory in the place of the file": {func(r *repository) {
			r.stream(1, "s", []string{"n", one})
			r.Git("commit", "-qm", "None", "--allow-empty")
			r.write("n", "", "n/below", "of the human\n")
		}, `1: s(agent) n="O"|drop 1`},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t, "f", human)
			c.make(r)
			got := strings.NewReplacer(quoted(human), "H", quoted(one), "O", quoted(two), "T", quoted(three), "3").Replace(r.describe(r.carry(nil)))
			if want := strings.ReplaceAll(c.want, "|", "\n"); got != want {
				t.Errorf("\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// quoted is a line as %q has it inside of a text.
func quoted(line string) string { return strings.TrimSuffix(line, "\n") + `\n` }

// TestStatesMove: the sessions' states move to the commit, with the streams that are new there, and
// keep the bases of other work.
func TestStatesMove(t *testing.T) {
	r := newRepository(t, "f", human)
	r.stream(1, "s", []string{"f", human + one})
	r.stream(2, "t", []string{"n", two})
	r.Git("add", "n")
	r.Git("commit", "-qm", "n", "--", "n")
	other := gitexec.OID(strings.Repeat("a", 40))
	r.carry(func(q *Request) {
		q.KeptOn = func(s *session.State) []gitexec.OID {
			if s.SessionID == "t" {
				return []gitexec.OID{other}
			}
			return nil
		}
	})
	s, u := r.state("s"), r.state("t")
	if s.BaseCommit != r.Repo.Head.ID || s.ShadowBranchSuffix != 1 || s.CheckpointCount != 1 || len(s.FilesTouched) != 1 || len(s.OtherBases) > 0 {
		t.Errorf("the one with a remainder: %+v", s.Place)
	}
	if u.BaseCommit != r.Repo.Head.ID || u.ShadowBranchSuffix != 0 || u.CheckpointCount != 0 || len(u.OtherBases) != 1 || u.OtherBases[0] != other {
		t.Errorf("the one without: %+v", u.Place)
	}
}

// TestSuffixTaken: a stream that is on the commit already is not replaced.
func TestSuffixTaken(t *testing.T) {
	r := newRepository(t, "f", human)
	r.stream(1, "s", []string{"f", human + one})
	r.Git("stash")
	r.stream(3, "t", []string{"n", two})
	r.Git("commit", "-qm", "None", "--allow-empty")
	first := r.base
	r.Open()
	r.base = r.Repo.Head
	r.stream(1, "x", []string{"other", three})
	r.stream(3, "x", []string{"other", three})
	r.base = first
	if got := r.describe(r.carry(nil)); !strings.HasPrefix(got, "2: t(agent) n=") || !strings.Contains(got, "\n4: s(agent) f=") {
		t.Errorf("%s", got)
	}
}

// TestStaged: a version in the index counts like one in a stash entry.
func TestStaged(t *testing.T) {
	r := newRepository(t, "f", human)
	r.stream(1, "s", []string{"f", human + one})
	r.Git("commit", "-qm", "None", "--allow-empty")
	r.write("f", human)
	staged := []gitexec.Change{{Path: "f", Old: r.blob(human), New: r.blob(human + one)}}
	if got := r.describe(r.carry(func(q *Request) { q.Staged = staged })); !strings.HasPrefix(got, "1: s(agent) f=") || !strings.HasSuffix(got, "drop 1") {
		t.Errorf("%s", got)
	}
}

// TestCheckpoint: a carried checkpoint's subject is the prompt of the turn that changed the file.
// It names the stream that it takes lines from, and it has the session's conversation.
func TestCheckpoint(t *testing.T) {
	for name, c := range map[string]struct {
		open    bool
		file    string // that is not committed
		subject string
	}{
		"of the first turn":      {false, "f", "Turn 1 of s"},
		"of the last turn":       {false, "n", "Turn 2 of s"},
		"of a turn in progress":  {true, "f", "Last of s"},
		"the last one of a file": {false, "both", "Turn 2 of s"},
	} {
		r := newRepository(t, "f", human)
		r.stream(1, "s", []string{"f", human + one, "both", one}, []string{"n", two, "both", one + two})
		r.state("s").TurnOpen = c.open
		for _, file := range []string{"f", "n", "both"} {
			if file != c.file {
				r.Git("add", file)
			}
		}
		r.Git("commit", "-qm", "Without "+c.file)
		carried := r.carry(nil)
		if len(carried.Commits) != 1 {
			t.Errorf("%s: %d commits", name, len(carried.Commits))
			continue
		}
		commit := carried.Commits[0]
		subject, _, _ := strings.Cut(string(commit.Message), "\n")
		if subject != c.subject {
			t.Errorf("%s: the subject is %q, want %q", name, subject, c.subject)
		}
		if tip := carried.Drop[0].Tip.ID; len(commit.Parents) != 2 || commit.Parents[1] != tip || commit.Parents[0] != r.Repo.Head.ID {
			t.Errorf("%s: the parents are %v", name, commit.Parents)
		}
		found, err := r.DB.Lookup(commit.Tree, ".entire/metadata/s/prompt.txt")
		if r.Must(err); !found[0].Exists() || r.Text(found[0]) != "Do s" {
			t.Errorf("%s: the conversation is %q", name, found)
		}
		if when := commit.Committer.When; !when.Equal(time.Unix(2000, 0)) {
			t.Errorf("%s: made at %v", name, when)
		}
	}
}

// TestCondensedConversation: what the commit's checkpoint has of the conversation counts before
// what the old stream has.
func TestCondensedConversation(t *testing.T) {
	r := newRepository(t, "f", human)
	r.stream(1, "s", []string{"f", human + one})
	r.Git("commit", "-qm", "None", "--allow-empty")
	carried := r.carry(func(q *Request) {
		q.Meta = map[string]shadow.Metadata{"s": {Prompts: r.blob("Do it now"), Context: r.blob("page")}}
	})
	found, err := r.DB.Lookup(carried.Commits[0].Tree, ".entire/metadata/s/prompt.txt", ".entire/metadata/s/context.md")
	if r.Must(err); r.Text(found[0]) != "Do it now" || r.Text(found[1]) != "page" {
		t.Errorf("%q, %q", r.Text(found[0]), r.Text(found[1]))
	}
}

// TestWorkTips: the streams on which work was done. One that only carries others' work forward is
// one of them where its base is not the commit's parent.
func TestWorkTips(t *testing.T) {
	r := newRepository(t, "f", human)
	r.stream(1, "s", []string{"f", human + one})
	r.Git("commit", "-qm", "None", "--allow-empty")
	carried := r.carry(nil)
	ids, err := r.DB.CommitTree(carried.Commits...)
	r.Must(err)
	r.Git("update-ref", carried.Chains[0].Name.Ref(), string(ids[0]))
	listing, err := shadow.List(r.Context(), r.Repo)
	r.Must(err)
	streams, err := listing.Streams(r.DB, r.Repo.Head.ID, "")
	r.Must(err)
	own, carrying := &carried.Drop[0], &streams[0]
	base, other := r.Repo.Head.ID, gitexec.OID(strings.Repeat("a", 40))
	for name, c := range map[string]struct {
		parents []gitexec.OID
		streams []*shadow.Stream
		want    []gitexec.OID
	}{
		"its own work":                {[]gitexec.OID{r.base.ID}, []*shadow.Stream{own}, []gitexec.OID{own.Tip.ID}},
		"its own, on another commit":  {[]gitexec.OID{other}, []*shadow.Stream{own}, []gitexec.OID{own.Tip.ID}},
		"carried":                     {[]gitexec.OID{base}, []*shadow.Stream{carrying}, []gitexec.OID{own.Tip.ID}},
		"carried, by a merge":         {[]gitexec.OID{other, base}, []*shadow.Stream{carrying}, []gitexec.OID{own.Tip.ID}},
		"carried, on another commit":  {[]gitexec.OID{other}, []*shadow.Stream{carrying}, []gitexec.OID{own.Tip.ID, carrying.Tip.ID}},
		"carried, on a first commit":  {nil, []*shadow.Stream{carrying}, []gitexec.OID{own.Tip.ID, carrying.Tip.ID}},
		"both, each stream only once": {[]gitexec.OID{base}, []*shadow.Stream{carrying, own}, []gitexec.OID{own.Tip.ID}},
		"none":                        {nil, nil, nil},
	} {
		got, err := workTips(r.DB, gitexec.Commit{Parents: c.parents}, c.streams)
		if r.Must(err); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
