package hooks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/share"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// besidePush is a push of the user's, beside which the branch of the checkpoints may go.
type besidePush struct {
	Env
	out    *outgoing
	taken  bool // the push takes the branch along
	above  []ancestry.Process
	place  share.Place
	before string // what place had
	begun  time.Time
	w      *workspace.Workspace
	s      *share.Sharing
}

// shareWithPush brings the branch of the checkpoints to the elected remote, beside the user's push
// to it (seed 004, PrePush). Whatever fails, the user's push goes on; it is refused only where it
// would itself take the branch to another remote. No process where nothing has changed since it was
// found that nothing is new, else three.
func (e Env) shareWithPush(ctx context.Context, o *outgoing) (refused bool) {
	_, shared := gitexec.FindPrivateDirs(e.Dir)
	b := besidePush{Env: e, out: o, taken: slices.ContainsFunc(o.lines, pushed.ofCheckpoints),
		place: share.Place{Top: cmp.Or(gitexec.FindMain(e.Dir), e.Dir), Shared: shared}}
	ended := slices.ContainsFunc(o.deleted, func(l pushed) bool { return l.remote == shadow.Checkpoints })
	if shared == "" || ended || !b.taken && b.place.Settled(o.to()) {
		return false
	}
	b.before, b.above = b.place.Files(), ancestry.Of()
	if ancestry.PushesNothing(b.above) {
		return false
	}
	// What only the rejected lines would bring stays. Where git takes the branch, it takes it as it
	// is: it is not refused for what goes with the next push.
	if o.rejected = o.rejects(b.above, o.missing()); len(o.rejected) > 0 && !b.taken {
		o.sent = o.accepted(ctx)
	}
	if !b.taken && (b.place.Stays(o.to(), o.sent) || b.place.Waits(o.to(), o.sent, e.Now())) {
		return false
	}
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	if !b.open(ctx) {
		return false
	}
	defer b.w.DB.Close()
	if b.s.Sent = o.sent; b.s.View.Elected(o.remote) {
		b.s.View.PushesTo(o.remote, o.address)
	}
	switch {
	case b.taken && !b.mayBeTaken():
		e.Warn(elsewhere(b.s.View.Target, b.s.View.PushTo(o.remote), o.lines))
		b.w.Journal(journal.Entry{Hook: "pre-push", Outcome: "refused: the checkpoints would go to a remote that is not elected"}, b.begun, nil)
		return true
	case b.taken && b.takesMore(ctx):
		return true
	case b.gitTakesIt():
	case b.s.View.Elected(o.remote):
		if b.taken { // git rejects it, and this program pushes it
			b.s.Sent = o.accepted(ctx)
		}
		for _, b.s = range b.addresses() {
			b.push(ctx, giveUp)
		}
	default:
		b.announceElsewhere()
		b.place.Settle(o.to(), b.before)
	}
	return false
}

// open opens the repository, and finds out where the branch goes; false: nothing is shared here.
// Then the workspace is closed.
func (b *besidePush) open(ctx context.Context) bool {
	repo, err := gitexec.Discover(ctx, b.Dir, b.Tracer)
	if err == nil {
		b.w = b.OpenStates(ctx, repo)
	}
	if b.w == nil && b.place.Top != b.Dir { // git --git-dir, or in the git directory: the settings are in the worktree
		if repo, err = gitexec.DiscoverAt(ctx, b.place.Top, b.Tracer); err == nil {
			b.w = b.OpenStates(ctx, repo)
		}
	}
	if b.w == nil || !b.w.Installed() {
		return false
	}
	b.w.Store.ReadOnly, b.begun = false, time.Now()
	if b.s, err = share.Open(ctx, b.w, repo); err != nil {
		b.w.DB.Close()
		b.Warn("pre-push: checkpoints are not shared: " + share.Reason(ctx, err))
	}
	return err == nil
}

