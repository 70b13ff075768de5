package commits

import (
	"entire-plumb/gitexec"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/workspace"
)

// Remember keeps what was decided, once it is stored. Without it the word of others would count.
func Remember(run *workspace.Run, entries ...decided.Entry) {
	if err := decided.Append(run.Repo.SharedDir(), entries...); err != nil {
		run.WarnLater("what was decided cannot be kept: " + explain.OneLine(err))
	}
}

// decidedBefore is what the journal knows of commits that got no link before there was a record.
func decidedBefore(sharedDir string) (entries []decided.Entry) {
	known, err := journal.Read(sharedDir)
	if err != nil {
		return nil
	}
	for _, e := range known {
		if e.Hook == "post-commit" && e.Kind == journal.Unlinked && e.Error == "" {
			entries = append(entries, decided.Links(gitexec.OID(e.Commit), nil))
		}
	}
	return entries
}

// wasDecided reports of which commits our hooks decided whether they are linked.
func wasDecided(repo *gitexec.Repo) (func(gitexec.OID) bool, error) {
	entries, err := journal.Read(repo.SharedDir())
	noted := ran(entries)
	for _, e := range entries {
		if e.Kind == journal.UnlinkedReplayed || e.Kind == journal.UnlinkedAlone {
			delete(noted, gitexec.OID(e.Commit))
		}
	}
	record := decided.Open(repo.SharedDir())
	return func(id gitexec.OID) bool {
		_, known := record.Links(id)
		return known || noted[id]
	}, err
}
