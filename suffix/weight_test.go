package suffix

import (
	"strings"
	"testing"

	"entire-plumb/gitexec"
)

// TestWeight: how much of what an agent wrote makes a commit its work, whatever kind of text it is.
func TestWeight(t *testing.T) {
	lines := func(from, to int, format func(int) string) string {
		var all []string
		for i := from; i <= to; i++ {
			all = append(all, format(i))
		}
		return strings.Join(all, "/")
	}
	number := func(i int) string { return strings.Repeat("7", i%4) + string(rune('0'+i%10)) }
	row := func(i int) string { return number(i) + "," + number(3*i) }
	for name, c := range map[string]struct {
		before, wrote, now string
		want               bool
	}{
		"half of a file of numbers":         {"", lines(1, 40, number), lines(1, 20, number), true},
		"a few numbers in order":            {"", lines(1, 40, number), lines(5, 9, number), true},
		"one number":                        {"", lines(1, 40, number), "7", false},
		"numbers of the human's":            {"", "1/2/3/4", "5/6/1/8/9", false},
		"half of a table":                   {"", lines(1, 20, row), lines(1, 10, row), true},
		"short words in order":              {"", "ant/bee/cat/dog/elk/fox", "ant/bee/cat", true},
		"one short word":                    {"", "ant/bee/cat/dog/elk/fox", "cat/human wrote this", false},
		"Chinese":                           {"", "你好/世界/再见", "你好/世界", true},
		"one word of Chinese":               {"", "你好/世界/再见", "好", false},
		"Greek":                             {"", "άλφα βήτα/γάμμα δέλτα", "άλφα βήτα", true},
		"a brace":                           {"base", "base/}", "base/}/x", true}, // all of it
		"a brace of many":                   {"base", "base/{/}/x = f(y)", "base/}", false},
		"ten everyday lines in disorder":    {"", "{/}/return nil/end/else {/fi/done/pass/});/break/x unlike others", "fi/}/{/end", false},
		"a long line":                       {"", "an unmistakable line of text/}", "human/an unmistakable line of text", true},
		"the same short line over and over": {"", strings.Repeat("0/", 30) + "x", strings.Repeat("0/", 10) + "y", false},
	} {
		change := Change{Path: "a", Before: text(c.before), After: text(c.wrote)}
		if c.before == "" {
			change.Before = gitexec.Entry{}
		}
		got, err := InEffect([]Change{change}, gitexec.Change{Old: change.Before, New: text(c.now)}, texts{})
		if err != nil || got != c.want {
			t.Errorf("%s: %v, %v, want %v", name, got, err, c.want)
		}
	}
}
