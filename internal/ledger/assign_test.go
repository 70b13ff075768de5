package ledger

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A story is what becomes of files, a line for each version: who made it, the file, and its lines.
// It is made from the version before. "base" is a version that stood before; "= f" says whose the
// lines of the last version are, "by f" by which rules they were found, "fresh f" which of them its
// first version doesn't have. A file may have conditions: "(gone g)" a file that is taken away at
// the same time, "(other 1)" an older version, by number from 1 (0: it lacks the file), that is
// another base, "(side 1)" one that git puts together with this one, "(from 1)" the version that it
// is made from.
type story struct{ name, text string }

var stories = []story{
	{"a new line", `
base  f | first old line | last old line
s1    f | first old line | written by one | last old line
=     f | base s1 base`},
	{"a new file", `
s1    f | written by one | and this as well
=     f | s1 s1`},
	{"two turns and the human", `
base  f | first old line
s1    f | first old line | written by one
human f | written by hand | first old line | written by one
s2    f | written by hand | first old line | written by one | written by two
=     f | human base s1 s2`},
	{"the human's in place of another", `
base  f | first old line | second old line
human f | first old line | quite another one | and one more
=     f | base modified human`},
	{"white space changes no author", `
s1    f | func parse() { | x := 1 | }
human f |   func parse()   { | 	x := 1 | }
=     f | s1 s1 s1`},
	{"a wrapped block, indented", `
s1    f | total := count(lines) | report(total)
human f | if verbose { | 	total := count(lines) | 	report(total) | }
=     f | human s1 s1 human`},
	{"a known version charges nobody", `
base  f | first old line
s1    f | first old line | written by one
human f | first old line
s2    f | first old line | written by one
=     f | base s1`},
	{"a line that comes back beside new ones", `
base  f | first old line
s1    f | first old line | written by one
human f | first old line
human f | first old line | something new | written by one
=     f | base human s1`},
	{"short lines come back together", `
base  f | first old line
s1    f | first old line | one | two
human f | first old line
human f | first old line | something new | one | two
=     f | base human s1 s1`},
	{"a short line alone is new", `
base  f | first old line
s1    f | first old line | one
human f | first old line
human f | first old line | something new | one
=     f | base human human`},
	{"short lines are sorted", `
base  f | out | in
s1    f | out | in | fast | all
s2    f | all | fast | in | out
=     f | s1 s1 base base`},
	{"a line that is there twice changes its place", `
base  f | body starts | weight is normal | style is normal | type starts | weight is normal
s1    f | body starts | style is normal | weight is normal | type starts | weight is normal
=     f | base base base base base`},
	{"equal lines of two authors change their places", `
base  f | weight is normal | type starts | size is small | size is large | type ends
s1    f | weight is normal | type starts | size is small | size is large | type ends | weight is normal
human f | type starts | size is small | weight is normal | weight is normal | size is large | type ends
=     f | base base human human base base`},
	{"a short line changes its place beside a new one", `
base  f | first old line
s1    f | first old line | one | two
s2    f | two | something new | first old line | one
=     f | s2 s2 base s1`},
	{"a common line comes back beside one that does", `
base  f | first old line
s1    f | first old line | written by one | }
human f | first old line
human f | first old line | something new | written by one | }
=     f | base human s1 s1`},
	{"a common line alone is new", `
base  f | first old line
s1    f | first old line | }
human f | first old line
human f | first old line | something new | }
=     f | base human human`},
	{"a line that still stands elsewhere was written anew", `
base  f | first old line
s1    f | first old line | written by one
human f | first old line | written by one | written by one
=     f | base s1 human`},
	{"one line becomes three", `
s1    f | result := combine(first, second)
human f | result := combine( | 	first, | 	second, | )
=     f | s1 s1 s1 s1`},
	{"three lines become one", `
s1    f | result := combine( | 	first, | 	second, | )
human f | result := combine(first, second)
=     f | s1`},
	{"other quotes, and a semicolon", `
s1    f | const name = 'parser'
human f | const name = "parser";
=     f | s1`},
	{"a line like the others between lines in other quotes", `
s1    f | const alpha = read('one', 1); | const beta = read('two', 2);
human f | const alpha = read('one', 1); | const gamma = read('six', 6); | const beta = read('two', 2);
s2    f | const alpha = read("one", 1); | const gamma = read("six", 6); | const delta = read("new", 7); | const beta = read("two", 2);
=     f | s1 human s2 s1`},
	{"a word more is a new line", `
s1    f | result := combine(first, second)
human f | result := combine(first, second, third)
=     f | modified`},
	{"a word less is a new line", `
s1    f | result := combine(first, second)
human f | result := combine(first)
=     f | modified`},
	{"a paragraph is filled again", `
s1    f | // The parser reads one line | // at a time, and stops | // at the first error.
human f | // The parser reads one | // line at a time, and stops at | // the first error.
=     f | s1 s1 s1`},
	{"lines of two joined", `
s1    f | alpha beta gamma
s2    f | alpha beta gamma | delta
human f | alpha beta gamma delta
=     f | s1`},
	{"a file under another name", `
s1    f | written by one | and this as well
human g (gone f) | written by one | and this as well | by hand
=     g | s1 s1 human`},
	{"half of a file under another name", `
s1    f | first of one | second of one | third of one | fourth of one
human g (gone f) | first of one | by hand only | second of one
=     g | s1 human s1`},
	{"less than half is another file", `
s1    f | first of one | second of one | third of one
human g (gone f) | by hand only | first of one
=     g | human human`},
	{"a copy is new", `
s1    f | first of one | second of one
human g | first of one | second of one
=     g | human human`},
	{"a block is moved to another file", `
s1    f | keep this line | first of one | second of one | third of one | }
base  g | old line of g
human f | keep this line
human g | old line of g | first of one | second of one | third of one | }
=     g | base s1 s1 s1 s1`},
	{"two lines that another file had, too, are no block", `
s1    f | keep this line | first of one | second of one
s2    h | first of one | second of one
base  g | old line of g
human f | keep this line
human g | old line of g | first of one | second of one
=     g | base human human`},
	{"a line that one file alone had is moved", `
s1    f | keep this line | first of one
base  g | old line of g
human f | keep this line
human g | old line of g | first of one
=     g | base s1`},
	{"but not one that was gone from there before", `
s1    f | keep this line | first of one
base  g | old line of g
human f | keep this line
human f | keep this line | and this
human g | old line of g | first of one
=     g | base human`},
	{"and once", `
s1    f | keep this line | first of one
base  g | old line of g
human f | keep this line
human g | old line of g | first of one
human h | another | first of one
=     h | human human`},
	{"short lines are moved together", `
s1    f | keep this line | one | two | six
base  g | old line of g
human f | keep this line
human g | one | two | six | old line of g
=     g | s1 s1 s1 base`},
	{"but not one alone", `
s1    f | keep this line | one
base  g | old line of g
human f | keep this line
human g | one | old line of g
=     g | human base`},
	{"nor two that another file had, too", `
s1    f | keep this line | one | two
s2    h | one | two
base  g | old line of g
human f | keep this line
human g | one | two | old line of g
=     g | human human base`},
	{"a block that stands where it was is copied", `
s1    f | first of one | second of one | third of one
base  g | old line of g
human g | old line of g | first of one | second of one | third of one
=     g | base human human human`},
	{"moved within a file", `
base  f | first old line | second old line
s1    f | first old line | one of one | two of one | second old line
human f | first old line | second old line | one of one | two of one
=     f | base base s1 s1`},
	{"a line of another base", `
base  f | first old line
s1    f | first old line | written by one
s2    f (from 1) | first old line | written by two
human f (other 2) | first old line | written by one | written by two
=     f | base s1 s2`},
	{"short lines of another base together", `
base  f | first old line
s1    f | first old line | one | two
s2    f (from 1) | first old line | written by two
human f (other 2) | first old line | written by two | one | two
=     f | base s2 s1 s1`},
	{"a short one alone is new", `
base  f | first old line
s1    f | first old line | one
s2    f (from 1) | first old line | written by two
human f (other 2) | first old line | written by two | one
=     f | base s2 human`},
	{"a short line of a side", `
base  f | first old line
s1    f | first old line | one
s2    f (from 1) | first old line | written by two
human f (side 2) | first old line | written by two | one
=     f | base s2 s1`},
	{"a short line more often than a side has it", `
base  f | first old line | one
s1    f | first old line | one | one
s2    f (from 1) | first old line | one | written by two
human f (side 2) | first old line | one | written by two | one | one
=     f | base base s2 s1 human`},
	{"a short line that the version before has, too", `
base  f | first old line | one
s1    f | first old line | one | written by one
s2    f (from 1) | first old line | one | written by two
human f (side 2) | first old line | one | written by two | one
=     f | base base s2 human`},
	{"a common line of another base is new", `
base  f | first old line
s1    f | first old line | }
s2    f (from 1) | first old line | written by two
human f (other 2) | first old line | written by two | by hand | }
=     f | base s2 human human`},
	{"blank lines beside what came back", `
base  f | first old line
s1    f | first old line | written by one
human f | first old line
human f | first old line | by hand | written by one | {} | }
=     f | base human s1 s1 s1`},
	{"an idiom is no evidence", `
base  f | first old line
s1    f | first old line | return nil, err
human f | first old line
human f | first old line | quite another | return nil, err
=     f | base human human`},
	{"characters of which there are thousands weigh more", `
base  f | 第一行
s1    f | 第一行 | 解析器
human f | 第一行
human f | 第一行 | 另一个 | 解析器
=     f | base human s1`},
	{"a function after another one keeps its own brace", `
base  f | func one() { | return | }
s1    f | func one() { | return | } | func two() { | return | }
=     f | base base base s1 s1 s1`},
	{"fresh lines", `
base  f | first old line | second old line
human f | second old line | first old line | quite new
fresh f | old old new`},
	{"formatted lines are not fresh", `
base  f | result := combine(first, second)
human f | result := combine( | 	first, | 	second, | ) | quite new
fresh f | old old old old new`},
}

