package hooks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/shadow"
)

// stays says why a line of a push stays here.
type stays struct {
	pushed
	at    shadow.Proof // the commit; zero: an object that is no commit, or a private ref
	tip   bool         // the line names that very commit
	first bool         // the commit is in the line's first-parent history
}

const tags = "refs/tags/"

// refusal says which ref holds what, and, for the user, what to do about it, a hint a line.
func (o *outgoing) refusal(ctx context.Context) (why, more string, err error) {
	stay, goes, err := o.sort(ctx)
	if err != nil {
		return "", "", err
	}
	if len(stay) == 0 { // the remote's branches moved meanwhile
		return "", "", errors.New("a commit of a shadow branch is in it, in the history of no ref")
	}
	s := stay[0]
	var hint []string
	switch {
	case o.objects[s.id]:
		why = s.local + " holds a part of a shadow branch"
	case s.at.Users:
		why = fmt.Sprintf("%s holds a session's conversation: %s (%q) has it in %s", s.local, s.at.Commit.Short(), s.at.Subject, shadow.MetadataDir)
	case s.at.Commit == "" || s.tip && s.at.Rewind:
		why = s.local + " is what the worktree was before a rewind"
	case s.at.Rewind:
		why = fmt.Sprintf("%s holds %s, what the worktree was before a rewind", s.local, s.at.Commit.Short())
	case !s.tip:
		why = fmt.Sprintf("%s holds the checkpoint %s (%q) of a shadow branch", s.local, s.at.Commit.Short(), s.at.Subject)
	case strings.HasPrefix(s.local, tags):
		why = s.local + " is a tag of a shadow branch's commit"
	case shadow.LooksLikeStream(s.local):
		why = s.local + " is a shadow branch"
	default:
		why = s.local + " is a shadow branch's commit"
	}
	stayed := " and stays on this machine"
	switch n := len(stay) - 1; {
	case n == 1:
		stayed += ", as does 1 other ref"
	case n > 1:
		stayed += fmt.Sprintf(", as do %d other refs", n)
	}
	hint = append(hint, o.without(s)...)
	goes = slices.DeleteFunc(goes, func(p pushed) bool { // --mirror has them
		return strings.HasPrefix(p.local, "refs/remotes/")
	})
	if len(goes) > 0 {
		hint = append(hint, o.others(stay, goes)+" pushes the others")
	}
	hint = append(hint, `"allow_shadow_push": true in .entire/settings.local.json lets it through`)
	return why, stayed + "\nhint: " + strings.Join(hint, "\nhint: "), nil
}

// sort tells the lines that stay from those that may go. One process.
func (o *outgoing) sort(ctx context.Context) (stay []stays, goes []pushed, err error) {
	graph, err := o.asked().Parents(ctx, o.repo)
	if err != nil {
		return nil, nil, err
	}
	holds := map[gitexec.OID]gitexec.OID{} // the last commit that must stay in a commit's history
	first := map[gitexec.OID]bool{}        // it is there by first parents
	for _, line := range graph {           // parents come first
		id, parents := line[0], line[1:]
		if _, ours := o.proofs[id]; ours {
			holds[id], first[id] = id, true
			continue
		}
		for i, parent := range parents {
			if at, ok := holds[parent]; ok {
				holds[id], first[id] = at, i == 0 && first[parent]
				break
			}
		}
	}
	names := make([]gitexec.OID, len(o.lines))
	for i, p := range o.lines {
		names[i] = p.id + "^{commit}"
	}
	commits, err := o.db.Info(names...)
	if err != nil {
		return nil, nil, err
	}
	for i, p := range o.lines {
		tip := commits[i].ID
		at, ok := holds[tip]
		if ok || o.objects[p.id] || private(p) {
			stay = append(stay, stays{p, o.proofs[at], at == tip, first[tip]})
		} else {
			goes = append(goes, p)
		}
	}
	return stay, goes, nil
}

// without says how to get a ref that holds a checkpoint to go without it.
func (o *outgoing) without(s stays) []string {
	if strings.HasPrefix(s.local, tags) {
		return []string{"git tag -d " + gitexec.ShellQuote(strings.TrimPrefix(s.local, tags)) + " deletes it"}
	}
	if s.at.Commit == "" || shadow.LooksLikeStream(s.local) || private(s.pushed) {
		return nil
	}
	base := s.at
	for {
		below, ours := o.proofs[base.Parent]
		if !ours {
			break
		}
		base = below
	}
	branch, ok := strings.CutPrefix(s.local, "refs/heads/")
	switch {
	case s.at.Users && s.tip:
		return []string{"git rm -rq --cached " + shadow.MetadataDir + " && git commit --amend --no-edit takes it out of the commit"}
	case s.at.Users:
		return []string{"git rebase -i " + string(s.at.Commit) + "^, edit there, and git rm -rq --cached " + shadow.MetadataDir + " takes it out of the commit"}
	case ok && !s.first:
		return []string{"git merge --squash in place of the merge takes the work alone; git rm -r --cached " + shadow.MetadataDir + " leaves the conversation out"}
	case !ok || base.Parent == "":
		return nil
	}
	branch = gitexec.ShellQuote(branch)
	hints := []string{fmt.Sprintf("git switch %s && git reset --soft %s && git rm -rq --cached --ignore-unmatch %s && git commit makes one commit of it, without the conversation",
		branch, base.Parent, shadow.MetadataDir)}
	if !s.tip {
		hints = append(hints, fmt.Sprintf("git rebase --onto %s %s %s leaves out what the checkpoint holds", base.Parent, s.at.Commit, branch))
	}
	return hints
}

// mostNamed is how many refs a hint names one by one.
const mostNamed = 6

// others is a command that pushes what may go.
func (o *outgoing) others(stay []stays, goes []pushed) string {
	remote := o.remote
	if remote == "" || strings.ContainsAny(remote, ":@") { // an address, perhaps with a password
		remote = "REMOTE"
	}
	push := "git push " + gitexec.ShellQuote(remote)
	named := func(some []pushed) string {
		line := push
		for _, p := range some {
			spec := p.local
			if p.local != p.remote {
				spec += ":" + p.remote
			}
			line += " " + gitexec.ShellQuote(spec)
		}
		return line
	}
	if len(goes) <= mostNamed {
		return named(goes)
	}
	// A pattern that leaves the shadow branches out takes the committed checkpoints with it.
	line := push + " 'refs/heads/*' '^" + shadow.Prefix + "*'"
	for _, s := range stay {
		if strings.HasPrefix(s.local, "refs/heads/") && !strings.HasPrefix(s.local, shadow.Prefix) {
			line += " " + gitexec.ShellQuote("^"+s.local)
		}
	}
	var inside []pushed
	for _, p := range goes {
		if strings.HasPrefix(p.local, shadow.Prefix) {
			inside = append(inside, p)
		}
	}
	if len(inside) > 0 {
		line += " && " + named(inside)
	}
	return line
}
