package suffix

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testdir"
)

var update = flag.Bool("update", false, "write the cases into docs/streams.md and docs/cases.md")

// texts are file versions whose object IDs are their content, lines parted by "/". An ID that
// begins with "bin:" has no lines, and one that begins with "bad:" cannot be read.
type texts struct{}

func (texts) Lines(e gitexec.Entry) ([]string, bool, error) {
	id := string(e.ID)
	switch {
	case strings.HasPrefix(id, "bad:"):
		return nil, false, errors.New("no such object")
	case e.Mode != gitexec.ModeFile && e.Mode != gitexec.ModeExec || strings.HasPrefix(id, "bin:"):
		return nil, false, nil
	}
	return strings.Split(id, "/"), true, nil
}

var none = gitexec.Entry{}

func text(lines string) gitexec.Entry {
	return gitexec.Entry{Mode: gitexec.ModeFile, ID: gitexec.OID(lines)}
}
func exe(lines string) gitexec.Entry {
	return gitexec.Entry{Mode: gitexec.ModeExec, ID: gitexec.OID(lines)}
}
func link(to string) gitexec.Entry {
	return gitexec.Entry{Mode: gitexec.ModeSymlink, ID: gitexec.OID(to)}
}

func stream(suffix int, changes ...Change) Stream { return Stream{Suffix: suffix, Changes: changes} }

const (
	mine   = "first line of the agent"
	second = "second line of the agent"
	human  = "a line by the human"
)

// files are versions by path.
type files map[gitexec.Path]gitexec.Entry

// now is a worktree in which all of them had the line "base".
func now(f files) Worktree {
	w := Worktree{}
	for path, version := range f {
		w[path] = gitexec.Change{Path: path, Old: text("base"), New: version}
	}
	return w
}