// corners are stories that docs/cases.md leaves out.
var corners = []story{
	{"a brace after a line that comes back", `
base  f | first old line
s1    f | first old line | written by one
human f | first old line
human f | first old line | written by one | }
=     f | base s1 s1`},
	{"a brace before a line that comes back", `
base  f | first old line
s1    f | first old line | written by one
human f | first old line
human f | first old line | } | written by one
=     f | base s1 s1`},
	{"a brace that stood there keeps its owner", `
s2    f | first old line | written by one
s1    f | first old line | }
human f | first old line | written by one | }
=     f | s2 s2 s1`},
	{"a brace beside new lines is new", `
base  f | first old line
human f | first old line | } | quite another line | }
=     f | base human human human`},
	{"a line that comes back twice is new once", `
base  f | first old line
s1    f | first old line | written by one | next to it
s2    f | first old line | quite another | written by one
human f | first old line
human f | written by one | next to it | first old line
=     f | s1 s1 base`},
	{"a block is moved with a line that still stands", `
s1    f | first line of one | second line of one | keep this line | third line of one | fourth line of one | fifth line of one
base  g | old line of g
human f | keep this line
human g | old line of g | first line of one | second line of one | keep this line | third line of one | fourth line of one | fifth line of one
=     g | base s1 s1 human s1 s1 s1`},
	{"a block is moved with lines like others that stay", `
s1    f | keep this line | is it nothing | first line of one | second line of one | is it nothing | third line of one | is it nothing
base  g | old line of g
human f | keep this line | is it nothing
human g | old line of g | first line of one | second line of one | is it nothing | third line of one | is it nothing
=     g | base s1 s1 s1 s1 s1`},
	{"a brace that still stands moves with a block", `
s1    f | keep this line | first line of one | } | second line of one | third line of one
base  g | old line of g
human f | keep this line | }
human g | old line of g | first line of one | } | second line of one | third line of one
=     g | base s1 s1 s1 s1`},
	{"lines that very many files have are not moved", `
s1    f | keep this line | first line of one | second line of one | third line of one
s2    h | first line of one | second line of one | third line of one
s3    i | first line of one | second line of one | third line of one
base  g | old line of g
human f | keep this line
human g | old line of g | first line of one | second line of one | third line of one
=     g | base human human human`},
	{"words of two owners, as many of each", `
s1    f | alpha beta
s2    f | alpha beta | gamma delta
human f | alpha beta gamma delta
=     f | s1`},
	{"words of two owners, more of the later one", `
s1    f | alpha beta
s2    f | alpha beta | gamma delta epsilon
human f | alpha beta gamma delta epsilon
=     f | s2`},
	{"a common line in another form is new", `
s1    f | x = 1 | x = 1 | alpha beta gamma
human f | alpha beta gamma delta | x = 1
=     f | human s1`},
	{"a block that is gone from its file for longer comes from there", `
s1    f | keep this line | first of one | second of one | third of one
base  g | old line of g
human f | keep this line
human f | keep this line | and this
human g | old line of g | first of one | second of one | third of one
=     g | base s1 s1 s1`},
	{"one of two equal lines changes its place, and the other is removed", `
s1    f | alpha beta gamma | alpha beta gamma | delta epsilon | delta epsilon
human f | delta epsilon | alpha beta gamma | alpha beta gamma
=     f | s1 s1 s1`},
	{"a known version charges nobody, for a short line alone", `
base  f | first old line
s1    f | first old line | one
human f | first old line
s2    f | first old line | one
=     f | base s1`},
	{"braces change places", `
s1    f | { | })
s2    f | }) | {
=     f | s1 s2`},
	{"another base's line above the same one that stands", `
base  f | ab | first second | x = 1 | x = 1
human f | first second | x = 1 | x = 1
human f (other 1) | first second | first second | x = 1 | x = 1
=     f | base human base base`},
	{"a brace is no evidence of another base's lines", `
s1    f | by hand here | one
base  f | by | hand here | one | one | by hand here
human f (other 1) | by hand here | by hand here | one
=     f | base base human`},
	{"a list is sorted, and gets a brace", `
s1    f | one | two | six
human f | six | two | { | one
=     f | s1 s1 s1 s1
by    f | order back beside back`},
	{"a list is sorted, and gets a line", `
s1    f | one | two | six
human f | six | two | by hand here | one
=     f | s1 human human human`},
	{"a block is in another file twice", `
s1    f | keep this line | first of one | second of one | third of one
s2    f | keep this line | first of one | second of one | third of one | first of one | second of one | third of one
base  g | old line of g
human f | keep this line
human g | old line of g | first of one | second of one | third of one
=     g | base s1 s1 s1`},
	{"a line of another base, below a new one", `
base  f | first old line
s1    f | written by one | first old line
s2    f (from 1) | first old line | written by two
human f (other 2) | by hand here | written by one | first old line | written by two
=     f | human s1 base s2`},
	{"short lines of another base, the first one twice", `
base  f | first old line
s1    f | one | two | first old line
s2    f (from 1) | first old line | written by two
human f (other 2) | one | by hand here | one | two | first old line | written by two
=     f | human human s1 s1 base s2
by    f | new new other other order order`},
	{"a line that three files have had does not come back", `
s1    f | keep this line | written by one
base  g | written by one
base  h | written by one
human f | keep this line
human f | keep this line | by hand here | written by one
=     f | s1 human human`},
	{"another base lacks the file", `
base  f | first old line
s1    f (other 0) (side 0) | first old line | written by one
=     f | base s1`},
	{"a short line that others like it are of is no evidence", `
s1    f | keep this line | one | two
base  g | old line of g
human f | keep this line | one
human g | old line of g | one | two
=     g | base human human`},
	{"a short line that others like it are of moves with a block", `
s1    f | keep this line | one | two | six
base  g | old line of g
human f | keep this line | one
human g | old line of g | one | two | six
=     g | base s1 s1 s1`},
	{"a short line below others that repeat is new", `
s1    f | x = 1 | } | }
human f | } | } | x = 1
=     f | s1 s1 human`},
	{"a long line below others that repeat", `
s1    f | written by one | } | }
human f | } | } | written by one
=     f | s1 s1 s1
by    f | order order form`},
	{"a line that stands is no part of another one", `
s1    f | ab | ab
human f | ab | ab ab
=     f | s1 modified`},
	{"a line that stands is not formed", `
s1    f | one
s2    f | one | one;
human f | one | one
=     f | s1 s2
by    f | order form`},
	{"a line is joined above one that is formed", `
s1    f | beta | ab | ab
human f | beta ab | ab;
=     f | s1 s1
by    f | form form`},
	{"two lines became one, and one of them stands", `
s1    f | ab | one
human f | ab one | ab;
=     f | modified s1
by    f | new form`},
	{"braces in another form are not compared", `
s2    f | { | two | two
s1    f | {; | two | two | two
human g | { | two
s1    f | {; two | two
=     f | s1 s2
by    f | form order`},
	{"braces in another form are not compared, from one of two", `
human f | { | gamma
s1    f | { | gamma;
s2    f (from 2) | {; | gamma | gamma;;
=     f | human human s2
by    f | beside form new`},
	{"what git puts together, as often as a side has it", `
base  f | first old line
s1    f | first old line | ab | cd
human f | first old line
human f (side 2) | first old line | quite new | ab | ab
=     f | base human s1 human`},
}

