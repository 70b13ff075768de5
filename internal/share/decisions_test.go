package share

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/settings"
	"entire-plumb/shadow"
)

// TestJoining: an inbox's history becomes the branch's only if all of it is clean, and no history
// with what was purged on the other side does.
func TestJoining(t *testing.T) {
	for name, c := range map[string]struct {
		joining
		want         way
		apart, dirty bool
	}{
		"the branch":                            {joining{onBranch: true, common: true}, wayMerge, false, false},
		"the branch, partly damaged":            {joining{onBranch: true, common: true, damaged: true}, wayMerge, false, false},
		"the branch, of a beginning of its own": {joining{onBranch: true}, wayTheirs, false, false},
		"the branch, purged there":              {joining{onBranch: true, common: true, lacking: true}, wayTheirs, true, false},
		"the branch, purged here":               {joining{onBranch: true, common: true, extra: true}, wayContents, true, true},
		"the branch, purged on both":            {joining{onBranch: true, common: true, extra: true, lacking: true}, wayAnew, true, true},
		"an inbox":                              {joining{common: true}, wayMerge, false, false},
		"an inbox with other files":             {joining{common: true, unclean: true}, wayContents, false, false},
		"an inbox, partly damaged":              {joining{common: true, damaged: true}, wayContents, false, false},
		"an inbox of a beginning of its own":    {joining{}, wayContents, false, false},
		"an inbox, purged there":                {joining{common: true, lacking: true}, wayTheirs, true, false},
		"an inbox, purged here":                 {joining{common: true, extra: true}, wayContents, true, false},
		"an inbox, purged on both":              {joining{common: true, extra: true, lacking: true}, wayAnew, true, false},
		"an unclean inbox, purged on both":      {joining{common: true, unclean: true, extra: true, lacking: true}, wayContents, false, false},
	} {
		if got := c.way(); got != c.want || c.joining.apart() != c.apart || c.joining.dirty() != c.dirty {
			t.Errorf("%s: way %d, apart %v, dirty %v", name, got, c.joining.apart(), c.joining.dirty())
		}
		if want := !c.onBranch && c.common && !c.damaged; c.examines() != want {
			t.Errorf("%s: examines %v", name, !want)
		}
	}
}

// sharingWith knows some refs of the remote origin.
func sharingWith(refs map[string]gitexec.OID) *Sharing {
	return &Sharing{View: View{Target: Target{Election: Election{Elected: "origin"}, Remote: "origin"}, refs: refs}}
}

// TestReceive: what a push came to, and what is noted of the target.
func TestReceive(t *testing.T) {
	const at = known + "origin/"
	s := sharingWith(map[string]gitexec.OID{shadow.Checkpoints: "held", Trails: "t"})
	s.leaving.tip = "c"
	branch := gitexec.Pushed{To: shadow.Checkpoints, Done: true}
	behind := gitexec.Pushed{To: shadow.Checkpoints, Behind: true, Why: "fetch first"}
	for name, c := range map[string]struct {
		pushed []gitexec.Pushed
		want   receipt
		news   map[string]gitexec.OID
	}{
		"the branch": {[]gitexec.Pushed{branch}, receipt{sent: true}, map[string]gitexec.OID{at + "heads/v1": "c", at + "pushed": "c"}},
		"the inbox alone": {[]gitexec.Pushed{behind, {To: inbox + "me", Done: true}}, receipt{inbox: true, refused: behind},
			map[string]gitexec.OID{at + "inbox/me": "c"}},
		"both": {[]gitexec.Pushed{branch, {To: inbox + "me", Done: true}}, receipt{sent: true},
			map[string]gitexec.OID{at + "heads/v1": "c", at + "pushed": "c", at + "inbox/me": "c"}},
		"deleted inboxes": {[]gitexec.Pushed{{To: inbox + "me", Done: true, Deleted: true}, {To: inbox + "other", Done: true, Deleted: true}},
			receipt{}, map[string]gitexec.OID{at + "inbox/me": "", at + "inbox/other": ""}},
		"trails":           {[]gitexec.Pushed{{To: Trails, Done: true}}, receipt{}, map[string]gitexec.OID{at + "trails": "t"}},
		"refused trails":   {[]gitexec.Pushed{{To: Trails, Why: "no"}}, receipt{}, nil},
		"a copy's inbox":   {[]gitexec.Pushed{{To: inbox + "me", Behind: true}}, receipt{copied: true}, nil},
		"another's inbox":  {[]gitexec.Pushed{{To: inbox + "other", Behind: true}}, receipt{}, nil},
		"a refused inbox":  {[]gitexec.Pushed{{To: inbox + "me", Why: "no"}}, receipt{}, nil},
		"another ref":      {[]gitexec.Pushed{{To: "refs/heads/main", Done: true}}, receipt{}, nil},
		"a refused branch": {[]gitexec.Pushed{behind}, receipt{refused: behind}, nil},
	} {
		r, news := s.receive("me", c.pushed)
		if r != c.want || !maps.Equal(news, c.news) {
			t.Errorf("%s: %+v, %v", name, r, news)
		}
	}
}

