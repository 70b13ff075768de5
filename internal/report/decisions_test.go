package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/query"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

func partOf(session string) query.ShownPart {
	var p query.ShownPart
	p.SessionID = session
	return p
}

// TestPlaces: the page's sessions come first, then the chapter's, then those of lines that it moves.
func TestPlaces(t *testing.T) {
	c := &draft{parts: []query.ShownPart{partOf("b"), partOf("c")}, owners: map[checkpoints.Line]*Owner{
		{Session: "z"}: {Kind: Other, Session: "z"}, {Session: "y"}: {Kind: Agent, Session: "y"}, {Session: "a"}: {Kind: Agent, Session: "a"},
		{}: {Kind: Human}}}
	place := places([]*talk{{id: "a"}, {id: "b"}}, c)
	for i, session := range []string{"a", "b", "c", "y", "z"} {
		if place[session] != i {
			t.Errorf("%s is %d", session, place[session])
		}
	}
	if len(place) != 5 {
		t.Errorf("%v", place)
	}
}

// TestAssign: agents before the human, by their place and first turn, each with a mark.
func TestAssign(t *testing.T) {
	human, unknown := &Owner{Kind: Human, Mark: "H"}, &Owner{Kind: Unknown, Mark: "?"}
	late := &Owner{Kind: Agent, Session: "a", Turn: "1", Numbers: []int{9, 7}}
	early := &Owner{Kind: Agent, Session: "a", Turn: "2", Numbers: []int{3}}
	never, other := &Owner{Kind: Agent, Session: "a", Turn: "3"}, &Owner{Kind: Other, Session: "b", Numbers: []int{1, 2, 3}}
	c := &draft{owners: map[checkpoints.Line]*Owner{{Turn: "h"}: human, {Turn: "?"}: unknown, {Turn: "l"}: late, {Turn: "e"}: early,
		{Turn: "n"}: never, {Turn: "o"}: other}}
	c.Files = []File{{Hunks: []Hunk{{Rows: []Row{{Owner: early}, {Owner: early}, {}, {Owner: early}, {Owner: human}}}}}}
	(&reporter{talks: []*talk{{id: "a"}}}).assign(c)
	var marks []string
	for _, o := range c.Owners {
		marks = append(marks, o.Mark)
	}
	if want := []string{"A3", "A7,9", "A", "B1…", "H", "?"}; !slices.Equal(marks, want) {
		t.Errorf("%q, want %q", marks, want)
	}
	var rows []string
	for _, r := range c.Files[0].Hunks[0].Rows {
		rows = append(rows, fmt.Sprint(r.Mark, r.Leads))
	}
	if want := []string{"A3true", "A3false", "false", "A3true", "Htrue"}; !slices.Equal(rows, want) {
		t.Errorf("%q, want %q", rows, want)
	}
}

// TestByPrompt: prompts that were queued are found by themselves, and together.
func TestByPrompt(t *testing.T) {
	turns := []turnOn{{described: "one", queued: true}, {described: "two"}, {described: "three", queued: true}, {described: "one"}}
	by := byPrompt(turns)
	for prompt, want := range map[string][]int{"one": {0, 3}, "two": {1}, "three": {2}, shadow.DescribeBoth("two", "three"): {1, 2},
		shadow.DescribeBoth("one", "two"): nil} {
		if !slices.Equal(by[prompt], want) {
			t.Errorf("%q: %v, want %v", prompt, by[prompt], want)
		}
	}
}

