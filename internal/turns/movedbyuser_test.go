package turns

import (
	"fmt"
	"path/filepath"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/transcript"
)

// TestRenamedDirectory: each file of a directory that the user renames has the turn's lines that it
// had, and no others.
func TestRenamedDirectory(t *testing.T) {
	const files = 100 // with those that are gone as many as are divided
	w := newWorld(t)
	run := w.run()
	wrote := &transcript.Wrote{All: true, Used: true, Texts: map[string]transcript.Texts{}}
	edits, touched := gitexec.Edits{}, []gitexec.Path(nil)
	for i := range files {
		text := ""
		for line := range 200 {
			text += fmt.Sprintf("the agent's line %d of file %d\n", line, i)
		}
		id, err := run.DB.WriteBlob([]byte(text))
		testdir.Must(t, err)
		to := gitexec.Path(fmt.Sprintf("new/%03d", files-1-i))
		edits[to], touched = gitexec.Entry{Mode: gitexec.ModeFile, ID: id}, append(touched, to)
		was := filepath.Join(run.Repo.Top, fmt.Sprintf("old/%03d", i))
		wrote.Files = append(wrote.Files, was)
		wrote.Texts[was] = transcript.Texts{Wholes: []string{text}, Edits: []transcript.Edit{{New: text, Whole: true}}}
	}
	tree, err := run.DB.EditTree(run.Head.Tree, edits)
	testdir.Must(t, err)
	part := turn{wrote: wrote, finished: true, touched: touched, before: run.Head.Tree}
	part.snap.Tree = tree
	part, err = movedByUser(run, part)
	if err != nil || len(part.wrote.Files) != 2*files {
		t.Errorf("%d files, %v", len(part.wrote.Files), err)
	}
	for i := range files {
		name := filepath.Join(run.Repo.Top, fmt.Sprintf("new/%03d", i))
		if parts := part.wrote.Texts[name].Parts; len(parts) != 1 {
			t.Errorf("%s has %d texts of others", name, len(parts)-1)
		}
	}
}
