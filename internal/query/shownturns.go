package query

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

// ShownTurn is one turn of a session's part: its prompt, and what came of it.
type ShownTurn struct {
	Number int            `json:"number"` // of the prompt in the session, counted from 1
	ID     string         `json:"turn_id,omitempty"`
	Prompt string         `json:"prompt"`
	Lines  *int           `json:"agent_lines,omitempty"` // of it in the commit; nil: not known
	Files  []gitexec.Path `json:"files"`                 // in which these lines are, or that it changes without one
	// Work is where the work of a turn on a stream is: worktree, stash, committed, dismissed.
	Work  string               `json:"work,omitempty"`
	Tools []transcript.ToolUse `json:"tools,omitempty"` // of a turn that is shown alone, in their order
}

// Nothing reports whether no line of the turn is in the commit, as is known for sure.
func (t ShownTurn) Nothing() bool { return t.Lines != nil && *t.Lines == 0 }

// turnLines are the lines of a turn in a commit, by file.
type turnLines struct {
	id    string
	files map[gitexec.Path]int
}

func (t turnLines) lines() (sum int) {
	for _, n := range t.files {
		sum += n
	}
	return sum
}

// byDescription are the turns of a session's part in a checkpoint that have lines in a commit, by
// the description of their prompts, under which lines record them. Where lines have no turn, as in
// checkpoints of other programs, what they say of prompts is not exact: then there are none.
func byDescription(n attribution.Counted, part attribution.Part) (by map[string]turnLines, known bool) {
	by = map[string]turnLines{}
	for _, f := range n.Files {
		for of, ranges := range f.Turns {
			if (attribution.Part{Checkpoint: of.Checkpoint, Session: of.Session}) != part {
				continue
			}
			// Another program wrote it, which doesn't describe prompts as we do.
			if of.Turn == "" {
				return nil, false
			}
			t, ok := by[of.Prompt]
			if !ok {
				t = turnLines{of.Turn, map[gitexec.Path]int{}}
			}
			for _, r := range ranges {
				t.files[f.Path] += r[1]
			}
			by[of.Prompt] = t
		}
	}
	return by, n.NotCounted == ""
}

// turnsOf are the turns of a session's prompts from start on. Prompts that were entered while the
// agent was at work are of one turn, whose description is that of all of them. That a turn has no
// line is known only where all lines are of one of the prompts.
func turnsOf(prompts []string, start int, by map[string]turnLines, known bool) []ShownTurn {
	turns := []ShownTurn{}
	unused := maps.Clone(by)
	for i := start; i < len(prompts); {
		described := shadow.Describe(prompts[i])
		found, ok := by[described]
		end := i + 1
		// None of its own: it is tried with those that were entered after it, until a turn has that
		// description.
		for next := end; !ok && next < len(prompts); next++ {
			described = shadow.DescribeBoth(described, prompts[next])
			if found, ok = by[described]; ok {
				end = next + 1
			}
		}
		for ; i < end; i++ {
			t := ShownTurn{Number: i + 1, ID: found.id, Prompt: prompts[i], Files: slices.Sorted(maps.Keys(found.files))}
			if lines := found.lines(); known || lines > 0 {
				t.Lines = &lines
			}
			t.Files = append([]gitexec.Path{}, t.Files...)
			turns = append(turns, t)
		}
		if ok {
			delete(unused, described)
		}
	}
	for i := range turns {
		// Some lines are of a turn that no prompt describes: any of these may be it.
		if len(unused) > 0 && turns[i].Nothing() {
			turns[i].Lines = nil
		}
	}
	return turns
}

