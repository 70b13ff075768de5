package share

import (
	"context"
	"errors"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/shadow"
)

// portions pushes commits of the branch that may not arrive in the time of one push: some at a
// time, oldest first, so that what has arrived does not need to be sent again.
type portions struct {
	s      *Sharing
	memory *Memory
	has    []gitexec.OID // what the target has
	line   []gitexec.OID // the commits that it lacks, of the first parents, oldest first
	to     string        // the ref there
	sends  gitexec.OID   // the last commit that was pushed
}

// Portions must arrive in what is left of 5 seconds (push_timeout_seconds), over whatever line.
// Only the first one is a guess: what it took tells how large the next may be, see pace.
const (
	// mostAtOnce is how many commits are pushed at once where nothing is known of the target. It is
	// some 90 kB without conversations (docs/scale.md): a first push of more is where portions pay.
	mostAtOnce = 50
	// firstPortion is how many bytes the first portion has, where nothing is known of the target: a
	// second of a line of 2 Mbit/s. leastPortion is how many it has at least, after timeouts: a
	// checkpoint or two.
	firstPortion, leastPortion = 256 << 10, 4 << 10
	// quick is the first portion of a target for which portions are not needed: half of the time
	// sufficed for 4 MiB.
	quick = 4 << 20
	// firstCommits is how many commits the first portion has at most where nothing is known: a
	// server's hooks may take time for each.
	firstCommits = 64
)

// all pushes all that there is to push, or as much as fits. waits: the rest is left to the next
// push.
func (p *portions) all(ctx context.Context) (waits bool, err error) {
	s := p.s
	if ready, err := s.prepare(ctx); err != nil || !ready {
		return false, err
	}
	if waits, err := p.push(ctx); err != nil || waits {
		return waits, err
	}
	// What is left after the portions, or all, goes with the other refs.
	for p.sends = s.leaving.tip; s.report.Tries < mostTries; p.sends = s.leaving.tip {
		again, err := s.try(ctx)
		if err == nil && again {
			again, err = s.uniteAgain(ctx)
		}
		if err != nil || !again {
			return false, err
		}
	}
	return false, s.unlessInInbox(ErrBusy)
}

// needed reports whether commits go in portions: there are many, or a push with less took too long
// for the target. A repository that is replaced gets all at once, and sync has the time for it.
func (p *portions) needed() bool {
	n := p.s.report.New
	return !p.s.View.byHand && !p.s.dirty && !p.s.apart && (n > mostAtOnce || n > 1 && p.memory.Portion > 0)
}

// push pushes portions. waits: the rest is left to the next push. Else it is to be pushed now.
// Where others were faster, or the target has taken meanwhile what it had not taken in time, it
// begins again once.
func (p *portions) push(ctx context.Context) (waits bool, err error) {
	for range 2 {
		if !p.needed() {
			return false, nil
		}
		// One commit cannot be divided.
		if err := p.read(ctx); err != nil || len(p.line) < 2 {
			return false, err
		}
		n, faster, err := p.pushLine(ctx)
		if !faster {
			return n == 0, err
		}
		if _, err := p.s.uniteAgain(ctx); err != nil {
			return false, err
		}
	}
	return false, nil
}

// pushLine pushes portions of the line. n is how many commits there is time for now; 0: none.
// faster: others were.
func (p *portions) pushLine(ctx context.Context) (n int, faster bool, err error) {
	n, bytes, err := p.first(ctx)
	each := bytes / int64(max(1, n)) // of the next ones it is not known
	pace := pace{}
	// The last portion is left to the caller, whose push has the other refs as well.
	for err == nil && n > 0 && n < len(p.line) {
		begun := time.Now()
		sent, err := p.send(ctx, p.line[n-1])
		if err != nil || !sent {
			return n, err == nil, err
		}
		pace = pace.took(n, time.Since(begun))
		p.s.report.Portions++
		// The next push begins with what half of its time is enough for: uniting may take the other
		// half.
		p.memory.arrived(each * int64(pace.within(p.s.Patience()/2)))
		p.line = p.line[n:]
		p.s.report.New = len(p.line)
		n = pace.next(p.s.left())
	}
	return n, false, err
}

// read finds the commits, and whether they can go to the branch there: its tip must be a parent of
// the first one. Else they go to this clone's inbox.
func (p *portions) read(ctx context.Context) error {
	id, err := p.s.View.cloneID()
	if err != nil {
		return err
	}
	branch, _ := p.s.View.sides()
	p.has, p.to = branch, inbox+id
	// Portions of an earlier push may be in the inbox: they are not sent again.
	if own := p.s.View.refs[p.s.View.inboxes()+id]; own != "" {
		p.has = append(slices.Clone(branch), own)
	}
	graph := firstParents(p.s.leaving.graph, p.s.leaving.tip, p.has)
	if graph == nil {
		if graph, err = (gitexec.Outgoing{Tips: []gitexec.OID{p.s.leaving.tip}, Has: p.has}).FirstParents(ctx, p.s.View.w.Repo); err != nil || len(graph) == 0 {
			return err
		}
	}
	p.line = nil
	for _, commit := range graph {
		p.line = append(p.line, commit[0])
	}
	// Each portion by itself must be a fast-forward there.
	parents := graph[0][1:]
	if len(branch) == 0 && len(parents) == 0 || len(branch) == 1 && slices.Contains(parents, branch[0]) {
		p.to = shadow.Checkpoints
	}
	return nil
}

