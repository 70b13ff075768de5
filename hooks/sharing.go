package hooks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/share"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// shareWithPush brings the branch of the checkpoints to the elected remote, beside the user's push
// to it (seed 004, PrePush). Whatever fails, the user's push goes on; it is refused only where it
// would itself take the branch to another remote. No process where nothing has changed since it was
// found that nothing is new, else three.
func (e Env) shareWithPush(ctx context.Context, remote string, lines, deleted []pushed) (refused bool) {
	_, shared := gitexec.FindPrivateDirs(e.Dir)
	place := share.Place{Top: e.Dir, Shared: shared}
	taken := slices.ContainsFunc(lines, pushed.ofCheckpoints)
	ended := slices.ContainsFunc(deleted, func(l pushed) bool { return l.remote == shadow.Checkpoints })
	if shared == "" || ended || !taken && place.Settled(remote) {
		return false
	}
	before := place.Files()
	above := ancestry.Of()
	if ancestry.PushesNothing(above) {
		return false
	}
	repo, err := gitexec.Discover(ctx, e.Dir, e.Tracer)
	if err != nil {
		return false
	}
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	w := e.OpenStates(ctx, repo)
	if w == nil || !w.Installed() {
		return false
	}
	defer w.DB.Close()
	w.Store.ReadOnly = false
	begun := time.Now()
	s, err := share.Open(ctx, w, repo)
	if err != nil {
		e.Warn("pre-push: checkpoints are not shared: " + share.Reason(ctx, err))
		return false
	}
	switch to := s.Takes(remote); {
	case taken && !to && !s.Allows(remote) && !ancestry.PushNames(above, remote, "entire/checkpoints"):
		e.Warn(elsewhere(s.Target, remote, lines))
		w.Journal(journal.Entry{Hook: "pre-push", Outcome: "refused: the checkpoints would go to a remote that is not elected"}, begun, nil)
		return true
	case slices.ContainsFunc(lines, func(l pushed) bool {
		return l.remote == shadow.Checkpoints && !(behind(w, l) && !ancestry.PushForces(above))
	}):
		return false
	case !s.Elected(remote):
		place.Settle(remote, before)
		return false
	}
	if s.Target.Wrong {
		e.Warn("pre-push: checkpoints are not shared: " + s.Target.Why)
	}
	s.Settling = func() { before = place.Files() }
	timer := time.AfterFunc(s.Patience()+time.Second/5, giveUp) // git's commands have given up before
	report, err := s.Push(ctx)
	if !timer.Stop() && err != nil && !errors.As(err, new(*gitexec.NoAnswerError)) {
		err = fmt.Errorf("it takes longer than %s", s.Patience())
	}
	if err != nil {
		hint := "they go with the next push, or with entire-plumb sync"
		if errors.Is(err, share.ErrHoldsPurged) {
			hint = "entire-plumb sync replaces it"
		}
		e.Warn(fmt.Sprintf("pre-push: checkpoints are not on %s yet: %s\nhint: %s", gitexec.Harmless(s.Shown()), share.Reason(ctx, err), hint))
	}
	if err == nil && report.Sent && report.Took && (taken || ancestry.PushesAll(above)) {
		e.Warn("pre-push: git rejects entire/checkpoints/v1 in this push, since others were faster\nhint: it is united and pushed now: the same push works")
	}
	for _, one := range report.Changes {
		e.Warn("pre-push: " + gitexec.Harmless(one.Text()))
	}
	if len(report.Unsigned) > 0 {
		e.Warn(fmt.Sprintf("pre-push: what is on %s is not taken, since it has no good signature\nhint: entire-plumb sync names it", gitexec.Harmless(s.Shown())))
	}
	if line := w.NotSigned(); line != "" {
		e.Warn(line)
	}
	if len(report.Skipped) > 0 {
		e.Warn(fmt.Sprintf("pre-push: left out, damaged: %s of others on %s\nhint: entire-plumb sync names all", share.Things(len(report.Skipped)),
			gitexec.Harmless(s.Shown())))
	}
	if err == nil && !s.Target.Wrong && (report.New == 0 || report.Sent) {
		place.Settle(remote, before)
	}
	if err != nil || report.New > 0 {
		w.Journal(journal.Entry{Hook: "pre-push", Outcome: report.Text()}, begun, err)
	}
	return false
}

// behind reports whether git rejects a line, since the remote's ref has commits that were not
// fetched.
func behind(w *workspace.Workspace, l pushed) bool {
	if l.old.IsZero() {
		return false
	}
	found, err := w.DB.Info(l.old)
	return err == nil && found[0].Type == ""
}

// elsewhere says why a push that takes the branch of the checkpoints along is refused, and both
// ways out.
func elsewhere(t share.Target, remote string, lines []pushed) string {
	name := remote
	if strings.ContainsAny(remote, ":@") {
		name = "REMOTE"
	}
	why := "no remote is elected for it"
	if t.Own {
		why = "it has a repository of its own"
	} else if t.Elected != "" {
		why = "it goes to " + t.Elected + " alone"
	}
	without := "git push " + gitexec.ShellQuote(name)
	rest := slices.DeleteFunc(slices.Clone(lines), func(l pushed) bool { return l.ofCheckpoints() || l.ofRemotes() })
	if len(rest) > mostNamed {
		without += " 'refs/heads/*' '^" + shadow.Checkpoints + "'"
	} else {
		for _, l := range rest {
			spec := l.local
			if l.local != l.remote {
				spec += ":" + l.remote
			}
			without += " " + gitexec.ShellQuote(spec)
		}
	}
	hint := ""
	if len(rest) > 0 {
		hint = "\nhint: " + without + " pushes the others"
	}
	allow := fmt.Sprintf("git config --add entire-plumb.shareWith %s lets them go there", gitexec.ShellQuote(name))
	if t.Elected == "" && !t.Own {
		allow = fmt.Sprintf("git config entire-plumb.remote %s elects it", gitexec.ShellQuote(name))
	}
	return fmt.Sprintf("pre-push: this push takes the checkpoints, %s, to %s; %s%s\nhint: %s",
		strings.TrimPrefix(shadow.Checkpoints, "refs/heads/"), gitexec.Harmless(name), why, hint, allow)
}
