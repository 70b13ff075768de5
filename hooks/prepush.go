package hooks

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/idle"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/relink"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/share"
	"entire-plumb/internal/upkeep"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// pushed is one line of git's input to a pre-push hook.
type pushed struct {
	local  string      // a full ref name, or another revision that the user gave, such as HEAD or an object ID
	id     gitexec.OID // a commit or a tag; a tree or a blob if named explicitly
	remote string      // the full ref name at the remote
	old    gitexec.OID // its value at the remote; all zeros: none
}

// PrePush refuses a push that contains a commit of a stream or of a rewind, under whatever name,
// and reports whether it did: nobody has reviewed such a commit. Its content identifies it. One
// process finds the suspect commits among those that the remote lacks; mostly there are none. A
// push that cannot be examined is refused.
func (e Env) PrePush(ctx context.Context, remote, address string) (refused bool) {
	ctx, stop := context.WithTimeout(ctx, deadline)
	defer stop()
	defer func() {
		if r := recover(); r != nil {
			e.Warn(fmt.Sprintf("pre-push: %v (please report this)\n%s", r, noVerify))
			refused = true
		}
	}()
	lines, deleted, err := pushedLines(ctx, e.Stdin)
	if err == nil && len(lines) == 0 {
		return remote != "" && !device(e.Stdin) && e.shareWithPush(ctx, &outgoing{remote: remote, address: address, deleted: deleted, sent: sentBy(nil, deleted)})
	}
	ours, shared := gitexec.FindPrivateDirs(e.Dir)
	e.finishBeforePush(ctx, ours, shared, lines)
	begun := time.Now()
	// git runs the hook in the repository.
	o := outgoing{remote: remote, address: address, lines: lines, deleted: deleted, repo: gitexec.Here(e.Dir, e.Tracer).Offline(), sent: sentBy(lines, deleted),
		unseen: map[gitexec.OID]bool{}}
	o.db = o.repo.ODB(ctx)
	defer o.db.Close()
	if err == nil {
		err = o.inspect(ctx)
	}
	if err == nil && !o.refuses() {
		return e.shareWithPush(ctx, &o)
	}
	repo, err2 := gitexec.Discover(ctx, e.Dir, e.Tracer)
	if err2 != nil {
		e.Warn("pre-push: what is pushed cannot be examined: " + explain.OneLine(err2) + "\n" + noVerify)
		return true
	}
	outcome := "let through: allow_shadow_push is set"
	defer func() {
		(&workspace.Workspace{Env: e.Env, Repo: repo}).Journal(journal.Entry{Hook: "pre-push", Outcome: outcome}, begun, nil)
	}()
	if chosen, err := settings.Load(ctx, repo); err == nil && chosen.AllowShadowPush {
		return e.shareWithPush(ctx, &o)
	}
	var why, more string
	if err == nil {
		why, more, err = o.refusal(ctx)
	}
	if err != nil {
		why, more = "what is pushed cannot be examined: "+explain.OneLine(explain.Error(ctx, err)), "\n"+noVerify
	}
	outcome = "refused: " + why
	e.Warn("pre-push: " + why + more)
	return true
}

// finishBeforePush finishes what hooks left undone, since the push may contain a link whose
// checkpoint is not written. It checks without a process whether there may be anything, in our
// directories of this worktree (ours) and of all (shared); they are empty if not known. Where the
// tip of a branch was neither made here nor compared with the checkpoints, HEAD's history is.
func (e Env) finishBeforePush(ctx context.Context, ours, shared string, lines []pushed) {
	if ours == "" {
		return
	}
	finished := len(commits.ReadPending(ours)) == 0 && !shadow.MayBeUnfinished(shared) && seen(ours, lines)
	compared := allCompared(shared, lines)
	if finished && compared {
		return
	}
	repo, err := gitexec.Discover(ctx, e.Dir, e.Tracer)
	if err != nil {
		return
	}
	if !finished {
		upkeep.CatchUp(ctx, e.Env, repo)
	}
	if w := e.OpenStates(ctx, repo); w != nil && !compared && w.Installed() {
		defer w.DB.Close()
		w.Store.ReadOnly = false
		commits.RelinkInHook(ctx, w.Run())
	}
}

