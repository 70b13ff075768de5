package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire-plumb/shadow"

	"entire-plumb/internal/testdir"
)

// TestDecisions plays workflows in memory: nothing is lost, and hardly a decision is wrong.
func TestDecisions(t *testing.T) {
	n := testdir.Times(300, 100)
	total := playAll(plan{seed: *seed, steps: 20, decisions: true}, n, 2, "")
	var said strings.Builder
	report(&said, total, *seed)
	if total.failed(true) || len(total.Failures) > n/100 {
		t.Error(said.String())
	}
	if total.Decisions < 5*n || total.Commits < 2*n || total.Links < 2*n {
		t.Errorf("little was decided:\n%s", said.String())
	}
	for _, o := range modelOps {
		if total.Ops[o.name] == 0 {
			t.Errorf("%s was never played", o.name)
		}
	}
}

// TestFailed: of decisions only what is lost fails a run; else all does.
func TestFailed(t *testing.T) {
	for k, want := range map[kind]bool{lostWork: true, wrongNew: false, missedLink: false} {
		total := newTally()
		if total.failed(true) || total.failed(false) {
			t.Error("nothing is wrong, and the run fails")
		}
		total.fail(failure{Kind: k})
		if total.failed(true) != want || !total.failed(false) {
			t.Errorf("%s: %t, and %t with the program", k, total.failed(true), total.failed(false))
		}
	}
}

const (
	lineOfS1  = "step 1 line 1 by s1 alpha river"
	lineOfS2  = "step 1 line 2 by s2 alpha river"
	shortOfS1 = "axx"
)

// smallModel has one commit with a line of the human's in f.txt, a line of s1's beside it in the
// worktree, and a stream with the turn that wrote it.
func smallModel() (*model, *stream) {
	m := newModel(newCourse(), nil)
	m.r = newRand(1, 1)
	m.worktree["f.txt"] = join([]string{"step 0 line 0 by human alpha river"})
	m.arrive(&node{tree: maps.Clone(m.worktree)})
	m.edits(m.sessions[0], func() { m.worktree["f.txt"] += text(lineOfS1 + "\n") })
	s := &stream{name: shadow.NewName(m.head.id, "", 1), turns: []checkpoint{{session: "s1", part: shadow.Agent, before: m.head.tree,
		after: maps.Clone(m.worktree)}}}
	m.streams[s.name] = s
	return m, s
}

// TestCheckStream: a stream is right if something of its work is there, and a new one if nothing
// that is evidence of any.
func TestCheckStream(t *testing.T) {
	for name, c := range map[string]struct {
		change           func(m *model, s *stream)
		wrong, wrongIfNo bool // with that stream, and with a new one
	}{
		"its line is there":                {func(*model, *stream) {}, false, true},
		"another has indented it":          {func(m *model, _ *stream) { m.worktree["f.txt"] = "\t" + lineOfS1 }, false, true},
		"it was thrown away":               {func(m *model, _ *stream) { m.worktree = m.head.tree }, true, false},
		"it is committed":                  {func(m *model, _ *stream) { m.arrive(&node{tree: maps.Clone(m.worktree)}) }, true, false},
		"the line is another's":            {func(m *model, _ *stream) { m.worktree["f.txt"] = lineOfS2 }, true, false},
		"it wrote the line in another one": {func(_ *model, s *stream) { s.turns[0].before = s.turns[0].after }, true, false},
		"the turn is the human's part":     {func(_ *model, s *stream) { s.turns[0].part = shadow.Human }, true, false},
		"the line is short": {func(m *model, s *stream) {
			m.worktree["f.txt"] = shortOfS1
			s.turns[0].after = files{"f.txt": "x\n" + shortOfS1}
		}, false, false},
		"another has moved it": {func(m *model, _ *stream) {
			m.worktree["g.txt"], m.renamers["g.txt"] = lineOfS1, map[string]bool{"s2": true}
			delete(m.worktree, "f.txt")
		}, false, false},
		"it took another's line out": {func(m *model, s *stream) {
			s.turns[0].before, s.turns[0].after = files{"f.txt": text(lineOfS2 + "\n" + lineOfS1)}, files{"f.txt": lineOfS1}
			m.arrive(&node{tree: s.turns[0].before})
			m.worktree["f.txt"] = "x\n" + lineOfS1
			m.ledger.removed.add(place{"f.txt", lineOfS2}, "s1")
		}, false, false},
	} {
		m, s := smallModel()
		c.change(m, s)
		m.checkStream(s, m.worktree)
		m.checkStream(nil, m.worktree)
		if got := m.tally.Wrong[wrongSame] == 1; got != c.wrong {
			t.Errorf("%s: its stream is wrong: %t", name, got)
		}
		if got := m.tally.Wrong[wrongNew] == 1; got != c.wrongIfNo {
			t.Errorf("%s: a new stream is wrong: %t", name, got)
		}
	}
}