// TestLocate: of equal prompts those of the chapter count; alone, the turns that are found become
// the chapter's.
func TestLocate(t *testing.T) {
	turn := func(number int, prompt string, of ...string) turnOn {
		return turnOn{described: prompt, Turn: Turn{Number: number, ID: fmt.Sprint("t", number), Of: of}}
	}
	for name, c := range map[string]struct {
		turns   []turnOn
		alone   bool
		numbers []int
		lines   []int    // of each turn
		of      []string // each turn's chapters
	}{
		"the chapter's":         {[]turnOn{turn(1, "p", "other"), turn(2, "p", "c")}, false, []int{2}, []int{0, 5}, []string{"other", "c"}},
		"none is the chapter's": {[]turnOn{turn(1, "p", "other"), turn(2, "p", "other")}, false, []int{1, 2}, []int{0, 0}, []string{"other", "other"}},
		"prompts alone":         {[]turnOn{turn(1, "p"), turn(2, "q")}, true, []int{1}, []int{5, 0}, []string{"c", ""}},
		"none found":            {[]turnOn{turn(1, "q")}, false, nil, []int{0}, []string{""}},
	} {
		o := &Owner{Lines: 5}
		elsewhere := &Owner{Lines: 3}
		g := &reporter{chapters: []*draft{{Chapter: Chapter{Name: "c"}, owners: map[checkpoints.Line]*Owner{
			{Session: "s", Prompt: "p"}: o, {Session: "another", Prompt: "q"}: elsewhere}}}}
		g.locate(&talk{id: "s", turns: c.turns, spans: []span{{of: "c"}}}, c.alone)
		var lines []int
		var of []string
		for _, turn := range c.turns {
			lines, of = append(lines, turn.Lines), append(of, strings.Join(turn.Of, " "))
		}
		if !slices.Equal(o.Numbers, c.numbers) || !slices.Equal(lines, c.lines) || !slices.Equal(of, c.of) || elsewhere.On != nil {
			t.Errorf("%s: %v %v %q", name, o.Numbers, lines, of)
		}
	}
}

// TestSpansOfPrompts: a chapter has the turns from the first prompt of its part of a conversation up to its
// last, also where a later chapter is not on the page.
func TestSpansOfPrompts(t *testing.T) {
	one := talk{prompts: make([]string, 4), spans: []span{{of: "early", first: 0, last: 2}, {of: "late", first: 3, last: 4}}}
	var asked []string
	for number := 1; number <= 4; number++ {
		asked = append(asked, strings.Join(one.asked(number), " "))
		one.turns = append(one.turns, turnOn{Turn: Turn{Number: number + 1, Of: []string{"early"}}})
	}
	if want := []string{"early", "early", "", "late"}; !slices.Equal(asked, want) {
		t.Errorf("by prompts %q, want %q", asked, want)
	}
	one.trim(5) // the transcript began a turn before the first prompt that is recorded
	for i, want := range []bool{true, true, false, false} {
		if got := one.turns[i].Here(); got != want {
			t.Errorf("turn %d: %v", i+1, got)
		}
	}
}

// TestDrawn: which lanes a step has, by those before and after it.
func TestDrawn(t *testing.T) {
	for _, c := range []struct {
		before, kind, next string
		paths, x           int
		shape              string
	}{
		{"", "base", Human, 2, trunk, ""}, {"", "base", "commit", 1, trunk, ""}, {"", "base", "", 1, trunk, ""},
		{"base", "commit", "", 1, trunk, ""}, {Agent, "commit", "", 2, trunk, ""}, {Agent, "commit", "checkpoint", 3, trunk, ""},
		{"base", "commit", "checkpoint", 2, trunk, ""},
		{"commit", "checkpoint", "", 1, third - 5, "square"}, {"commit", "checkpoint", "checkpoint", 2, third - 5, "square"},
		{Agent, "waiting", "", 1, branch, ""},
		{"base", Agent, Human, 2, branch, ""}, {"base", Human, Agent, 2, branch - 5, "square"}, {"base", Other, "commit", 2, branch, "diamond"},
	} {
		got := drawn(Step{Kind: c.kind}, c.before, c.next)
		if len(got.Paths) != c.paths || got.X != c.x || got.Shape != c.shape || (got.Diamond != "") != (c.shape == "diamond") {
			t.Errorf("%q %q %q: %+v", c.before, c.kind, c.next, got)
		}
	}
	all := steps([]Step{{Kind: "base"}, {Kind: Agent}})
	if len(all) != 2 || all[1].Paths[1].D != fmt.Sprintf("M%d 0V22", branch) {
		t.Errorf("the last part ends: %+v", all)
	}
	if mid := drawn(Step{Kind: Agent}, "base", "commit"); mid.Paths[1].D != fmt.Sprintf("M%d 0V44", branch) {
		t.Errorf("a part goes on: %+v", mid)
	}
}