func TestAssign(t *testing.T) {
	for _, s := range slices.Concat(stories, corners, evidence) {
		t.Run(s.name, func(t *testing.T) { s.play(t) })
	}
}

// play plays a story, and returns the rules by which the last version's lines were found.
func (s story) play(t *testing.T) (found []Rule) {
	b, made := New(), map[string][]*Version{}
	number := func(path string, n int) *Version {
		if n == 0 { // it lacks the file
			return nil
		}
		return made[path][n-1]
	}
	for at, text := range strings.Split(strings.TrimSpace(s.text), "\n") {
		head, lines, _ := strings.Cut(text, " | ")
		words := strings.Fields(head)
		who, path := words[0], words[1]
		content := strings.ReplaceAll(lines, " | ", "\n") + "\n"
		blob := fmt.Sprint(content) // equal content is the same version
		switch who {
		case "=":
			v := last(made[path])
			if found = v.Rules; names(v.Owners) != lines {
				t.Errorf("%s: %s, want %s", path, names(v.Owners), lines)
			}
		case "by":
			var by []string
			for _, r := range last(made[path]).Rules {
				by = append(by, ruleNames[r])
			}
			if got := strings.Join(by, " "); got != lines {
				t.Errorf("%s: by %s, want %s", path, got, lines)
			}
		case "fresh":
			v, got := made[path][len(made[path])-1], []string{}
			for _, fresh := range b.Fresh(v, made[path][0], nil) {
				got = append(got, map[bool]string{true: "new", false: "old"}[fresh])
			}
			if got := strings.Join(got, " "); got != lines {
				t.Errorf("%s: %s, want %s", path, got, lines)
			}
		case "base":
			made[path] = append(made[path], b.Add(path, blob, []byte(content), Base))
		default:
			step := Step{Nearest: last(made[path]), Charge: func(_ int, replaces bool) Owner { return owner(who, replaces) }}
			step.Beside = func(path string) (was *Version, now Text, known bool) {
				if was = last(made[path]); was != nil {
					now = was.Text
				}
				if len(made[path]) > 1 {
					was = made[path][len(made[path])-2]
				}
				return was, now, true
			}
			for i, w := range words {
				n := 0
				switch fmt.Sscanf(words[min(i+1, len(words)-1)], "%d", &n); w {
				case "(gone":
					step.Gone = append(step.Gone, last(made[strings.TrimSuffix(words[i+1], ")")]))
				case "(other":
					step.Others = append(step.Others, number(path, n))
				case "(side":
					step.Sides = append(step.Sides, number(path, n))
				case "(from":
					step.Nearest = number(path, n)
				}
			}
			made[path] = append(made[path], b.Assign(path, blob, []byte(content), step))
		}
		if at > 100 {
			t.Fatal("a story is short")
		}
	}
	return found
}

