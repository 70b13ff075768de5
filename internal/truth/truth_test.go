package main

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

var (
	workflows = flag.Int("workflows", testdir.Times(2, 1), "how many workflows TestWorkflows plays")
	seed      = flag.Uint64("seed", 1, "what they are made from")
)

// TestWorkflows plays a few workflows with the program: git's hooks, the agents' and the commands.
func TestWorkflows(t *testing.T) {
	if testing.Short() {
		t.Skip("plays workflows with real git")
	}
	program, err := os.Executable()
	testdir.Must(t, err)
	total := playAll(plan{seed: *seed, number: 2, dir: t.TempDir(), program: program, steps: 12}, *workflows, 2, "")
	var said strings.Builder
	report(&said, total, *seed)
	if len(total.Failures)+len(total.Errors) > 0 {
		t.Error(said.String())
	}
	if total.Commits < *workflows || total.Lines < 10**workflows || total.Links < *workflows {
		t.Errorf("little was checked:\n%s", said.String())
	}
}

// TestProvide: the directories that a run writes to need not be there.
func TestProvide(t *testing.T) {
	p, out := plan{dir: filepath.Join(t.TempDir(), "a", "b"), program: "p"}, filepath.Join(t.TempDir(), "c")
	if err := p.provide(out); err != nil || !exists(p.dir) || !exists(out) || !filepath.IsAbs(p.program) {
		t.Errorf("%v: %+v, %s", err, p, out)
	}
}

// TestChecksFail: with a program that records nothing, links are missed and lines are wrong.
func TestChecksFail(t *testing.T) {
	w := &world{course: newCourse(), script: &script{}}
	line := lineOwner{Line: 1, Commit: "c", Content: "step 1 line 2 by s1 alpha river"}
	line.Owner.Kind = human
	w.checkLine("c", "f.txt", line)
	line.Owner.Kind, line.Owner.Session = "agent", "s2"
	w.checkLine("c", "f.txt", line)
	line.Owner.Session = "s1"
	w.checkLine("c", "f.txt", line)
	line.Owner.Kind = "unknown"
	w.checkLine("c", "f.txt", line)
	if w.tally.Wrong[wrongLine] != 2 || w.tally.Lines != 4 || w.tally.Unknown != 1 {
		t.Errorf("%+v", w.tally)
	}
	w.ledger.bring(line.Content, human)
	line.Owner.Kind = human
	w.checkLine("c", "f.txt", line)
	if w.tally.Wrong[wrongLine] != 2 || w.tally.Doubtful != 1 {
		t.Errorf("a line that the human moved: %+v", w.tally)
	}
}

// TestAuthors: each style's lines name their author, also where a style has no room for words.
func TestAuthors(t *testing.T) {
	r := newRand(1, 0)
	for _, s := range styles {
		seen := map[string]bool{}
		for n := range 400 {
			who := n % len(authors)
			line := s.line(who, n%100, n+1, r)
			if got, ok := authorOf(line); !ok || got != authors[who] {
				t.Errorf("%s: %q is %s's, not %q's", s.ext, line, authors[who], got)
			}
			if seen[line] {
				t.Errorf("%s: %q is there twice", s.ext, line)
			}
			seen[line] = true
		}
	}
	for _, line := range []string{"}", "", "two", "<<<<<<< HEAD", "12"} {
		if who, ok := authorOf(line); ok {
			t.Errorf("%q is %s's", line, who)
		}
	}
}

func TestSignificant(t *testing.T) {
	for line, want := range map[string]bool{"step 1 line 2 by s1": true, "a1b": false, "甲写天": true, "12345": false, "123456": true} {
		if significant(line) != want {
			t.Errorf("%q: %t", line, !want)
		}
	}
}

// TestRuns: what two versions have in common, and what differs, are both versions together.
func TestRuns(t *testing.T) {
	r := newRand(2, 0)
	for range 200 {
		n := 0
		fresh := func() string { n++; return styles[0].line(n%3, 1, n, r) }
		old := several(r, fresh)
		now := old
		for range 4 {
			now = pick(r, edits)(r, now, fresh)
		}
		var before, after []string
		for _, run := range runs(old, now) {
			before, after = append(before, run.old...), append(after, run.now...)
			if run.same != slices.Equal(run.old, run.now) {
				t.Errorf("%+v", run)
			}
		}
		if !slices.Equal(before, old) || !slices.Equal(after, now) {
			t.Errorf("%q and %q are %q and %q", old, now, before, after)
		}
		for _, line := range partOf(r, old, now) {
			if !slices.Contains(old, line) && !slices.Contains(now, line) {
				t.Errorf("%q is in no version", line)
			}
		}
	}
}

