package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	lines "entire-plumb/internal/ledger"
)

// human is who is no session.
const human = "human"

// authors are all who write lines. A style that has no room for a name has the author's place here.
var authors = []string{human, "s1", "s2", "s3", "s4"}

// A style is what a file's lines look like. Whatever they look like, each names its author.
type style struct {
	ext     string
	line    func(author, step, n int, r *rand.Rand) string
	pattern *regexp.Regexp
	author  func(named string) int
}

var words = strings.Fields("alpha river stone cloud window garden bridge lamp forest paper engine mirror copper harbor violet signal")

const (
	chinese = "人甲乙丙丁"
	letters = "habcd"
	phrases = "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏"
)

var styles = []style{
	{"txt", func(a, step, n int, r *rand.Rand) string {
		return fmt.Sprintf("step %d line %d by %s %s %s", step, n, authors[a], pick(r, words), pick(r, words))
	}, regexp.MustCompile(`^step \d+ line \d+ by ([a-z0-9]+)`), byName},
	{"c", func(a, step, n int, r *rand.Rand) string {
		return fmt.Sprintf("\tstep%d_line%d_by_%s(%s, %d);", step, n, authors[a], pick(r, words), r.IntN(100))
	}, regexp.MustCompile(`^step\d+_line\d+_by_([a-z0-9]+)\(`), byName},
	{"csv", func(a, step, n int, r *rand.Rand) string {
		return fmt.Sprintf("%d,%d,%d,%d.%02d", a, step, n, r.IntN(900), r.IntN(100))
	}, regexp.MustCompile(`^(\d),\d+,\d+,\d+\.\d+$`), byDigit},
	{"num", func(a, step, n int, r *rand.Rand) string {
		return fmt.Sprintf("%d%02d%04d%d", a, step, n, r.IntN(10))
	}, regexp.MustCompile(`^(\d)\d{7}$`), byDigit},
	{"zh", func(a, step, n int, r *rand.Rand) string {
		return fmt.Sprintf("%c写%s%d%s", []rune(chinese)[a], string([]rune(phrases)[r.IntN(24)]), n, string([]rune(phrases)[r.IntN(24)]))
	}, regexp.MustCompile(`^(\p{Han})写`), func(named string) int {
		return len([]rune(chinese[:max(0, strings.Index(chinese, named))]))
	}},
	{"word", func(a, step, n int, r *rand.Rand) string {
		for { // `and` and `any` are words of programs, which weigh nothing
			if word := letters[a:a+1] + strconv.FormatInt(int64(n), 36) + string(rune('a'+r.IntN(26))); lines.Weight(word) > 0 {
				return word
			}
		}
	}, regexp.MustCompile(`^([habcd])[0-9a-z]{2,4}$`), func(named string) int { return strings.Index(letters, named) }},
}

func byDigit(named string) int { return int(named[0] - '0') }

func byName(named string) int {
	for i, name := range authors {
		if name == named {
			return i
		}
	}
	return -1
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// some are some of what there is in another order, one at least if there are any.
func some(r *rand.Rand, from []string) []string {
	if len(from) == 0 {
		return nil
	}
	r.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
	return from[:1+r.IntN(len(from))]
}

// styleOf is the style of a file's lines.
func styleOf(file string) style {
	for _, s := range styles {
		if path.Ext(file) == "."+s.ext {
			return s
		}
	}
	return styles[0]
}

// authorOf reads the author's name in a line. Lines of nobody, as a brace, have none.
func authorOf(line string) (string, bool) {
	line = strings.TrimSpace(line)
	for _, s := range styles {
		if m := s.pattern.FindStringSubmatch(line); m != nil {
			if i := s.author(m[1]); i >= 0 && i < len(authors) {
				return authors[i], true
			}
		}
	}
	return "", false
}

// significant reports whether a line alone is evidence, whatever else there is of its author's: see
// the weights in docs/streams.md.
func significant(line string) bool {
	weight := 0
	for _, c := range line {
		switch {
		case c >= 0x2e80:
			weight += 12
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			weight += 4
		}
	}
	return weight >= 24
}

// key is a line without white space: its form makes no other line of it.
func key(line string) string { return strings.Join(strings.Fields(line), "") }

// text is a file's content.
type text string

func (t text) lines() []string {
	if t == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(t), "\n"), "\n")
}

func join(lines []string) text {
	if len(lines) == 0 {
		return ""
	}
	return text(strings.Join(lines, "\n") + "\n")
}

// files are a worktree's, by name.
type files map[string]text

// names are the files that the workflow works on, in order: not the settings.
func (f files) names() []string {
	var all []string
	for name := range f {
		if !strings.HasPrefix(name, ".") {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// read reads a worktree.
func read(dir string) files {
	all := files{}
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, file)
		if name == ".git" {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(file)
		all[filepath.ToSlash(name)] = text(data)
		return err
	})
	must(err)
	return all
}

// must ends the workflow: what it needs of the machine failed.
func must(err error) {
	if err != nil {
		panic(broken{err})
	}
}

// broken is what ends a workflow that the machine, and not the program, fails.
type broken struct{ error }
