package commits

import (
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/workspace"
)

// replaced are predecessors, each as "means commit link…".
func replaced(all ...string) (list []lineage.Predecessor) {
	for _, text := range all {
		f := strings.Fields(text)
		p := lineage.Predecessor{By: lineage.Means(f[0]), Commit: gitexec.OID(f[1])}
		if len(f) > 2 {
			p.Links = f[2:]
		}
		list = append(list, p)
	}
	return list
}

// pendingRun is a run on a worktree without a pending link, on HEAD "a".
func pendingRun(t *testing.T) *workspace.Run {
	run := fakeRun(t, nil)
	run.Head.ID = "a"
	return run
}

func addTo(t *testing.T, run *workspace.Run, pending PendingLink) []PendingLink {
	t.Helper()
	if err := addPending(t.Context(), run.Repo, run.Head, pending); err != nil {
		t.Fatal(err)
	}
	return ReadPending(run.Repo.PrivateDir())
}

// TestPendingAbandoned: a link takes the place of one whose commit was not made.
func TestPendingAbandoned(t *testing.T) {
	run := pendingRun(t)
	if queue := ReadPending(run.Repo.PrivateDir()); queue != nil {
		t.Errorf("of nothing: %+v", queue)
	}
	addTo(t, run, PendingLink{ID: "000000000001", Head: "a"})
	want := []PendingLink{{ID: "000000000002", Head: "a", Sessions: []string{"s1"}, Agents: []string{"s1"}}}
	if queue := addTo(t, run, want[0]); !reflect.DeepEqual(queue, want) {
		t.Errorf("%+v", queue)
	}
	if err := dropCurrent(t.Context(), run.Repo, run.Head); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(pendingFile(run.Repo.PrivateDir())); err == nil {
		t.Error("the file of an empty queue is still there")
	}
}

// TestPendingMoved: where HEAD has moved since, the commit may have been made: its link waits.
func TestPendingMoved(t *testing.T) {
	run := pendingRun(t)
	addTo(t, run, PendingLink{ID: "000000000004", Head: "a"})
	run.Head.ID = "c"
	queue := addTo(t, run, PendingLink{ID: "000000000005", Head: "c"})
	if len(queue) != 2 || queue[0].ID != "000000000004" || !queue[0].Late || current(queue).ID != "000000000005" {
		t.Fatalf("%+v", queue)
	}
	if err := errors.Join(dropCurrent(t.Context(), run.Repo, run.Head), removePending(t.Context(), run.Repo, queue[0])); err != nil {
		t.Error(err)
	}
	if queue := ReadPending(run.Repo.PrivateDir()); len(queue) != 0 {
		t.Errorf("%+v", queue)
	}
}

// TestPostpone: a link whose checkpoint could not be written waits, with its commit.
func TestPostpone(t *testing.T) {
	run := pendingRun(t)
	queue := addTo(t, run, PendingLink{ID: "000000000002", Head: "a"})
	reason := errors.New("no room")
	if err := postpone(t.Context(), run, queue[0], "b", reason); err != reason {
		t.Error(err)
	}
	late := ReadPending(run.Repo.PrivateDir())
	if len(late) != 1 || !late[0].Late || late[0].Commit != "b" || current(late).ID != "" {
		t.Errorf("%+v", late)
	}
	if err := postpone(t.Context(), run, PendingLink{ID: "000000000002", Head: "x"}, "c", reason); err != reason {
		t.Error(err)
	}
	if same := ReadPending(run.Repo.PrivateDir()); !reflect.DeepEqual(same, late) {
		t.Errorf("another one's: %+v", same)
	}
}

// TestRemovePending: a link is removed with the HEAD that it was given out on; an amend keeps the
// same link on another.
func TestRemovePending(t *testing.T) {
	run := pendingRun(t)
	first := addTo(t, run, PendingLink{ID: "000000000001", Head: "a"})[0]
	run.Head.ID = "b"
	second := addTo(t, run, PendingLink{ID: "000000000001", Head: "b"})[1]
	if err := removePending(t.Context(), run.Repo, first); err != nil {
		t.Fatal(err)
	}
	if queue := ReadPending(run.Repo.PrivateDir()); !reflect.DeepEqual(queue, []PendingLink{second}) {
		t.Errorf("%+v", queue)
	}
}

