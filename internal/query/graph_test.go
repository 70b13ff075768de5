package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
)

// TestRows: each commit of a drawing has its row, in order, and streams are none of them.
func TestRows(t *testing.T) {
	stream := &Pending{Branch: "entire/1"}
	streams := map[gitexec.OID]*Pending{"s": stream}
	drawn := []gitexec.GraphRow{{Drawn: "*", Commit: "s"}, {Drawn: "|"}, {Drawn: "* |", Commit: "a"}, {Drawn: "*", Commit: "b"}}
	ids := commitsIn(drawn, streams)
	if !slices.Equal(ids, []gitexec.OID{"a", "b"}) {
		t.Errorf("%v", ids)
	}
	var got []string
	for _, row := range rowsOf(drawn, streams, []Logged{{ShownCommit: ShownCommit{Commit: "a"}}, {ShownCommit: ShownCommit{Commit: "b"}}}) {
		text := row.Edges
		if row.Commit != nil {
			text += string(row.Commit.Commit)
		}
		if row.Stream != nil {
			text += row.Stream.Branch
		}
		got = append(got, text)
	}
	if strings.Join(got, ";") != "*entire/1;|;* |a;*b" {
		t.Errorf("%q", got)
	}
}

// TestSplit: only a stream whose base is known and in the history is drawn on it.
func TestSplit(t *testing.T) {
	based, loose := split([]Pending{{Branch: "1", Base: "a"}, {Branch: "2"}, {Branch: "3", Base: "b"}}, []gitexec.OID{"b"})
	if len(based) != 1 || based[0].Branch != "1" || len(loose) != 2 || loose[0].Branch != "2" || loose[1].Branch != "3" {
		t.Errorf("%v, %v", based, loose)
	}
}

// TestLogAndGraph: both list the same commits with their checkpoints, and streams above or beside
// them.
func TestLogAndGraph(t *testing.T) {
	r := newRepository(t)
	linked := r.Commit("Second\n\nEntire-Checkpoint: aaaaaaaaaaaa", "f", "2")
	r.open()
	r.checkpoints([]checkpoints.SessionMetadata{part("aaaaaaaaaaaa", "s1", 5, "f")})
	r.stream(1, "s1", "a", "b")
	commits, pending, err := r.source.Log(t.Context(), Selection{Most: 10})
	r.Must(err)
	if len(commits) != 2 || commits[0].Commit != linked || len(commits[0].Checkpoints) != 1 || commits[0].Lines == nil || commits[1].Lines != nil ||
		len(commits[0].Parents) != 1 || commits[1].Parents == nil {
		t.Errorf("%+v", commits)
	}
	if k := commits[0].Checkpoints[0]; k.ID != "aaaaaaaaaaaa" || !k.Found || k.Missing() || !slices.Equal(k.Sessions, []string{"s1"}) || k.Lines != 1 {
		t.Errorf("%+v", k)
	}
	if len(pending) != 1 || pending[0].Base != linked || pending[0].Checkpoints != 2 || !slices.Equal(pending[0].Files, []gitexec.Path{"f"}) ||
		!slices.Equal(pending[0].Sessions, []string{"s1"}) {
		t.Errorf("%+v", pending)
	}
	for _, c := range []struct{ revs, want, loose string }{
		{"", "stream Second First", ""},
		{"HEAD~1", "First", pending[0].Branch},
		{"HEAD~1..HEAD", "Second", pending[0].Branch},
	} {
		rows, loose, err := r.source.Graph(t.Context(), Selection{Names: strings.Fields(c.revs), Most: 10})
		r.Must(err)
		var got []string
		for _, row := range rows {
			switch {
			case row.Stream != nil:
				got = append(got, "stream")
			case row.Commit != nil:
				got = append(got, row.Commit.Subject)
			}
		}
		beside := ""
		for _, s := range loose {
			beside += s.Branch
		}
		if strings.Join(got, " ") != c.want || beside != c.loose {
			t.Errorf("%q: %q, loose %s", c.revs, got, beside)
		}
	}
	for _, revs := range []string{"nothing", "nothing..HEAD"} {
		_, _, err := r.source.Log(t.Context(), Selection{Names: []string{revs}})
		_, _, err2 := r.source.Graph(t.Context(), Selection{Names: []string{revs}})
		if want := fmt.Sprintf("%q names no commits", revs); err == nil || err2 == nil || !strings.HasPrefix(err.Error(), want) || !strings.HasPrefix(err2.Error(), want) {
			t.Errorf("%s: %v, %v", revs, err, err2)
		}
	}
}