// setTurns divides the part's own prompts into turns, with their lines in a commit.
func (p *ShownPart) setTurns(n attribution.Counted, link checkpoints.Recorded) {
	start := min(p.CheckpointPromptStart, max(0, len(p.Prompts)-1))
	by, known := byDescription(n, attribution.Part{Checkpoint: link.ID, Session: p.SessionID})
	p.Turns = turnsOf(p.Prompts, start, by, known && len(link.Doubts) == 0 && link.Found)
	p.start, p.first = start, p.CheckpointTranscriptStart
	elsewhere := func(described string) bool { // by another checkpoint of the session, as after a squash
		return len(n.OfTurns(func(l checkpoints.Line) bool { return l.Session == p.SessionID && l.Prompt == described })) > 0
	}
	for i := range p.Turns {
		// Its lines are there, and count for the other checkpoint: that it has none would be wrong.
		if t := &p.Turns[i]; t.Nothing() && elsewhere(shadow.Describe(t.Prompt)) {
			t.Lines = nil
		}
	}
	// The checkpoint was made for this one turn: what it names, the turn changed.
	if len(p.Turns) == 1 && p.Turns[0].Nothing() && p.Changes() {
		p.Turns[0].ID, p.Turns[0].Files = p.TurnID, slices.Clone(p.FilesTouched)
	}
}

// Changes reports whether the part is of one turn, and its checkpoint names files: the turn changes
// them in the commit, also where it only takes lines or files out, or renames some.
func (p ShownPart) Changes() bool {
	return len(p.Prompts)-min(p.CheckpointPromptStart, max(0, len(p.Prompts)-1)) == 1 && len(p.FilesTouched) > 0
}

// setDismissed marks the turns without a line that were dismissed. It names each that is the one
// turn of its session and prompt that a stream has; located is asked if there is one. Of streams
// that are not kept any more the transcript tells: the turn's tools wrote files.
func (s *Shown) setDismissed(located func() map[gitexec.OID]OnAStream) {
	for i := range s.Sessions {
		p := &s.Sessions[i]
		for j := range p.Turns {
			t := &p.Turns[j]
			// One that has an ID here changed files without a line: see setTurns.
			if !t.Nothing() || t.ID != "" {
				continue
			}
			of := map[string]bool{}
			dismissed, described := true, shadow.Describe(t.Prompt)
			for _, k := range located() {
				if k.Turn != "" && k.Session == p.SessionID && k.Subject == described {
					of[k.Turn], dismissed = true, dismissed && k.Dismissed != ""
				}
			}
			for turn := range of {
				// Of several turns with the same prompt none can be told from the others.
				if len(of) == 1 && dismissed {
					t.ID, t.Work = turn, dismissedWork
				}
			}
		}
		// Lines of no known author may be of any turn.
		if s.Lines != nil && s.Lines.Unknown == 0 {
			p.setGone()
		}
	}
}

const (
	dismissedWork = "dismissed"
	deletedWork   = "deleted"
)

// setGone marks the turns without a line, of which no stream tells, whose tools wrote files. If
// there are such turns it reads the transcript, once.
func (p *ShownPart) setGone() {
	open := func(t ShownTurn) bool { return t.Nothing() && t.ID == "" && len(t.Files) == 0 }
	if !slices.ContainsFunc(p.Turns, open) {
		return
	}
	exact := map[int]bool{}
	p.eachInTranscript(p.Turns, transcript.Limits{Uses: mostTools}, func(t *ShownTurn, number int, one transcript.Turn) {
		if !open(*t) || exact[t.Number] {
			return
		}
		// The same prompt may come twice: the turn of its own number is meant, and else the last
		// one.
		exact[t.Number], t.Work = number == t.Number, ""
		if slices.ContainsFunc(one.Uses, transcript.ToolUse.Writes) {
			t.Work = dismissedWork
		}
	})
}

// eachInTranscript passes on the turns of the transcript that have the prompt of one of the given
// ones, with their numbers.
func (p ShownPart) eachInTranscript(of []ShownTurn, bound transcript.Limits, each func(t *ShownTurn, number int, one transcript.Turn)) {
	if p.Stored == nil {
		return
	}
	number := 0
	for _, t := range of {
		// The whole prompt is compared, without the white space around it, and so must not be cut
		// off.
		bound.Prompt = max(bound.Prompt, len(t.Prompt)+1000)
	}
	_ = transcript.ReadStored(p, func(in io.Reader) error { // damage is named where the transcript is printed
		return transcript.Turns(in, bound, func(one transcript.Turn) error {
			number++
			for i := range of {
				if t := &of[i]; strings.TrimSpace(one.Prompt) == strings.TrimSpace(t.Prompt) {
					each(t, number, one)
				}
			}
			return nil
		})
	})
}

