package cli

import (
	"bytes"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"entire-plumb/internal/attribution"
	"entire-plumb/internal/query"
	"entire-plumb/internal/testdir"
)

func TestFailOver(t *testing.T) {
	for _, c := range []struct {
		most string // empty: the flag is not given
		sum  attribution.Sum
		gaps int
		want string
	}{
		{"", attribution.Sum{Agent: 9}, 3, ""},
		{"80%", attribution.Sum{}, 0, ""},
		{"80", attribution.Sum{Agent: 8, Human: 2, Unknown: 5}, 0, ""},
		{"80%", attribution.Sum{Agent: 9, Human: 2}, 0, "the agents' share is 82 % (9 of 11 lines), more than 80 %"},
		{"80%", attribution.Sum{Agent: 9, Human: 2}, 1, "the agents' share is 82 % (9 of 11 lines), more than 80 %"},
		{"80%", attribution.Sum{Agent: 801, Human: 199}, 0, "the agents' share is 80.1 % (801 of 1000 lines), more than 80 %"},
		{"0", attribution.Sum{Agent: 1, Human: 99_999}, 0, "the agents' share is 0.001 % (1 of 100000 lines), more than 0 %"},
		{"50", attribution.Sum{Agent: 1001, Human: 999}, 0, "the agents' share is 50.05 % (1001 of 2000 lines), more than 50 %"},
		{"8", attribution.Sum{Agent: 8, Human: 2}, 0, "the agents' share is 80 % (8 of 10 lines), more than 8 %"},
		{"99", attribution.Sum{Agent: 999, Human: 1}, 0, "the agents' share is 100 % (999 of 1000 lines), more than 99 %"},
		{"80%", attribution.Sum{Agent: 1, Human: 2}, 1, "the agents' share is not known"},
		{"100%", attribution.Sum{}, 1, "the agents' share is not known"},
		{"100%", attribution.Sum{Unknown: 3}, 0, "the agents' share is not known"},
		{"101%", attribution.Sum{}, 0, "is no percentage"},
	} {
		flags := flag.NewFlagSet("", flag.ContinueOnError)
		flags.String("fail-over", "", "")
		if c.most != "" {
			testdir.Must(t, flags.Set("fail-over", c.most))
		}
		err := failOver(cli.NewContext(nil, flags, nil), c.sum, c.gaps)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q of %+v, %d gaps: %v, want %q", c.most, c.sum, c.gaps, err, c.want)
		}
	}
}

func TestWarnGaps(t *testing.T) {
	var all []string
	for i := range mostReasons + 2 {
		all = append(all, fmt.Sprintf("%d\x1b", i))
	}
	var b bytes.Buffer
	warnGaps(&b, all, false, nil)
	if got := b.String(); strings.Count(got, "\n") != mostReasons+1 || strings.Contains(got, "\x1b") || !strings.Contains(got, "and 2 more reasons;") {
		t.Errorf("%q", got)
	}
	b.Reset()
	warnGaps(&b, []string{"a"}, true,
		func() string { return "git fetch --unshallow up" })
	if got := b.String(); !strings.HasSuffix(got, "hint: this is a shallow clone: git fetch --unshallow up brings the commits that are missing\nhint: if it was pushed, entire-plumb fetch\n") {
		t.Errorf("%q", got)
	}
	b.Reset()
	if warnGaps(&b, nil, false, nil); b.Len() > 0 {
		t.Errorf("%q", b.String())
	}
}

func TestNotCounted(t *testing.T) {
	whole := query.CommitLines{Lines: &attribution.Sum{}, Checkpoints: []query.CheckpointLines{{Found: true}, {Purged: "2026-01-01"}}}
	lost := query.CommitLines{Lines: &attribution.Sum{}, Checkpoints: []query.CheckpointLines{{}}}
	if got := notCounted([]query.CommitLines{whole, lost, {}}); got != 2 {
		t.Errorf("%d, want 2", got)
	}
}

func TestChangesOf(t *testing.T) {
	got := changesOf([]string{"wrote a", "hint: run b", "hints are c"})
	if len(got.Changes) != 2 || len(got.Hints) != 1 || got.Hints[0] != "run b" {
		t.Errorf("%+v", got)
	}
	if none := changesOf(nil); none.Changes == nil || none.Hints != nil {
		t.Errorf("%+v", none)
	}
}