// seen reports whether our hooks, their stubs, or a command have seen HEAD at one of the branches'
// tips, or none is pushed: else a client without hooks may have made a commit of an agent's work
// there.
func seen(ours string, lines []pushed) bool {
	last := commits.ReadSeenHead(ours).Head
	known := append(idle.Commits(ours), last)
	branch := func(l pushed) bool { return strings.HasPrefix(l.local, "refs/heads/") }
	return last == "" || !slices.ContainsFunc(lines, branch) || slices.ContainsFunc(lines, func(l pushed) bool { return slices.Contains(known, l.id) })
}

// allCompared reports whether the tip of each branch was made here, or compared with the
// checkpoints.
func allCompared(shared string, lines []pushed) bool {
	var tips []gitexec.OID
	for _, l := range lines {
		if strings.HasPrefix(l.local, "refs/heads/") {
			tips = append(tips, l.id)
		}
	}
	others := relink.Uncompared(shared, tips)
	if len(others) == 0 {
		return true
	}
	ran, err := commits.HooksRan(shared)
	return err == nil && !slices.ContainsFunc(others, func(id gitexec.OID) bool { return !ran[id] })
}

const noVerify = "hint: git push --no-verify pushes without this check"

// pushedLines reads git's lines, one a ref. Deletions are apart, since they send nothing.
func pushedLines(ctx context.Context, in io.Reader) (found, deleted []pushed, err error) {
	if device(in) {
		return nil, nil, nil
	}
	lines := bufio.NewScanner(fromGit(ctx, in))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		f := strings.Split(lines.Text(), " ")
		if len(f) < 4 { // the first may contain spaces, as in main@{1 day ago}
			return nil, nil, cmp.Or(lines.Err(), fmt.Errorf("unexpected line from git push: %.200q", lines.Text()))
		}
		last := f[len(f)-3:]
		p := pushed{local: strings.Join(f[:len(f)-3], " "), id: gitexec.OID(last[0]), remote: last[1], old: gitexec.OID(last[2])}
		if !gitexec.ValidOID(string(p.id)) || !gitexec.ValidOID(string(p.old)) {
			return nil, nil, cmp.Or(lines.Err(), fmt.Errorf("unexpected line from git push: %.200q", lines.Text()))
		}
		if p.id.IsZero() {
			deleted = append(deleted, p)
		} else {
			found = append(found, p)
		}
	}
	return found, deleted, lines.Err()
}

// outgoing is what a push sends to a remote, and what of it is refused.
type outgoing struct {
	remote  string // as git names it: by its name, or by an address
	address string // of the repository, as git uses it; of a remote's several ones that of this push
	lines   []pushed
	deleted []pushed
	repo    *gitexec.Repo
	db      *gitexec.ODB
	proofs  map[gitexec.OID]shadow.Proof // commits of streams and of rewinds, and the user's that hold metadata
	objects map[gitexec.OID]bool         // trees and blobs of a stream or of a rewind
	sent    share.Sent                   // what the remote gets

	unseen   map[gitexec.OID]bool // old objects of refs that are no parent of a commit that is sent
	rejected []pushed             // the lines that git rejects
}

// to names the repository that this push goes to.
func (o *outgoing) to() string { return o.remote + "\n" + o.address }

// sentBy is what lines of a push send, without the commits, which are found later.
func sentBy(lines, deleted []pushed) share.Sent {
	s := share.Sent{Had: oldIDs(append(slices.Clone(lines), deleted...))}
	for _, l := range lines {
		if !l.ofCheckpoints() {
			s.Tips = append(s.Tips, l.id)
		}
	}
	return s
}