// TestOwner: who is the agent of the page, and who another one.
func TestOwner(t *testing.T) {
	line := func(session string) attribution.Author {
		return attribution.Author{Kind: attribution.Agent, Line: checkpoints.Line{Session: session, Turn: "t", Prompt: "a\nb"}}
	}
	for name, c := range map[string]struct {
		author  attribution.Author
		primary string
		kind    string
	}{
		"the page's":      {line("s1"), "s1", Agent},
		"another":         {line("s2"), "s1", Other},
		"no page's":       {line("s2"), "", Agent},
		"the human":       {attribution.Author{Kind: attribution.Human}, "s1", Human},
		"nobody is known": {attribution.Author{Kind: attribution.Unknown, Reason: "x"}, "s1", Unknown},
	} {
		d := &draft{owners: map[checkpoints.Line]*Owner{}}
		o := d.owner(c.author, c.primary)
		if o.Kind != c.kind || d.owner(c.author, c.primary) != o || o.Session != c.author.Session || strings.Contains(o.Prompt, "\n") {
			t.Errorf("%s: %+v", name, o)
		}
		var l Lines
		l.add(o.Kind, 1)
		if l.All() != 1 || l.Agent == 1 != (c.kind == Agent) || l.Unknown == 1 != (c.kind == Unknown) || l.Human == 1 != (c.kind == Human) {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

func TestPrimaryAndShows(t *testing.T) {
	ofSession := &reporter{page: Page{Kind: "session", Name: "s"}, talks: []*talk{{id: "first"}}}
	ofCommit := &reporter{page: Page{Kind: "commit", Name: "s"}, talks: []*talk{{id: "first"}}}
	if ofSession.primary() != "s" || ofCommit.primary() != "first" || (&reporter{}).primary() != "" {
		t.Error(ofSession.primary(), ofCommit.primary())
	}
	if !ofSession.shows("s") || ofSession.shows("first") || !ofCommit.shows("first") {
		t.Error("a page on a session has its conversation alone")
	}
}

// TestListed: files without changes to show, from what checkpoints say.
func TestListed(t *testing.T) {
	part := partOf("s")
	part.FilesTouched = []gitexec.Path{"b", "a", ".entire/metadata/s/prompt.txt"}
	part.InitialAttribution = &checkpoints.InitialAttribution{AgentLines: 4, HumanAdded: 2, HumanModified: 1, Unknown: 5, HumanRemoved: 6}
	c := &draft{parts: []query.ShownPart{part, part}}
	c.listed()
	if len(c.Files) != 2 || c.Files[0].Path != "a" || c.Files[0].What != "touched" || c.Lines != (Lines{Agent: 8, Human: 3, Unknown: 5, Removed: 6}) {
		t.Errorf("%+v %+v", c.Files, c.Lines)
	}
	c = &draft{parts: c.parts, commit: &gitexec.Commit{}}
	if c.listed(); c.Lines != (Lines{}) || len(c.Files) != 2 {
		t.Errorf("of a commit: %+v", c.Lines)
	}
	many := partOf("s")
	for i := range mostFiles + 3 {
		many.FilesTouched = append(many.FilesTouched, gitexec.Path(fmt.Sprint("f", i)))
	}
	c = &draft{parts: []query.ShownPart{many}}
	if c.listed(); len(c.Files) != mostFiles || c.MoreFiles != 3 {
		t.Errorf("%d and %d more", len(c.Files), c.MoreFiles)
	}
}

func TestWhatChanged(t *testing.T) {
	for _, c := range []struct {
		old, now gitexec.Path
		want     string
	}{{"", "a", "added"}, {"a", "", "deleted"}, {"a", "b", "renamed"}, {"a", "a", "changed"}} {
		if got := whatChanged(gitexec.FilePatch{Old: c.old, New: c.now}); got != c.want {
			t.Errorf("%q to %q: %s", c.old, c.now, got)
		}
	}
}

func TestModes(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{gitexec.ModeFile, gitexec.ModeFile, ""}, {gitexec.ModeFile, gitexec.ModeExec, "file → executable"},
		{"", gitexec.ModeFile, ""}, {gitexec.ModeFile, "", ""}, {"", gitexec.ModeExec, "executable"}, {gitexec.ModeSymlink, "", "symlink"},
	} {
		entry := func(mode string) (e gitexec.Entry) {
			if mode != "" {
				e = gitexec.Entry{Mode: mode, ID: "1"}
			}
			return e
		}
		if got := modes(entry(c.before), entry(c.after)); got != c.want {
			t.Errorf("%q to %q: %q", c.before, c.after, got)
		}
	}
}

// TestGraph: a chapter's steps, from its base to its checkpoints.
func TestGraph(t *testing.T) {
	kinds := func(c *draft) (all string) {
		c.graph()
		for _, s := range c.Graph {
			all += s.Kind + " "
		}
		return strings.TrimSpace(all)
	}
	commit := &Commit{ID: "0123456789", Subject: "Subject"}
	c := &draft{Chapter: Chapter{Commit: commit, Checkpoints: []string{"c1"}, Owners: []*Owner{{Kind: Agent, Mark: "A1", Lines: 2, On: []string{"s1-t1"}}, {Kind: Human, Lines: 1}, {Kind: Unknown}}}}
	if got := kinds(c); got != "base agent human unknown commit checkpoint" {
		t.Error(got)
	}
	if c.Graph[0].Label != "base unknown" || c.Graph[1].Label != "A1 an agent, 2 lines" ||
		c.Graph[1].On != "s1-t1" || c.Graph[2].Label != "Human, 1 line" || c.Graph[4].Label != "0123456" {
		t.Errorf("%+v", c.Graph)
	}
	if c = (&draft{base: Step{Kind: "base", Label: "b"}}); kinds(c) != "base commit" || c.Graph[1].Label != "the commit no longer exists" {
		t.Errorf("%+v", c.Graph)
	}
	stream := &draft{stream: &shadow.Stream{}, Chapter: Chapter{Owners: []*Owner{{Kind: Other, Mark: "B2", Session: "s", Turn: "t"}}},
		history: []shadow.Checkpoint{{ID: "1111111"}, {ID: "2222222", Part: shadow.Agent, Session: "s", Turn: "t", Task: "k"}, {ID: "3333333", Part: shadow.Agent, Session: "s", Turn: "u"}}}
	if got := kinds(stream); got != "base human other agent waiting" || stream.Graph[2].Label != "B2 an agent 2222222, a subagent's task" {
		t.Errorf("%s %+v", got, stream.Graph)
	}
	long := &draft{}
	for range mostSteps + 5 {
		long.Owners = append(long.Owners, &Owner{Kind: Human})
	}
	if kinds(long); len(long.Graph) != mostSteps+3 || long.Graph[1+mostSteps/2].Label != "5 more" {
		t.Errorf("%d steps", len(long.Graph))
	}
}

// version is a stored transcript with a name.
type version string

func (v version) WriteTranscript(w io.Writer) error {
	_, err := io.WriteString(w, string(v))
	return err
}

// TestTalkAdd: the version of a transcript with the most prompts is read, and of equal ones the one
// whose part begins last.
func TestTalkAdd(t *testing.T) {
	type part struct {
		version string
		start   int
		prompts []string
	}
	one, two := []string{"a"}, []string{"a", "b"}
	for name, c := range map[string]struct {
		parts []part
		want  string
	}{
		"the first":       {[]part{{"x", 3, one}}, "x"},
		"more prompts":    {[]part{{"x", 3, one}, {"y", 1, two}}, "y"},
		"fewer prompts":   {[]part{{"x", 1, two}, {"y", 3, one}}, "x"},
		"a later part":    {[]part{{"x", 1, one}, {"y", 3, one}}, "y"},
		"an earlier part": {[]part{{"x", 3, one}, {"y", 1, one}}, "x"},
		"the same part":   {[]part{{"x", 3, one}, {"y", 3, one}}, "y"},
		"without one":     {[]part{{"", 3, one}, {"y", 1, one}, {"", 9, two}}, "y"},
	} {
		k := &talk{}
		for _, one := range c.parts {
			p := partOf("s")
			if p.Prompts = one.prompts; one.version != "" {
				p.Stored = version(one.version)
			}
			k.add(&draft{Chapter: Chapter{Name: "c"}}, one.start, p)
		}
		if k.stored != version(c.want) || len(k.spans) != len(c.parts) || k.agent != "" {
			t.Errorf("%s: %v, %v", name, k.stored, k.spans)
		}
	}
	named, k := partOf("s"), &talk{agent: "A"}
	named.Agent, named.Model = "B", "m"
	k.add(&draft{}, 0, named)
	k.add(&draft{}, 1, partOf("s"))
	if k.agent != "B" || k.model != "m" {
		t.Errorf("%+v", k)
	}
}

// TestShorten: a turn outside of the page's subject has the beginning of its prompt.
func TestShorten(t *testing.T) {
	long := strings.Repeat("x", mostBefore+1)
	outside := turnOn{Turn: Turn{Prompt: long, LeftOut: 3, Said: []Words{{Text: "abc"}}}}
	inside := turnOn{Turn: Turn{Prompt: long, Of: []string{"c"}, Said: []Words{{Text: "abc"}}}}
	outside.shorten()
	inside.shorten()
	if outside.Prompt != long[:mostBefore]+"…" || len(outside.Said) != 0 || outside.LeftOut != 0 || inside.Prompt != long || inside.words() != 3 {
		t.Errorf("%.9s %+v, %+v", outside.Prompt, outside.Said, inside.Said)
	}
	if n := inside.strip(); n != 3 || inside.LeftOut != 3 || inside.words() != 0 {
		t.Errorf("%d %+v", n, inside)
	}
}

// TestPage: what the page's head and its turns say.
func TestPage(t *testing.T) {
	page := Page{Branch: "main", Sessions: []Session{{Agent: "A", Model: "m"}, {Agent: "A", Model: "m"}, {}},
		Chapters: []Chapter{{Name: "c", Commit: &Commit{Author: "Ada"}, Files: []File{{Path: "f"}, {Path: "f"}}, MoreFiles: 2}}}
	if got := byline(page); !slices.Equal(got, []string{"on main", "A (m)", "Ada", "0001-01-01 00:00 UTC"}) {
		t.Errorf("%q", got)
	}
	page.Chapters = append(page.Chapters, Chapter{})
	if got := byline(page); got[len(got)-1] != "2 parts" || files(page) != 3 || chapter(page, "c") != "c1" || chapter(page, "x") != "main" ||
		chapterName(Page{Chapters: []Chapter{{Name: "k", Commit: &Commit{ID: "0123456789", Subject: "s"}}}}, "k") != "0123456 s" || chapterName(page, "x") != "x" {
		t.Errorf("%q, %d files", got, files(page))
	}
	here := Turn{Of: []string{"c"}}
	if all := runs([]moment{{}, {Turn: here}, {Turn: here}, {}}); len(all) != 3 || all[0].Here || !all[1].Here || len(all[1].Turns) != 2 {
		t.Errorf("%+v", all)
	}
	if n := turns(Page{Sessions: []Session{{Turns: []Turn{{}, here}}}}); n != 1 {
		t.Error(n)
	}
	busy := Turn{Began: time.Unix(0, 0), Seconds: 61, Lines: 1, Tokens: transcript.Usage{APICallCount: 1, InputTokens: 5, CacheReadTokens: 7}}
	var texts []string
	for _, f := range facts(busy) {
		texts = append(texts, f.Text)
	}
	if want := []string{"1970-01-01 00:00 UTC", "1m1s", "tokens: 5 in, 0 out, 7 cached", "1 line"}; !slices.Equal(texts, want) || len(facts(Turn{})) != 0 {
		t.Errorf("%q", texts)
	}
	if head("a\nb\nc\nd\ne\n") != "a\nb\nc\nd" || long(strings.Repeat("\n", mostLines)) || !long(strings.Repeat("\n", mostLines+1)) || !long(strings.Repeat("x", mostText+1)) {
		t.Errorf("%q", head("a\nb\nc\nd\ne\n"))
	}
}