// firstParents are the commits of a graph, each with its parents, that are in the history of the
// first parents of a tip, oldest first, without those that the target has; nil: the graph has not
// got the tip.
func firstParents(graph [][]gitexec.OID, tip gitexec.OID, has []gitexec.OID) (line [][]gitexec.OID) {
	known := map[gitexec.OID][]gitexec.OID{}
	for _, commit := range graph {
		known[commit[0]] = commit
	}
	for commit := known[tip]; len(commit) > 0 && !slices.Contains(has, commit[0]); commit = known[append(commit, "")[1]] {
		line = append(line, commit)
	}
	slices.Reverse(line)
	return line
}

// first chooses the first portion: so many commits, with so many bytes as they are stored here. One
// process for each guess; a few are enough.
func (p *portions) first(ctx context.Context) (n int, bytes int64, err error) {
	g := guess{most: p.memory.Portion, commits: len(p.line)}
	if g.most == 0 {
		g.most, g.commits = firstPortion, min(firstCommits, len(p.line))
	}
	for try := min(firstCommits, g.commits); try > 0; try = g.next() {
		size, err := gitexec.Outgoing{Tips: p.line[try-1 : try], Has: p.has}.DiskUsage(ctx, p.s.View.w.Repo)
		if err != nil {
			return 0, 0, err
		}
		g.tried(try, size)
	}
	return g.fits, g.bytes, nil
}

// send pushes the branch up to a commit. sent: it is there.
func (p *portions) send(ctx context.Context, commit gitexec.OID) (sent bool, err error) {
	p.sends = commit
	pushed, err := p.s.online.Push(ctx, p.s.remote(p.s.View.Target.pushedTo()), []gitexec.RefSpec{{From: commit, To: p.to}})
	switch {
	case err != nil:
		return false, ofTarget(err)
	// Others were faster: the caller unites.
	case !pushed[0].Done && pushed[0].Behind:
		p.s.behind = pushed[0].Why
		return false, nil
	case !pushed[0].Done:
		return false, refusal(pushed[0], "it refuses "+p.to+": ")
	}
	// Noted at once: a push that is killed after it does not send the portion again.
	news := map[string]gitexec.OID{p.s.View.seenRef(): commit, p.s.View.pushedRef(): commit}
	if p.to != shadow.Checkpoints {
		id, err := p.s.View.cloneID()
		if err != nil {
			return false, err
		}
		news = map[string]gitexec.OID{p.s.View.inboxes() + id: commit}
	}
	return true, p.s.View.note(ctx, news, true)
}

// arrived notes how many bytes the first portion of the next push has.
func (m *Memory) arrived(bytes int64) { m.Portion = max(leastPortion, min(quick, bytes)) }

// allArrived forgets the portion of a target for which none are needed.
func (m *Memory) allArrived() {
	if m.Portion >= quick {
		m.Portion = 0
		m.keep()
	}
}

// timedOut notes that the target did not take a commit in time: the next push begins with less. It
// may have taken it since.
func (m *Memory) timedOut(commit gitexec.OID) {
	// A quarter, so that from 4 MiB on five pushes come down to the least. Nothing was known of the
	// target, and all was tried at once, where there was no portion.
	if m.Portion /= 4; m.Portion == 0 {
		m.Portion = firstPortion
	}
	m.Portion, m.Tried = max(leastPortion, m.Portion), commit
}

// inTime turns an error into none where parts have arrived before the time was over, and notes what
// the next push has to know of it.
func (p *portions) inTime(err error) error {
	slow, ok := errors.AsType[*TargetError](err)
	if !ok || slow.Fault != Slow || p.s.View.byHand {
		if p.s.report.Portions > 0 {
			p.memory.keep()
		}
		return err
	}
	silent, _ := errors.AsType[*gitexec.NoAnswerError](err)
	switch {
	case p.s.report.Portions > 0: // the next push begins with what did arrive in time
		p.memory.Tried = p.sends
	case p.sends != "" && silent != nil && silent.After > p.s.Patience()/4: // else it had no time to answer
		p.memory.timedOut(p.sends)
	default:
		return err
	}
	p.memory.keep()
	if p.s.report.Portions > 0 {
		return nil
	}
	return err
}

// look asks a target what it has, and whether it has taken since what it did not take in time.
func (p *portions) look(ctx context.Context) error {
	m := p.memory
	if err := (asker{s: p.s}).ask(ctx); err != nil || m.Tried == "" || p.s.View.Target.Why != "" {
		return err
	}
	// What was pushed to it is only known from there: git push had no answer.
	if !p.s.View.looked {
		if err := p.s.View.readRefs(ctx); err != nil {
			return err
		}
		if err := p.s.Fetch(ctx); err != nil {
			return err
		}
	}
	if m.Failures > 0 && p.took(ctx, m.Tried) {
		m.Attempts = m.arrivedLate(p.s.View.w.Now())
	}
	m.Tried = ""
	m.keep()
	return nil
}

// took reports whether the target's branch has a commit.
func (p *portions) took(ctx context.Context, commit gitexec.OID) bool {
	seen := p.s.View.refs[p.s.View.seenRef()]
	if seen == "" {
		return false
	}
	lacks, err := p.s.View.w.Repo.NotInHistory(ctx, []gitexec.OID{commit}, seen)
	return err == nil && len(lacks) == 0
}
