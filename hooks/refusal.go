package hooks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/share"
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
	s := refused[0] // one is explained: most pushes have no other
	hints := o.removalHints(s)
	allowed = slices.DeleteFunc(allowed, func(p pushed) bool {
		return p.ofRemotes() || p.ofCheckpoints() // the hook takes the latter along, where they may go
	})
	if len(allowed) > 0 {
		remotes, _ := share.ReadRemotes(ctx, o.repo) // else it is none that takes no names of refs
		hints = append(hints, pushOthers(remotes.PushTo(o.remote), refused, allowed)+" pushes the others")
	}
	hints = append(hints, `"allow_shadow_push": true in .entire/settings.local.json lets it through`)
	text := " and stays on this machine"
	switch n := len(refused) - 1; {
	case n == 1:
		text += ", as does 1 other ref"
	case n > 1:
		text += fmt.Sprintf(", as do %d other refs", n)
	}
	return s.why(o.objects[s.id]), text + "\nhint: " + strings.Join(hints, "\nhint: "), nil
}

// why says what a refused ref holds. part: a tree or a blob of a shadow branch.
func (s refusedRef) why(part bool) string {
	switch {
	case part:
		return s.local + " holds a part of a shadow branch"
	case s.at.Users != "":
		return fmt.Sprintf("%s holds a session's conversation: %s (%q) has it in %s",
			s.local, s.at.Commit.Short(), s.at.Subject, s.at.Users)
	case s.at.Commit == "" && private(s.pushed) && !strings.HasPrefix(s.local, shadow.Private+"rewind/"):
		return s.local + " is a private ref of entire-plumb"
	case s.at.Commit == "" || s.tip && s.at.Rewind:
		return s.local + " is what the worktree was before a rewind"
	case s.at.Rewind:
		return fmt.Sprintf("%s holds %s, what the worktree was before a rewind", s.local, s.at.Commit.Short())
	}
	return s.ofStream()
}

// ofStream says what a ref has to do with a shadow branch.
func (s refusedRef) ofStream() string {
	switch {
	case !s.tip:
		return fmt.Sprintf("%s holds the checkpoint %s (%q) of a shadow branch", s.local, s.at.Commit.Short(), s.at.Subject)
	case strings.HasPrefix(s.local, tags):
		return s.local + " is a tag of a shadow branch's commit"
	case shadow.LooksLikeStream(s.local):
		return s.local + " is a shadow branch"
	}
	return s.local + " is a shadow branch's commit"
}

// divide separates the refused lines from the allowed ones. One process.
func (o *outgoing) divide(ctx context.Context) (refused []refusedRef, allowed []pushed, err error) {
	graph, err := o.revisions().Parents(ctx, o.repo)
	if err != nil {
		return nil, nil, err
	}
	holds := holdersOf(graph, o.proofs)
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
		held, ok := holds[tip]
		if ok || o.objects[p.id] || private(p) {
			refused = append(refused, refusedRef{p, o.proofs[held.commit], held.commit == tip, held.first})
		} else {
			allowed = append(allowed, p)
		}
	}
	return refused, allowed, nil
}

// held is the last refused commit in a commit's history.
type held struct {
	commit gitexec.OID
	first  bool // it is in the first-parent history
}

// holdersOf finds the commits that have a refused one in their history. In the graph, of commits
// with their parents, parents come first.
func holdersOf(graph [][]gitexec.OID, proofs map[gitexec.OID]shadow.Proof) map[gitexec.OID]held {
	holds := map[gitexec.OID]held{}
	for _, line := range graph {
		id, parents := line[0], line[1:]
		if _, refused := proofs[id]; refused {
			// The last one counts: what is below it goes with it.
			holds[id] = held{id, true}
			continue
		}
		for i, parent := range parents {
			if at, ok := holds[parent]; ok {
				holds[id] = held{at.commit, i == 0 && at.first}
				break
			}
		}
	}
	return holds
}

// removalHints say how to push a ref without the checkpoint that it holds.
func (o *outgoing) removalHints(s refusedRef) []string {
	if strings.HasPrefix(s.local, tags) {
		return []string{"git tag -d " + gitexec.ShellQuote(strings.TrimPrefix(s.local, tags)) + " deletes it"}
	}
	if s.at.Commit == "" || shadow.LooksLikeStream(s.local) || private(s.pushed) {
		return nil
	}
	base := o.below(s.at)
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

// below is the lowest of the refused commits that a refused one stands on.
func (o *outgoing) below(at shadow.Proof) shadow.Proof {
	for {
		parent, refused := o.proofs[at.Parent]
		if !refused {
			return at
		}
		at = parent
	}
}

// pushOthers is a command that pushes the allowed refs.
func pushOthers(to share.PushTo, refused []refusedRef, allowed []pushed) string {
	if len(allowed) <= mostNamed {
		return pushLine(to, allowed)
	}
	// A pattern that excludes the shadow branches also excludes the committed checkpoints.
	line := pushLine(to, nil) + " 'refs/heads/*' '^" + shadow.Prefix + "*'"
	for _, s := range refused {
		if strings.HasPrefix(s.local, "refs/heads/") && !strings.HasPrefix(s.local, shadow.Prefix) {
			line += " " + gitexec.ShellQuote("^"+s.local)
		}
	}
	inside := slices.DeleteFunc(slices.Clone(allowed), func(p pushed) bool { return !strings.HasPrefix(p.local, shadow.Prefix) })
	if len(inside) > 0 {
		line += " && " + pushLine(to, inside)
	}
	return line
}