func last(of []*Version) *Version {
	if len(of) == 0 {
		return nil
	}
	return of[len(of)-1]
}

var ruleNames = strings.Fields("open order other form back side moved beside new")

var people = []string{"base", "human", "modified", "unknown", "s1", "s2", "s3"}

func owner(who string, replaces bool) Owner {
	o := Owner(slices.Index(people, who))
	if o == Human && replaces {
		return Modified
	}
	return o
}

func names(owners []Owner) string {
	var all []string
	for _, o := range owners {
		all = append(all, people[o])
	}
	return strings.Join(all, " ")
}

// TestPending: what the human seems to have written while a turn was in progress is the turn's, if
// that proves to have brought it, in every version that has it.
func TestPending(t *testing.T) {
	const turn = FirstTurn
	b := New()
	before := b.Add("f", "0", []byte("old\n"), Base)
	charge := func(int, bool) Owner { return b.Pending(Human) }
	seen := b.Assign("f", "1", []byte("old\nby the human\nby the turn\n"), Step{Nearest: before, Charge: charge})
	later := b.Assign("f", "2", []byte("old\nby the human\nby the turn\nmore\n"), Step{Nearest: seen, Charge: func(int, bool) Owner { return Human }})
	b.Claim(seen, Step{Nearest: b.Add("f", "3", []byte("old\nby the human\n"), Base)}, turn)
	for _, v := range []*Version{seen, later} {
		for line, want := range []Owner{Base, Human, turn, Human}[:len(v.Owners)] {
			if got := b.Resolve(v.Owners[line]); got != want {
				t.Errorf("version %s, line %d: %d, want %d", v.Blob, line, got, want)
			}
		}
	}
	formed := b.Assign("f", "4", []byte("old\nby the human\nby the turn\nread('one more', 1)\n"), Step{Nearest: seen, Charge: charge})
	quoted := b.Assign("f", "5", []byte("old\nby the human\nby the turn\nread(\"one more\", 1)\n"), Step{Nearest: formed})
	if b.Claim(quoted, Step{Nearest: formed}, turn); b.Resolve(quoted.Owners[3]) != Human {
		t.Error("a turn takes a line whose form it changes")
	}
	if b.Claim(seen, Step{}, turn+1); b.Resolve(seen.Owners[2]) != turn {
		t.Error("another turn takes a line that is settled")
	}
}