// oldIDs are what the remote has in the place of lines' refs.
func oldIDs(lines []pushed) (ids []gitexec.OID) {
	for _, l := range lines {
		if !l.old.IsZero() && !l.ofCheckpoints() {
			ids = append(ids, l.old)
		}
	}
	return ids
}

// refuses reports whether anything is refused.
func (o *outgoing) refuses() bool {
	return len(o.proofs) > 0 || len(o.objects) > 0 || slices.ContainsFunc(o.lines, private)
}

// private reports whether a line is of one of our own refs outside refs/heads. A mirror has those
// of the checkpoints, too, and goes where they may go.
func private(p pushed) bool {
	return strings.HasPrefix(p.local, shadow.Private) && !(share.OfCheckpoints(p.local) && p.local == p.remote)
}

// ofCheckpoints reports whether a line is of the branch of the checkpoints, ours or one that was
// fetched.
func (p pushed) ofCheckpoints() bool {
	return share.OfCheckpoints(p.local) || share.OfCheckpoints(p.remote)
}

// ofRemotes reports whether a line is of a remote-tracking ref; git push --mirror has them.
func (p pushed) ofRemotes() bool { return strings.HasPrefix(p.local, "refs/remotes/") }

func (o *outgoing) revisions() gitexec.Outgoing {
	r := gitexec.Outgoing{Remote: o.remote}
	for _, p := range o.lines {
		r.Tips = append(r.Tips, p.id)
		if !p.old.IsZero() {
			r.Has = append(r.Has, p.old)
		}
	}
	return r
}

// inspect finds what is refused. One process; more where a commit is suspected, where a tree may be
// pushed (only a branch is always a commit), and for more than ten thousand commits.
func (o *outgoing) inspect(ctx context.Context) error {
	for _, p := range o.lines {
		if !p.old.IsZero() {
			o.unseen[p.old] = true
		}
	}
	found, err := o.revisions().Search(ctx, o.repo, func(c gitexec.Commit) bool {
		o.sent.Add(c.ID, c.Message)
		for _, parent := range c.Parents {
			delete(o.unseen, parent)
		}
		return shadow.Suspect(c.Message)
	}, shadow.MetadataDir)
	if err != nil {
		return err
	}
	suspects, touch := suspectsIn(found)
	proofs, err := shadow.Prove(o.db, suspects, touch)
	if err != nil {
		return err
	}
	if proofs, err = o.withoutKnown(ctx, proofs); err != nil {
		return err
	}
	o.proofs = map[gitexec.OID]shadow.Proof{}
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

// suspectsIn are the commits that were found, each once, and the directories of metadata that they
// touch.
func suspectsIn(found []gitexec.Found) (suspects []gitexec.OID, touch map[gitexec.OID][]gitexec.Path) {
	touch = map[gitexec.OID][]gitexec.Path{}
	for _, f := range found {
		if _, known := touch[f.ID]; !known {
			suspects, touch[f.ID] = append(suspects, f.ID), nil
		}
		if f.Dir != "" && !slices.Contains(touch[f.ID], f.Dir) {
			touch[f.ID] = append(touch[f.ID], f.Dir)
		}
	}
	return suspects, touch
}

// withoutKnown leaves out the user's commits that any remote has: a conversation in them has left
// already. One process where there are some of the user's.
func (o *outgoing) withoutKnown(ctx context.Context, proofs []shadow.Proof) ([]shadow.Proof, error) {
	var users []gitexec.OID
	for _, p := range proofs {
		if p.Users != "" {
			users = append(users, p.Commit)
		}
	}
	if len(users) == 0 {
		return proofs, nil
	}
	ids, err := gitexec.Outgoing{Tips: users, AnyRemote: true}.Commits(ctx, o.repo)
	unknown := sets.Of(ids)
	return slices.DeleteFunc(proofs, func(p shadow.Proof) bool { return p.Users != "" && !unknown[p.Commit] }), err
}