// TestReadPending: rubbish is no link.
func TestReadPending(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "{": "", "[]": "", "null": "", "5": "", `{"id": 5}`: "", `[{"head": "a"}]`: "", `{"head": "a"}`: "",
		`{"id": "000000000001", "head": "a"}`:    "",
		`[{"id": "000000000001", "head": "a"}]`:  "000000000001",
		`[{"id": "1"}, {"id": ""}, {"id": "2"}]`: "1 2",
		`[{"id": "1", "of the future": {}}]`:     "1",
		`[{"id": "1"}, 5]`:                       "",
	} {
		dir := t.TempDir()
		files(t, dir, map[string]string{"pending.json": text})
		var ids []string
		for _, p := range ReadPending(dir) {
			ids = append(ids, p.ID)
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("of %q: %q", text, got)
		}
	}
}

// TestCurrent: the last link is of the commit in progress, unless it waits.
func TestCurrent(t *testing.T) {
	for want, queue := range map[string][]PendingLink{
		"":  {{ID: "1"}, {ID: "2", Late: true}},
		"3": {{ID: "1", Late: true}, {ID: "3"}},
		"4": {{ID: "4"}},
	} {
		if got := current(queue).ID; got != want {
			t.Errorf("%+v: %q", queue, got)
		}
	}
	if got := current(nil); !reflect.DeepEqual(got, PendingLink{}) {
		t.Errorf("of none: %+v", got)
	}
}