// TestPendingAlone: a version whose one line waits is claimed, wherever it stands.
func TestPendingAlone(t *testing.T) {
	for name, text := range map[string]string{"alone": "by the turn\n", "first": "by the turn\nold\n", "first of three": "by the turn\nold\nolder\n"} {
		b := New()
		before := b.Add("f", "0", []byte(strings.TrimPrefix(text, "by the turn\n")), Base)
		v := b.Assign("f", "1", []byte(text), Step{Nearest: before, Charge: func(int, bool) Owner { return b.Pending(Modified) }})
		if b.Claim(v, Step{Nearest: before}, FirstTurn); b.Resolve(v.Owners[0]) != FirstTurn {
			t.Errorf("%s: it is %d's", name, b.Resolve(v.Owners[0]))
		}
		renamed := b.Assign("g", "1", []byte(text+"written by hand in g\n"), Step{Charge: func(int, bool) Owner { return b.Pending(Human) }})
		if b.Claim(renamed, Step{Gone: []*Version{v}}, FirstTurn); b.Resolve(renamed.Owners[0]) != Human {
			t.Errorf("%s: the turn takes a line that its file had under another name", name)
		}
	}
}

// TestDrop: of the old lines beside new ones those are dropped that these don't replace.
func TestDrop(t *testing.T) {
	for _, c := range []struct{ old, now, charged, dropped string }{
		{"a1 a2 a3", "a1 x1 a3", "x1 replaces", ""},
		{"a1 a2 a3 a4", "a1 x1 a4", "x1 replaces", "a3"},
		{"a1 a2 a3 a4", "a1 x1 x2 x3 a4", "x1 replaces, x2 replaces, x3", ""},
		{"a1 a2 a3", "a1 x1", "x1 replaces", "a3"},
		{"a1", "x1 a1 x2", "x1, x2", ""},
		{"a1 a2 a3 a4", "x1 a2 x2", "x1 replaces, x2 replaces", "a4"},
		{"", "x1", "x1", ""},
	} {
		b := New()
		lines := strings.Fields(c.now)
		var charged, dropped []string
		var before *Version
		if c.old != "" {
			before = b.Add("f", "0", []byte(strings.ReplaceAll(c.old, " ", "\n")), Base)
		}
		b.Assign("f", "1", []byte(strings.Join(lines, "\n")), Step{Nearest: before,
			Charge: func(line int, replaces bool) Owner {
				text := lines[line]
				if replaces {
					text += " replaces"
				}
				charged = append(charged, text)
				return Human
			},
			Drop: func(id ID) { dropped = append(dropped, b.Line(id)) }})
		if got := strings.Join(charged, ", "); got != c.charged || strings.Join(dropped, " ") != c.dropped {
			t.Errorf("%q to %q: %q is new, %q is dropped", c.old, c.now, got, dropped)
		}
	}
}

