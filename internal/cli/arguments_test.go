package cli

import (
	"io"
	"slices"
	"strings"
	"testing"
)

func TestFlagsFirst(t *testing.T) {
	tests := []struct{ call, want string }{
		{"", ""},
		{"status", "status"},
		{"show HEAD", "show HEAD"},
		{"show HEAD --json", "show --json HEAD"},
		{"show --json HEAD", "show --json HEAD"},
		{"--trace show HEAD --json", "--trace show --json HEAD"},
		{"log -n5", "log -n 5"}, {"log -5 main", "log -n 5 main"}, {"log main -n 5", "log -n 5 main"}, {"log -n=5", "log -n=5"},
		{"why -vn3", "why -v -n 3"}, {"why -vn 3", "why -v -n 3"}, {"why -nv", "why -n v"}, {"streams -a", "streams -a"},
		{"show --trans HEAD", "show --transcript HEAD"}, {"show --js HEAD", "show --json HEAD"}, {"log --since=yesterday", "log --since=yesterday"},
		{"log --aut Ada", "log --author Ada"}, {"log --aut=Ada", "log --author=Ada"}, {"--trac log", "--trace log"},
		{"show --json --no-json HEAD", "show HEAD"}, {"show --no-json --json HEAD", "show --json HEAD"}, {"log -n 3 --no-graph x", "log -n 3 x"},
		{"--no-pager log", "--no-pager log"}, {"--no-pager --pager log", "log"}, {"log --no-js", "log"},
		{"log --color", "log --color=always"}, {"log --color never", "log --color never"}, {"log --color x", "log --color=always x"},
		{"log --color=never", "log --color=never"}, {"log --no-color", "log --color=never"}, {"log --color --graph", "log --color=always --graph"},
		{"log --help extra", "log --help"}, {"log --bogus --help", "log --help"}, {"log --help -n", "log --help"}, {"log extra -h", "log --help"}, {"--help log", "log --help"}, {"log x -- --help", "log -- x --help"},
		{"--help extra", "--help"}, {"-h", "--help"}, {"sessions --help show", "sessions show --help"}, {"why -vh", "why --help"},
		{"-v", "--version"}, {"--version log", "--version"}, {"-v log x", "--version"}, {"--trace", "--trace"},
		{"show -json HEAD", "show -json HEAD"}, {"redact -n --json f", "redact -n --json f"},
		{"blame f -L 3,9 --rev HEAD", "blame -L 3,9 --rev HEAD f"},
		{"blame -L 3,9 f --rev=HEAD", "blame -L 3,9 --rev=HEAD f"},
		{"blame f -L", "blame -L"},
		{"blame f -- -L", "blame -- f -L"},
		{"blame -- f -L", "blame -- f -L"},
		{"blame f -L --", "blame -L -- f"},
		{"why HEAD -", "why HEAD -"},
		{"sessions show s1 --json", "sessions show --json s1"},
		{"sessions --json", "sessions --json"},
		{"replay a b -v", "replay -v a b"},
		{"hooks git commit-msg f -x", "hooks git commit-msg f -x"},
		{"nonsense f --json", "nonsense f --json"},
	}
	app := newApp(io.Discard, io.Discard)
	for _, test := range tests {
		args := append([]string{"entire-plumb"}, strings.Fields(test.call)...)
		given := slices.Clone(args)
		read, err := flagsFirst(app, args)
		if err != nil {
			t.Errorf("%q: %v", test.call, err)
			continue
		}
		if got := strings.Join(read[1:], " "); got != test.want {
			t.Errorf("%q became %q, not %q", test.call, got, test.want)
		}
		if !slices.Equal(args, given) {
			t.Errorf("%q: the caller's arguments were changed", test.call)
		}
	}
}

func TestWrongOptions(t *testing.T) {
	app := newApp(io.Discard, io.Discard)
	for line, want := range map[string]string{
		"log --color=sometimes":   `option --color expects "always", "auto", or "never"` + "\nhint: entire-plumb log --help",
		"log --bogus":             "unknown option --bogus\nhint: entire-plumb log --help",
		"log --grahp":             "unknown option --grahp\nhint: did you mean --graph?",
		"log -x":                  "unknown option -x\nhint: entire-plumb log --help",
		"why -vx":                 "unknown option -x\nhint: entire-plumb why --help",
		"show --no-json=x":        "option --no-json takes no value\nhint: entire-plumb show --help",
		"--bogus log":             "unknown option --bogus\nhint: entire-plumb --help",
		"enable --t":              "ambiguous option: --t (could be --take-over or --trust-settings)\nhint: entire-plumb enable --help",
		"sessions show --bogus x": "unknown option --bogus\nhint: entire-plumb sessions show --help",
	} {
		_, err := flagsFirst(app, append([]string{"entire-plumb"}, strings.Fields(line)...))
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestNearest(t *testing.T) {
	words := []string{"log", "show", "status", "stats", "streams", "rewind", "resume", "reset"}
	for word, want := range map[string]string{"shw": "show", "st": "", "str": "streams", "statu": "status", "stat": "stats", "resrt": "reset", "": "", "l": "", "lg": "", "lgo": "log", "cat": "", "rewimd": "rewind", "statsu": "status or stats",
		"stauts": "status or stats", "sh": "show", "so": ""} {
		if got := strings.Join(nearest(word, words), " or "); got != want {
			t.Errorf("%q is %q, not %q", word, got, want)
		}
	}
}
