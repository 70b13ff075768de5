package checkpoints

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/session"
	"entire-plumb/internal/testrepo"
	"entire-plumb/shadow"
)

// The checkpoints of the tests.
const firstID, secondID, thirdID = "aa0000000001", "aa0000000002", "bb0000000003"

// repository is one whose branch of checkpoints a test writes.
type repository struct{ *testrepo.Repository }

func newRepository(t *testing.T) *repository {
	t.Helper()
	r := &repository{testrepo.New(t)}
	r.commit("First", "f", "the human wrote zero\n")
	return r
}

// commit commits a file, and finds the repository as it is then.
func (r *repository) commit(message, file, text string) gitexec.Commit {
	r.Helper()
	commits, err := r.DB.Commits(r.Commit(message, file, text))
	r.Must(err)
	return commits[0]
}

// text is a file on a tree; empty: there is none.
func (r *repository) text(root gitexec.OID, file gitexec.Path) string {
	r.Helper()
	found, err := r.DB.Lookup(root, file)
	r.Must(err)
	return r.Text(found[0])
}

func hashOf(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// branch is a tree of the branch with checkpoints of these IDs, each with one session, whose prompt
// and transcript name the checkpoint; more are added.
func (r *repository) branch(more gitexec.Edits, ids ...string) gitexec.OID {
	r.Helper()
	edits := gitexec.Edits{}
	for i, id := range ids {
		c := &checkpoint{id: id}
		c.put(SessionMetadata{CheckpointID: id, SessionID: "s" + id, CreatedAt: at(i), FilesTouched: []gitexec.Path{"f"}, Strategy: "manual-commit"},
			gitexec.Tree{"prompt.txt": r.Blob("Ask " + id), "context.md": r.Blob("page"), "full.jsonl": r.Blob("talk " + id), "content_hash.txt": r.Blob("sha256:" + hashOf("talk "+id))})
		r.Must(c.edits(r.DB, edits))
	}
	return r.EditTree(r.EditTree("", edits), more)
}

// files are the paths below a checkpoint's directory that are on a tree, sorted.
func (r *repository) files(root gitexec.OID, id string) string {
	r.Helper()
	var all []string
	r.Must(eachFile(r.DB, root, func(one string) bool { return one == id }, func(file string, _ gitexec.Entry) {
		all = append(all, strings.TrimPrefix(file, Dir(id)+"/"))
	}))
	slices.Sort(all)
	return strings.Join(all, " ")
}

const allFiles = "0/content_hash.txt 0/context.md 0/full.jsonl 0/metadata.json 0/prompt.txt metadata.json"

// TestWithoutPurged: what a tree's own list takes out of it, and what stays.
func TestWithoutPurged(t *testing.T) {
	r := newRepository(t)
	talk, other := r.Blob("talk "+firstID), r.Blob("clean")
	entry := func(p PurgedEntry) gitexec.Entry {
		data, err := p.Encode()
		r.Must(err)
		return r.Blob(string(data))
	}
	const withoutTalk = "0/content_hash.txt 0/context.md 0/metadata.json 0/prompt.txt metadata.json"
	for name, c := range map[string]struct {
		id    string
		entry gitexec.Entry
		after gitexec.Edits
		want  string // the files of the first checkpoint
	}{
		"nothing of it":                     {secondID, entry(PurgedEntry{What: PurgedCheckpoint}), gitexec.Edits{gitexec.Path(Dir(secondID)): {}}, allFiles},
		"a checkpoint":                      {firstID, entry(PurgedEntry{What: PurgedCheckpoint}), gitexec.Edits{gitexec.Path(Dir(firstID)) + "/0": {}}, ""},
		"a checkpoint that is newly listed": {firstID, entry(PurgedEntry{What: PurgedCheckpoint}), gitexec.Edits{PurgedPath(firstID): {}}, ""},
		"one that the edits don't concern":  {firstID, entry(PurgedEntry{What: PurgedCheckpoint}), gitexec.Edits{gitexec.Path(Dir(secondID)): {}}, allFiles},
		"a transcript":                      {firstID, entry(PurgedEntry{What: PurgedTranscript}), gitexec.Edits{gitexec.Path(Dir(firstID)): {}}, withoutTalk},
		"a blob":                            {string(talk.ID), entry(PurgedEntry{What: PurgedBlob}), gitexec.Edits{PurgedPath(string(talk.ID)): {}}, withoutTalk},
		"a blob, of a changed checkpoint":   {string(talk.ID), entry(PurgedEntry{What: PurgedBlob}), gitexec.Edits{gitexec.Path(Dir(firstID)): {}}, withoutTalk},
		"a blob, of another checkpoint":     {string(talk.ID), entry(PurgedEntry{What: PurgedBlob}), gitexec.Edits{gitexec.Path(Dir(secondID)): {}}, allFiles},
		"a blob that got another":           {string(talk.ID), entry(PurgedEntry{What: PurgedBlob, Now: other.ID}), gitexec.Edits{PurgedPath(string(talk.ID)): {}}, allFiles},
		"rubbish":                           {firstID, r.Blob("rubbish"), gitexec.Edits{PurgedPath(firstID): {}}, allFiles},
		"an unknown kind":                   {firstID, r.Blob(`{"what":"x"}`), gitexec.Edits{PurgedPath(firstID): {}}, allFiles},
		"a blob's entry for a checkpoint":   {firstID, entry(PurgedEntry{What: PurgedBlob}), gitexec.Edits{PurgedPath(firstID): {}}, allFiles},
		"a checkpoint's entry for a blob":   {string(talk.ID), entry(PurgedEntry{What: PurgedCheckpoint}), gitexec.Edits{PurgedPath(string(talk.ID)): {}}, allFiles},
	} {
		root := r.branch(gitexec.Edits{PurgedPath(c.id): c.entry}, firstID, thirdID)
		tree, err := withoutPurged(r.DB, root, c.after)
		r.Must(err)
		if got := r.files(tree, firstID); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if got := r.files(tree, thirdID); got != allFiles {
			t.Errorf("%s: the other checkpoint has %q", name, got)
		}
		talk, sum := r.text(tree, gitexec.Path(Dir(firstID))+"/0/full.jsonl"), r.text(tree, gitexec.Path(Dir(firstID))+"/0/content_hash.txt")
		if talk != "" && sum != "sha256:"+hashOf(talk) {
			t.Errorf("%s: the hash of %q is %q", name, talk, sum)
		}
		if named := strings.Contains(r.text(tree, gitexec.Path(Dir(firstID))+"/metadata.json"), `"transcript"`); named && c.entry == entry(PurgedEntry{What: PurgedTranscript}) {
			t.Errorf("%s: the checkpoint names its transcript", name)
		}
	}
	for _, root := range []gitexec.OID{"", r.branch(nil, firstID)} {
		if tree, err := withoutPurged(r.DB, root, gitexec.Edits{PurgedPath(firstID): {}}); err != nil || tree != root {
			t.Errorf("without a list, %q becomes %q: %v", root, tree, err)
		}
	}
}

// TestEachCommitted: all checkpoints are passed on in order, and a damaged one with its error,
// whether they are read together or, since one is damaged, one by one.
func TestEachCommitted(t *testing.T) {
	r := newRepository(t)
	dir := func(id string) gitexec.Path { return gitexec.Path(Dir(id)) }
	whole := r.branch(nil, firstID, secondID, thirdID)
	found, err := r.DB.Lookup(whole, dir(firstID), "aa", "bb")
	r.Must(err)
	const all = firstID + " " + secondID + " " + thirdID
	for name, c := range map[string]struct {
		root   gitexec.OID
		want   string // the IDs, "!" where one is damaged, "?" where its session is not known
		reason string
	}{
		"all are whole":          {whole, all, ""},
		"no branch":              {"", "", ""},
		"no checkpoint":          {r.EditTree("", gitexec.Edits{"links/ab/x.json": r.Blob("{}")}), "", ""},
		"no prompt":              {r.EditTree(whole, gitexec.Edits{dir(secondID) + "/0/prompt.txt": {}}), firstID + " " + secondID + "! " + thirdID, "prompt.txt is missing"},
		"no summary":             {r.EditTree(whole, gitexec.Edits{dir(secondID) + "/metadata.json": {}}), firstID + " " + secondID + "! " + thirdID, "metadata.json"},
		"a summary of rubbish":   {r.EditTree(whole, gitexec.Edits{dir(firstID) + "/metadata.json": r.Blob("{}")}), firstID + "! " + secondID + " " + thirdID, "is no checkpoint's"},
		"no session's metadata":  {r.EditTree(whole, gitexec.Edits{dir(thirdID) + "/0/metadata.json": {}}), firstID + " " + secondID + " " + thirdID + "!?", "metadata.json"},
		"it names no session":    {r.EditTree(whole, gitexec.Edits{dir(thirdID) + "/0/metadata.json": r.Blob("{}")}), firstID + " " + secondID + " " + thirdID + "!?", "names no session"},
		"it names no commit":     {r.EditTree(whole, gitexec.Edits{dir(thirdID) + "/0/metadata.json": r.Blob(`{"session_id":"s","attributed_commit":"HEAD"}`)}), firstID + " " + secondID + " " + thirdID + "!?", "what is none"},
		"a session is a file":    {r.EditTree(whole, gitexec.Edits{dir(thirdID) + "/0": r.Blob("x")}), firstID + " " + secondID + " " + thirdID + "!?", "0"},
		"a checkpoint is a file": {r.EditTree(whole, gitexec.Edits{dir(secondID): r.Blob("x")}), firstID + " " + secondID + "!? " + thirdID, "aa/"},
		"a shard is a file":      {r.EditTree(whole, gitexec.Edits{"bb": r.Blob("x")}), firstID + " " + secondID + " bb!?", "bb"},
		"one twice":              {r.EditTree(whole, gitexec.Edits{"bb/0000000001": found[0]}), firstID + " " + secondID + " " + thirdID + " bb!?", "1 directories are duplicates"},
		"a shard twice":          {r.EditTree(whole, gitexec.Edits{"bb": found[1]}), firstID + " " + secondID + " bb!?", "a duplicate of another one"},
		"other directories":      {r.EditTree(whole, gitexec.Edits{"aa/README": r.Blob("x"), "purged/ab/x": r.Blob("x"), "zz/0": r.Blob("x")}), all, ""},
	} {
		var got []string
		reason := ""
		r.Must(EachCommitted(r.DB, Branch{Tree: c.root}, func(info CommittedInfo) error {
			text := info.ID
			if info.Error != "" {
				text, reason = text+"!", info.Error
			}
			if info.Unreadable {
				text += "?"
			}
			if info.Error == "" && (len(info.Sessions) != 1 || info.Sessions[0].SessionID != "s"+info.ID || info.Prompts[0] != "Ask "+info.ID || len(info.Files) != 1) {
				t.Errorf("%s: %+v", name, info)
			}
			got = append(got, text)
			return nil
		}))
		if strings.Join(got, " ") != c.want || !strings.Contains(reason, c.reason) || c.reason == "" && reason != "" {
			t.Errorf("%s: %q, %q; want %q, %q", name, got, reason, c.want, c.reason)
		}
	}
	stop := errors.New("enough")
	if err := EachCommitted(r.DB, Branch{Tree: whole}, func(CommittedInfo) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("an error of the caller's is %v", err)
	}
}

// TestListCommitted: those that are chosen, the latest first.
func TestListCommitted(t *testing.T) {
	r := newRepository(t)
	b := Branch{Tree: r.branch(nil, thirdID, firstID, secondID)} // a second apart
	for but, want := range map[string]string{"": secondID + " " + firstID + " " + thirdID, firstID: secondID + " " + thirdID} {
		all, err := ListCommitted(r.DB, b, func(info CommittedInfo) bool { return info.ID != but })
		r.Must(err)
		var got []string
		for _, info := range all {
			got = append(got, info.ID)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("without %q: %q, want %q", but, got, want)
		}
	}
	some, err := Describe(r.DB, b, []string{thirdID, firstID, thirdID, "cc0000000004"})
	if err != nil || len(some) != 2 || some[0].ID != firstID || some[1].ID != thirdID {
		t.Errorf("%+v, %v", some, err)
	}
}

// TestResolveID: a checkpoint by the beginning of its ID.
func TestResolveID(t *testing.T) {
	r := newRepository(t)
	b := Branch{Tree: r.branch(nil, firstID, secondID, thirdID)}
	for prefix, want := range map[string]string{
		firstID: firstID, "bb00": thirdID, "BB00": "", "bb0": "", "": "", "aa0000000002": secondID, "cc00": "", "HEAD": "", "bb00/../": "",
	} {
		if got, err := ResolveID(r.DB, b, prefix); got != want || (want == "") != errors.Is(err, ErrNoCheckpoint) {
			t.Errorf("%q: %q, %v", prefix, got, err)
		}
	}
	ambiguous := new(AmbiguousError)
	if _, err := ResolveID(r.DB, b, "aa00"); !errors.As(err, &ambiguous) || !slices.Equal(ambiguous.Candidates, []string{firstID, secondID}) {
		t.Errorf("%v", err)
	}
}

// TestPurgedApart: whether one list lacks what the other one has, and whether it has more.
func TestPurgedApart(t *testing.T) {
	r := newRepository(t)
	list := func(ids ...string) gitexec.OID {
		edits := gitexec.Edits{}
		for _, id := range ids {
			edits[PurgedPath(id)] = r.Blob(`{"what":"checkpoint"}`)
		}
		return r.branch(edits, "cc0000000004")
	}
	for _, c := range []struct {
		one, other   []string
		lacks, extra bool
	}{
		{nil, nil, false, false},
		{[]string{firstID}, []string{firstID}, false, false},
		{nil, []string{firstID}, true, false},
		{[]string{firstID}, nil, false, true},
		{[]string{firstID}, []string{secondID}, true, true},
		{[]string{firstID, thirdID}, []string{thirdID}, false, true},
		{[]string{"ab-no-id"}, nil, false, false},
	} {
		lacks, extra, err := PurgedApart(r.DB, list(c.one...), list(c.other...))
		if err != nil || lacks != c.lacks || extra != c.extra {
			t.Errorf("%q and %q: lacks %v, has more %v; %v", c.one, c.other, lacks, extra, err)
		}
	}
}

// TestWriteCommitted: the checkpoint of a commit of one session's work, and its move to an amended
// commit.
func TestWriteCommitted(t *testing.T) {
	const one, two = "the agent wrote one of these\n", "and the agent wrote another one\n"
	r := newRepository(t)
	base := r.Repo.Head
	tree := r.EditTree(base.Tree, gitexec.Edits{"f": r.Blob("the human wrote zero\n" + one + two)})
	who := gitexec.Ident{Name: "A", Email: "a@b", When: at(1)}
	commits, err := shadow.Commits(r.DB, base.Tree, base.ID, shadow.Checkpoint{}, who, []shadow.Step{{Session: "s", Turn: "0123456789ab", Part: shadow.Agent,
		Subject: "Do it", Tree: tree, Overlay: gitexec.Tree{"prompt.txt": r.Blob("Do it")}}})
	r.Must(err)
	ids, err := r.DB.CommitTree(commits...)
	r.Must(err)
	tip, _, err := shadow.ReadCheckpoint(r.DB, ids[0])
	r.Must(err)
	stream := shadow.Stream{Name: shadow.NewName(base.ID, "", 1), Tip: tip}
	r.Git("update-ref", stream.Ref(), string(ids[0]))

	state := &session.State{SessionID: "s", AgentType: "Claude Code", Place: session.Place{BaseCommit: base.ID, CheckpointCount: 2}}
	store := session.Store{Dir: t.TempDir()}
	write := func(b Branch, c gitexec.Commit, plan lineage.Plan, matches ...condense.Matched) (Condensed, gitexec.OID) {
		t.Helper()
		changes, err := r.DB.DiffTrees(base.Tree, c.Tree)
		r.Must(err)
		edits := gitexec.Edits{}
		done, err := WriteCommitted(context.Background(), r.Repo, r.DB, store, b, Request{ID: firstID, Branch: "main", Version: "1", Now: at(9), Matches: matches,
			States: []*session.State{state}, Changes: changes, Commit: c.ID, Tree: c.Tree, ParentTree: base.Tree, Lineage: plan}, edits)
		r.Must(err)
		if len(done.Troubles) > 0 {
			t.Errorf("%v", done.Troubles)
		}
		return done, r.EditTree(b.Tree, edits)
	}
	read := func(root gitexec.OID) (SessionMetadata, OwnedLines) {
		t.Helper()
		c, err := open(r.DB, root, firstID)
		if r.Must(err); len(c.sessions) != 1 {
			t.Fatalf("%d sessions", len(c.sessions))
		}
		owned, form, err := c.sessions[0].readLines(r.DB, "")
		r.Must(errors.Join(form, err))
		return c.sessions[0].meta, owned
	}

	made := r.commit("Second", "f", "the human wrote zero\n"+one+two+"and the human this\n")
	match := condense.Matched{Session: state, Streams: []shadow.Stream{stream}, Files: []gitexec.Path{"f"}}
	done, root := write(Branch{}, made, lineage.Plan{}, match)
	meta, owned := read(root)
	if meta.SessionID != "s" || meta.Branch != "main" || meta.CheckpointsCount != 2 || fmt.Sprint(meta.FilesTouched) != "[f]" || meta.CheckpointID != firstID {
		t.Errorf("%+v", meta)
	}
	if a := meta.InitialAttribution; a == nil || a.AgentLines != 2 || a.HumanAdded != 1 || a.TotalCommitted != 3 {
		t.Errorf("%+v", a)
	}
	if len(owned.Files) != 1 || fmt.Sprint(owned.Files[0].Ranges) != "[[2 2 0]]" || owned.Commit != made.ID || len(owned.Files[0].hashes()) != 2 {
		t.Errorf("%+v", owned)
	}
	if state.LastCheckpointID != firstID || done.Dropped[firstID] || done.Parts[firstID]["s"].Tree == "" || done.Metadata["s"].Prompts != r.Blob("Do it") {
		t.Errorf("%+v, %+v", state, done)
	}
	if r.text(root, gitexec.Path(Dir(firstID))+"/0/prompt.txt") != "Do it" {
		t.Error("the prompt is not the stream's")
	}
	if summary, err := ReadCommitted(r.DB, Branch{Tree: root}, firstID); err != nil || summary.CheckpointID != firstID || len(summary.Sessions) != 1 {
		t.Errorf("%+v, %v", summary, err)
	}

	// The amended commit lacks a line of the agent's.
	r.Git("reset", "-q", "--soft", string(base.ID))
	amended := r.commit("Amended", "f", "the human wrote zero\n"+one)
	plan := lineage.Plan{From: []lineage.Predecessor{{Commit: made.ID, Links: []string{firstID}}}, Move: []lineage.Move{{Link: firstID, From: made.ID}}}
	done, moved := write(Branch{Tree: root}, amended, plan)
	meta, owned = read(moved)
	if meta.AttributedCommit != amended.ID || len(meta.EarlierAttributions) != 1 || meta.EarlierAttributions[0].Commit != made.ID {
		t.Errorf("%+v", meta)
	}
	if len(owned.Files) != 1 || fmt.Sprint(owned.Files[0].Ranges) != "[[2 1 0]]" || owned.Commit != made.ID || !done.Dropped[firstID] {
		t.Errorf("%+v, dropped %v", owned, done.Dropped)
	}
	if meta.InitialAttribution.AgentLines != 1 || !strings.Contains(r.files(moved, firstID), string(earlierLines(made.ID))) {
		t.Errorf("%+v, %s", meta.InitialAttribution, r.files(moved, firstID))
	}

	// Another commit with the same link adds to the checkpoint, and keeps the first one's lines.
	_, added := write(Branch{Tree: root}, amended, lineage.Plan{}, match)
	if meta, _ = read(added); meta.AttributedCommit != amended.ID || meta.CheckpointsCount < 2 || !strings.Contains(r.files(added, firstID), earlierLines(made.ID)) {
		t.Errorf("%+v, %s", meta, r.files(added, firstID))
	}

	// A session that is new in a checkpoint of several commits names its commit, too.
	_, joined := write(Branch{Tree: root}, amended, lineage.Plan{}, condense.Matched{Session: &session.State{SessionID: "t"}, Files: []gitexec.Path{"f"}})
	c, err := open(r.DB, joined, firstID)
	if r.Must(err); len(c.sessions) != 2 || c.sessions[1].meta.SessionID != "t" || c.sessions[1].meta.AttributedCommit != amended.ID {
		t.Errorf("%+v", c.sessions)
	}
}