// mayBeTaken reports whether the push may take the branch to its remote: it is elected, the user
// allows it, or names the branch.
func (b *besidePush) mayBeTaken() bool {
	return b.s.View.Takes(b.out.remote) || b.s.View.Allows(b.out.remote) || ancestry.PushNames(b.above, b.out.remote, "entire/checkpoints")
}

// takesMore reports whether the push, which takes the branch without naming it, would take
// checkpoints of commits that the remote neither has nor gets, and says so.
func (b *besidePush) takesMore(ctx context.Context) bool {
	if ancestry.PushNames(b.above, b.out.remote, "entire/checkpoints") {
		return false
	}
	if !b.s.View.Takes(b.out.remote) { // the user allows it
		defer func(target share.Target) { b.s.View.Target = target }(b.s.View.Target)
		b.s.View.Target = share.Target{Election: share.Election{Elected: b.out.remote}, Remote: b.out.remote}
		b.s.View.PushesTo(b.out.remote, b.out.address)
	}
	report, err := b.s.Preview(ctx, -1)
	why := ""
	switch {
	case err != nil:
		why = "what it takes of the checkpoints cannot be examined: " + explain.OneLine(explain.Error(ctx, err)) + "\n" + noVerify
	case len(report.Stays) > 0:
		why = takesHeld(b.s.View.PushTo(b.out.remote), b.out.lines, report)
	default:
		return false
	}
	b.Warn("pre-push: " + why)
	b.w.Journal(journal.Entry{Hook: "pre-push", Outcome: "refused: it takes checkpoints of commits that the remote does not have"}, b.begun, err)
	return true
}

// gitTakesIt reports whether git brings the branch to the remote by itself.
func (b *besidePush) gitTakesIt() bool {
	return slices.ContainsFunc(b.out.lines, func(l pushed) bool {
		return l.remote == shadow.Checkpoints && !slices.Contains(b.out.rejected, l)
	})
}

// addresses are those of the remote to which this push may go.
func (b *besidePush) addresses() []*share.Sharing {
	all := b.s.AtEach()
	if b.out.address == "" && b.out.remote == b.s.View.Target.Elected && len(all) > 1 { // a hook of others may leave it out
		for _, one := range all {
			one.Sent.Had = nil // at one of them
		}
		return all
	}
	return []*share.Sharing{b.s}
}

// push pushes the branch, and says what the user has to know.
func (b *besidePush) push(ctx context.Context, giveUp func()) {
	if b.s.View.Target.Wrong {
		b.Warn("pre-push: checkpoints are not shared: " + b.s.View.Target.Why)
	}
	if share.MemoryOf(b.s).Waits(ctx, b.Now()) {
		b.s.View.Owe(b.s.Sent)
		return
	}
	b.s.Settling = func() { b.before = b.place.Files() }
	report, err := pushInTime(ctx, b.s, giveUp)
	if err != nil || report.Portions > 0 && !report.Sent {
		b.s.View.Owe(b.s.Sent)
	}
	shown := gitexec.Harmless(b.s.View.Shown())
	if line := b.remember(context.WithoutCancel(ctx), report, err); line != "" {
		b.Warn("pre-push: " + line)
	}
	rejects := err == nil && report.Sent && report.Took && (b.taken || ancestry.PushesAll(b.above))
	for _, line := range shareWarnings(report, shown, rejects, b.w.NotSigned()) {
		b.Warn(line)
	}
	if err == nil {
		b.announce(report)
	}
	switch {
	case err != nil || !settled(report, b.s.View.Target.Wrong):
	case len(report.Stays) == 0:
		b.place.Settle(b.out.to(), b.before)
	default:
		b.s.View.SettleStays(b.place, b.out.to(), b.before)
	}
	if err != nil || report.New > 0 {
		b.w.Journal(journal.Entry{Hook: "pre-push", Outcome: report.Text()}, b.begun, err)
	}
}

