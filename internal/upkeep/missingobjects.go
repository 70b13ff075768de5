package upkeep

import (
	"context"
	"fmt"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// walked is a history of ours that is read whole.
type walked struct {
	what string // as messages name it
	kind string // of trouble
	tip  gitexec.OID
	hint string
}

// counting says each second how many objects were looked at, and how many in a second.
func counting(say func(string), clock func() time.Time) func(done int) {
	begun := clock()
	last := begun
	return func(done int) {
		if done%1000 != 0 { // asking for the time takes longer than an object
			return
		}
		now := clock()
		if now.Sub(last) < time.Second {
			return
		}
		last = now
		say(fmt.Sprintf("looking for each object of all that is recorded: %d so far, %.0f in a second", done, float64(done)/now.Sub(begun).Seconds()))
	}
}

// missingObjects walks streams, also deleted ones that are kept, and checkpoints whole, and names
// those in which an object is missing: git gc fails until it is back, or the ref is deleted. One
// process where nothing is missing, whatever is recorded; else one more for each history, up to
// mostWalked. A partial clone has not got all objects, and is not examined.
func missingObjects(ctx context.Context, run *workspace.Run, streams []shadow.Stream, branch checkpoints.Branch) ([]Trouble, error) {
	if len(safefile.Glob(run.Repo.CommonDir, "objects/pack/*.promisor")) > 0 {
		return nil, nil
	}
	all, bases, err := histories(ctx, run, streams, branch)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	tips := make([]gitexec.OID, len(all))
	for i, h := range all {
		tips[i] = h.tip
	}
	repo := run.Repo.Offline()
	missing, failed := repo.MissingBeyond(ctx, bases, counting(run.Env.Warn, time.Now), tips...)
	if failed == nil && len(missing) == 0 {
		return nil, nil
	}
	var troubles []Trouble
	for _, h := range all[:min(len(all), mostWalked)] {
		missing, err := repo.MissingBeyond(ctx, bases, nil, h.tip)
		if ctx.Err() != nil {
			return troubles, err
		}
		if damage := damageText(missing, err); damage != "" {
			what := h.what + " is damaged: "
			troubles = append(troubles, Trouble{h.kind, what + damage, h.hint})
		}
	}
	if len(troubles) == 0 {
		return nil, failed
	}
	return troubles, nil
}

// damageText says what is missing of a history, or why that cannot be found out; empty: nothing is.
func damageText(missing []gitexec.OID, err error) string {
	switch n := len(missing); {
	case err != nil:
		return explain.OneLine(err)
	case n == 0:
		return ""
	case n == 1:
		return "1 object is missing, " + string(missing[0])
	default:
		return fmt.Sprintf("%d objects are missing, such as %s", n, missing[0])
	}
}

// mostWalked is how many histories are walked one by one, to say which are damaged.
const mostWalked = 100

// histories are those to walk, and the commits of the user's on which they begin.
func histories(ctx context.Context, run *workspace.Run, streams []shadow.Stream, branch checkpoints.Branch) (all []walked, bases []gitexec.OID, err error) {
	if !run.Head.ID.IsZero() {
		bases = append(bases, run.Head.ID)
	}
	const lost = "git gc fails until then; if nothing brings the object back, this deletes the stream: git update-ref -d "
	if branch.Tip != "" {
		all = append(all, walked{"branch entire/checkpoints/v1", DamagedCheckpoint, branch.Tip,
			"git gc fails until the object is back; entire-plumb fetch may restore it from a remote that has it"})
	}
	add := func(s shadow.Stream, what, ref string) {
		all = append(all, walked{what + s.String(), DamagedStream, s.Tip.ID, lost + ref + " " + string(s.Tip.ID)})
		bases = append(bases, s.BaseCommit(run.DB))
	}
	for _, s := range streams {
		add(s, "branch ", s.Ref())
	}
	deleted, err := shadow.Deleted(ctx, run.Repo, run.DB)
	for _, d := range deleted {
		add(d.Stream, "the deleted stream ", d.Ref)
	}
	return all, bases, err
}
