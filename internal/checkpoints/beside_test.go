package checkpoints

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/message"
	"entire-plumb/shadow"
)

// commitID is an object ID of one digit.
func commitID(digit string) gitexec.OID { return gitexec.OID(strings.Repeat(digit, 40)) }

// beside writes side links on a tree of the branch, one after the other.
func (r *repository) beside(root gitexec.OID, all ...SideLink) gitexec.OID {
	r.Helper()
	for _, l := range all {
		edits := gitexec.Edits{}
		r.Must(WriteSideLink(r.DB, Branch{Tree: root}, l, edits))
		root = r.EditTree(root, edits)
	}
	return root
}

func removal(id, by string) Removal { return Removal{Checkpoint: id, By: by, When: at(1)} }

// TestWriteSideLink: what is beside a commit after links were written one after the other.
func TestWriteSideLink(t *testing.T) {
	r := newRepository(t)
	link := func(how How, removed []Removal, ids ...string) SideLink {
		return SideLink{Commit: commitID("1"), How: how, Checkpoints: ids, Removed: removed, CreatedAt: at(5).Add(time.Millisecond)}
	}
	for name, c := range map[string]struct {
		links []SideLink
		want  string // the checkpoints; empty: no link counts
	}{
		"one":                              {[]SideLink{link(Content, nil, firstID)}, firstID},
		"another one is added":             {[]SideLink{link(Content, nil, firstID), link(Content, nil, secondID)}, secondID + " " + firstID},
		"the same again":                   {[]SideLink{link(Content, nil, firstID), link(Content, nil, firstID)}, firstID},
		"nothing":                          {[]SideLink{link(Content, nil)}, ""},
		"nothing is added":                 {[]SideLink{link(Content, nil, firstID), link(Content, nil)}, firstID},
		"what is no ID":                    {[]SideLink{link(Content, nil, firstID, "HEAD", firstID)}, firstID},
		"removed":                          {[]SideLink{link(Content, []Removal{removal(firstID, "A")}, firstID, secondID)}, secondID},
		"removed before it is found again": {[]SideLink{link(Content, []Removal{removal(firstID, "A")}), link(Content, nil, firstID)}, ""},
		"imported, and removed before":     {[]SideLink{link(Content, []Removal{removal(firstID, "A")}), link(Imported, nil, firstID)}, ""},
		"removed, but hooks decided it":    {[]SideLink{link(Hookless, []Removal{removal(firstID, "A")}, firstID)}, firstID},
	} {
		root := r.beside("", c.links...)
		got := ""
		l, err := Branch{Tree: root}.storedSideLink(r.DB, commitID("1"))
		r.Must(err)
		if l != nil {
			got = strings.Join(l.Checkpoints, " ")
			if !l.CreatedAt.Equal(at(5)) || l.Commit != commitID("1") {
				t.Errorf("%s: %+v", name, l)
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if l, err := (Branch{Tree: root}).SideLink(r.DB, commitID("2")); err != nil || l != nil {
			t.Errorf("%s: beside another commit is %v, %v", name, l, err)
		}
	}

	// The same file is no edit; a damaged one is replaced.
	root, edits := r.beside("", link(Content, nil, firstID)), gitexec.Edits{}
	if r.Must(WriteSideLink(r.DB, Branch{Tree: root}, link(Content, nil, firstID), edits)); len(edits) > 0 {
		t.Errorf("%v", edits)
	}
	damaged := r.EditTree(root, gitexec.Edits{sideLinkPath(commitID("1")): r.Blob("rubbish")})
	if _, err := (Branch{Tree: damaged}).SideLink(r.DB, commitID("1")); !errors.Is(err, ErrDamaged) {
		t.Errorf("of a damaged one: %v", err)
	}
	if now, err := (Branch{Tree: r.beside(damaged, link(Content, nil, secondID))}).SideLink(r.DB, commitID("1")); err != nil || now.Checkpoints[0] != secondID {
		t.Errorf("%v, %v", now, err)
	}
}

// TestLinks: what a commit links: its trailers, and then what is beside it, as this clone decided
// or as the branch says.
func TestLinks(t *testing.T) {
	trailer := func(ids ...string) []byte {
		text := "Subject\n"
		for _, id := range ids {
			text += "\n" + message.LinkKey + ": " + id
		}
		return []byte(text + "\n")
	}
	for name, c := range map[string]struct {
		message []byte
		beside  []string
		decided []decided.Entry
		want    string
	}{
		"none":                        {trailer(), nil, nil, ""},
		"a trailer":                   {trailer(firstID), nil, nil, firstID},
		"beside":                      {trailer(), []string{firstID}, nil, firstID},
		"both":                        {trailer(firstID), []string{secondID, firstID}, nil, firstID + " " + secondID},
		"decided here":                {trailer(firstID), []string{secondID}, []decided.Entry{decided.Links(commitID("1"), []string{thirdID})}, firstID + " " + thirdID},
		"decided here: none":          {trailer(), []string{secondID}, []decided.Entry{decided.Links(commitID("1"), nil)}, ""},
		"decided of another commit":   {trailer(), []string{secondID}, []decided.Entry{decided.Links(commitID("2"), nil)}, secondID},
		"only one counts here":        {trailer(), []string{firstID, secondID}, []decided.Entry{decided.Only(commitID("1"), []string{secondID})}, secondID},
		"none of them counts here":    {trailer(firstID), []string{secondID}, []decided.Entry{decided.Only(commitID("1"), nil)}, firstID},
		"a damaged one links nothing": {trailer(firstID), []string{"rubbish"}, nil, firstID},
	} {
		r := newRepository(t)
		if c.decided != nil {
			r.Must(decided.Begin(r.DB.SharedDir(), nil))
			r.Must(decided.Append(r.DB.SharedDir(), c.decided...))
		}
		root := r.beside("", SideLink{Commit: commitID("1"), How: Hookless, Checkpoints: c.beside})
		if slices.Equal(c.beside, []string{"rubbish"}) {
			root = r.EditTree("", gitexec.Edits{sideLinkPath(commitID("1")): r.Blob("rubbish")})
		}
		b := Branch{Tree: root}
		commit := gitexec.Commit{ID: commitID("1"), Message: c.message}
		if got := strings.Join(b.Links(r.DB, commit), " "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if got := strings.Join(b.storedLinks(r.DB, commit), " "); got != c.want {
			t.Errorf("%s: stored are %q, want %q", name, got, c.want)
		}
	}
}

// TestSideLinked: which commits have side links to some checkpoints; damaged ones are skipped.
func TestSideLinked(t *testing.T) {
	r := newRepository(t)
	root := r.beside("", SideLink{Commit: commitID("1"), How: Hookless, Checkpoints: []string{firstID, secondID}},
		SideLink{Commit: commitID("2"), How: Hookless, Checkpoints: []string{secondID}},
		SideLink{Commit: commitID("3"), How: Content, Checkpoints: []string{thirdID}, Removed: []Removal{removal(firstID, "A")}})
	root = r.EditTree(root, gitexec.Edits{sideLinkPath(commitID("4")): r.Blob("rubbish"), "links/55": r.Blob("a file"), "links/66/x.json": r.Blob("{}")})
	b := Branch{Tree: root}
	for ids, want := range map[string]string{
		firstID:                 "1",
		secondID:                "1 2",
		thirdID:                 "3",
		firstID + " " + thirdID: "1 3",
		"cc0000000004":          "",
	} {
		found, err := b.SideLinked(r.DB, strings.Fields(ids)...)
		r.Must(err)
		var got []string
		for commit := range found {
			got = append(got, string(commit[:1]))
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", ids, got, want)
		}
	}
	if found, err := b.SideLinked(r.DB, firstID); err != nil || fmt.Sprint(found[commitID("1")]) != fmt.Sprint([]string{firstID, secondID}) {
		t.Errorf("%v, %v", found, err)
	}
}

// TestUnlink: a link that was found by content is removed for all; one that hooks decided, only
// here. What was removed is not found again.
func TestUnlink(t *testing.T) {
	for name, c := range map[string]struct {
		how      How
		ids      []string // that are removed
		onlyHere bool
		links    string
		removals int // that count
		beside   string
	}{
		"by content":           {Content, []string{firstID}, false, secondID, 1, secondID},
		"by content, all":      {Content, []string{firstID, secondID}, false, "", 2, ""},
		"imported":             {Imported, []string{secondID}, false, firstID, 1, firstID},
		"by hooks":             {Hookless, []string{firstID}, true, secondID, 0, firstID + " " + secondID},
		"what is not linked":   {Content, []string{thirdID}, false, firstID + " " + secondID, 1, firstID + " " + secondID},
		"rewritten, all of it": {Rewritten, []string{firstID, secondID}, true, "", 0, firstID + " " + secondID},
	} {
		r := newRepository(t)
		b := Branch{Tree: r.beside("", SideLink{Commit: commitID("1"), How: c.how, Checkpoints: []string{firstID, secondID}, CreatedAt: at(1)})}
		edits := gitexec.Edits{}
		onlyHere, err := Unlink(r.DB, b, commitID("1"), c.ids, Removal{By: "A <a@b>", When: at(3)}, edits)
		r.Must(err)
		b = Branch{Tree: r.EditTree(b.Tree, edits)}
		if got := b.Removals(r.DB, commitID("1")); onlyHere != c.onlyHere || len(got) != c.removals || b.WasUnlinked(r.DB, commitID("1")) != (c.removals > 0) {
			t.Errorf("%s: only here: %v; removals %v", name, onlyHere, got)
		}
		if got := strings.Join(b.Beside(r.DB, commitID("1")), " "); got != c.beside {
			t.Errorf("%s: anybody links %q, want %q", name, got, c.beside)
		}
		links := strings.Join(b.Links(r.DB, gitexec.Commit{ID: commitID("1")}), " ")
		if !c.onlyHere && links != c.links {
			t.Errorf("%s: it links %q, want %q", name, links, c.links)
		}
	}
}

// TestOlderLinks: a link by content names no checkpoint whose work the commit precedes.
func TestOlderLinks(t *testing.T) {
	for name, c := range map[string]struct {
		how   How
		made  time.Duration // after the commit
		after bool          // the checkpoint's own commit follows the one with the link
		want  string
	}{
		"work from before it":             {Content, -time.Hour, false, firstID},
		"work from soon after it":         {Content, 5 * time.Minute, false, firstID},
		"later work":                      {Content, time.Hour, false, ""},
		"later work, as hooks decided":    {Hookless, time.Hour, false, firstID},
		"imported later":                  {Imported, time.Hour, false, firstID},
		"its own commit follows the link": {Content, -time.Hour, true, ""},
	} {
		r := newRepository(t)
		commit := r.commit("Linked", "f", "1\n")
		owned := OwnedLines{Version: linesVersion, Turns: []string{}, Prompts: []string{}, Files: []OwnedFile{}}
		owned.Others = []OtherFile{{Path: "image"}}
		if c.after {
			owned.Commit = r.commit("Later", "f", "2\n").ID
		}
		files := gitexec.Tree{}
		r.Must(owned.put(r.DB, files))
		cp, edits := &checkpoint{id: firstID}, gitexec.Edits{}
		cp.put(SessionMetadata{CheckpointID: firstID, SessionID: "s", CreatedAt: commit.When.Add(c.made)}, files)
		r.Must(cp.edits(r.DB, edits))
		b := Branch{Tree: r.beside(r.EditTree("", edits), SideLink{Commit: commit.ID, How: c.how, Checkpoints: []string{firstID}, Parts: []Part{{Checkpoint: firstID}}})}
		l, err := b.SideLink(r.DB, commit.ID)
		if r.Must(err); l == nil || strings.Join(l.Checkpoints, " ") != c.want || len(l.Parts) != len(l.Checkpoints) || len(l.Older)+len(l.Checkpoints) != 1 {
			t.Errorf("%s: %+v, want %q", name, l, c.want)
		}
		if found, err := b.SideLinked(r.DB, firstID); err != nil || (len(found) > 0) != (c.want != "") {
			t.Errorf("%s: linked are %v, %v", name, found, err)
		}
	}
}

// TestBranches: a checkpoint is read from the branch itself, else from the one of "origin", else
// from another remote's, or from a ref of its own; what the branch has purged, from none.
func TestBranches(t *testing.T) {
	r := newRepository(t)
	set := func(ref string, root gitexec.OID) {
		r.Git("update-ref", ref, r.Git("commit-tree", "-m", "Checkpoints", string(root)))
	}
	const purged, own = "cc0000000004", "dd0000000005"
	set(shadow.Checkpoints, r.branch(gitexec.Edits{PurgedPath(purged): r.Blob(`{"what":"checkpoint","when":"2026-01-02T00:00:00Z"}`)}, firstID))
	set(originRef, r.beside(r.branch(gitexec.Edits{gitexec.Path(Dir(firstID)) + "/0/prompt.txt": r.Blob("another")}, firstID, secondID, purged),
		SideLink{Commit: commitID("1"), How: Hookless, Checkpoints: []string{firstID}}))
	set("refs/remotes/other/entire/checkpoints/v1", r.branch(nil, thirdID))
	alone := r.branch(nil, own)
	found, err := r.DB.Lookup(alone, gitexec.Path(Dir(own)))
	r.Must(err)
	set(OwnRef(own), found[0].ID)
	r.commit("Reopen", "f", "1\n")
	b, err := ReadBranches(t.Context(), r.Repo, r.DB)
	r.Must(err)
	var got []string
	r.Must(EachCommitted(r.DB, b, func(info CommittedInfo) error {
		got = append(got, info.ID+"="+strings.Join(info.Prompts, ","))
		if info.Error != "" {
			t.Errorf("%s: %s", info.ID, info.Error)
		}
		return nil
	}))
	want := []string{firstID + "=Ask " + firstID, secondID + "=Ask " + secondID, thirdID + "=Ask " + thirdID, own + "=Ask " + own}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if missing := b.Missing(r.DB, []string{firstID, secondID, thirdID, purged, own, "ee0000000006"}); !slices.Equal(missing, []string{purged, "ee0000000006"}) {
		t.Errorf("missing: %q", missing)
	}
	if b.PurgedOn(r.DB, purged) != "2026-01-02" || b.PurgedOn(r.DB, firstID) != "" {
		t.Error("what was purged, and when")
	}
	if l, err := b.SideLink(r.DB, commitID("1")); err != nil || l == nil {
		t.Errorf("the side link on origin: %v, %v", l, err)
	}
	if held, err := b.Holds(r.DB, firstID, secondID); err != nil || !held[firstID] || held[secondID] {
		t.Errorf("%v, %v", held, err)
	}
	for id, want := range map[string]string{firstID: "Ask " + firstID, secondID: "Ask " + secondID, own: "Ask " + own} {
		if c, err := ReadSessionContent(r.DB, b, id, 0); err != nil || c.Prompts != want {
			t.Errorf("%s: %+v, %v", id, c, err)
		}
	}
	if id, err := ResolveID(r.DB, b, "bb00"); id != thirdID {
		t.Errorf("%q, %v", id, err)
	}
	if len(b.Tips()) != 3 {
		t.Errorf("%d tips", len(b.Tips()))
	}
}