// TestDecide: docs/streams.md has the cases, as worded here.
func TestDecide(t *testing.T) {
	wrote := Change{Path: "a", Before: text("base"), After: text("base/" + mine)}
	wroteB, wroteC := Change{Path: "b", After: text(second)}, Change{Path: "c", After: text(second)}
	ran := Change{Path: "a", Before: text("base"), After: exe("base")}
	gone := Change{Path: "a", Before: none, After: text("other")}
	unreadable := errors.New("gone")
	there := now(files{"a": wrote.After})
	page := "| the streams, and what of them is in the worktree | decision | reason |\n|---|---|---|\n"
	for _, c := range []struct {
		name     string
		streams  []Stream
		worktree Worktree
		want     Decision
	}{
		{"no stream", nil, now(files{"a": text("x")}), Decision{1, true, "no existing suffix"}},
		{"1; nothing is modified", []Stream{stream(1, wrote)}, nil, Decision{2, true, "worktree is clean"}},
		{"1, which cannot be read", []Stream{{Suffix: 1, Err: unreadable}}, now(files{"a": text("x")}), Decision{2, true, "failed to read shadow branch"}},
		{"1; only other files are modified", []Stream{stream(1, wrote)}, now(files{"b": text("x")}), Decision{2, true, "no file overlap with shadow branch"}},
		{"1; a file cannot be compared", []Stream{stream(1, Change{Path: "a", Before: text("base"), After: text("bad:")})}, now(files{"a": text("x")}), Decision{2, true, "failed to compare content"}},
		{"1; its changes, and the human's", []Stream{stream(1, wrote)}, now(files{"a": text("base/" + human + "/" + mine)}), Decision{1, false, "agent's changes still present"}},
		{"1; the human's changes alone", []Stream{stream(1, wrote)}, now(files{"a": text("base/" + human)}), Decision{2, true, "agent's changes not found in worktree"}},
		{"1 and 2; all of 1, and of 2 weak evidence alone", []Stream{stream(1, wrote), stream(2, ran)}, now(files{"a": exe("base/" + mine)}), Decision{1, false, "agent's changes of an earlier stream are back"}},
		{"1 and 2; the changes of 1 alone", []Stream{stream(1, wrote), stream(2, gone)}, there, Decision{1, false, "agent's changes of an earlier stream are back"}},
		{"1, 2 and 3; all of 1, a part of 2", []Stream{stream(1, wrote, wroteB), stream(2, wrote, wroteC), stream(3, gone)}, now(files{"a": wrote.After, "b": text(second)}), Decision{1, false, "agent's changes of an earlier stream are back"}},
		{"1, 2 and 3; as much of 1 as of 2", []Stream{stream(1, wrote), stream(2, wrote), stream(3, gone)}, there, Decision{2, false, "agent's changes of an earlier stream are back"}},
	} {
		if got, _ := Decide(c.streams, c.worktree, texts{}); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		page += fmt.Sprintf("| %s | %s | `%s` |\n", c.name, map[bool]string{true: "new: ", false: "same: "}[c.want.IsNew]+strconv.Itoa(c.want.Suffix), c.want.Reason)
	}
	testdir.Written(t, "../docs/streams.md", "go test ./suffix -run TestDecide -args -update", page, *update)
	for name, c := range map[string]struct {
		streams  []Stream
		worktree Worktree
		want     Decision
	}{
		"present":                              {[]Stream{stream(1, wrote)}, there, Decision{1, false, "agent's changes still present"}},
		"the last of equals":                   {[]Stream{stream(1, wrote), stream(2, wrote)}, there, Decision{2, false, "agent's changes still present"}},
		"the last one, of which less is there": {[]Stream{stream(1, wrote), stream(2, wrote, Change{Path: "x", Before: none, After: text(second)})}, there, Decision{2, false, "agent's changes still present"}},
		"the last one unreadable, an earlier one present": {[]Stream{stream(1, wrote), {Suffix: 2, Err: unreadable}}, there, Decision{1, false, "agent's changes of an earlier stream are back"}},
		"no stream, clean":     {nil, nil, Decision{1, true, NoStream}},
		"no changes":           {[]Stream{stream(1)}, now(files{"b": text("x")}), Decision{2, true, NoOverlap}},
		"the last of several":  {[]Stream{stream(3, wrote), stream(7, wrote)}, there, Decision{7, false, Present}},
		"after the last":       {[]Stream{stream(3), stream(7)}, now(files{"a": text("x")}), Decision{8, true, NoOverlap}},
		"weak evidence alone":  {[]Stream{stream(2, ran)}, now(files{"a": exe("base/" + mine)}), Decision{2, false, Present}},
		"weak evidence of two": {[]Stream{stream(1, ran), stream(2, ran)}, now(files{"a": exe("base/" + mine)}), Decision{2, false, Present}},
		"weak, and later more": {[]Stream{stream(2, ran), stream(3, wrote)}, now(files{"a": exe("base/" + mine)}), Decision{3, false, Present}},
	} {
		if got, _ := Decide(c.streams, c.worktree, texts{}); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestOn: the suffix that a decision comes to on the present base.
func TestOn(t *testing.T) {
	for name, c := range map[string]struct {
		decision  Decision
		next, own int
		want      Decision
	}{
		"a stream of this base":         {Decision{2, false, Present}, 9, 7, Decision{7, false, Present}},
		"a stream of another base":      {Decision{2, false, Present}, 3, 0, Decision{3, false, Present}},
		"so, and there was none here":   {Decision{1, false, Present}, 1, 0, Decision{1, false, Present}},
		"a new one":                     {Decision{4, true, Absent}, 9, 0, Decision{9, true, Absent}},
		"the first one here":            {Decision{4, true, NoOverlap}, 1, 0, Decision{1, true, NoStream}},
		"the first one of all":          {Decision{1, true, NoStream}, 1, 0, Decision{1, true, NoStream}},
		"after streams of other people": {Decision{1, true, NoStream}, 2, 0, Decision{2, true, NoStream}},
	} {
		if got := c.decision.OnBase(c.next, c.own); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestInEffect: docs/cases.md has the cases, as worded here.
func TestInEffect(t *testing.T) {
	page := "| what the agent did; what the file has | is it there? |\n|---|---|\n"
	for _, c := range []struct {
		name   string
		change Change
		now    gitexec.Entry
		want   bool
	}{
		{"any change; the version after it, whose lines are not read", Change{Path: "a", Before: text("bad:1"), After: text("bad:2")}, text("bad:2"), true},
		{"a file deleted; it is absent", Change{Path: "a", Before: text("base"), After: none}, none, true},
		{"a file deleted; it is there again", Change{Path: "a", Before: text("base"), After: none}, text("base"), false},
		{"a new file; it is absent", Change{Path: "a", Before: none, After: text(mine)}, none, false},
		{"a new file; its line, and another", Change{Path: "a", Before: none, After: text(mine)}, text(mine + "/x"), true},
		{"two lines; one of them", Change{Path: "a", Before: none, After: text(mine + "/" + second)}, text("x/" + second), true},
		{"a line; the same in another place", Change{Path: "a", Before: text("base"), After: text("base/" + mine)}, text(mine + "/base"), true},
		{"a line; a longer one with its words", Change{Path: "a", Before: text("base"), After: text("base/" + mine)}, text("base/// " + mine + "x"), false},
		{"a line and a brace; the brace", Change{Path: "a", Before: none, After: text(mine + "/}")}, text("other/}"), false},
		{"a line and `return nil`; `return nil`", Change{Path: "a", Before: none, After: text(mine + "/return nil")}, text("return nil"), false},
		{"a line and `return false, err`; `return false, err`", Change{Path: "a", Before: none, After: text(mine + "/return false, err")}, text("return false, err"), false},
		{"a line and blank ones; blank ones", Change{Path: "a", Before: text("base"), After: text("base//  /" + mine)}, text("base//  "), false},
		{"a brace alone; it is there", Change{Path: "a", Before: text("base"), After: text("base/}")}, text("base/}/" + human), true},
		{"a brace alone; it is absent", Change{Path: "a", Before: text("base"), After: text("base/}")}, text("base/" + human), false},
		{"a blank line alone; none", Change{Path: "a", Before: text("one"), After: text("one/")}, text("one"), false},
		{"a line removed; it is absent", Change{Path: "a", Before: text("one/two"), After: text("one")}, text("one/" + human), true},
		{"two lines removed; one is there again", Change{Path: "a", Before: text("one/two/three"), After: text("one")}, text("one/two"), false},
		{"a line replaced; the human's in its place", Change{Path: "a", Before: text("one/" + human), After: text("one/" + mine)}, text("one/" + second), true},
		{"a brace replaced; the human's line in its place", Change{Path: "a", Before: text("one/}"), After: text("one/" + mine)}, text("one/" + second), false},
		{"a line moved; it is there, with the human's", Change{Path: "a", Before: text("one/two/" + mine), After: text(mine + "/one/two")}, text(mine + "/one/two/" + human), true},
		{"a line moved; it is where it was, with the human's", Change{Path: "a", Before: text("one/two/" + mine), After: text(mine + "/one/two")}, text("one/two/" + mine + "/" + human), false},
		{"mode and a line; the line alone", Change{Path: "a", Before: text("base"), After: exe("base/" + mine)}, text("base/" + mine), true},
		{"mode and a line; the mode alone", Change{Path: "a", Before: text("base"), After: exe("base/" + mine)}, exe("base/" + human), true},
		{"the mode; it is kept, with the human's line", Change{Path: "a", Before: text("base"), After: exe("base")}, exe("base/" + human), true},
		{"the mode; it is undone, with the human's line", Change{Path: "a", Before: text("base"), After: exe("base")}, text("base/" + human), false},
		{"a binary file; the same", Change{Path: "a", Before: none, After: text("bin:1")}, text("bin:1"), true},
		{"a binary file; another", Change{Path: "a", Before: none, After: text("bin:1")}, text("bin:2"), false},
		{"a binary file; a text", Change{Path: "a", Before: none, After: text("bin:1")}, text(mine), false},
		{"a symlink; the same", Change{Path: "a", Before: none, After: link("there")}, link("there"), true},
		{"a symlink; another", Change{Path: "a", Before: none, After: link("there")}, link("elsewhere"), false},
		{"a symlink; a file with the same text", Change{Path: "a", Before: none, After: link("there")}, text("there"), false},
	} {
		got, err := InEffect([]Change{c.change}, gitexec.Change{Old: c.change.Before, New: c.now}, texts{})
		if err != nil || got != c.want {
			t.Errorf("%s: %v, %v, want %v", c.name, got, err, c.want)
		}
		page += fmt.Sprintf("| %s | %s |\n", c.name, map[bool]string{true: "yes", false: "no"}[c.want])
	}
	testdir.Written(t, "../docs/cases.md", "go test ./suffix -run TestInEffect -args -update", page, *update)
	for name, c := range map[string]struct {
		change Change
		now    gitexec.Entry
	}{
		"after": {Change{Path: "a", Before: none, After: text("bad:")}, text("x")}, "now": {Change{Path: "a", Before: none, After: text("x")}, text("bad:")}, "before": {Change{Path: "a", Before: text("bad:"), After: text("x")}, text("y")},
	} {
		if _, err := InEffect([]Change{c.change}, gitexec.Change{Old: c.change.Before, New: c.now}, texts{}); err == nil {
			t.Errorf("%s cannot be read, and there is no error", name)
		}
	}
}

// Several turns on one file are one piece of work. What a later turn undid is evidence if it is back,
// as by a rewind, and the human went on from there; not what the human had undone before that turn.
func TestInEffectOfTurns(t *testing.T) {
	const third, fourth = "a third line of the agent", "a fourth line of the agent"
	turns := []Change{
		{Path: "a", Before: text("base"), After: text("base/" + mine + "/" + third + "/" + fourth)},
		{Path: "a", Before: text("base/" + mine + "/" + third + "/" + fourth + "/" + human), After: text("base/" + human + "/" + second)}, // the human's line came in between
	}
	undone := []Change{turns[0], {Path: "a", Before: text("base"), After: text("base/" + second)}}
	for _, c := range []struct {
		name  string
		turns []Change
		now   string
		want  bool
	}{
		{"the earlier version", turns, "base/" + mine + "/" + third + "/" + fourth, true},
		{"the earlier version, edited", turns, "base/" + mine + "/" + third + "/x", true},
		{"a line of it", turns, "base/" + mine + "/x", true},
		{"the last version in part", turns, "x/" + second, true},
		{"the human's line alone", turns, "base/" + human, false},
		{"the human undid it", undone, "base/" + mine + "/" + third + "/" + fourth + "/x", false},
	} {
		got, err := InEffect(c.turns, gitexec.Change{Old: text("base"), New: text(c.now)}, texts{})
		if err != nil || got != c.want {
			t.Errorf("%s: %v, %v, want %v", c.name, got, err, c.want)
		}
	}
	if whole, err := Whole(turns, text("base/"+mine+"/"+third+"/"+fourth+"/x"), texts{}); whole || err != nil {
		t.Errorf("an earlier version is all that the agent did: %v, %v", whole, err)
	}
}

func TestInEffectPassesOverWhiteSpace(t *testing.T) {
	wrote := []Change{{Path: "a", Before: none, After: text("if  first line of the agent {")}}
	for now, want := range map[string]bool{"\tif first line of the\tagent {  ": true, "if first line/of the agent {": true, "if first line of an agent {": false} {
		if got, err := InEffect(wrote, gitexec.Change{New: text(now)}, texts{}); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", now, got, err, want)
		}
	}
}

// What is committed is nothing that the worktree has.
func TestInEffectBeyondTheCommit(t *testing.T) {
	wrote := []Change{{Path: "a", Before: text("base/" + human), After: text("base/" + mine)}}
	for name, c := range map[string]struct {
		under, now gitexec.Entry
		want       bool
	}{
		"nothing is committed":                 {text("base/" + human), text("base/" + mine + "/x"), true},
		"all is committed":                     {text("base/" + mine), text("base/" + mine + "/x"), false},
		"the removal is committed":             {text("base"), text("base/x"), false},
		"what was added is committed":          {text("base/" + mine + "/" + human), text("base/x"), true}, // the other part is not
		"the mode is committed, the lines not": {exe("base/" + human), exe("base/" + mine + "/x"), true},
	} {
		if got, err := InEffect(wrote, gitexec.Change{Old: c.under, New: c.now}, texts{}); err != nil || got != c.want {
			t.Errorf("%s: %v, %v, want %v", name, got, err, c.want)
		}
	}
	ran := []Change{{Path: "a", Before: text("base"), After: exe("base")}}
	if got, err := InEffect(ran, gitexec.Change{Old: exe("base"), New: exe("base/x")}, texts{}); err != nil || got {
		t.Errorf("the mode is committed: %v, %v", got, err)
	}
}
