package share

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/sets"
)

// Report is what sharing did.
type Report struct {
	To        string                  `json:"remote"`                // the remote or the address
	Elected   string                  `json:"elected,omitempty"`     // the remote whose commits decide which checkpoints go
	Why       string                  `json:"why,omitempty"`         // nothing is shared: why
	New       int                     `json:"commits"`               // of the branch, that the target lacks, or lacked
	Sent      bool                    `json:"sent"`                  // they are there now
	Goes      []Leaving               `json:"goes,omitempty"`        // what of the branch goes, or went; not listed where the user lets all leave
	Stays     []Leaving               `json:"stays,omitempty"`       // what stays: it is of no commit that the remote has or gets
	Inbox     bool                    `json:"inbox"`                 // they are in this clone's own ref, not on the branch yet
	United    int                     `json:"united"`                // sides that were united with the branch here
	Took      bool                    `json:"took"`                  // the branch here has more now
	Tries     int                     `json:"tries"`                 // pushes
	Portions  int                     `json:"portions,omitempty"`    // pushes of a part of them that arrived; the commits are the rest
	Fetches   int                     `json:"fetches"`               // fetches
	Objects   int                     `json:"objects,omitempty"`     // that were brought to a partial clone
	OwnRefs   int                     `json:"own_refs,omitempty"`    // checkpoints with refs of their own that were fetched
	Skipped   []string                `json:"skipped,omitempty"`     // what of others is damaged
	Overruled []checkpoints.Overruled `json:"not_counted,omitempty"` // what others now say against what was decided here
	Unsigned  []string                `json:"unsigned,omitempty"`    // what was not taken, since it has no good signature
	Rejoined  bool                    `json:"rejoined,omitempty"`    // histories without a common commit were joined
	Changes   []Change                `json:"changes,omitempty"`     // of checkpoints that were here, by others
}

// add adds what was done at another address of the target. What goes to one of them does not stay
// here.
func (r *Report) add(o Report) {
	r.Sent = r.New+o.New > 0 && (r.New == 0 || r.Sent) && (o.New == 0 || o.Sent)
	r.Inbox, r.Took, r.Rejoined = r.Inbox || o.Inbox, r.Took || o.Took, r.Rejoined || o.Rejoined
	r.New, r.United = max(r.New, o.New), max(r.United, o.United)
	r.Tries, r.Portions, r.Fetches = r.Tries+o.Tries, r.Portions+o.Portions, r.Fetches+o.Fetches
	stays := sets.Of(o.Stays)
	r.Stays = slices.DeleteFunc(r.Stays, func(one Leaving) bool { return !stays[one] })
	r.Goes = sets.With(r.Goes, o.Goes...)
	r.Skipped, r.Unsigned = sets.With(r.Skipped, o.Skipped...), sets.With(r.Unsigned, o.Unsigned...)
	r.Changes = append(r.Changes, o.Changes...)
}

// Reason says in one line why sharing failed.
func Reason(ctx context.Context, err error) string {
	if silent, ok := errors.AsType[*gitexec.NoAnswerError](err); ok {
		return silent.Error()
	}
	if fault, ok := errors.AsType[*gitexec.Error](err); ok {
		if _, line := faultIn(fault.Stderr); line != "" {
			said, _ := unmarked(line)
			return said
		}
		// Git's last error line only says that something failed; the ones before it say why.
		for line := range strings.Lines(fault.Stderr) {
			if said, ok := unmarked(line); ok && !strings.Contains(said, "failed to push some refs") {
				return said
			}
		}
	}
	return withoutPasswords(explain.OneLine(explain.Error(ctx, err)))
}

// unmarked is a line that a command has said, without what marks it as an error, and without a
// password. ok: it was marked.
func unmarked(line string) (said string, ok bool) {
	for _, mark := range []string{"fatal: ", "error: ", "ERROR: ", "remote: error: "} {
		if rest, ok := strings.CutPrefix(line, mark); ok {
			return withoutPasswords(strings.TrimSpace(rest)), true
		}
	}
	return withoutPasswords(strings.TrimSpace(line)), false
}

// Text says what was done, in a few words for the journal.
func (r Report) Text() string {
	switch {
	case r.Why != "":
		return "checkpoints are not shared: " + r.Why
	case r.New == 0:
		return "no new checkpoints to share"
	case r.Inbox:
		return fmt.Sprintf("shared %s with %s, in this clone's inbox; tries: %d", commits(r.New), r.To, r.Tries)
	case r.Sent:
		return fmt.Sprintf("shared %s with %s; tries: %d", commits(r.New), r.To, r.Tries)
	}
	if r.Portions > 0 {
		return fmt.Sprintf("shared a part of the checkpoints with %s; %s wait; portions: %d", r.To, commits(r.New), r.Portions)
	}
	return fmt.Sprintf("%s not shared with %s", commits(r.New), r.To)
}

// Said says it in a sentence for the user. preview: nothing was done.
func (r Report) Said(preview bool) string {
	switch {
	case r.Why != "":
		return "nothing is shared: " + r.Why
	case preview:
		return r.planned()
	case r.Sent && r.Took:
		return fmt.Sprintf("pushed %s to %s; the branch here has what was new there", commits(r.New), r.To)
	case r.Sent:
		return fmt.Sprintf("pushed %s to %s", commits(r.New), r.To)
	case r.Inbox:
		return fmt.Sprintf("pushed %s to this clone's inbox on %s: others were faster on the branch, and the next push or sync unites it", commits(r.New), r.To)
	}
	return r.taken()
}

// Held says how much stays here; empty: nothing does.
func (r Report) Held() string {
	if len(r.Stays) == 0 {
		return ""
	}
	return fmt.Sprintf("staying here: %s of commits that %s does not have", r.HeldCount(), r.Elected)
}

// HeldCount counts what stays here: checkpoints, or, where there are none, links.
func (r Report) HeldCount() string {
	n := 0
	for _, one := range r.Stays {
		if one.Checkpoint != "" {
			n++
		}
	}
	if n == 0 {
		return amount.Of(len(r.Stays), "link")
	}
	return amount.Of(n, "checkpoint")
}

// planned says what would be done.
func (r Report) planned() string {
	switch {
	case r.New == 0 && r.United == 0:
		return "nothing is new here for " + r.To + ", as it was last seen"
	case r.New == 0:
		return "would unite the branch here with what was fetched from " + r.To
	case r.United > 0:
		return fmt.Sprintf("would unite %s here with what was fetched from %s, and push it", commits(r.New), r.To)
	}
	return fmt.Sprintf("would push %s to %s", commits(r.New), r.To)
}

// taken says what was fetched, where nothing was pushed.
func (r Report) taken() string {
	switch {
	case r.OwnRefs > 0 && !r.Took:
		return fmt.Sprintf("fetched %s of the entire CLI from %s", amount.Of(r.OwnRefs, "checkpoint"), r.To)
	case r.OwnRefs > 0:
		return fmt.Sprintf("the branch here has all that is on %s; fetched %s of the entire CLI", r.To, amount.Of(r.OwnRefs, "checkpoint"))
	case r.Took:
		return "the branch here has all that is on " + r.To
	}
	return "nothing is new here, nor on " + r.To
}

func commits(n int) string { return amount.Of(n, "commit") + " of checkpoints" }

// Things counts what is damaged.
func Things(n int) string { return amount.Of(n, "thing") }
