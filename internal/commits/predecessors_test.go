package commits

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/session"
)

// TestRecordLinks: sessions whose work a link names record the commit, with what was written of
// them, or as they recorded the link last.
func TestRecordLinks(t *testing.T) {
	parts := map[string]map[string]checkpoints.WrittenPart{"1": {"a": {Tree: "new", Files: pathList("f")}}}
	last := session.Link{ID: "1", Commit: "old", Tree: "was", Files: pathList("g"), When: noon}
	for name, c := range map[string]struct {
		state *session.State
		links string
		want  []session.Link
	}{
		"written":               {&session.State{SessionID: "a"}, "1", []session.Link{{ID: "1", Commit: "c", Tree: "new", Files: pathList("f"), When: noon}}},
		"linked before":         {&session.State{SessionID: "b", Linked: []session.Link{last}}, "1", []session.Link{last, {ID: "1", Commit: "c", Tree: "was", Files: pathList("g"), When: noon}}},
		"of no work":            {&session.State{SessionID: "b"}, "1", nil},
		"another link":          {&session.State{SessionID: "b", Linked: []session.Link{last}}, "2", []session.Link{last}},
		"two, of which it has":  {&session.State{SessionID: "a"}, "2 1", []session.Link{{ID: "1", Commit: "c", Tree: "new", Files: pathList("f"), When: noon}}},
		"two, of both of which": {&session.State{SessionID: "a", Linked: []session.Link{{ID: "2", Commit: "old", Tree: "t2", When: noon}}}, "1 2", []session.Link{{ID: "2", Commit: "old", Tree: "t2", When: noon}, {ID: "1", Commit: "c", Tree: "new", Files: pathList("f"), When: noon}, {ID: "2", Commit: "c", Tree: "t2", When: noon}}},
	} {
		before := len(c.state.Linked)
		changed := recordLinks([]*session.State{c.state}, strings.Fields(c.links), "c", parts, noon.In(time.FixedZone("", 3600)))
		if !reflect.DeepEqual(c.state.Linked, c.want) {
			t.Errorf("%s: %+v", name, c.state.Linked)
		}
		if want := len(c.want) > before; (len(changed) == 1) != want {
			t.Errorf("%s: %d states changed", name, len(changed))
		}
	}
}

// TestCompletePredecessors: links come from the messages, and whether the change is the same from
// the trees; of a rewritten commit from what it changes. What git has pruned is omitted.
func TestCompletePredecessors(t *testing.T) {
	p := newPlayground(t)
	base := p.commit("Base", nil)
	old := p.commit("Work\n\nEntire-Checkpoint: 000000000001", map[string]string{"f": "1\n"})
	p.git("commit", "-q", "--amend", "-m", "Better")
	amended := gitexec.OID(p.git("rev-parse", "HEAD"))
	p.git("checkout", "-q", "-b", "side", string(base))
	p.commit("Side", map[string]string{"g": "1\n"})
	p.git("cherry-pick", string(old))
	rebased := gitexec.OID(p.git("rev-parse", "HEAD"))
	p.commit("More", map[string]string{"f": "2\n"})
	more := gitexec.OID(p.git("rev-parse", "HEAD"))
	run := p.run()
	for name, c := range map[string]struct {
		commit gitexec.OID
		by     lineage.Means
		from   gitexec.OID
		links  []string // known before
		want   []lineage.Predecessor
	}{
		"only the message":     {amended, lineage.Amended, old, nil, []lineage.Predecessor{{Commit: old, By: lineage.Amended, Links: []string{"000000000001"}, Same: true}}},
		"with a known link":    {amended, lineage.Reset, old, []string{"000000000002"}, []lineage.Predecessor{{Commit: old, By: lineage.Reset, Links: []string{"000000000002", "000000000001"}, Same: true}}},
		"rebased":              {rebased, lineage.Rewritten, old, nil, []lineage.Predecessor{{Commit: old, By: lineage.Rewritten, Links: []string{"000000000001"}, Same: true}}},
		"picked, as another":   {rebased, lineage.Picked, old, nil, []lineage.Predecessor{{Commit: old, By: lineage.Picked, Links: []string{"000000000001"}}}},
		"with another change":  {more, lineage.Rewritten, old, nil, []lineage.Predecessor{{Commit: old, By: lineage.Rewritten, Links: []string{"000000000001"}}}},
		"of an unlinked one":   {rebased, lineage.Rewritten, amended, nil, []lineage.Predecessor{{Commit: amended, By: lineage.Rewritten, Same: true}}},
		"of one that's pruned": {rebased, lineage.Rewritten, id("1"), nil, nil},
	} {
		head, parent, err := withParent(run.DB, c.commit)
		if err != nil {
			t.Fatal(err)
		}
		changed, err := run.DB.DiffTrees(parent, head.Tree)
		if err != nil {
			t.Fatal(err)
		}
		got, err := completePredecessors(run.Repo, run.DB, checkpoints.Branch{}, head, changed, []lineage.Predecessor{{Commit: c.from, By: c.by, Links: c.links}})
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if got, err := completePredecessors(nil, nil, checkpoints.Branch{}, gitexec.Commit{}, nil, nil); got != nil || err != nil {
		t.Errorf("of none: %v, %v", got, err)
	}
}
