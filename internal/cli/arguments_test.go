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
		{"show HEAD --bogus", "show --bogus HEAD"},
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
		{"show HEAD --j --generate-bash-completion", "show HEAD --j --generate-bash-completion"},
	}
	app := newApp(io.Discard, io.Discard)
	for _, test := range tests {
		args := append([]string{"entire-plumb"}, strings.Fields(test.call)...)
		given := slices.Clone(args)
		if got := strings.Join(flagsFirst(app, args)[1:], " "); got != test.want {
			t.Errorf("%q became %q, not %q", test.call, got, test.want)
		}
		if !slices.Equal(args, given) {
			t.Errorf("%q: the caller's arguments were changed", test.call)
		}
	}
}
