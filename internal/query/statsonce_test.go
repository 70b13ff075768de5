package query

import (
	"fmt"
	"runtime"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/stats"
	"entire-plumb/internal/survival"
)

// TestCountOnce: a later commit has its lines again, at a cost that grows with its files alone.
func TestCountOnce(t *testing.T) {
	r := newRepository(t)
	const files = 4000
	one := lineOwners{owners: []lineOwner{{kind: attribution.Agent, checkpoint: "c1", session: "s", turn: "t"}}}
	var texts []string
	for i := range files {
		name := fmt.Sprint("file", i)
		texts = append(texts, name, "a line\nand another\n")
		one.files = append(one.files, ownedFile{path: gitexec.Path(name), runs: []owned{{survival.Span{Start: 1, N: 2}, 0}}})
	}
	tree := r.Edit("", texts...)
	older, newer := r.Repository.Branch("refs/heads/older", "Older", tree), r.Repository.Branch("refs/heads/newer", "Newer", tree)
	s := counting{sequence: []gitexec.OID{older, newer}, lifetimes: &lifetimes{reader: r.open().Reader, order: []gitexec.OID{older, newer}, owners: map[gitexec.OID]lineOwners{older: one, newer: one}},
		commits: map[gitexec.OID]*stats.Commit{older: {Linked: true}, newer: {Linked: true}}}
	var began, ended runtime.MemStats
	runtime.ReadMemStats(&began)
	r.Must(s.countOnce())
	runtime.ReadMemStats(&ended)
	if of := (ended.TotalAlloc - began.TotalAlloc) / files; of > 60_000 {
		t.Errorf("%d bytes of memory for each file", of)
	}
	for i, f := range s.lifetimes.owners[newer].files {
		if o := s.lifetimes.owners[newer].owners; len(f.runs) != 1 || !o[f.runs[0].owner].again || one.owners[one.files[i].runs[0].owner].again {
			t.Fatalf("%+v of %+v", f, o)
		}
	}
}