// TestCheckLinked: which links of a commit are missed, wrong, or may be there or not.
func TestCheckLinked(t *testing.T) {
	for name, c := range map[string]struct {
		commit, linked  string // a file's text, and a session
		had             bool
		links, skipped  int
		missed, wrongly bool
	}{
		"its line, linked":               {lineOfS1, "s1", false, 1, 0, false, false},
		"its line, without a link":       {lineOfS1, "", false, 1, 0, true, false},
		"its line, by a link that stays": {lineOfS1, "", true, 0, 0, false, false},
		"a short line":                   {shortOfS1, "", false, 0, 0, false, false},
		"a short line, linked":           {shortOfS1, "s1", false, 0, 1, false, false},
		"a file that it changed":         {"x", "s1", false, 0, 1, false, false},
		"nothing of it":                  {"x", "s2", false, 0, 0, false, true},
	} {
		m, _ := smallModel()
		old := m.head
		reasons, had := map[string]string{}, map[string]bool{"s1": c.had}
		if c.linked != "" {
			reasons[c.linked] = "a reason"
		}
		m.checkLinked(committing{old: old, new: m.arrive(&node{parent: old, tree: files{"f.txt": text(c.commit)}})}, reasons, had)
		if m.tally.Links != c.links || m.tally.Skipped != c.skipped || m.tally.Wrong[missedLink] == 1 != c.missed || m.tally.Wrong[wrongLink] == 1 != c.wrongly {
			t.Errorf("%s: %+v", name, m.tally)
		}
	}
}

// TestCheckLost: a session's line is kept by a stream or a commit; else it is lost, once.
func TestCheckLost(t *testing.T) {
	for name, c := range map[string]struct {
		change func(m *model)
		lost   int
	}{
		"on a stream":       {func(*model) {}, 0},
		"in a commit":       {func(m *model) { m.arrive(&node{tree: maps.Clone(m.worktree)}); clear(m.streams) }, 0},
		"nowhere":           {func(m *model) { clear(m.streams) }, 1},
		"the human's":       {func(m *model) { m.worktree["f.txt"] = "step 9 line 9 by human alpha river" }, 0},
		"in the stash":      {func(m *model) { m.push(); clear(m.streams) }, 1},
		"a deletion, there": {func(m *model) { m.stash = []entry{{m.head, files{}}} }, 0},
	} {
		m, _ := smallModel()
		c.change(m)
		m.checkLost()
		m.checkLost()
		if m.tally.Wrong[lostWork] != c.lost {
			t.Errorf("%s: %d", name, m.tally.Wrong[lostWork])
		}
	}
}

