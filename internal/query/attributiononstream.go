package query

import (
	"context"

	"entire-plumb/internal/attribution"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/sets"
)

// onStreams counts the lines of what a name means on streams, where no commit has any of it: a
// turn's, those of each turn of a session, or a checkpoint's.
func onStreams(ctx context.Context, r *Reader, name string, paths []string) ([]CommitLines, error) {
	d, err := diffBy(ctx, r, name, paths)
	if d == nil {
		return nil, err
	}
	all := []CommitLines{}
	for _, part := range d.Parts {
		all = append(all, part.counted())
	}
	return all, err
}

// counted are the part's lines by author, as those of a commit: that is its last checkpoint.
func (part *DiffPart) counted() CommitLines {
	one := CommitLines{Commit: part.last.ID, OnStream: true, Subject: part.Prompt, When: part.last.When,
		Lines: &attribution.Sum{Agent: part.Agent, Human: part.Human, Unknown: part.Unknown}, Files: []FileSum{}}
	own := SessionLines{SessionID: part.Session, Attribution: &checkpoints.InitialAttribution{Unknown: part.Unknown, HumanAdded: part.Human, CalculatedAt: part.last.When}, Files: []FileLines{}}
	for _, f := range part.Files {
		sum := attribution.Sum{Agent: f.Agent, Human: f.Human, Unknown: f.Unknown}
		one.Files = append(one.Files, FileSum{Path: f.Path, Lines: sum})
		lines := FileLines{Path: f.Path, Lines: sum.All(), Unknown: f.Unknown, Ranges: f.rangesOf(part.Session)}
		for _, r := range lines.Ranges {
			lines.Agent += r[1]
		}
		own.Files = append(own.Files, lines)
		own.Attribution.AgentLines += lines.Agent
		own.Attribution.OtherSessions += f.Agent - lines.Agent
		for _, o := range f.owners {
			if o != nil && o.Session == part.Session {
				own.Agent = o.Agent
			}
			if o != nil && o.Reason != "" {
				one.Unknown = sets.With(one.Unknown, o.Reason)
			}
		}
	}
	own.Attribution.Total()
	id := string(part.last.ID)
	one.Checkpoints = []CheckpointLines{{ID: id, Former: id, Found: true, Sessions: []SessionLines{own}}}
	return one
}

// rangesOf are a session's new lines of the file: the first, counted from 1, and how many.
func (f *DiffFile) rangesOf(session string) (ranges [][2]int) {
	ranges = [][2]int{}
	at := 0
	for _, h := range f.Changes {
		for i := range h.NewLines {
			if o := f.owners[at+i]; o != nil && o.Kind == attribution.Agent && o.Session == session {
				if last := len(ranges) - 1; last >= 0 && ranges[last][0]+ranges[last][1] == h.NewStart+i {
					ranges[last][1]++
				} else {
					ranges = append(ranges, [2]int{h.NewStart + i, 1})
				}
			}
		}
		at += h.NewLines
	}
	return ranges
}