// TestWithoutAbandoned: a link that waits stays; of the others those on this HEAD were abandoned.
func TestWithoutAbandoned(t *testing.T) {
	queue := []PendingLink{{ID: "1", Head: "a", Late: true}, {ID: "2", Head: "a"}, {ID: "3", Head: "b"}}
	want := []PendingLink{{ID: "1", Head: "a", Late: true}, {ID: "3", Head: "b", Late: true}}
	if got := withoutAbandoned(gitexec.Head{ID: "a"}, queue); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

// TestPendingReplays: a commit that git makes of others is compared with no session's work, unless
// some is in it, too.
func TestPendingReplays(t *testing.T) {
	for name, c := range map[string]struct {
		pending PendingLink
		want    bool
	}{
		"a new commit":          {PendingLink{}, false},
		"picked":                {PendingLink{Replaces: replaced("picked c")}, true},
		"squashed":              {PendingLink{Replaces: replaced("squashed c")}, true},
		"of a dropped one":      {PendingLink{Replaces: replaced("reset r", "dropped c")}, true},
		"amended":               {PendingLink{Replaces: replaced("amended c")}, false},
		"reset":                 {PendingLink{Replaces: replaced("reset c")}, false},
		"rewritten":             {PendingLink{Replaces: replaced("rewritten c")}, false},
		"picked, and more work": {PendingLink{Sessions: []string{"s"}, Replaces: replaced("picked c")}, false},
	} {
		if got := c.pending.replays(); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestPendingIsOf: a link is of a commit on what HEAD was, or that replaces it.
func TestPendingIsOf(t *testing.T) {
	zero := gitexec.SHA1.Zero()
	for name, c := range map[string]struct {
		pending PendingLink
		commit  gitexec.Commit
		want    bool
	}{
		"on HEAD":               {PendingLink{Head: "p"}, gitexec.Commit{ID: "c", Parents: oids("p")}, true},
		"a merge into HEAD":     {PendingLink{Head: "p"}, gitexec.Commit{ID: "c", Parents: oids("p q")}, true},
		"a merge of HEAD":       {PendingLink{Head: "p"}, gitexec.Commit{ID: "c", Parents: oids("q p")}, false},
		"elsewhere":             {PendingLink{Head: "p"}, gitexec.Commit{ID: "c", Parents: oids("q")}, false},
		"HEAD itself":           {PendingLink{Head: "c", Amends: true}, gitexec.Commit{ID: "c", Parents: oids("c")}, false},
		"the first commit":      {PendingLink{Head: zero}, gitexec.Commit{ID: "c"}, true},
		"another first one":     {PendingLink{Head: "p"}, gitexec.Commit{ID: "c"}, false},
		"after the first one":   {PendingLink{Head: zero}, gitexec.Commit{ID: "c", Parents: oids("p")}, false},
		"an amend":              {PendingLink{Head: "p", Amends: true}, gitexec.Commit{ID: "c", Parents: oids("q")}, true},
		"an amend that is kept": {PendingLink{Head: "p", Replaces: replaced("amended p")}, gitexec.Commit{ID: "c", Parents: oids("q")}, true},
		"of a reset one":        {PendingLink{Head: "p", Replaces: replaced("reset r")}, gitexec.Commit{ID: "c", Parents: oids("q")}, false},
	} {
		if got := c.pending.isOf(c.commit); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestPendingLinksOf: links beside the commit are those of the setting, and the message may take
// them away where it has them as well.
func TestPendingLinksOf(t *testing.T) {
	const one, two = "000000000001", "000000000002"
	trailer := []byte("Text\n\nEntire-Checkpoint: " + one + "\n")
	prepared := PendingLink{ID: one, Head: "p", Beside: []string{two}}
	for name, c := range map[string]struct {
		pending       PendingLink
		parent        gitexec.OID
		message       []byte
		where         settings.Link
		links, beside string
	}{
		"a trailer":               {PendingLink{ID: one, Head: "p"}, "p", trailer, settings.Trailer, one, ""},
		"beside it":               {prepared, "p", []byte("Text\n"), settings.Side, two, two},
		"beside it, and another":  {prepared, "p", trailer, settings.Side, one + " " + two, two},
		"in both":                 {prepared, "p", trailer, settings.Both, one + " " + two, two},
		"removed from both":       {prepared, "p", []byte("Text\n"), settings.Both, "", ""},
		"of another commit":       {prepared, "q", []byte("Text\n"), settings.Side, "", ""},
		"of another, with a link": {prepared, "q", trailer, settings.Side, one, ""},
		"nothing":                 {PendingLink{}, "p", []byte("Text\n"), settings.Side, "", ""},
	} {
		links, beside := c.pending.linksOf(gitexec.Commit{ID: "c", Parents: []gitexec.OID{c.parent}, Message: c.message}, c.where)
		if strings.Join(links, " ") != c.links || strings.Join(beside, " ") != c.beside {
			t.Errorf("%s: %q, beside %q", name, links, beside)
		}
	}
}

// TestPendingLinksWith: the commit's own link comes first, and each is there once.
func TestPendingLinksWith(t *testing.T) {
	from := replaced("reset r 2 3", "picked p 3 4", "amended a")
	for name, c := range map[string]struct {
		pending PendingLink
		keep    string
		want    string
	}{
		"its own":              {PendingLink{ID: "1"}, "", "1"},
		"those that it takes":  {PendingLink{ID: "1", Replaces: from}, "5 2", "1 2 3 4 5"},
		"one of these":         {PendingLink{ID: "3", Replaces: from}, "", "3 2 4"},
		"none, but those kept": {PendingLink{Replaces: from}, "5", "5"},
		"none":                 {PendingLink{Replaces: from}, "", ""},
	} {
		if got := strings.Join(c.pending.linksWith(strings.Fields(c.keep)), " "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := strings.Join(PendingLink{Replaces: from}.replacedLinks(), " "); got != "2 3 4" {
		t.Errorf("replaced: %q", got)
	}
}

// TestPendingAmended: prepare-commit-msg names the amended commit in one of two ways.
func TestPendingAmended(t *testing.T) {
	for want, pending := range map[gitexec.OID]PendingLink{
		"":  {Head: "h", Replaces: replaced("reset r")},
		"h": {Head: "h", Amends: true},
		"a": {Head: "h", Amends: true, Replaces: replaced("amended a", "reset r")},
		"b": {Head: "h", Replaces: replaced("reset r", "amended b")},
	} {
		if got := pending.amended(); got != want {
			t.Errorf("%+v: %q, want %q", pending, got, want)
		}
	}
}

// TestPendingResets: the work of reset commits is compared with a commit that the link was given
// out for, while the record is of it, or of what it was made on.
func TestPendingResets(t *testing.T) {
	record := headRecord{Head: "c", Reset: oids("r")}
	before := headRecord{Head: "p", Reset: oids("r")}
	for name, c := range map[string]struct {
		pending PendingLink
		record  headRecord
		want    bool
	}{
		"for a session":        {PendingLink{Head: "p", Sessions: []string{"s"}}, record, true},
		"for a reset commit":   {PendingLink{Head: "p", Replaces: replaced("reset r")}, record, true},
		"before its hook ran":  {PendingLink{Head: "p", Sessions: []string{"s"}}, before, true},
		"HEAD has moved":       {PendingLink{Head: "q", Sessions: []string{"s"}}, before, false},
		"an amend":             {PendingLink{Head: "p", Replaces: replaced("amended p")}, record, false},
		"nothing was given":    {PendingLink{}, record, false},
		"sides, put together":  {PendingLink{Head: "p", Sessions: []string{"s"}, Sides: oids("x")}, record, false},
		"an amend with a part": {PendingLink{Head: "p", Replaces: replaced("amended p", "reset r")}, record, true},
	} {
		got := c.pending.resets(c.record, "c")
		if want := c.record; c.want && !reflect.DeepEqual(got, want) || !c.want && !reflect.DeepEqual(got, headRecord{}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestPendingFilling: a pending link says nothing of another link's commit, and what a replayed
// commit replaces only of the one that was begun.
func TestPendingFilling(t *testing.T) {
	picked := PendingLink{ID: "1", Head: "p", Replaces: replaced("picked x")}
	plain := PendingLink{ID: "1", Head: "p", Sessions: []string{"s"}, Replaces: replaced("reset r")}
	forgets := picked
	forgets.Replaces = nil
	for name, c := range map[string]struct {
		pending PendingLink
		id      string
		parent  gitexec.OID
		want    PendingLink
	}{
		"its commit":               {plain, "1", "p", plain},
		"another link":             {plain, "2", "p", PendingLink{}},
		"found elsewhere":          {plain, "1", "q", plain},
		"the picked one":           {picked, "1", "p", picked},
		"a commit with its link":   {picked, "1", "q", forgets},
		"another, without pending": {PendingLink{}, "2", "q", PendingLink{}},
	} {
		if got := c.pending.filling(c.id, gitexec.Commit{ID: "c", Parents: []gitexec.OID{c.parent}}); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestPendingChoose: a new link is for the sessions that were found, unless an amended commit keeps
// one to which work can be added.
func TestPendingChoose(t *testing.T) {
	found := condense.Links{Replaces: replaced("reset r 2")}
	for name, c := range map[string]struct {
		sessions   string
		have       string
		want, link string
	}{
		"no link before":         {"s", "", "s", "new"},
		"it keeps one":           {"s", "1", "", "1"},
		"another program's":      {"s", ownRef, "s", "new"},
		"both":                   {"s", ownRef + " 1", "", "1"},
		"a reset one's alone":    {"", "", "", "2"},
		"a reset one's, and own": {"", "1", "", "1"},
	} {
		found.Sessions = strings.Fields(c.sessions)
		before := PendingLink{Replaces: replaced("amended a")}
		got := before.choose(found, strings.Fields(c.have), func() string { return "new" })
		if strings.Join(got.Sessions, " ") != c.want || got.ID != c.link || !reflect.DeepEqual(got.Replaces, replaced("amended a", "reset r 2")) || len(before.Replaces) != 1 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestKeepBeside: kept links go to the pending link of the commit in progress, or to a new one.
func TestKeepBeside(t *testing.T) {
	for name, c := range map[string]struct {
		queue []PendingLink
		d     draft
		want  []PendingLink
	}{
		"nothing is kept": {[]PendingLink{{ID: "1", Head: "a"}}, draft{}, []PendingLink{{ID: "1", Head: "a"}}},
		"one is pending": {[]PendingLink{{ID: "1", Head: "a", Beside: []string{"2"}}}, draft{keep: []string{"2", "3"}},
			[]PendingLink{{ID: "1", Head: "a", Beside: []string{"2", "3"}}}},
		"none is": {nil, draft{keep: []string{"2", "3"}, amend: true}, []PendingLink{{ID: "2", Head: "a", Amends: true, Beside: []string{"2", "3"}}}},
		"one waits": {[]PendingLink{{ID: "1", Head: "x", Late: true}}, draft{keep: []string{"2"}},
			[]PendingLink{{ID: "1", Head: "x", Late: true}, {ID: "2", Head: "a", Beside: []string{"2"}}}},
	} {
		run := pendingRun(t)
		if err := writePrivate(pendingFile(run.Repo.PrivateDir()), c.queue); err != nil {
			t.Fatal(err)
		}
		err := keepBeside(t.Context(), run.Repo, run.Head, c.d)
		if got := ReadPending(run.Repo.PrivateDir()); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// TestFillLink: a pending link is of the commit that was recorded with it, or that names it, or,
// where it was to be beside the commit, of HEAD, if it was made on what HEAD was.
func TestFillLink(t *testing.T) {
	for name, c := range map[string]struct {
		late   string // the commit that was recorded
		on     string // what HEAD was
		beside bool
		want   bool // HEAD is examined
	}{
		"it names none":                   {"", "HEAD~1", false, false},
		"beside it":                       {"", "HEAD~1", true, true},
		"beside another":                  {"", "HEAD~2", true, false},
		"recorded":                        {"HEAD", "HEAD~1", false, true},
		"recorded, and pruned since":      {string(id("1")), "HEAD~1", false, false},
		"recorded, pruned, and beside it": {string(id("1")), "HEAD~1", true, true},
	} {
		p := newPlayground(t)
		for range 3 {
			p.commit("Commit", nil)
		}
		run := p.run()
		pending := PendingLink{ID: "000000000001", Head: gitexec.OID(p.git("rev-parse", c.on)), Late: c.late != ""}
		if c.beside {
			pending.Beside = []string{pending.ID}
		}
		if pending.Late {
			pending.Commit = gitexec.OID(p.git("rev-parse", c.late))
		}
		if err := writePrivate(pendingFile(run.Repo.PrivateDir()), []PendingLink{pending}); err != nil {
			t.Fatal(err)
		}
		if err := fillLink(t.Context(), run, pending); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		examined := readHeadRecord(run.Repo.PrivateDir()).Head == run.Head.ID || ReadSeenHead(run.Repo.PrivateDir()).Head == run.Head.ID ||
			len(decidedText(t, run.Repo.SharedDir(), run.Head.ID)) > 0
		if queue := ReadPending(run.Repo.PrivateDir()); examined != c.want || len(queue) != 0 {
			t.Errorf("%s: examined %t, pending %+v", name, examined, queue)
		}
	}
}

// TestFillLinkWithoutCommit: a link that no commit has is removed; one that cannot be looked for
// waits.
func TestFillLinkWithoutCommit(t *testing.T) {
	p := newPlayground(t)
	first := p.commit("First", nil)
	run := p.run()
	pending := addTo(t, run, PendingLink{ID: "000000000001", Head: first})[0]
	if err := fillLink(t.Context(), run, pending); err != nil {
		t.Error(err)
	}
	if queue := ReadPending(run.Repo.PrivateDir()); len(queue) != 0 {
		t.Errorf("%+v", queue)
	}
	p.commit("Second\n\nEntire-Checkpoint: 000000000002", nil)
	run = p.run()
	pending = addTo(t, run, PendingLink{ID: "000000000002", Head: first})[0]
	if err := FinishPending(t.Context(), run); err != nil {
		t.Error(err)
	}
	if queue := ReadPending(run.Repo.PrivateDir()); len(queue) != 0 {
		t.Errorf("it was found, and no session has work: %+v", queue)
	}
	if record := readHeadRecord(run.Repo.PrivateDir()); record.Head != run.Head.ID || pending.Head != first {
		t.Errorf("%+v", record)
	}
}