// TestModelGit: what the model's git commands do to HEAD, the index, the worktree and the stash.
func TestModelGit(t *testing.T) {
	for name, c := range map[string]struct {
		do                  func(m *model) bool
		head, index, worked bool // whether the line is there
		entries             int
	}{
		"nothing":       {func(*model) bool { return true }, false, false, true, 0},
		"commit":        {func(m *model) bool { return m.stageAll() && m.commit(nil, false) }, true, true, true, 0},
		"commit a file": {(*model).commitPath, true, true, true, 0},
		"amend": {func(m *model) bool {
			return m.stageAll() && m.commit(nil, false) && m.edits(nil, func() { m.worktree["g.txt"] = "x" }) && m.stageAll() && m.commit(nil, true)
		}, true, true, true, 0},
		"reset":   {func(m *model) bool { return m.stageAll() && m.commit(nil, false) && m.reset() }, false, true, true, 0},
		"restore": {(*model).restoreAll, false, false, false, 0},
		"stash":   {(*model).push, false, false, false, 1},
		"pop":     {func(m *model) bool { return m.push() && m.apply(true) }, false, false, true, 0},
		"apply":   {func(m *model) bool { return m.push() && m.apply(false) }, false, false, true, 1},
		"pop on what is changed": {func(m *model) bool {
			return m.push() && m.edits(nil, func() { m.worktree["f.txt"] = "x" }) && !m.apply(true)
		}, false, false, false, 1},
		"switch": {func(m *model) bool { return m.switchBranch() && m.branch == "side" }, false, false, true, 0},
		"switch to what would overwrite the work": {func(m *model) bool {
			return m.switchBranch() && m.stageAll() && m.commit(nil, false) && m.edits(nil, func() { m.worktree["f.txt"] += "x\n" }) && !m.switchBranch()
		}, true, true, true, 0},
	} {
		m, _ := smallModel()
		m.index = maps.Clone(m.head.tree)
		m.r = newRand(1, 4) // the reset keeps the index
		if !c.do(m) {
			t.Errorf("%s: it could not be done", name)
		}
		has := func(tree files) bool { return strings.Contains(string(tree["f.txt"]), "by s1") }
		if has(m.head.tree) != c.head || has(m.index) != c.index || has(m.worktree) != c.worked || len(m.stash) != c.entries {
			t.Errorf("%s: in HEAD %t, in the index %t, in the worktree %t, %d entries", name, has(m.head.tree), has(m.index), has(m.worktree), len(m.stash))
		}
	}
}

// TestWriteDocs: what is between the marks of a page is replaced, and nothing else.
func TestWriteDocs(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	total := newTally()
	total.Workflows, total.Decisions, total.Wrong[wrongNew] = 7, 50, 3
	for content, want := range map[string][]string{
		"one\n" + docsBegin + "old\n" + docsEnd + "two\n": {"one\n" + docsBegin, "of 7 workflows", "wrong new streams | 50 | 3 |", docsEnd + "two\n"},
		"no marks\n":         nil,
		docsBegin + "no end": nil,
	} {
		must(os.WriteFile(page, []byte(content), 0o644))
		err := writeDocs(page, total)
		data, _ := os.ReadFile(page)
		if (err == nil) != (want != nil) || want == nil && string(data) != content || strings.Contains(string(data), "old") {
			t.Errorf("%q: %v, %s", content, err, data)
		}
		for _, part := range want {
			if !strings.Contains(string(data), part) {
				t.Errorf("%q isn't in %s", part, data)
			}
		}
	}
}

// TestModelFaults: a panic ends its workflow alone, and fails the run.
func TestModelFaults(t *testing.T) {
	before := modelOps
	defer func() { modelOps = before }()
	modelOps = []op[func(*model) bool]{{name: "fails", weight: 1, do: func(*model) bool { panic("a fault") }}}
	total := playAll(plan{steps: 2, decisions: true}, 3, 1, "")
	if total.Workflows != 3 || len(total.Errors) != 3 || !strings.Contains(total.Errors[0], "a fault") || !total.failed(true) {
		t.Errorf("%d workflows, %q", total.Workflows, total.Errors)
	}
}

// TestReduced: the steps that a failure doesn't need are left out.
func TestReduced(t *testing.T) {
	before := modelOps
	defer func() { modelOps = before }()
	modelOps = []op[func(*model) bool]{{name: "fails", weight: 1, do: func(m *model) bool {
		switch {
		case m.step == 2:
			m.branch = "other"
		case m.step == 4 && m.branch == "other":
			m.fail(lostWork, "a line")
		case m.step == 5:
			m.fail(wrongNew, "another")
		}
		return true
	}}}
	if got, want := reduced(plan{steps: 6, decisions: true}), map[int]bool{1: true, 3: true, 5: true, 6: true}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
