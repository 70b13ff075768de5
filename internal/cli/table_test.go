package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clipperhouse/displaywidth"
)

// sample is a table with a column of each kind.
func sample() *table {
	t := newTable(column{title: "ID", colour: yellow}, column{title: "WHEN", spare: 1}, column{title: "N", right: true, spare: 2}, column{title: "PROMPT", least: 6})
	t.add("a1", "2026-01-02 03:04", 7, "Write a long story about the sea")
	t.add("b22", "-", 1234, cell{text: "日本語 👩‍👩‍👧 done", colour: red})
	t.add("c", "a note that is longer than its column")
	return t
}

func TestTable(t *testing.T) {
	for name, c := range map[string]struct {
		on   screen
		want string
	}{
		"a file": {screen{}, "" +
			"ID   WHEN                 N  PROMPT\n" +
			"a1   2026-01-02 03:04     7  Write a long story about the sea\n" +
			"b22  -                 1234  日本語 👩‍👩‍👧 done\n" +
			"c    a note that is longer than its column\n"},
		"a terminal": {screen{width: 41}, "" +
			"ID   WHEN                 N  PROMPT\n" +
			"a1   2026-01-02 03:04     7  Write a lon…\n" +
			"b22  -                 1234  日本語 👩‍👩‍👧 d…\n" +
			"c    a note that is longer than its colu…\n"},
		"a narrow one": {screen{width: 20}, "" +
			"ID   PROMPT\n" +
			"a1   Write a long s…\n" +
			"b22  日本語 👩‍👩‍👧 done\n" +
			"c    a note that is…\n"},
		"an impossible one": {screen{width: 4}, "ID\na1\nb22\nc\n"},
		"colours": {screen{width: 20, colour: true}, "" +
			bold + "ID" + reset + "   " + bold + "PROMPT" + reset + "\n" +
			yellow + "a1" + reset + "   Write a long s…\n" +
			yellow + "b22" + reset + "  " + red + "日本語 👩‍👩‍👧 done" + reset + "\n" +
			yellow + "c" + reset + "    a note that is…\n"},
	} {
		var out bytes.Buffer
		sample().print(&out, c.on)
		if out.String() != c.want {
			t.Errorf("%s: printed\n%s\nwant\n%s", name, out.String(), c.want)
		}
	}
	bare := newTable(column{}, column{right: true})
	bare.bare = true
	bare.add("\x1b[2Ja\tb", "")
	bare.total("all", 3)
	var out bytes.Buffer
	bare.print(&out, screen{})
	if want := printable("\x1b") + "[2Ja b\nall      3\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// TestTableFits: no line is wider than the terminal, whatever its width.
func TestTableFits(t *testing.T) {
	for width := 1; width <= 210; width++ {
		var out bytes.Buffer
		sample().print(&out, screen{width: width})
		for line := range strings.Lines(out.String()) {
			if n := displaywidth.String(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("at %d columns a line has %d: %q", width, n, line)
			}
		}
	}
}

func TestFitted(t *testing.T) {
	fixed, flexible := column{}, column{least: 5}
	for name, c := range map[string]struct {
		columns []column
		natural []int
		width   int
		want    []int
	}{
		"without a limit":             {[]column{fixed, flexible}, []int{3, 900}, 0, []int{3, 900}},
		"there is room":               {[]column{fixed, flexible}, []int{3, 9}, 14, []int{3, 9}},
		"one shrinks":                 {[]column{fixed, flexible}, []int{3, 9}, 11, []int{3, 6}},
		"the widest first":            {[]column{flexible, flexible}, []int{8, 20}, 22, []int{8, 12}},
		"then both":                   {[]column{flexible, flexible}, []int{8, 20}, 16, []int{7, 7}},
		"not below the least":         {[]column{flexible, flexible}, []int{8, 20}, 6, []int{5, 5}},
		"one is left out":             {[]column{flexible, {spare: 1}}, []int{20, 8}, 12, []int{12, -1}},
		"the greatest first":          {[]column{flexible, {spare: 1}, {spare: 2}}, []int{20, 8, 8}, 16, []int{6, 8, -1}},
		"all that can be":             {[]column{fixed, {spare: 1}, {spare: 2}}, []int{9, 8, 8}, 5, []int{9, -1, -1}},
		"what one wants":              {[]column{{least: 5, wants: 12}, {spare: 1}}, []int{20, 8}, 18, []int{18, -1}},
		"less, where it must be":      {[]column{{least: 5, wants: 12}, {spare: 1}}, []int{20, 8}, 7, []int{7, -1}},
		"a narrow one doesn't shrink": {[]column{{least: 8}, flexible}, []int{2, 20}, 12, []int{2, 8}},
	} {
		if got := fitted(c.columns, c.natural, c.width); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestWidths: what stands in a terminal's cells is counted, not bytes or code points.
func TestWidths(t *testing.T) {
	for text, want := range map[string]int{"abc": 3, "日本": 4, "é": 1, "e\u0301": 1, "👩‍👩‍👧": 2, "🇩🇪": 2, "👍🏽": 2, "❤️": 2, "1️⃣": 2, "한": 2, "ｱ": 1, "\u200b": 0, "…": 1, "─": 1} {
		if got := displaywidth.String(text); got != want {
			t.Errorf("%q has %d columns, not %d", text, got, want)
		}
	}
	if short("日本語", 5) != "日本…" || short("日本語", 4) != "日…" || pad("日", 4) != "日  " {
		t.Error(short("日本語", 4), pad("日", 4))
	}
}

func TestScreen(t *testing.T) {
	wide, narrow := screen{}, screen{width: 30, colour: true}
	if wide.fit("abc") != "abc" || wide.between("abc", "def") != "abcdef" {
		t.Error("without a limit nothing is cut")
	}
	if got := narrow.fit(narrow.in(red, strings.Repeat("x", 40))); got != red+strings.Repeat("x", 29)+"…"+reset {
		t.Errorf("%q", got)
	}
	for line, want := range map[string]string{
		"hint: the whole turn: entire-plumb show 6b86b273ff34":                 "hint: the whole turn:\n  entire-plumb show 6b86b273ff34",
		"hint: entire-plumb show --transcript 6b86b273ff34, or others as well": "hint:\n  entire-plumb show --transcript 6b86b273ff34,\n  or others as well",
		"  it goes to origin (git config a.remote NAME changes that)":          "  it goes to origin\n    (git config a.remote NAME changes that)",
		"  prompt 1: use git to commit all of this":                            "  prompt 1: use git to commit\n    all of this",
	} {
		if got := narrow.wrap(line); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := narrow.between(strings.Repeat("x", 40), " by you"); got != strings.Repeat("x", 22)+"… by you" {
		t.Errorf("%q", got)
	}
	if got := narrow.between(strings.Repeat("x", 40), strings.Repeat("y", 40)); got != strings.Repeat("x", 19)+"…"+strings.Repeat("y", 9)+"…" {
		t.Errorf("%q", got)
	}
	if narrow.in("", "a") != "a" || narrow.in(red, "") != "" {
		t.Error("what has no colour or no text gets no escape sequence")
	}
	for value, want := range map[string]bool{"": true, "auto": true, "always": true, "true": true, "never": false, "false": false, "off": false} {
		if isColour(value) != want {
			t.Errorf("color.ui=%s: %v", value, !want)
		}
	}
}

// TestTerminalWidth: COLUMNS counts where git's pager shows the output, and nowhere else.
func TestTerminalWidth(t *testing.T) {
	p := &printer{to: &bytes.Buffer{}}
	for _, c := range []struct {
		pager, columns string
		want           int
	}{{"", "50", 0}, {"true", "50", 50}, {"true", "", usualWidth}, {"true", "-3", usualWidth}, {"true", "x", usualWidth}} {
		t.Setenv("GIT_PAGER_IN_USE", c.pager)
		t.Setenv("COLUMNS", c.columns)
		if got := p.width(); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

func TestShortNames(t *testing.T) {
	const random, timed = "3f2a1b9c-d4e5-4a6b-8c7d-0123456789ab", "019a2b3c-4d5e-7a6b-8c7d-0123456789ab"
	for id, want := range map[string]string{random: "3f2a1b9c", timed: "019a2b3c-4d5e", "2026-01-02-" + random: "2026-01-02-3f2a1b9c", "s1": "s1", "nightly-build-of-main-1": "nightly-build-of-mai", "日本語日本語日本語日本": "日本語日本語日本語日", "": "", "3f2a1b9c-d4e5-4a6b-8c7d-0123456789xy": "3f2a1b9c-d4e5-4a6b-8"} {
		if got := inColumn(id); got != want {
			t.Errorf("%s is named %s, not %s", id, got, want)
		}
	}
	other := random[:10] + "x" + random[11:]
	if got := shortNames([]string{random, "s1", other, random}); !slices.Equal(got, []string{random[:11], "s1", other[:20], random[:11]}) {
		t.Error(got)
	}
	long := "nightly-build-of-main-"
	if got := shortNames([]string{long + "12", long + "1", long + "日", long + "月", "a"}); !slices.Equal(got, []string{long + "12", long + "1", long + "日", long + "月", "a"}) {
		t.Error(got)
	}
	if moment(time.Time{}) != "-" || moment(day) != "2026-01-02 03:04" {
		t.Error(moment(day))
	}
}

func TestBlameMargin(t *testing.T) {
	for width, want := range map[int]blameMargin{0: {24, 10, 30}, 200: {24, 10, 42}, 100: {24, 10, 17}, 80: {24, 10, 0}, 60: {24, 0, 0}, 40: {11, 0, 0}, 20: {8, 0, 0}} {
		if got := marginOn(width, 24, 42, 1); got != want {
			t.Errorf("%d: %+v, want %+v", width, got, want)
		}
	}
}

// TestWrap: a line that is too wide is broken at spaces, and keeps its indent.
func TestWrap(t *testing.T) {
	for line, want := range map[string]string{
		"short":                                  "short",
		"total: agent 14, human 1, unknown 0":    "total: agent 14,\n  human 1, unknown 0",
		"  file: 日本語日本語 日本語":                     "  file: 日本語日本語\n    日本語",
		"see /a/path/that/is/longer/than/all/it": "see\n  /a/path/that/is/longer/than/all/it",
		"":                                       "",
	} {
		if got := (screen{width: 20}).wrap(line); got != want {
			t.Errorf("%q: %q, not %q", line, got, want)
		}
		if got := (screen{}).wrap(line); got != line {
			t.Errorf("without a limit: %q", got)
		}
	}
}

// TestTableWraps: where a table says so, what the screen has no room for goes on below.
func TestTableWraps(t *testing.T) {
	rows := newTable(column{}, column{right: true}, column{})
	rows.bare, rows.wraps = true, true
	rows.add("agent", 12, "lines in linked commits, with their share")
	rows.add("human", 1234, "")
	for width, want := range map[int]string{
		0:  "agent    12  lines in linked commits, with their share\nhuman  1234\n",
		36: "agent    12  lines in linked\n               commits, with their\n               share\nhuman  1234\n",
	} {
		var out bytes.Buffer
		rows.print(&out, screen{width: width})
		if out.String() != want {
			t.Errorf("%d: printed\n%s\nwant\n%s", width, out.String(), want)
		}
	}
}

// TestTablePaths: where there is no room for a path, the name of the file stays.
func TestTablePaths(t *testing.T) {
	for room, want := range map[int]string{
		30: "  internal/query/日本/blame.go", 27: "  …/query/日本/blame.go", 20: "  …/日本/blame.go", 12: "  …/blame.go", 11: "  …/blame.…", 0: "",
	} {
		if got := (cell{text: "  internal/query/日本/blame.go", path: true}).cut(room); got != want {
			t.Errorf("%d: %q, not %q", room, got, want)
		}
	}
}
