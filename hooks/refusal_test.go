package hooks

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/share"
	"entire-plumb/shadow"
)

func TestWhyARefIsRefused(t *testing.T) {
	ours := shadow.Proof{Commit: "0123456789", Subject: "Do it"}
	rewind := shadow.Proof{Commit: "0123456789", Rewind: true}
	users := shadow.Proof{Commit: "0123456789", Subject: "Add", Users: ".entire/metadata/one"}
	for fact, test := range map[string]struct {
		local string
		at    shadow.Proof
		tip   bool
		part  bool
		want  string
	}{
		"a tree of a stream":          {"refs/tags/t", ours, true, true, "refs/tags/t holds a part of a shadow branch"},
		"a user's commit":             {"refs/heads/x", users, true, false, `refs/heads/x holds a session's conversation: 0123456 ("Add") has it in .entire/metadata/one`},
		"a private ref":               {"refs/entire-plumb/x", shadow.Proof{}, false, false, "refs/entire-plumb/x is a private ref of entire-plumb"},
		"a private ref of a rewind":   {"refs/entire-plumb/rewind/1", shadow.Proof{}, false, false, "refs/entire-plumb/rewind/1 is what the worktree was before a rewind"},
		"a rewind's commit":           {"refs/heads/x", rewind, true, false, "refs/heads/x is what the worktree was before a rewind"},
		"a rewind's commit below":     {"refs/heads/x", rewind, false, false, "refs/heads/x holds 0123456, what the worktree was before a rewind"},
		"a stream's commit below":     {"refs/heads/x", ours, false, false, `refs/heads/x holds the checkpoint 0123456 ("Do it") of a shadow branch`},
		"a tag of a stream":           {"refs/tags/t", ours, true, false, "refs/tags/t is a tag of a shadow branch's commit"},
		"a stream":                    {"refs/heads/entire/0123456-1", ours, true, false, "refs/heads/entire/0123456-1 is a shadow branch"},
		"a stream under another name": {"refs/heads/x", ours, true, false, "refs/heads/x is a shadow branch's commit"},
	} {
		got := refusedRef{pushed: pushed{local: test.local, remote: test.local}, at: test.at, tip: test.tip}.why(test.part)
		if got != test.want {
			t.Errorf("%s: %s\nwant %s", fact, got, test.want)
		}
	}
}