// announce says once where the checkpoints went, or why they go nowhere though the user has not
// asked for that.
func (b *besidePush) announce(report share.Report) {
	t := b.s.View.Target
	switch {
	case t.Why != "" && t.Hint != "" && !t.Wrong:
		b.announceOnce(t.Elected, "checkpoints go to no remote: "+t.Why, t.Hint)
	case report.Sent || report.Inbox:
		b.announceOnce(t.Elected, t.Going(), share.HowToChange)
	}
}

// announceElsewhere says once that the checkpoints don't go to the remote of this push, if there
// may be any.
func (b *besidePush) announceElsewhere() {
	t := b.s.View.Target
	if !b.w.Repo.MayHaveRefs(strings.TrimSuffix(shadow.Checkpoints, "v1")) || b.s.View.Allows(b.out.remote) {
		return
	}
	name := "NAME"
	if b.s.View.Named(b.out.remote) {
		name = gitexec.ShellQuote(b.out.remote)
	}
	switch {
	case t.Elected == "" && t.Asks:
		b.announceOnce(b.out.remote, "checkpoints go to no remote: "+t.Why, "git config entire-plumb.remote "+name)
	case t.Why == "":
		b.announceOnce(b.out.remote, t.Going()+"; this push takes none", "git config entire-plumb.remote "+name+" elects it")
	}
}

func (b *besidePush) announceOnce(remote, what, hint string) {
	if b.place.Announce(remote, b.s.View.Target) {
		b.Warn("pre-push: " + gitexec.Harmless(what) + "\nhint: " + hint)
	}
}

// pushInTime pushes, and gives up shortly after git's commands had to. What has arrived until then
// is no failure.
func pushInTime(ctx context.Context, s *share.Sharing, giveUp func()) (share.Report, error) {
	timer := time.AfterFunc(s.Patience()+time.Second/5, giveUp)
	report, err := s.Push(ctx)
	switch {
	case timer.Stop() || err == nil || errors.As(err, new(*gitexec.NoAnswerError)):
		return report, err
	case report.Portions > 0: // the rest is left to the next push
		return report, nil
	}
	return report, &share.TargetError{Fault: share.Slow, Err: fmt.Errorf("it takes longer than %s", s.Patience())}
}

// remember notes what became of an attempt, and says what the user has to read of it; empty:
// nothing.
func (b *besidePush) remember(ctx context.Context, report share.Report, err error) string {
	fault, ofTarget := errors.AsType[*share.TargetError](err)
	m, say := share.MemoryOf(b.s), share.SayLater
	if b.goesOn(report, err, m.Failures) {
		return ""
	}
	switch {
	case ofTarget:
		say = m.Fail(ctx, b.out.to(), fault, b.Now())
	case err == nil && (report.Sent || report.Inbox || report.Portions > 0):
		m.Succeed(b.Now())
	}
	if err == nil || say == share.SayNothing {
		return ""
	}
	hints := []string{laterHint(err)}
	if say != share.SayLater {
		hints = fault.Fault.Hints(m.Words)
	}
	if say == share.SayPause {
		hints = append([]string{"pushes try again after " + m.Pause() + ", and less and less often while that fails"}, hints...)
	}
	return fmt.Sprintf("checkpoints are not on %s yet: %s\nhint: %s", b.s.View.Shown(), share.Reason(ctx, err), strings.Join(hints, "\nhint: "))
}

// laterHint says what brings checkpoints to the remote after an error.
func laterHint(err error) string {
	if errors.Is(err, share.ErrHoldsPurged) {
		return "entire-plumb sync replaces it"
	}
	return "they go with the next push, or with entire-plumb sync"
}

// settled reports whether the next push has nothing to bring, unless the branch changes.
func settled(report share.Report, wrong bool) bool { return !wrong && (report.New == 0 || report.Sent) }

