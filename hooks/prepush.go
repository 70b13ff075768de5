package hooks

import (
	"bufio"
	"context"
	"fmt"
	"io"
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
// looked at yet. Names alone tell of most pushes that there is none in them, without any process, and without a line in the journal. What cannot be told
// apart stays here.
func (e Env) PrePush(ctx context.Context) (refused bool) {
	suspect := suspects(e.Stdin)
	if len(suspect) == 0 {
		return false
	}
	begun := time.Now()
	repo, err := gitexec.Discover(ctx, e.Dir, e.Tracer)
	if err != nil {
		e.warn("pre-push: a shadow branch may be among what is pushed, and cannot be looked at: " + OneLine(err))
		return true
	}
	outcome := "no shadow branch in the push"
	defer func() {
		(&place{Env: e, repo: repo}).note(journal.Entry{Hook: "pre-push", Outcome: outcome}, begun, nil)
	}()
	for _, p := range suspect {
		ours, err := shadowed(ctx, repo, p)
		if err != nil {
			outcome = "refused: " + p.local + " cannot be looked at"
			e.warn(fmt.Sprintf("pre-push: %s cannot be looked at, and may be a shadow branch: %s", p.local, OneLine(err)))
			return true
		}
		if !ours {
			continue
		}
		outcome = "refused: " + p.local + " is a shadow branch"
		e.warn(fmt.Sprintf("pre-push: %s is a shadow branch and stays on this machine\n"+
			"hint: git push origin 'refs/heads/*' '^refs/heads/entire/*' pushes all others; \"allow_shadow_push\": true in .entire/settings.json lets it through", p.local))
		return true
	}
	return false
}

// suspects are those of the lines that may be about a shadow branch: by a name, or by none. Deletions are none.
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
		if shadow.LooksLikeStream(p.local) || strings.HasPrefix(p.local, shadow.Private) || !strings.HasPrefix(p.local, "refs/") {
			found = append(found, p)
		}
	}
	return found
}

// shadowed reports whether what is pushed is a checkpoint of ours, and may not leave.
func shadowed(ctx context.Context, repo *gitexec.Repo, p pushed) (bool, error) {
	if chosen, err := settings.Load(repo.Top); err == nil && chosen.AllowShadowPush {
		return false, nil
	}
	if strings.HasPrefix(p.local, shadow.Private) {
		return true, nil
	}
	db := repo.ODB(ctx)
	defer db.Close()
	info, err := db.Info(p.id)
	if err != nil || info[0].Type != "commit" {
		return false, err
	}
	_, ours, err := shadow.ReadCheckpoint(db, p.id)
	return ours, err
}
