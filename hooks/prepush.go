package hooks

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/settings"
	"entire-plumb/shadow"
)

// pushed is one line of what git tells a pre-push hook.
type pushed struct {
	local string // a full ref name, or what else the user has named, as HEAD or an object ID; "(delete)"
	id    gitexec.OID
}

// PrePush refuses a push that would take a shadow branch along, and reports whether it did: such a branch holds what nobody has
// looked at yet. Names alone tell of most pushes that there is none in them, without any process; where they say nothing, as a tag's, it is one
// process, and one more only if there is one. What cannot be told apart stays here.
func (e Env) PrePush(ctx context.Context) (refused bool) {
	suspect := suspects(e.Stdin)
	if len(suspect) == 0 {
		return false
	}
	begun := time.Now()
	ours, unread := shadowed(ctx, gitexec.Here(e.Dir, e.Tracer), suspect) // git runs the hook in the repository
	if ours == nil && unread == nil {
		return false
	}
	repo, err := gitexec.Discover(ctx, e.Dir, e.Tracer)
	if err != nil {
		e.warn("pre-push: a shadow branch may be among what is pushed, and cannot be looked at: " + OneLine(err))
		return true
	}
	outcome := "let through: allow_shadow_push is set"
	defer func() {
		(&place{Env: e, repo: repo}).note(journal.Entry{Hook: "pre-push", Outcome: outcome}, begun, nil)
	}()
	if chosen, err := settings.Load(ctx, repo); err == nil && chosen.AllowShadowPush {
		return false
	}
	if unread != nil {
		outcome = "refused: " + suspect[0].local + " cannot be looked at"
		e.warn(fmt.Sprintf("pre-push: %s cannot be looked at, and may be a shadow branch: %s", suspect[0].local, OneLine(unread)))
		return true
	}
	const allow = "git config entire-plumb.allowShadowPush true lets it through"
	what, hint := "is a shadow branch", "git push origin 'refs/heads/*' '^refs/heads/entire/*' pushes all others; "+allow
	if strings.HasPrefix(ours.local, tags) {
		what, hint = "is a tag of a shadow branch's commit", "git tag -d "+strings.TrimPrefix(ours.local, tags)+" deletes it; "+allow
	}
	outcome = "refused: " + ours.local + " " + what
	e.warn(fmt.Sprintf("pre-push: %s %s and stays on this machine\nhint: %s", ours.local, what, hint))
	return true
}

const tags = "refs/tags/"

// suspects are those of the lines that may be about a shadow branch: by a name, or by one that says nothing, as a tag's. Deletions are none.
func suspects(in io.Reader) []pushed {
	var found []pushed
	if device(in) {
		return nil
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if len(f) < 3 || gitexec.OID(f[1]).IsZero() || !gitexec.ValidOID(f[1]) {
			continue
		}
		p := pushed{f[0], gitexec.OID(f[1])}
		if shadow.LooksLikeStream(p.local) || strings.HasPrefix(p.local, shadow.Private) || strings.HasPrefix(p.local, tags) || !strings.HasPrefix(p.local, "refs/") {
			found = append(found, p)
		}
	}
	return found
}

// shadowed gives the first that is a checkpoint of ours, or a tag of one; nil if none is. One process, however many there are.
func shadowed(ctx context.Context, repo *gitexec.Repo, suspect []pushed) (*pushed, error) {
	db := repo.ODB(ctx)
	defer db.Close()
	names := make([]gitexec.OID, len(suspect))
	for i, p := range suspect {
		if strings.HasPrefix(p.local, shadow.Private) {
			return &suspect[i], nil
		}
		names[i] = p.id + "^{commit}" // what a tag stands for
	}
	for at := range slices.Chunk(names, looked) { // no more of them in memory than that
		found, err := db.Any(at...)
		if err != nil {
			return nil, err
		}
		for i, object := range found {
			if object.Type != "commit" { // of files, or what git will not push
				continue
			}
			commit, err := gitexec.ParseCommit(object.ID, object.Data)
			if err != nil {
				return nil, err
			}
			if shadow.IsCheckpoint(commit) {
				return &suspect[i], nil
			}
		}
		suspect = suspect[len(at):]
	}
	return nil, nil
}

// looked is how many commits are looked at together.
const looked = 256
