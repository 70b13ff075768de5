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

// refusedRef says why a line of a push is refused.
type refusedRef struct {
	pushed
	at    shadow.Proof // the commit; zero: a tree, a blob, or a private ref
	tip   bool         // the line names that commit itself
	first bool         // the commit is in the line's first-parent history
}

const tags = "refs/tags/"

// refusal says which ref holds what, and what the user can do about it, one hint a line.
func (o *outgoing) refusal(ctx context.Context) (why, more string, err error) {
	refused, allowed, err := o.divide(ctx)
	if err != nil {
		return "", "", err
	}
	if len(refused) == 0 { // the remote's branches moved meanwhile
		return "", "", errors.New("a commit of a shadow branch is in it, in the history of no ref")
	}
	s := refused[0]
	var hint []string
	switch {
	case o.objects[s.id]:
		why = s.local + " holds a part of a shadow branch"
	case s.at.Users != "":
		why = fmt.Sprintf("%s holds a session's conversation: %s (%q) has it in %s",
			s.local, s.at.Commit.Short(), s.at.Subject, s.at.Users)
	case s.at.Commit == "" && private(s.pushed) && !strings.HasPrefix(s.local, shadow.Private+"rewind/"):
		why = s.local + " is a private ref of entire-plumb"
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
	text := " and stays on this machine"
	switch n := len(refused) - 1; {
	case n == 1:
		text += ", as does 1 other ref"
	case n > 1:
		text += fmt.Sprintf(", as do %d other refs", n)
	}
	hint = append(hint, o.removalHints(s)...)
	allowed = slices.DeleteFunc(allowed, func(p pushed) bool {
		return p.ofRemotes() || p.ofCheckpoints() // the hook takes the latter along, where they may go
	})
	if len(allowed) > 0 {
		hint = append(hint, o.pushOthers(refused, allowed)+" pushes the others")
	}
	hint = append(hint, `"allow_shadow_push": true in .entire/settings.local.json lets it through`)
	return why, text + "\nhint: " + strings.Join(hint, "\nhint: "), nil
}

// divide separates the refused lines from the allowed ones. One process.
func (o *outgoing) divide(ctx context.Context) (refused []refusedRef, allowed []pushed, err error) {
	graph, err := o.revisions().Parents(ctx, o.repo)
	if err != nil {
		return nil, nil, err
	}
	holds := map[gitexec.OID]gitexec.OID{} // the last refused commit in a commit's history
	first := map[gitexec.OID]bool{}        // it is in the first-parent history
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
			refused = append(refused, refusedRef{p, o.proofs[at], at == tip, first[tip]})
		} else {
			allowed = append(allowed, p)
		}
	}
	return refused, allowed, nil
}

// removalHints say how to push a ref without the checkpoint that it holds.
func (o *outgoing) removalHints(s refusedRef) []string {
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
	case s.at.Users != "" && s.tip:
		return []string{"git rm -rq --cached " + gitexec.ShellQuote(string(s.at.Users)) + " && git commit --amend --no-edit removes it from the commit"}
	case s.at.Users != "":
		return []string{"git rebase -i " + string(s.at.Commit) + "^, edit there, and git rm -rq --cached " + gitexec.ShellQuote(string(s.at.Users)) +
			" removes it from the commit"}
	case ok && !s.first:
		return []string{"git merge --squash instead of the merge takes the work alone; git rm -r --cached " + shadow.MetadataDir +
			" leaves the conversation out"}
	case !ok || base.Parent == "":
		return nil
	}
	branch = gitexec.ShellQuote(branch)
	hints := []string{fmt.Sprintf("git switch %s && git reset --soft %s && git rm -rq --cached --ignore-unmatch %s && git commit "+
		"makes one commit of it, without the conversation", branch, base.Parent, shadow.MetadataDir)}
	if !s.tip {
		hints = append(hints, fmt.Sprintf("git rebase --onto %s %s %s leaves out what the checkpoint holds", base.Parent, s.at.Commit, branch))
	}
	return hints
}

// mostNamed is how many refs a hint names one by one.
const mostNamed = 6

// pushOthers is a command that pushes the allowed refs.
func (o *outgoing) pushOthers(refused []refusedRef, allowed []pushed) string {
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
	if len(allowed) <= mostNamed {
		return named(allowed)
	}
	// A pattern that excludes the shadow branches also excludes the committed checkpoints.
	line := push + " 'refs/heads/*' '^" + shadow.Prefix + "*'"
	for _, s := range refused {
		if strings.HasPrefix(s.local, "refs/heads/") && !strings.HasPrefix(s.local, shadow.Prefix) {
			line += " " + gitexec.ShellQuote("^"+s.local)
		}
	}
	var inside []pushed
	for _, p := range allowed {
		if strings.HasPrefix(p.local, shadow.Prefix) {
			inside = append(inside, p)
		}
	}
	if len(inside) > 0 {
		line += " && " + named(inside)
	}
	return line
}
