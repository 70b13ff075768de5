// Package suffix decides which stream a piece of work belongs to, on plain values: what the agent did on each stream,
// what the worktree holds, and, where object IDs don't settle it, the lines of the files that both touch.
package suffix

import (
	"strings"

	"entire-plumb/gitexec"
)

// Reasons, as fixed strings (seed 000, Suffix Decision Heuristic; the last one is ours).
const (
	NoStream      = "no existing suffix"
	Clean         = "worktree is clean"
	Unreadable    = "failed to read shadow branch"
	NoOverlap     = "no file overlap with shadow branch"
	CannotCompare = "failed to compare content"
	Present       = "agent's changes still present"
	Absent        = "agent's changes not found in worktree"
	EarlierIsBack = "agent's changes of an earlier stream are back"
)

// Decision is the answer (seed 000, SuffixDecision).
type Decision struct {
	Suffix int    `json:"suffix"`
	IsNew  bool   `json:"is_new"`
	Reason string `json:"reason"`
}

// Change is what the agent did to one file of a stream: one turn's, or several turns' one after the other.
type Change struct {
	Path          gitexec.Path
	Before, After gitexec.Entry // zero: not there
}

// Stream is what a decision needs of one stream.
type Stream struct {
	Suffix  int
	Changes []Change // oldest first
	Err     error    // why the stream cannot be read, if so
}

// Worktree holds the files that differ from the base, as they are now; the zero Entry is a file that was deleted.
type Worktree map[gitexec.Path]gitexec.Entry

// Texts gives the lines of a file's version, without their ends. ok is false for what has no lines to compare: nothing,
// a binary file, a symlink, a submodule, a file too large to read in a hook.
type Texts interface {
	Lines(e gitexec.Entry) (lines []string, ok bool, err error)
}

// Decide picks the stream of the next checkpoint. Streams come with the lowest suffix first. The last one is asked first,
// as the seed has it; if its work is gone, the earlier ones are, newest first, since a stash may have brought one back.
func Decide(streams []Stream, worktree Worktree, texts Texts) Decision {
	if len(streams) == 0 {
		return Decision{1, true, NoStream}
	}
	last := streams[len(streams)-1]
	if len(worktree) == 0 {
		return Decision{last.Suffix + 1, true, Clean}
	}
	reason := judge(last, worktree, texts)
	if reason == Present {
		return Decision{last.Suffix, false, Present}
	}
	for i := len(streams) - 2; i >= 0; i-- {
		if judge(streams[i], worktree, texts) == Present {
			return Decision{streams[i].Suffix, false, EarlierIsBack}
		}
	}
	return Decision{last.Suffix + 1, true, reason}
}

// judge holds one stream against the worktree.
func judge(s Stream, worktree Worktree, texts Texts) string {
	if s.Err != nil {
		return Unreadable
	}
	overlap := false
	for _, c := range s.Changes {
		now, modified := worktree[c.Path]
		if !modified {
			continue
		}
		overlap = true
		present, err := InEffect(c, now, texts)
		if err != nil {
			return CannotCompare
		}
		if present {
			return Present
		}
	}
	if !overlap {
		return NoOverlap
	}
	return Absent
}

// InEffect reports whether what the agent did to a file is there in the version now, whole or in part.
//
// The same object and mode settle it. So does the absence of a file that the agent deleted. Otherwise lines decide: one
// that the agent added and that says something (see telling) must be there; where it added none such, all that it added
// must be; where it added nothing, the lines that it took out must still be out.
func InEffect(c Change, now gitexec.Entry, texts Texts) (bool, error) {
	if now == c.After {
		return true, nil
	}
	if !c.After.Exists() || !now.Exists() {
		return false, nil
	}
	after, ok, err := texts.Lines(c.After)
	if err != nil || !ok {
		return false, err
	}
	present, ok, err := texts.Lines(now)
	if err != nil || !ok {
		return false, err
	}
	before, _, err := texts.Lines(c.Before)
	if err != nil {
		return false, err
	}
	added, removed := less(after, before), less(before, after)
	if len(added) > 0 {
		return anyTelling(added, present), nil
	}
	return len(removed) > 0 && len(less(removed, present)) == len(removed), nil
}

// less gives the lines of a that b doesn't have, blank ones aside.
func less(a, b []string) []string {
	has := make(map[string]bool, len(b))
	for _, line := range b {
		has[line] = true
	}
	var rest []string
	for _, line := range a {
		if !has[line] && strings.TrimSpace(line) != "" {
			rest = append(rest, line)
		}
	}
	return rest
}

func anyTelling(added, present []string) bool {
	missing := less(added, present)
	if len(missing) == 0 {
		return true
	}
	gone := make(map[string]bool, len(missing))
	for _, line := range missing {
		gone[line] = true
	}
	for _, line := range added {
		if telling(line) && !gone[line] {
			return true
		}
	}
	return false
}

// telling reports whether a line alone can show where it came from. A brace, `return nil` or `} else {` cannot.
func telling(line string) bool {
	letters := 0
	for _, c := range line {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80 {
			letters++
		}
	}
	return letters >= 10
}