func TestHoldersOfARefusedCommit(t *testing.T) {
	// a, c and e are the user's; r is refused.
	graph := [][]gitexec.OID{{"a"}, {"r", "a"}, {"c", "r"}, {"merge", "a", "c"}, {"merged", "c", "a"}, {"e", "merge"}}
	want := map[gitexec.OID]held{"r": {"r", true}, "c": {"r", true}, "merge": {"r", false}, "merged": {"r", true}, "e": {"r", false}}
	if got := holdersOf(graph, map[gitexec.OID]shadow.Proof{"r": {}}); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestBelow(t *testing.T) {
	o := outgoing{proofs: map[gitexec.OID]shadow.Proof{
		"1": {Commit: "1", Parent: "base"}, "2": {Commit: "2", Parent: "1"}, "3": {Commit: "3", Parent: "2"}}}
	for at := range o.proofs {
		if got := o.below(o.proofs[at]); got.Commit != "1" || got.Parent != "base" {
			t.Errorf("below %s: %+v", at, got)
		}
	}
}

func branches(names ...string) (all []pushed) {
	for _, name := range names {
		all = append(all, pushed{local: "refs/heads/" + name, remote: "refs/heads/" + name})
	}
	return all
}

func TestCommandsThatPushTheOthers(t *testing.T) {
	many := branches("1", "2", "3", "4", "5", "6", "7")
	refused := []refusedRef{{pushed: branches("x")[0]}, {pushed: branches("entire/0123456-1")[0]}, {pushed: pushed{local: "refs/tags/t"}}}
	for _, test := range []struct {
		remote  string
		allowed []pushed
		want    string
	}{
		{"origin", branches("main"), "git push origin refs/heads/main"},
		{"origin", []pushed{{local: "HEAD", remote: "refs/heads/a b"}}, "git push origin 'HEAD:refs/heads/a b'"},
		{"https://me:secret@example.org/x", branches("main"), "git push REMOTE refs/heads/main"},
		{"", branches("main"), "git push REMOTE refs/heads/main"},
		{"me@host", branches("main"), "git push REMOTE refs/heads/main"},
		{"origin", many[:6], "git push origin refs/heads/1 refs/heads/2 refs/heads/3 refs/heads/4 refs/heads/5 refs/heads/6"},
		{"origin", many, "git push origin 'refs/heads/*' '^refs/heads/entire/*' '^refs/heads/x'"},
		{"origin", append(slices.Clone(many), branches("entire/theirs")...),
			"git push origin 'refs/heads/*' '^refs/heads/entire/*' '^refs/heads/x' && git push origin refs/heads/entire/theirs"},
	} {
		got := pushOthers(share.PushTo{Name: test.remote}, refused, test.allowed)
		if strings.ReplaceAll(got, "'", "") != strings.ReplaceAll(test.want, "'", "") {
			t.Errorf("%s\nwant %s", got, test.want)
		}
	}
}

func TestElsewhere(t *testing.T) {
	lines := append(branches("main"), pushed{local: shadow.Checkpoints, remote: shadow.Checkpoints}, pushed{local: "refs/remotes/o/x", remote: "refs/remotes/o/x"})
	for fact, test := range map[string]struct {
		target share.Target
		lines  []pushed
		want   []string
		not    string
	}{
		"no remote is elected": {share.Target{}, lines, []string{"no remote is elected for it", "git push fork refs/heads/main pushes the others",
			"git config entire-plumb.remote fork elects it"}, "shareWith"},
		"another is elected": {share.Target{Election: share.Election{Elected: "origin"}}, lines, []string{"it goes to origin alone", "entire-plumb.shareWith fork"}, "elects it"},
		"it has its own":     {share.Target{Own: true}, lines, []string{"it has a repository of its own", "entire-plumb.shareWith fork"}, "elects it"},
		"a mirror": {share.Target{}, lines, []string{"git -c remote.fork.mirror=false push fork refs/heads/main pushes the others",
			"entire-plumb.shareWith fork"}, "elects it"},
		"nothing else": {share.Target{}, lines[1:2], []string{"this push takes the checkpoints, entire/checkpoints/v1, to fork"}, "pushes the others"},
		"many others": {share.Target{}, branches("1", "2", "3", "4", "5", "6", "7"),
			[]string{"git push fork 'refs/heads/*' '^refs/heads/entire/checkpoints/v1' pushes the others"}, "refs/heads/7"},
	} {
		got := elsewhere(test.target, share.PushTo{Name: "fork", Mirror: fact == "a mirror"}, test.lines)
		for _, want := range test.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %s\nit lacks %s", fact, got, want)
			}
		}
		if strings.Contains(got, test.not) {
			t.Errorf("%s: %s\nit has %s", fact, got, test.not)
		}
	}
}

func TestShareWarnings(t *testing.T) {
	for fact, test := range map[string]struct {
		report    share.Report
		rejects   bool
		notSigned string
		want      []string
	}{
		"all went well":              {share.Report{Sent: true}, false, "", nil},
		"others were faster":         {share.Report{}, true, "", []string{"git rejects entire/checkpoints/v1"}},
		"no signature of others":     {share.Report{Unsigned: []string{"a"}}, false, "", []string{"what is on origin is not taken"}},
		"no signature of ours":       {share.Report{}, false, "not signed", []string{"not signed"}},
		"damaged":                    {share.Report{Skipped: []string{"a", "b"}}, false, "", []string{"left out, damaged: 2 things of others on origin"}},
		"damaged, and not signed":    {share.Report{Skipped: []string{"a"}}, false, "not signed", []string{"not signed", "left out, damaged: 1 thing"}},
		"purged by others, and both": {share.Report{Changes: []share.Change{{}}, Unsigned: []string{"a"}}, true, "", []string{"git rejects", "pre-push: ", "what is on"}},
	} {
		got := shareWarnings(test.report, "origin", test.rejects, test.notSigned)
		if len(got) != len(test.want) {
			t.Errorf("%s: %q", fact, got)
			continue
		}
		for i := range got {
			if !strings.Contains(got[i], test.want[i]) {
				t.Errorf("%s: %q, want %q", fact, got[i], test.want[i])
			}
		}
	}
}

func TestSettled(t *testing.T) {
	for _, test := range []struct {
		report share.Report
		wrong  bool
		want   bool
	}{
		{share.Report{}, false, true}, {share.Report{New: 1, Sent: true}, false, true},
		{share.Report{New: 1}, false, false}, {share.Report{}, true, false},
	} {
		if got := settled(test.report, test.wrong); got != test.want {
			t.Errorf("%+v, a mistake in the settings %v: %v", test.report, test.wrong, got)
		}
	}
}