// TestRecordSince: of a version that is known, lines of the base, and those whose owner is still to
// be asked for, may be recorded; others keep their owner.
func TestRecordSince(t *testing.T) {
	b := New()
	const one, two = FirstTurn, FirstTurn + 1
	b.Add("f", "1", []byte("one\ntwo\nthree\nfour\n"), Base, FirstPlace+7, Human, one)
	v := b.Record("f", "1", nil, []Owner{two, two, two, two, two}, Step{})
	if want := []Owner{two, two, Human, one}; !slices.Equal(v.Owners, want) {
		t.Errorf("%v, want %v", v.Owners, want)
	}
	if b.Record("f", "1", nil, []Owner{Base, Base}, Step{}); v.Owners[0] != two {
		t.Errorf("what is recorded is the base's again: %v", v.Owners)
	}
	var asked []int
	fresh := b.Record("g", "2", []byte("five\nsix\n"), []Owner{one}, Step{Charge: func(line int, _ bool) Owner {
		asked = append(asked, line)
		return Unknown
	}})
	if want := []Owner{one, Unknown}; !slices.Equal(fresh.Owners, want) || !slices.Equal(asked, []int{0, 1}) {
		t.Errorf("%v, asked for %v", fresh.Owners, asked)
	}
	if empty := b.Add("h", "3", nil, one); len(empty.Text) != 0 {
		t.Errorf("an empty file has %d lines", len(empty.Text))
	}
}

