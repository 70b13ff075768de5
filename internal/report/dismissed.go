package report

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"entire-plumb/internal/upkeep"
	"entire-plumb/shadow"
)

// fate is what became of the work of a checkpoint on a stream.
type fate struct {
	session, subject string
	turn             string // its recorded ID
	when             time.Time
	note             string // empty: it is not dismissed
}

// dismissals asks where the streams' work is. Where that cannot be said, nothing is marked: the
// page shows everything else.
func (g *reporter) dismissals(ctx context.Context) []fate {
	streams, err := upkeep.Streams(ctx, g.reader.Env, "", true)
	if err != nil {
		return nil
	}
	return fates(streams)
}

// fates are those of the agents' checkpoints on streams.
func fates(streams []upkeep.StreamInfo) (all []fate) {
	for _, s := range streams {
		for _, step := range s.Steps {
			if step.Part == shadow.Agent {
				all = append(all, fate{step.Session, step.Subject, step.Turn, step.When, clean(lost(s, cmp.Or(step.Work, s.Work)))})
			}
		}
	}
	return all
}

// lost says why work on a stream is dismissed; empty: it is not.
func lost(s upkeep.StreamInfo, work upkeep.Whereabouts) string {
	switch {
	case work == upkeep.Dismissed:
		return "neither the worktree nor a stash nor HEAD has its work, which is on " + s.Branch
	case work == upkeep.Deleted && s.Deleted != nil:
		return fmt.Sprintf("no commit has its work; its stream is kept until %s", s.Deleted.Add(shadow.KeptDeleted).UTC().Format("2006-01-02"))
	case work == upkeep.Deleted:
		return "no commit has its work"
	}
	return ""
}

// mark marks the turns of a session whose work was dismissed. A turn with lines here, or with work
// on a stream that goes on, is not.
func (t *talk) mark(all []fate) {
	notes := map[int]string{}
	goesOn := map[int]bool{}
	for _, f := range all {
		i, found := t.ended(f)
		if found && t.turns[i].Turn.Turn == "" {
			t.turns[i].Turn.Turn = f.turn
		}
		switch {
		case !found:
		case f.note == "":
			goesOn[i] = true
		default:
			notes[i] = f.note
		}
	}
	for i, note := range notes {
		if one := &t.turns[i]; !goesOn[i] && one.Lines == 0 && len(one.touched) == 0 {
			one.Dismissed = note
		}
	}
}

// ended finds the turn that made a checkpoint: the last one with its prompt that began before.
// Where the transcript has no times, it is the only one with that prompt.
func (t *talk) ended(f fate) (at int, found bool) {
	if f.session != t.id {
		return 0, false
	}
	number := 0
	for i, turn := range t.turns {
		if turn.described != f.subject {
			continue
		}
		number++
		if turn.Began.IsZero() || !turn.Began.After(f.when) {
			at, found = i, true
		}
	}
	return at, found && (number == 1 || !t.turns[at].Began.IsZero())
}
