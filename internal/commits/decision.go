package commits

import (
	"entire-plumb/internal/decided"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/workspace"
)

// Remember keeps what was decided, once it is stored. Without it the word of others would count.
func Remember(run *workspace.Run, entries ...decided.Entry) {
	if err := decided.Append(run.Repo.SharedDir(), entries...); err != nil {
		run.WarnLater("what was decided cannot be kept: " + explain.OneLine(err))
	}
}
