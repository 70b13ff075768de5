package hooks

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/message"
)

// prepareReplayed keeps the links of commits that git replays, merges, or melts into one. Nothing new is linked.
func (p *place) prepareReplayed(ctx context.Context, d draft) (string, error) {
	if melted := p.fixups(); len(melted) > 0 {
		commits, err := p.db.Commits(append([]gitexec.OID{p.repo.Head}, melted...)...)
		if err != nil {
			return "", err
		}
		for _, c := range commits {
			d.keep = union(d.keep, message.Links(c.Message))
		}
		return p.keepLinks(ctx, d, outcomeReplayed)
	}
	have := message.Links(d.text)
	d.keep = union(have, union(p.squashed(), p.picked()))
	if len(d.keep) == len(have) {
		return outcomeReplayed, nil
	}
	return p.keepLinks(ctx, d, outcomeReplayed)
}

// fixups lists the commits that an interactive rebase is just melting into HEAD (squash and fixup).
func (p *place) fixups() []gitexec.OID {
	var melted []gitexec.OID
	for line := range strings.Lines(p.gitFile("rebase-merge/current-fixups")) {
		if words := strings.Fields(line); len(words) > 0 && gitexec.ValidOID(words[len(words)-1]) {
			melted = append(melted, gitexec.OID(words[len(words)-1]))
		}
	}
	return melted
}

// squashed lists the links of the commits that git merge --squash has brought into the worktree.
func (p *place) squashed() []string { return message.IndentedLinks([]byte(p.gitFile("SQUASH_MSG"))) }

// picked lists the links of the message that git cherry-pick has left for the next commit, whatever message that gets.
func (p *place) picked() []string { return message.Links([]byte(p.gitFile("MERGE_MSG"))) }

// gitFile reads a file in the git directory that git keeps while it is in the middle of something; empty if there is none.
func (p *place) gitFile(name string) string {
	data, err := os.ReadFile(filepath.Join(p.repo.GitDir, filepath.FromSlash(name)))
	if err != nil {
		return ""
	}
	return string(data)
}