// TestMoved: a refusal counts as others' push where these have moved the branch there, and once
// where not.
func TestMoved(t *testing.T) {
	const seen = known + "origin/heads/v1"
	s := sharingWith(map[string]gitexec.OID{seen: "a"})
	for i, c := range []struct {
		before, now gitexec.OID
		want        string // the end of the error; empty: none
	}{
		{"a", "a", ""}, {"a", "b", ""}, {"b", "b", ""}, {"b", "b", "others have pushed nothing to it"}, {"", "b", ""},
		{"", "", ""}, {"", "", "in its way, as entire/checkpoints would be"},
	} {
		s.View.refs[seen] = c.now
		if err := s.moved(c.before); (err != nil) != (c.want != "") || err != nil && !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// TestNextStep: what follows a push.
func TestNextStep(t *testing.T) {
	behind, refused := gitexec.Pushed{Behind: true, Why: "fetch first"}, gitexec.Pushed{Why: "protected"}
	for name, c := range map[string]struct {
		receipt
		commits int
		dirty   bool
		want    bool
		err     string
	}{
		"it is there":                      {receipt{sent: true}, 1, false, false, ""},
		"it is there, and was dirty":       {receipt{sent: true}, 1, true, false, ""},
		"nothing new":                      {receipt{refused: refused}, 0, false, false, ""},
		"in the inbox":                     {receipt{inbox: true}, 1, false, false, ""},
		"in the inbox, others were faster": {receipt{inbox: true, refused: behind}, 1, false, true, ""},
		"in the inbox of a dirty branch":   {receipt{inbox: true, refused: behind}, 1, true, false, ErrHoldsPurged.Error()},
		"in the inbox, the branch refused": {receipt{inbox: true, refused: refused}, 1, false, false, "it refuses entire/checkpoints/v1: protected"},
		"refused":                          {receipt{refused: refused}, 1, false, false, "it refuses entire/checkpoints/v1: protected"},
		"others were faster":               {receipt{refused: behind}, 1, false, true, ""},
		"no answer":                        {receipt{}, 1, false, true, ""},
	} {
		got, err := c.next(c.commits, c.dirty)
		if got != c.want || (err != nil) != (c.err != "") || err != nil && !strings.HasPrefix(err.Error(), c.err) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// TestDeletions: inboxes that the branch holds are deleted, except the one that is needed, and some
// at a time.
func TestDeletions(t *testing.T) {
	inboxes := map[string]gitexec.OID{"a": "1", "b": "2", "c": "3"}
	of := func(specs []gitexec.RefSpec) (names string) {
		var all []string
		for _, s := range specs {
			if s.From != "" || !s.Force || s.Had != inboxes[strings.TrimPrefix(s.To, inbox)] {
				t.Errorf("%+v", s)
			}
			all = append(all, strings.TrimPrefix(s.To, inbox))
		}
		slices.Sort(all)
		return strings.Join(all, "")
	}
	if got := of(deletions(inboxes, []gitexec.OID{"2"}, "c")); got != "a" {
		t.Error(got)
	}
	if got := of(deletions(inboxes, nil, "")); got != "abc" {
		t.Error(got)
	}
	for i := range 2 * mostEmptied {
		inboxes[strings.Repeat("x", i+1)] = "1"
	}
	if got := deletions(inboxes, nil, ""); len(got) != mostEmptied {
		t.Error(len(got))
	}
}

// TestPurgeOfText: of the purges of texts the latest one counts, and of two at a time the first by name.
func TestPurgeOfText(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
	all := purges{"0123456789ab": {Committer: "itself", When: day(1)}, "text-early": {Committer: "early", When: day(2)},
		"text-late": {Committer: "late", When: day(3)}, "ba9876543210": {Committer: "other", When: day(9)}}
	if a, listed := all.ofText(); a.Committer != "late" || !listed {
		t.Errorf("%+v, %v", a, listed)
	}
	all["text-then"] = gitexec.Touched{Committer: "then", When: day(3)}
	for range 20 {
		if a, _ := all.ofText(); a.Committer != "late" {
			t.Fatalf("of two purges at a time now one and now the other: %+v", a)
		}
	}
	for _, text := range []string{"text-early", "text-late", "text-then"} {
		delete(all, text)
	}
	if a, listed := all.ofText(); listed || a.Committer != "" {
		t.Errorf("no text was purged: %+v", a)
	}
}

// TestSaid: a sentence for each outcome.
func TestSaid(t *testing.T) {
	for _, c := range []struct {
		report  Report
		preview bool
		want    string
	}{
		{Report{Why: "there is no remote"}, true, "nothing is shared: there is no remote"},
		{Report{}, true, "nothing is new here for o, as it was last seen"},
		{Report{United: 1}, true, "would unite the branch here with what was fetched from o"},
		{Report{New: 1, United: 1}, true, "would unite 1 commit of checkpoints here with what was fetched from o, and push it"},
		{Report{New: 2}, true, "would push 2 commits of checkpoints to o"},
		{Report{New: 2, Sent: true, Took: true}, false, "pushed 2 commits of checkpoints to o; the branch here has what was new there"},
		{Report{New: 1, Sent: true, OwnRefs: 1}, false, "pushed 1 commit of checkpoints to o"},
		{Report{New: 1, Inbox: true, Took: true}, false,
			"pushed 1 commit of checkpoints to this clone's inbox on o: others were faster on the branch, and the next push or sync unites it"},
		{Report{OwnRefs: 1}, false, "fetched 1 checkpoint of the entire CLI from o"},
		{Report{OwnRefs: 2, Took: true}, false, "the branch here has all that is on o; fetched 2 checkpoints of the entire CLI"},
		{Report{Took: true}, false, "the branch here has all that is on o"},
		{Report{}, false, "nothing is new here, nor on o"},
	} {
		c.report.To = "o"
		if got := c.report.Said(c.preview); got != c.want {
			t.Errorf("%+v: %q", c.report, got)
		}
	}
}

// TestJournalText: the same in a few words.
func TestJournalText(t *testing.T) {
	for _, c := range []struct {
		report Report
		want   string
	}{
		{Report{Why: "x", New: 1}, "checkpoints are not shared: x"}, {Report{Sent: true}, "no new checkpoints to share"},
		{Report{New: 1, Inbox: true, Tries: 2}, "shared 1 commit of checkpoints with o, in this clone's inbox; tries: 2"},
		{Report{New: 3, Sent: true, Tries: 1}, "shared 3 commits of checkpoints with o; tries: 1"},
		{Report{New: 3}, "3 commits of checkpoints not shared with o"},
	} {
		c.report.To = "o"
		if got := c.report.Text(); got != c.want {
			t.Errorf("%+v: %q", c.report, got)
		}
	}
}

// TestElect: which remote the checkpoints go to, and why.
func TestElect(t *testing.T) {
	urls := func(names ...string) map[string][]string {
		all := map[string][]string{}
		for _, name := range names {
			all[name] = []string{"https://h/" + name}
		}
		return all
	}
	main := map[string]string{"main": "a"}
	for name, c := range map[string]struct {
		remotes Remotes
		want    string // its name, and the reason
	}{
		"none":                           {Remotes{}, ""},
		"the only one":                   {Remotes{URLs: urls("a")}, "a: a is the only remote"},
		"the only one beside a mirror":   {Remotes{URLs: urls("a", "b"), Mirrors: map[string]bool{"b": true}}, "a: a is the only remote"},
		"origin":                         {Remotes{URLs: urls("a", "origin")}, "origin: origin is the default, as the main branch has no upstream"},
		"two, and no upstream":           {Remotes{URLs: urls("a", "b")}, ""},
		"the branch's upstream":          {Remotes{URLs: urls("a", "b"), Upstream: map[string]string{"topic": "b"}}, "b: b is the upstream of topic"},
		"main's upstream":                {Remotes{URLs: urls("a", "origin"), Upstream: map[string]string{"main": "a", "topic": "origin"}}, "a: a is the upstream of main"},
		"the trunk's upstream":           {Remotes{URLs: urls("a", "b"), Trunk: "dev", Upstream: map[string]string{"dev": "b", "main": "a"}}, "b: b is the upstream of dev"},
		"a branch here is main's":        {Remotes{URLs: urls("a", "origin"), Upstream: map[string]string{"main": "."}}, "origin: origin is the default, as the main branch has no upstream"},
		"where pushes go":                {Remotes{URLs: urls("a", "fork"), Upstream: main, PushDefault: "fork"}, "fork: remote.pushDefault names fork"},
		"where main is pushed":           {Remotes{URLs: urls("a", "fork"), PushRemote: main, PushDefault: "fork"}, "a: branch.main.pushRemote names a"},
		"where another branch is pushed": {Remotes{URLs: urls("a", "fork"), Upstream: main, PushRemote: map[string]string{"topic": "fork"}}, "a: a is the upstream of main"},
		"where main can't be pushed":     {Remotes{URLs: urls("a", "fork"), Upstream: main, PushRemote: map[string]string{"main": "no_push"}}, "a: a is the upstream of main"},
		"the chosen one":                 {Remotes{URLs: urls("a", "origin"), Chosen: "a", PushDefault: "origin"}, "a: entire-plumb.remote names a"},
		"a chosen one that is no remote": {Remotes{URLs: urls("origin"), Chosen: "a"}, ""},
		"a mirror":                       {Remotes{URLs: urls("origin"), Mirrors: map[string]bool{"origin": true}}, ""},
		"one to push to alone":           {Remotes{PushURLs: urls("o")}, "o: o is the only remote"},
	} {
		got := ""
		if e := c.remotes.Elect("topic"); e.Elected != "" {
			got = e.Elected + ": " + e.Reason()
		}
		if got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestTarget: where the checkpoints go, or why they don't.
func TestTarget(t *testing.T) {
	no := false
	with := func(change func(*settings.Settings)) settings.Settings {
		var s settings.Settings
		change(&s)
		return s
	}
	own := func(r settings.CheckpointRemote) settings.Settings {
		return with(func(s *settings.Settings) { s.StrategyOptions.CheckpointRemote = &r })
	}
	ignores := func(key string) settings.Settings {
		return with(func(s *settings.Settings) { s.Ignored = []settings.Ignored{{Key: key}} })
	}
	origin := Remotes{URLs: map[string][]string{"origin": {"/srv/r.git"}}, Partial: map[string]bool{"origin": true}}
	two := Remotes{URLs: map[string][]string{"a": {"h:a"}, "b": {"h:b"}}}
	for name, c := range map[string]struct {
		remotes                         Remotes
		settings                        settings.Settings
		remote                          string
		why                             string // the beginning
		own, partial, here, asks, wrong bool
	}{
		"origin":              {origin, settings.Settings{}, "origin", "", false, true, true, false, false},
		"not pushed":          {origin, with(func(s *settings.Settings) { s.StrategyOptions.PushSessions = &no }), "origin", "strategy_options.push_sessions", false, true, true, false, false},
		"not confirmed":       {origin, ignores("strategy_options.checkpoint_remote"), "origin", "strategy_options.checkpoint_remote is not", false, true, true, false, false},
		"readers unconfirmed": {origin, ignores("encrypt_to"), "origin", "encrypt_to is not confirmed", false, true, true, true, false},
		"an invalid one":      {origin, own(settings.CheckpointRemote{Invalid: "bad"}), "origin", "strategy_options.checkpoint_remote: bad", false, true, true, true, true},
		"one of its own":      {origin, own(settings.CheckpointRemote{URL: "https://h/c.git"}), "https://h/c.git", "", true, false, false, false, false},
		"no remote":           {Remotes{}, settings.Settings{}, "", "there is no remote", false, false, false, false, false},
		"none elected":        {two, settings.Settings{}, "", "no remote is elected", false, false, false, true, false},
		"mirrors alone": {Remotes{URLs: two.URLs, Mirrors: map[string]bool{"a": true, "b": true}}, settings.Settings{}, "", "git push mirrors",
			false, false, false, false, false},
		"a wrong choice": {Remotes{URLs: two.URLs, Chosen: "c"}, settings.Settings{}, "", "entire-plumb.remote is c", false, false, false, true, false},
		"none elected for one of its own": {two, own(settings.CheckpointRemote{URL: "https://h/c.git"}), "", "no remote is elected",
			false, false, false, true, false},
	} {
		got := c.remotes.Target(c.settings, "topic")
		if got.Remote != c.remote || (got.Why != "") != (c.why != "") || !strings.HasPrefix(got.Why, c.why) || got.Own != c.own ||
			got.Partial != c.partial || got.Here != c.here || got.Asks != c.asks || got.Wrong != c.wrong {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestRemotesSet: the keys of git's configuration that say something of remotes.
func TestRemotesSet(t *testing.T) {
	r := noRemotes()
	for name, values := range map[string][]string{
		"init.defaultbranch": {"x", "dev"}, "entire-plumb.remote": {"a"}, "entire-plumb.sharewith": {"b", "c"}, "branch.a.b.remote": {"up"},
		"remote.o.x.url": {"u1", "u2"}, "remote.o.pushurl": {"cleared", "", "p"}, "remote.m.mirror": {"true"}, "remote.o.mirror": {"No"},
		"remote.p.promisor": {"1"}, "remote.o.promisor": {"0"}, "remote.pushdefault": {"f"}, "branch.a.b.pushremote": {"pr"},
		"url.https://h/.insteadof": {"gh:"}, "url.ssh://h/.pushinsteadof": {"gh:me/", "x"}, "url.https://h/me/.insteadof": {"gh:mine/", "gh:m"},
	} {
		r.set(name, values)
	}
	if r.Trunk != "dev" || r.Chosen != "a" || !slices.Equal(r.Allowed, []string{"b", "c"}) || r.Upstream["a.b"] != "up" ||
		!slices.Equal(r.URLs["o.x"], []string{"u1", "u2"}) || !slices.Equal(r.PushURLs["o"], []string{"p"}) ||
		!r.Mirrors["m"] || r.Mirrors["o"] || !r.Partial["p"] || r.Partial["o"] || r.PushDefault != "f" || r.PushRemote["a.b"] != "pr" {
		t.Errorf("%+v", r)
	}
	if !r.Allows("b") || r.Allows("o.x") || !r.Is("o.x", "u2") || !r.Is("o", "p") || r.Is("o", "u2") {
		t.Error("a push's remote is known by its name or an address")
	}
	r.URLs["gh"] = []string{"gh:me/r"}
	if !r.Is("gh", "https://h/me/e/r") || !r.Is("gh", "gh:me/r") || !r.Is("gh", "ssh://h/r") || r.Is("gh", "https://h/r") {
		t.Error("git replaces the beginning of an address")
	}
	if got := r.addresses(Target{Remote: "gh"}); !slices.Equal(got, []string{"ssh://h/r"}) {
		t.Errorf("pushed to %q", got)
	}
}

// TestKey: whatever a remote is called, its refs have a name that git takes, and each its own.
func TestKey(t *testing.T) {
	dir := t.TempDir()
	for remote, want := range map[string]string{"origin": "origin", "a/b": "a%2Fb", "-x": "-x", "a b": "a%20b", ".x": "%2Ex", "x.lock": "x%2Elock",
		"a..b": "a%2E.b", "x.": "x%2E", "a@{b": "a%40{b", "@": "%40", "é": "é", "a~^:?*[\\": "a%7E%5E%3A%3F%2A%5B%5C", "v1.2": "v1.2", "me@h": "me@h"} {
		if got := key(remote); got != want {
			t.Errorf("%q: %s", remote, got)
		}
		git(t, dir, "check-ref-format", known+key(remote)+"/heads/v1")
	}
}

// TestSides: the target's branch as it was seen, and each inbox once.
func TestSides(t *testing.T) {
	s := sharingWith(map[string]gitexec.OID{known + "origin/heads/v1": "b", "refs/remotes/origin/entire/checkpoints/v1": "b2",
		known + "origin/inbox/1": "i", known + "origin/inbox/2": "i", known + "origin/inbox/3": "b", known + "other/inbox/1": "x"})
	branch, inboxes := s.View.sides()
	if !slices.Equal(branch, []gitexec.OID{"b", "b2"}) || !slices.Equal(inboxes, []gitexec.OID{"i"}) {
		t.Errorf("%v %v", branch, inboxes)
	}
	own := &Sharing{View: View{Target: Target{Election: Election{Elected: "origin"}, Remote: "https://h/c", Own: true}, refs: s.View.refs}}
	if branch, inboxes = own.View.sides(); len(branch)+len(inboxes) != 0 {
		t.Errorf("of a repository of its own: %v %v", branch, inboxes)
	}
}

func TestTrailsNew(t *testing.T) {
	for name, c := range map[string]struct {
		refs map[string]gitexec.OID
		want bool
	}{
		"none":   {map[string]gitexec.OID{}, false},
		"new":    {map[string]gitexec.OID{Trails: "t", "refs/remotes/origin/entire/trails/v1": "old"}, true},
		"seen":   {map[string]gitexec.OID{Trails: "t", "refs/remotes/origin/entire/trails/v1": "t"}, false},
		"pushed": {map[string]gitexec.OID{Trails: "t", known + "origin/trails": "t"}, false},
	} {
		if got := sharingWith(c.refs).View.trailsNew(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestChanges: changes of the same kind are one, in one sentence.
func TestChanges(t *testing.T) {
	var r Report
	day := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	for _, id := range []string{"a", "b", "a"} {
		r.change(Change{By: "Ada", When: day, Purged: true, Kept: true}, id)
	}
	for _, c := range []Change{{By: "Ada", When: day, Purged: true}, {Purged: true, Accepted: true}, {Kept: true}} {
		r.change(c, "c")
	}
	var said []string
	for _, c := range r.Changes {
		said = append(said, c.Text())
	}
	if want := []string{"2 checkpoints purged by Ada on 2026-01-02: here it stays readable until sync --accept-purge", "1 checkpoint purged by Ada on 2026-01-02",
		"1 checkpoint that others purged: removed here, too", "others have changed 1 checkpoint that were here: they are read as they were"}; !slices.Equal(said, want) {
		t.Errorf("%q", said)
	}
}

// TestReason: one line, git's own where it has one.
func TestReason(t *testing.T) {
	for stderr, want := range map[string]string{
		"warning: x\nfatal: no such host\nmore\n":                                                          "no such host",
		"error: failed to push some refs to 'o'\nERROR: denied\n":                                          "denied",
		"remote: error: GH001\n":                                                                           "GH001",
		"git@h: Permission denied (publickey).\r\nfatal: Could not read from remote repository.\n":         "git@h: Permission denied (publickey).",
		"kex: Connection closed by remote host\nfatal: Could not read from remote repository.\n\nPlease":   "kex: Connection closed by remote host",
		"remote: a\nfatal: unable to access 'http://a:b@c'd@h/x': The requested URL returned error: 403\n": "unable to access 'http://h/x': The requested URL returned error: 403",
	} {
		if got := Reason(t.Context(), &gitexec.Error{Stderr: stderr}); got != want {
			t.Errorf("%q: %q", stderr, got)
		}
	}
	if got := Reason(t.Context(), errors.New("plain")); got != "plain" {
		t.Error(got)
	}
}

// TestShown: no password is printed.
func TestShown(t *testing.T) {
	for remote, want := range map[string]string{"origin": "origin", "https://me:secret@h/r": "https://h/r", "https://h/a@b": "https://h/a@b", "me@h:r": "me@h:r"} {
		if got := (Target{Remote: remote}).Shown(); got != want {
			t.Errorf("%s: %s", remote, got)
		}
	}
}
