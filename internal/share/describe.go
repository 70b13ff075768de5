package share

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/message"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// Leaving is a checkpoint or a link of the branch here that goes to the target, or stays here.
type Leaving struct {
	Checkpoint string      `json:"checkpoint,omitempty"` // empty: a link beside the commit
	Commit     gitexec.OID `json:"commit,omitempty"`     // that links it; empty: none is known here, or none was sought
	Branch     string      `json:"branch,omitempty"`     // a branch here that has this commit; empty: none has
	Prompt     string      `json:"prompt,omitempty"`     // the last one of its conversation; empty: encrypted, or not read
}

// leavingOf are the checkpoints and links among entries, by whether they may leave.
func leavingOf(changes []gitexec.Change, may map[gitexec.Path]bool) (goes, stays []Leaving) {
	for _, c := range changes {
		one := Leaving{Checkpoint: checkpoints.EntryID(c.Path), Commit: checkpoints.EntryCommit(c.Path)}
		switch {
		// The list of what is purged, which always goes; or a deletion, which takes nothing along.
		case one.Checkpoint == "" && one.Commit == "" || !c.New.Exists():
		case may[c.Path]:
			goes = append(goes, one)
		default:
			stays = append(stays, one)
		}
	}
	return goes, stays
}

// describing finds out more about what goes and stays.
type describing struct {
	view    *View
	report  *Report
	changes []gitexec.Change
}

// describe finds the commits of what goes and stays, and reads the prompts of so many of each; 0:
// of all.
func (s *describing) describe(ctx context.Context, most int) error {
	linking, err := s.linking(ctx)
	if err != nil {
		return err
	}
	all := slices.Concat(s.report.Goes, s.report.Stays)
	var commits []gitexec.OID
	for _, one := range all {
		commits = append(commits, one.commits(linking)...)
	}
	// Streams stand on such commits as well, and are no branches of the user's.
	branches, err := s.view.w.Repo.BranchesOf(ctx, commits, strings.TrimPrefix(shadow.Prefix, "refs/heads/"))
	if err != nil {
		return err
	}
	for _, list := range [][]Leaving{s.report.Goes, s.report.Stays} {
		for i := range list {
			list[i].find(linking, branches)
		}
		if err := s.readPrompts(list, most); err != nil {
			return err
		}
	}
	return nil
}

// commits are those that it is about, as far as they are here.
func (l Leaving) commits(linking map[string][]gitexec.OID) []gitexec.OID {
	return linking[cmp.Or(l.Checkpoint, string(l.Commit))]
}

// find finds its commit and its branch: a commit that is on one, if there is such.
func (l *Leaving) find(linking map[string][]gitexec.OID, branches map[gitexec.OID]string) {
	for _, id := range l.commits(linking) {
		// A commit that is only in a reflog is better than none, and one on a branch better than
		// that.
		if l.Commit == "" || l.Branch == "" {
			l.Commit, l.Branch = id, branches[id]
		}
	}
}

// linking are the commits that link each checkpoint, on any ref or in a reflog, latest first; and
// by their own IDs those that links are beside.
func (s *describing) linking(ctx context.Context) (map[string][]gitexec.OID, error) {
	found, err := s.view.w.Repo.MentioningAnywhere(ctx, message.LinkKey+": ")
	if err != nil {
		return nil, err
	}
	linking := map[string][]gitexec.OID{}
	err = checkpoints.EachTrailer(s.view.w.DB, found, func(commit gitexec.OID, link string) { linking[link] = append(linking[link], commit) })
	if err != nil {
		return nil, err
	}
	named, err := checkpoints.NamedBeside(s.view.w.DB, s.changes)
	if err != nil {
		return nil, err
	}
	var beside []gitexec.OID
	for commit := range named {
		beside = append(beside, commit)
	}
	// A map has no order, and the same question must have the same answer.
	slices.Sort(beside)
	here, err := s.view.w.DB.Readable(beside...)
	for _, c := range here {
		linking[string(c.ID)] = []gitexec.OID{c.ID}
		for _, id := range named[c.ID] {
			linking[id] = append(linking[id], c.ID)
		}
	}
	return linking, err
}

// readPrompts reads the prompts of so many of a list; 0: of all.
func (s *describing) readPrompts(list []Leaving, most int) error {
	var ids []string
	for _, one := range list {
		if one.Checkpoint != "" && (most == 0 || len(ids) < most) {
			ids = append(ids, one.Checkpoint)
		}
	}
	branch, err := checkpoints.ReadBranch(s.view.w.DB, s.view.refs[shadow.Checkpoints])
	if err != nil {
		return err
	}
	infos, err := checkpoints.Describe(s.view.w.DB, branch, ids)
	prompts := map[string]string{}
	for _, info := range infos {
		if n := len(info.Prompts); n > 0 {
			texts := strings.Split(info.Prompts[n-1], session.PromptSeparator)
			prompts[info.ID] = strings.TrimSpace(texts[len(texts)-1])
		}
	}
	for i := range list {
		list[i].Prompt = prompts[list[i].Checkpoint]
	}
	return err
}