// setLastTurn has the part of a checkpoint on a stream only show its turn: the last one of its
// description.
func (p *ShownPart) setLastTurn(described, work string) {
	start := max(0, len(p.Prompts)-1)
	for i, prompt := range slices.Backward(p.Prompts) {
		if shadow.Describe(prompt) == described {
			// A stream's tip has the conversation up to it: the last prompt of that description is
			// this turn's.
			start = i
			break
		}
	}
	p.Turns = turnsOf(p.Prompts, start, nil, false)
	for i := range p.Turns {
		p.Turns[i].ID, p.Turns[i].Work = p.TurnID, work
	}
	if p.start = start; len(p.Turns) > 0 {
		p.begins = &p.Turns[0]
	}
}

// own has the part show its own prompts alone, and not the session's earlier ones.
func (p *ShownPart) own() {
	p.Earlier = min(p.start, len(p.Prompts))
	p.Prompts = append([]string{}, p.Prompts[p.Earlier:]...)
}

// only has the part show one turn alone, with what its tools were given. It reports whether the
// part has the turn.
func (p *ShownPart) only(turn string, n attribution.Counted) bool {
	files := n.OfTurns(func(l checkpoints.Line) bool { return l.Turn == turn && l.Session == p.SessionID })
	p.Turns = slices.DeleteFunc(p.Turns, func(t ShownTurn) bool { return t.ID != turn })
	// The metadata name the turn, but no line does.
	if len(p.Turns) == 0 && p.TurnID == turn && len(p.Prompts) > 0 { // without a line: the part's last
		zero := 0
		p.Turns = []ShownTurn{{Number: len(p.Prompts), ID: turn, Prompt: p.Prompts[len(p.Prompts)-1], Lines: &zero, Files: []gitexec.Path{}}}
	}
	if len(p.Turns) == 0 {
		return false
	}
	p.TurnID, p.FilesTouched = turn, slices.Sorted(maps.Keys(files))
	p.start = p.Turns[0].Number - 1
	// own leaves out those before it.
	p.Prompts = p.Prompts[:p.Turns[len(p.Turns)-1].Number]
	for i := range p.Turns {
		found := p.inTranscript(p.Turns[i], transcript.Limits{Uses: mostTools})
		p.first, p.last, p.Turns[i].Tools = found.First, found.Last, found.Uses
	}
	if a := p.InitialAttribution; a != nil {
		own, of := *a, n.Only(turn).Lines
		own.AgentLines, own.Unknown, own.NoText = 0, of.Unknown, nil
		for _, lines := range files {
			own.AgentLines += lines
		}
		own.OtherSessions = of.Agent - own.AgentLines
		// It was counted for the whole commit: the turn's own files may have fewer lines.
		own.HumanModified = min(own.HumanModified, of.Human)
		own.HumanAdded = of.Human - own.HumanModified
		own.Total()
		p.InitialAttribution, p.Claimed = &own, nil
	}
	return true
}

// alone has the part of a turn on a stream show what its tools were given.
func (p *ShownPart) alone() {
	for i := range p.Turns {
		p.Turns[i].Tools = p.inTranscript(p.Turns[i], transcript.Limits{Uses: mostTools}).Uses
	}
}

// mostTools is how many uses of tools of a turn are shown.
const mostTools = 500

// inTranscript finds a turn in the transcript by its prompt: the one of its number, or else the
// last one with these words; empty: there is none.
func (p ShownPart) inTranscript(t ShownTurn, bound transcript.Limits) (found transcript.Turn) {
	exact := false
	p.eachInTranscript([]ShownTurn{t}, bound, func(_ *ShownTurn, number int, one transcript.Turn) {
		if !exact {
			found, exact = one, number == t.Number
		}
	})
	return found
}

// has reports whether a line of the transcript is of what is shown.
func (p ShownPart) has(line int) bool { return line >= p.first && line <= cmp.Or(p.last, line) }
