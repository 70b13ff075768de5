package commits

import (
	"errors"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/moves"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
)

// history is a first-parent history, newest first; each commit is made a minute before the next.
func history(names string) (line []gitexec.Commit) {
	for i, name := range strings.Fields(names) {
		line = append(line, gitexec.Commit{ID: gitexec.OID(name), When: noon.Add(-time.Duration(i) * time.Minute), Message: []byte("Make " + name + "\n\nMore.\n")})
	}
	return line
}

// hooklessAt is a commit of a history that no hook ran for.
func hooklessAt(names, name string) moves.Unseen {
	line := history(names)
	return moves.Unseen{Line: line, Known: true, At: slices.IndexFunc(line, func(c gitexec.Commit) bool { return c.ID == gitexec.OID(name) })}
}

// TestHooklessMadeSince: the commit was made in the turn if that began below it, or on what it
// amends, or, on another branch, before it.
func TestHooklessMadeSince(t *testing.T) {
	at := func(after time.Duration) *time.Time { when := noon.Add(-2*time.Minute + after); return &when } // b's time is 0
	for name, c := range map[string]struct {
		begun gitexec.OID
		last  *time.Time
		want  bool
	}{
		"on its parent":                  {"a", at(time.Hour), true},
		"on it":                          {"b", at(-time.Hour), false},
		"on one after it":                {"d", at(-time.Hour), false},
		"on what it amends":              {"old", at(time.Hour), true},
		"elsewhere, before":              {"x", at(-time.Second), true},
		"elsewhere, in the same second":  {"x", at(500 * time.Millisecond), true},
		"elsewhere, after":               {"x", at(time.Second), false},
		"elsewhere, nobody knows when":   {"x", nil, false},
		"before the first commit, early": {"", at(-time.Second), true},
	} {
		h := hooklessAt("d c b a", "b")
		h.Amends = "old"
		s := active("s")
		s.TurnStartCommit, s.LastInteractionTime = c.begun, c.last
		if got := madeSince(h, s); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	h := hooklessAt("b a", "b") // no amend, and a turn of which no commit is known
	s := active("s")
	if madeSince(h, s) {
		t.Error("an empty commit is amended")
	}
}

// TestHooklessMadeIn: no commit is made in a turn that is over, nor before the session.
func TestHooklessMadeIn(t *testing.T) {
	h := hooklessAt("b a", "b")
	for name, c := range map[string]struct {
		phase   session.Phase
		started time.Time
		want    bool
	}{
		"in the turn":        {session.Active, noon.Add(-time.Hour), true},
		"in the same second": {session.Active, noon.Add(500 * time.Millisecond), true},
		"its turn is over":   {session.Idle, noon.Add(-time.Hour), false},
		"before the session": {session.Active, noon.Add(time.Second), false},
	} {
		s := active("s")
		s.Phase, s.StartedAt, s.TurnStartCommit = c.phase, c.started, "a"
		if got := madeIn(h, s); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestHooklessCounts: a commit that hooks ran for only may bring lines, and one that the reflog
// does not name is no session's because it modifies a file.
func TestHooklessCounts(t *testing.T) {
	modified, content := condense.Matched{Reason: condense.FileModified}, condense.Matched{Reason: "lines"}
	reset := condense.Matched{Reason: condense.FileModified, Reset: []session.Link{{ID: "1"}}}
	for name, c := range map[string]struct {
		c    Request
		m    condense.Matched
		want bool
	}{
		"known":                     {Request{Unseen: moves.Unseen{Known: true}}, modified, true},
		"unknown":                   {Request{}, modified, false},
		"unknown, but its content":  {Request{}, content, true},
		"it brings lines":           {Request{Way: Bringing}, reset, true},
		"it brings none":            {Request{Way: Bringing, Unseen: moves.Unseen{Known: true}}, content, false},
		"a reset one, and unknown":  {Request{}, reset, false},
		"known, and a reset commit": {Request{Unseen: moves.Unseen{Known: true}}, reset, true},
	} {
		if got := (&linkedCommit{Request: c.c}).counts(c.m); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestWithoutHooks: of what HEAD moved over, merges, commits with hooks, and what was made before
// any session is not compared.
func TestWithoutHooks(t *testing.T) {
	line := history("d c b a") // minutes 0, -1, -2, -3
	line[0].Parents = oids("c side")
	unseen := func() []moves.Unseen {
		return []moves.Unseen{{Line: line, At: 3}, {Line: line, At: 2, Amends: "old", Known: true}, {Line: line, At: 1}, {Line: line}}
	}
	names := func(found []moves.Unseen) string {
		var ids []string
		for _, h := range found {
			ids = append(ids, string(h.Commit().ID))
		}
		return strings.Join(ids, " ")
	}
	begun := func(before time.Duration) []*session.State {
		s := active("s")
		s.StartedAt = noon.Add(-before)
		return []*session.State{s}
	}
	for name, c := range map[string]struct {
		states []*session.State
		ran    map[gitexec.OID]bool
		want   string
	}{
		"all but the merge":   {begun(time.Hour), nil, "a b c"},
		"since the session":   {begun(2 * time.Minute), nil, "b c"},
		"hooks ran for one":   {begun(time.Hour), map[gitexec.OID]bool{"b": true}, "a c"},
		"no session":          {nil, nil, ""},
		"of several sessions": {append(begun(0), begun(time.Hour)...), nil, "a b c"},
	} {
		if got := names(withoutHooks(unseen(), c.states, c.ran)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestRan: what the journal knows of commits that were compared.
func TestRan(t *testing.T) {
	for name, c := range map[string]struct {
		entry journal.Entry
		want  string
	}{
		"post-commit":            {journal.Entry{Hook: "post-commit", Commit: "c"}, "c"},
		"it failed":              {journal.Entry{Hook: "post-commit", Commit: "c", Error: "no room"}, ""},
		"another hook":           {journal.Entry{Hook: "prepare-commit-msg", Commit: "c"}, ""},
		"found without a hook":   {journal.Entry{Hook: journal.NoHook, Commit: "c"}, "c"},
		"found, and it failed":   {journal.Entry{Hook: journal.NoHook, Commit: "c", Error: "no room"}, "c"},
		"made by us":             {journal.Entry{Hook: "stop", Commit: "p", Made: "m"}, "m"},
		"made in a commit's run": {journal.Entry{Hook: "post-commit", Commit: "c", Made: "m"}, "c m"},
	} {
		var got []string
		for id := range ran([]journal.Entry{c.entry}) {
			got = append(got, string(id))
		}
		slices.Sort(got)
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestHooksRan reads the journal; without one, nothing ran.
func TestHooksRan(t *testing.T) {
	dir := t.TempDir()
	if got, err := HooksRan(dir); len(got) != 0 || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	journal.Append(dir, journal.Entry{Hook: "post-commit", Commit: "a"})
	journal.Append(dir, journal.Entry{Hook: "post-commit", Commit: "b", Error: "killed"})
	journal.Append(dir, journal.Entry{Hook: "post-commit", Commit: "b"})
	if got, err := HooksRan(dir); !reflect.DeepEqual(got, map[gitexec.OID]bool{"a": true, "b": true}) || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}

// TestAgentMade: what a transcript says of one commit.
func TestAgentMade(t *testing.T) {
	const didNot, mayHave, did = 0, 1, 2
	for name, c := range map[string]struct {
		ran  transcript.Commands
		err  error
		want int
	}{
		"it can't be read":            {transcript.Commands{Commit: true}, errors.New("damaged"), mayHave},
		"nothing that it knows":       {transcript.Commands{}, nil, mayHave},
		"no answer yet":               {transcript.Commands{Prompt: true}, nil, didNot},
		"an answer without a prompt":  {transcript.Commands{Told: true}, nil, didNot},
		"no command that commits":     {transcript.Commands{Prompt: true, Told: true}, nil, didNot},
		"one that does":               {transcript.Commands{Prompt: true, Told: true, Commit: true}, nil, did},
		"one that names it":           {transcript.Commands{Prompt: true, Told: true, Commit: true, Named: []string{"b", "c"}}, nil, did},
		"one that names another":      {transcript.Commands{Prompt: true, Told: true, Commit: true, Named: []string{"b"}}, nil, didNot},
		"an output that names it":     {transcript.Commands{Told: true, Named: []string{"c"}}, nil, did},
		"an unknown one that commits": {transcript.Commands{Commit: true}, nil, mayHave},
	} {
		got := 0
		for _, known := range []bool{false, true} { // to the reflog
			u := moves.Unseen{Line: []gitexec.Commit{{ID: "c"}}, Known: known}
			got += len(madeBy(u, []turnCommands{{"s", c.ran, c.err}}).agents)
		}
		if got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// TestHooklessMadeBy: the agents whose transcripts have the commit, else those whose transcripts
// tell nothing.
func TestHooklessMadeBy(t *testing.T) {
	did := transcript.Commands{Prompt: true, Told: true, Commit: true}
	didNot := transcript.Commands{Prompt: true, Told: true}
	named := transcript.Commands{Prompt: true, Told: true, Commit: true, Named: []string{"c"}}
	for name, c := range map[string]struct {
		unknown bool
		turns   []turnCommands
		want    committer
	}{
		"no turn":                    {false, nil, committer{}},
		"its agent":                  {false, []turnCommands{{session: "s", ran: did}}, committer{[]string{"s"}, true}},
		"the user":                   {false, []turnCommands{{session: "s", ran: didNot}}, committer{nil, true}},
		"it tells nothing":           {false, []turnCommands{{session: "s"}}, committer{[]string{"s"}, true}},
		"nor does the reflog":        {true, []turnCommands{{session: "s"}}, committer{nil, true}},
		"one tells, and one doesn't": {false, []turnCommands{{session: "s"}, {session: "t", ran: did}}, committer{[]string{"t"}, true}},
		"both do":                    {false, []turnCommands{{session: "s", ran: did}, {session: "t", ran: did}}, committer{[]string{"s", "t"}, true}},
		"one names it":               {false, []turnCommands{{session: "s", ran: did}, {session: "t", ran: named}}, committer{[]string{"t"}, true}},
	} {
		if got := madeBy(moves.Unseen{Line: []gitexec.Commit{{ID: "c"}}, Known: !c.unknown}, c.turns); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestCommittersOf reads transcripts: a commit is its agent's if the turn's commands name it.
func TestCommittersOf(t *testing.T) {
	const prompt = `{"type":"user","message":{"content":"commit it"}}` + "\n"
	const said = `{"type":"assistant","message":{"content":[{"type":"text","text":"Done"}]}}` + "\n"
	commit := func(message string) string {
		return `{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"git commit -m '` + message + `'"}}]}}` + "\n"
	}
	for name, c := range map[string]struct {
		text string
		want []string // of b and c, made in the turn
	}{
		"the first by its subject": {prompt + commit("Make b"), []string{"s", ""}},
		"both":                     {prompt + commit("Make b") + commit("Make c"), []string{"s", "s"}},
		"by no known subject":      {prompt + commit("More"), []string{"s", "s"}},
		"none":                     {prompt + said, []string{"", ""}},
		"no transcript":            {"", []string{"s", "s"}},
		"one from before the turn": {prompt + commit("Make a"), []string{"s", "s"}},
	} {
		s := active("s")
		s.StartedAt, s.TurnStartCommit, s.TranscriptPath = noon.Add(-time.Hour), "a", filepath.Join(t.TempDir(), "t.jsonl")
		if c.text != "" {
			files(t, filepath.Dir(s.TranscriptPath), map[string]string{"t.jsonl": c.text})
		}
		idle := ended(active("idle"))
		idle.TranscriptPath, idle.TurnStartCommit = s.TranscriptPath, "a"
		found := []moves.Unseen{hooklessAt("c b a", "a"), hooklessAt("c b a", "b"), hooklessAt("c b a", "c")}
		got := committersOf(t.Context(), []*session.State{idle, s}, found)
		if got[0].inTurn || got[0].agents != nil {
			t.Errorf("%s: what the turn began on is of it: %+v", name, got[0])
		}
		for i, want := range c.want {
			if by := got[i+1]; strings.Join(by.agents, " ") != want || !by.inTurn {
				t.Errorf("%s: commit %d: %+v, want %q", name, i+1, by, want)
			}
		}
	}
}

// TestSubjectsSince: only the commits of the turn are in question.
func TestSubjectsSince(t *testing.T) {
	for since, want := range map[gitexec.OID]map[string]string{
		"b": {"d": "Make d", "c": "Make c"},
		"d": {},
		"x": {"d": "Make d", "c": "Make c", "b": "Make b", "a": "Make a"},
	} {
		if got := subjectsSince(history("d c b a"), since); !maps.Equal(got, want) {
			t.Errorf("since %s: %v", since, got)
		}
	}
}

// TestMayHoldWork: sessions with links, and those with work on what HEAD was, are compared.
func TestMayHoldWork(t *testing.T) {
	for name, c := range map[string]struct {
		record headRecord
		state  *session.State
		want   bool
	}{
		"a turn in progress": {headRecord{}, active("s"), true},
		"nothing":            {headRecord{}, &session.State{SessionID: "s"}, false},
		"a link":             {headRecord{}, linked("s", "1 c"), true},
		"on HEAD's streams":  {headRecord{Streams: []string{"s"}}, &session.State{SessionID: "s"}, true},
		"another is there":   {headRecord{Streams: []string{"t"}}, &session.State{SessionID: "s"}, false},
	} {
		if got := mayHoldWork(c.record, noon, []*session.State{c.state}, nil); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestLinkHooklessMarksHead: where no session may have work, HEAD is only recorded as seen; in the
// middle of an operation of git's not even that.
func TestLinkHooklessMarksHead(t *testing.T) {
	for name, c := range map[string]struct {
		texts map[string]string
		seen  SeenHead
		head  gitexec.OID
		want  SeenHead
	}{
		"for the first time":   {nil, SeenHead{}, "a", SeenHead{"a", "a"}},
		"moved":                {nil, SeenHead{"a", "a"}, "b", SeenHead{"b", "a"}},
		"not moved":            {nil, SeenHead{"b", "a"}, "b", SeenHead{"b", "a"}},
		"in a rebase":          {map[string]string{"rebase-merge/done": ""}, SeenHead{"a", "a"}, "b", SeenHead{"a", "a"}},
		"in a merge":           {map[string]string{"MERGE_HEAD": ""}, SeenHead{"a", "a"}, "b", SeenHead{"a", "a"}},
		"to an unborn branch":  {nil, SeenHead{"a", "a"}, gitexec.SHA1.Zero(), SeenHead{"a", "a"}},
		"on the first of them": {nil, SeenHead{}, gitexec.SHA1.Zero(), SeenHead{gitexec.SHA1.Zero(), gitexec.SHA1.Zero()}},
	} {
		run := fakeRun(t, c.texts)
		run.Head.ID = c.head
		dir := run.Repo.PrivateDir()
		if c.seen.Head != "" {
			if err := writePrivate(seenHeadFile(dir), c.seen); err != nil {
				t.Fatal(err)
			}
		}
		n, err := LinkHookless(t.Context(), run)
		if got := ReadSeenHead(dir); n != 0 || err != nil || got != c.want {
			t.Errorf("%s: %+v, %d, %v", name, got, n, err)
		}
	}
}