// TestInFew: whether one or two files have had a line.
func TestInFew(t *testing.T) {
	b := New()
	b.Add("f", "1", []byte("in one\nin two\nin three\nin all\n"))
	b.Add("f", "2", []byte("in one\nin two\nmore\n")) // the same file again
	b.Add("g", "3", []byte("in two\nin three\nin all\n"))
	b.Add("g", "4", []byte("in two\nin three\n"))
	b.Add("h", "5", []byte("in three\nin all\n"))
	b.Add("i", "6", []byte("in all\n"))
	for line, want := range map[string]bool{"in one": true, "in two": true, "more": true, "in three": false, "in all": false, "in none": false} {
		if got := b.inFew(b.lexicon.id([]byte(line))); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}

// TestOwnerKinds: what an owner is.
func TestOwnerKinds(t *testing.T) {
	for owner, want := range map[Owner]string{Base: "", Human: "human", Modified: "human", Unknown: "", FirstTurn: "turn", FirstPlace - 1: "turn", FirstPlace: "place", -1: ""} {
		got := ""
		for kind, is := range map[string]bool{"human": owner.IsHuman(), "turn": owner.IsTurn(), "place": owner.IsPlace()} {
			if is {
				got += kind
			}
		}
		if got != want {
			t.Errorf("%d: %q, want %q", owner, got, want)
		}
	}
}

// TestRecord: recorded owners stand; a line without one is as in the version before.
func TestRecord(t *testing.T) {
	b := New()
	b.Add("f", "1", []byte("one\ntwo\n"), FirstTurn)
	v := b.Record("f", "2", []byte("one\ntwo\nthree\nfour\n"), []Owner{Base, FirstTurn + 1, FirstTurn + 1}, Step{})
	if want := []Owner{FirstTurn, FirstTurn + 1, FirstTurn + 1, Base}; !slices.Equal(v.Owners, want) {
		t.Errorf("%v, want %v", v.Owners, want)
	}
	if b.Record("f", "2", nil, nil, Step{}) != v || b.Add("f", "2", nil) != v {
		t.Error("a known version is made anew")
	}
}

// TestLikest: the version with most of the lines, of several the last; a file that is gone only if
// it has half of its lines there.
func TestLikest(t *testing.T) {
	b := New()
	few := b.Add("f", "1", []byte("one\n"))
	most := b.Add("f", "2", []byte("one\ntwo\nthree\n"))
	again := b.Add("f", "3", []byte("three\ntwo\none\n"))
	gone := b.Add("g", "4", []byte("one\ntwo\nthree\nfour and more\n"))
	other := b.Add("h", "5", []byte("one\ntwo\nthree\nfour and more\nquite another\nand a third\n"))
	for _, c := range []struct {
		text           string
		versions, gone []*Version
		want           *Version
	}{
		{"one\ntwo\nthree\n", nil, nil, nil},
		{"one\ntwo\nthree\n", []*Version{nil, few}, nil, few},
		{"one\ntwo\nthree\n", []*Version{most, few}, nil, most},
		{"one\ntwo\nthree\n", []*Version{most, again, few}, nil, again},
		{"one\ntwo\nthree\nfour and more\n", []*Version{few, most}, []*Version{gone}, gone},
		{"one\ntwo\nthree\nfour and\n", []*Version{few, most}, []*Version{other}, most},
		{"one\ntwo\n", nil, []*Version{other}, nil},
		{"one\ntwo\nthree\nfour and more\n", []*Version{few}, []*Version{gone}, gone},
		{"one\ntwo\nthree\n", []*Version{most}, []*Version{other}, most},
		{"'four' (and)\n'more'\n", []*Version{few, gone, again}, nil, gone},
		{"'four' (and)\n'more'\n", []*Version{gone, again}, nil, gone},
		{"one\ntwo\nfour and\nmore\n", []*Version{gone, few}, nil, gone},
	} {
		if got := b.Likest([]byte(c.text), c.versions, c.gone); got != c.want {
			t.Errorf("%q: %+v, want %+v", c.text, got, c.want)
		}
	}
}
