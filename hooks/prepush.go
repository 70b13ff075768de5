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
	"entire-plumb/internal/explain"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// pushed is one line of what git tells a pre-push hook.
type pushed struct {
	local  string      // a full ref name, or what else the user has named, as HEAD or an object ID
	id     gitexec.OID // a commit, a tag, or by an explicit name a tree or a blob
	remote string      // the full ref name there
	old    gitexec.OID // what the remote has there; all zeros: nothing
}

// PrePush refuses a push that would take a commit of a stream or of a rewind along, under whatever
// name, and reports whether it did: such a commit holds what nobody has looked at yet. It is told
// by what it contains. One process finds the commits to look at among those that the remote doesn't
// have; mostly there are none. What can't be looked at stays here.
func (e Env) PrePush(ctx context.Context, remote string) (refused bool) {
	ctx, stop := context.WithTimeout(ctx, deadline)
	defer stop()
	defer func() {
		if r := recover(); r != nil {
			e.Warn(fmt.Sprintf("pre-push: %v (please report this)\n%s", r, noVerify))
			refused = true
		}
	}()
	lines, err := pushedLines(e.Stdin)
	if err == nil && len(lines) == 0 {
		return false
	}
	ours, shared := gitexec.FindPrivateDirs(e.Dir)
	e.finishBeforePush(ctx, ours, shared)
	begun := time.Now()
	// git runs the hook in the repository.
	o := outgoing{remote: remote, lines: lines, repo: gitexec.Here(e.Dir, e.Tracer).Offline()}
	o.db = o.repo.ODB(ctx)
	defer o.db.Close()
	o.touching = shadow.MayHaveConversations(shared)
	if err == nil {
		err = o.look(ctx)
	}
	if err == nil && !o.holds() {
		return false
	}
	repo, err2 := gitexec.Discover(ctx, e.Dir, e.Tracer)
	if err2 != nil {
		e.Warn("pre-push: what is pushed cannot be looked at: " + explain.OneLine(err2) + "\n" + noVerify)
		return true
	}
	outcome := "let through: allow_shadow_push is set"
	defer func() {
		(&workspace.Workspace{Env: e.Env, Repo: repo}).Journal(journal.Entry{Hook: "pre-push", Outcome: outcome}, begun, nil)
	}()
	if chosen, err := settings.Load(ctx, repo); err == nil && chosen.AllowShadowPush {
		return false
	}
	var why, more string
	if err == nil {
		why, more, err = o.refusal(ctx)
	}
	if err != nil {
		why, more = "what is pushed cannot be looked at: "+explain.OneLine(explain.Error(ctx, err)), "\n"+noVerify
	}
	outcome = "refused: " + why
	e.Warn("pre-push: " + why + more)
	return true
}

// finishBeforePush finishes what hooks left undone, since a link is about to leave whose checkpoint
// may be missing. Without a process it is seen whether there may be anything: in our directories,
// of this worktree and of all, empty if they are not known.
func (e Env) finishBeforePush(ctx context.Context, ours, shared string) {
	if ours == "" || len(readPending(ours)) == 0 && !shadow.MayBeUnfinished(shared) {
		return
	}
	if repo, err := gitexec.Discover(ctx, e.Dir, e.Tracer); err == nil {
		e.CatchUp(ctx, repo)
	}
}

const noVerify = "hint: git push --no-verify pushes without a look"

// pushedLines reads what git tells of each ref. Deletions are left out.
func pushedLines(in io.Reader) ([]pushed, error) {
	var found []pushed
	if device(in) {
		return nil, nil
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		f := strings.Split(lines.Text(), " ")
		if len(f) < 4 { // the first may have spaces in it, as main@{1 day ago}
			return nil, fmt.Errorf("unexpected line from git push: %.200q", lines.Text())
		}
		last := f[len(f)-3:]
		p := pushed{local: strings.Join(f[:len(f)-3], " "), id: gitexec.OID(last[0]), remote: last[1], old: gitexec.OID(last[2])}
		if !gitexec.ValidOID(string(p.id)) || !gitexec.ValidOID(string(p.old)) {
			return nil, fmt.Errorf("unexpected line from git push: %.200q", lines.Text())
		}
		if !p.id.IsZero() {
			found = append(found, p)
		}
	}
	return found, lines.Err()
}

// outgoing is what a push takes to a remote, and what of it must stay.
type outgoing struct {
	remote   string
	lines    []pushed
	repo     *gitexec.Repo
	db       *gitexec.ODB
	touching bool                         // commits of the user's may hold a session's metadata
	proofs   map[gitexec.OID]shadow.Proof // commits of streams and of rewinds, and those of the user's
	objects  map[gitexec.OID]bool         // what is no commit, and a part of a stream or of a rewind
}

// holds reports whether anything must stay.
func (o *outgoing) holds() bool {
	return len(o.proofs) > 0 || len(o.objects) > 0 || slices.ContainsFunc(o.lines, private)
}

// private reports whether a line is of one of our own refs that are no branches.
func private(p pushed) bool { return strings.HasPrefix(p.local, shadow.Private) }

func (o *outgoing) asked() gitexec.Outgoing {
	r := gitexec.Outgoing{Remote: o.remote}
	for _, p := range o.lines {
		r.Tips = append(r.Tips, p.id)
		if !p.old.IsZero() {
			r.Has = append(r.Has, p.old)
		}
	}
	return r
}

// look finds what must stay. One process; another one where a message says that a commit may be of
// those, where a tree may be pushed (only a branch is always a commit's), and
// where the user has committed a session's metadata.
func (o *outgoing) look(ctx context.Context) error {
	suspects, err := o.asked().Grep(ctx, o.repo, shadow.Suspect)
	if err != nil {
		return err
	}
	touch := map[gitexec.OID]bool{}
	if o.touching {
		touching, err := o.asked().Touching(ctx, o.repo, shadow.MetadataDir)
		if err != nil {
			return err
		}
		for _, id := range touching {
			touch[id] = true
		}
		suspects = append(suspects, touching...)
	}
	o.proofs = map[gitexec.OID]shadow.Proof{}
	proofs, err := shadow.Prove(o.db, suspects, touch)
	if err != nil {
		return err
	}
	for _, p := range proofs {
		o.proofs[p.Commit] = p
	}
	var others []gitexec.OID
	for _, p := range o.lines {
		if !strings.HasPrefix(p.remote, "refs/heads/") {
			others = append(others, p.id)
		}
	}
	if len(others) > 0 {
		o.objects, err = shadow.PrivateObjects(ctx, o.repo, o.db, others)
	}
	return err
}