// shareWarnings are what the user has to know of what was shared. rejects: git rejects the branch
// in this push. notSigned says why commits of ours are not signed.
func shareWarnings(report share.Report, shown string, rejects bool, notSigned string) (lines []string) {
	if rejects {
		lines = append(lines, "pre-push: git rejects entire/checkpoints/v1 in this push, since others were faster\n"+
			"hint: it is united and pushed now: the same push works")
	}
	for _, one := range report.Changes {
		lines = append(lines, "pre-push: "+gitexec.Harmless(one.Text()))
	}
	if len(report.Unsigned) > 0 {
		lines = append(lines, fmt.Sprintf("pre-push: what is on %s is not taken, since it has no good signature\nhint: entire-plumb sync names it", shown))
	}
	if notSigned != "" {
		lines = append(lines, notSigned)
	}
	if n := len(report.Skipped); n > 0 {
		lines = append(lines, fmt.Sprintf("pre-push: left out, damaged: %s of others on %s\nhint: entire-plumb sync names all", share.Things(n), shown))
	}
	return lines
}

// elsewhere says why a push that takes the branch of the checkpoints along is refused, and both
// ways out.
func elsewhere(t share.Target, to share.PushTo, lines []pushed) string {
	name := shownRemote(to.Name)
	why := "no remote is elected for it"
	if t.Own {
		why = "it has a repository of its own"
	} else if t.Elected != "" {
		why = "it goes to " + t.Elected + " alone"
	}
	hint := ""
	if without := withoutCheckpoints(to, lines); without != "" {
		hint = "\nhint: " + without + " pushes the others"
	}
	allow := fmt.Sprintf("git config --add entire-plumb.shareWith %s lets them go there", gitexec.ShellQuote(name))
	if t.Elected == "" && !t.Own && !to.Mirror {
		allow = fmt.Sprintf("git config entire-plumb.remote %s elects it", gitexec.ShellQuote(name))
	}
	return fmt.Sprintf("pre-push: this push takes the checkpoints, %s, to %s; %s%s\nhint: %s",
		strings.TrimPrefix(shadow.Checkpoints, "refs/heads/"), gitexec.Harmless(name), why, hint, allow)
}

// withoutCheckpoints is a command that pushes what the lines are of, without the checkpoints;
// empty: there is nothing else.
func withoutCheckpoints(to share.PushTo, lines []pushed) string {
	others := slices.DeleteFunc(slices.Clone(lines), func(l pushed) bool { return l.ofCheckpoints() || l.ofRemotes() })
	switch {
	case len(others) == 0:
		return ""
	case len(others) > mostNamed:
		return pushLine(to, nil) + " 'refs/heads/*' '^" + shadow.Checkpoints + "'"
	}
	return pushLine(to, others)
}

// takesHeld says why a push is refused that takes what stays here, and both ways out.
func takesHeld(to share.PushTo, lines []pushed, report share.Report) string {
	why := fmt.Sprintf("this push takes all of %s to %s; it holds %s of commits that this remote neither has nor gets",
		strings.TrimPrefix(shadow.Checkpoints, "refs/heads/"), gitexec.Harmless(shownRemote(to.Name)), report.HeldCount())
	if without := withoutCheckpoints(to, lines); without != "" {
		why += "\nhint: " + without + " pushes the others, with their checkpoints"
	}
	return why + "\nhint: git config entire-plumb.pushAll true lets all of them go"
}

// shownRemote is a remote as a hint names it: an address may hold a password.
func shownRemote(remote string) string {
	if remote == "" || strings.ContainsAny(remote, ":@") {
		return "REMOTE"
	}
	return remote
}

// pushLine is a command that pushes refs.
func pushLine(to share.PushTo, refs []pushed) string {
	name := gitexec.ShellQuote(shownRemote(to.Name))
	if strings.HasPrefix(to.Name, "-") {
		name = "-- " + name
	}
	line := "git push " + name
	if to.Mirror { // git pushes all refs to it, and takes no names of some
		line = "git -c " + gitexec.ShellQuote("remote."+to.Name+".mirror=false") + " push " + name
	}
	for _, p := range refs {
		spec := p.local
		if p.local != p.remote {
			spec += ":" + p.remote
		}
		line += " " + gitexec.ShellQuote(spec)
	}
	return line
}