// TestResolved: no line comes back that our side took out, and none is there twice.
func TestResolved(t *testing.T) {
	marked := strings.Fields("a <<<<<<< ours ======= gone theirs >>>>>>> z")
	got := resolved(marked, strings.Fields("a gone z"), strings.Fields("a ours z"), strings.Fields("a gone theirs z"))
	if want := strings.Fields("a ours theirs z"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestLedger: who takes a line out, or brings one, is known beside its author.
func TestLedger(t *testing.T) {
	const mine, theirs, other = "step 1 line 1 by human a b", "step 1 line 2 by s1 a b", "step 1 line 3 by s2 a b"
	l := newLedger()
	l.changed("s2", files{"f": join([]string{mine, theirs})}, files{"f": join([]string{mine, other}), "g": join([]string{theirs})}, "", "")
	if !l.doubtful(theirs) || l.doubtful(mine) || l.doubtful(other) || !l.may(theirs, "s1") || !l.may(theirs, "s2") || l.may(theirs, human) {
		t.Errorf("%+v", l)
	}
	l.changed(human, files{"f": join([]string{mine, other})}, files{"g": join([]string{other})}, "f", "g")
	if l.doubtful(other) || !l.removed[place{"f", mine}][human] || !l.removed[place{"f", theirs}]["s2"] || l.removed[place{"f", mine}]["s2"] {
		t.Errorf("a rename: %+v", l)
	}
}

// TestOps: operations are chosen by their weights, all of them.
func TestOps(t *testing.T) {
	r := newRand(3, 0)
	count := map[string]int{}
	all := slices.Concat(ops, further)
	for range 20_000 {
		count[choose(r, all).name]++
	}
	for _, o := range all {
		if count[o.name] == 0 {
			t.Errorf("%s was never chosen", o.name)
		}
	}
	if count["turn"] < 3*count["revert"] {
		t.Errorf("%v", count)
	}
}

func TestAlike(t *testing.T) {
	for b, want := range map[text]bool{"a\nb\nc\nd\n": true, "a\nb\nx\ny\n": true, "a\nx\ny\nz\n": false, "": false, "a\na\na\na\n": false} {
		if alike("a\nb\nc\nd\n", b) != want {
			t.Errorf("%q: %t", b, !want)
		}
	}
}

func TestQuoted(t *testing.T) {
	if got := quoted([]string{"a", "it's", "two words", ""}); got != "a 'it''s' 'two words' ''" {
		t.Error(got)
	}
}

// TestStrict: by the laws a line that somebody moves is its author's alone; a copy may be either's.
func TestStrict(t *testing.T) {
	const mine, theirs = "step 1 line 1 by human a b", "step 1 line 2 by s1 a b"
	l := newLedger()
	l.strict = true
	before := files{"f": join([]string{mine, theirs}), "g": join([]string{mine})}
	l.changed("s2", before, files{"f": join([]string{mine}), "g": join([]string{theirs})}, "", "")
	if l.doubtful(theirs) || l.doubtful(mine) {
		t.Errorf("a move: %+v", l)
	}
	l.changed("s2", before, files{"f": join([]string{mine, theirs}), "g": join([]string{theirs})}, "", "")
	if !l.may(theirs, "s2") || !l.may(theirs, "s1") || l.may(theirs, human) {
		t.Errorf("a copy: %+v", l)
	}
	if !l.may(theirs+"  \r", "s2") || !l.doubtful("\t"+theirs) || l.doubtful("\t"+mine) {
		t.Errorf("a copy in another form: %+v", l)
	}
}

// TestKey: a line's form makes no other line of it, and no other author.
func TestKey(t *testing.T) {
	for _, s := range styles {
		line := s.line(2, 3, 4, newRand(1, 1))
		for _, formed := range []string{"    " + line, line + "  ", line + "\r", "\t" + line} {
			who, ok := authorOf(formed)
			if !ok || who != authors[2] || key(formed) != key(line) {
				t.Errorf("%q: %q %q", formed, who, key(formed))
			}
		}
	}
	if key("a b") == key("a c") {
		t.Error("two lines are one")
	}
}

// TestLight: which added lines that the parents have elsewhere are too short to be evidence, alone or
// together.
func TestLight(t *testing.T) {
	known := map[string]bool{"abc": true, "def": true, "gh": true, "abcdef": true}
	for name, c := range map[string]struct {
		added []numbered
		want  []string
	}{
		"one alone":                  {[]numbered{{3, "abc"}}, []string{"abc"}},
		"in another form":            {[]numbered{{3, "  a bc"}}, []string{"  a bc"}},
		"one that is new":            {[]numbered{{3, "xyz"}}, nil},
		"two together":               {[]numbered{{3, "abc"}, {4, "def"}}, nil},
		"two that are too short":     {[]numbered{{3, "abc"}, {4, "gh"}}, []string{"abc", "gh"}},
		"two apart":                  {[]numbered{{3, "abc"}, {5, "def"}}, []string{"abc", "def"}},
		"two with a new one between": {[]numbered{{3, "abc"}, {4, "xyz"}, {5, "def"}}, []string{"abc", "def"}},
		"one that is evidence":       {[]numbered{{3, "abcdef"}, {5, "gh"}}, []string{"gh"}},
	} {
		if got := light(c.added, known); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
