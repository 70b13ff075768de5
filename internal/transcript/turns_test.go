package transcript

import (
	"errors"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

var roomy = Limits{Prompt: 1 << 20, Said: 1 << 20}

func turnsOf(t *testing.T, text string, bound Limits) (all []Turn) {
	t.Helper()
	testdir.Must(t, Turns(strings.NewReader(text), bound, func(one Turn) error { all = append(all, one); return nil }))
	return all
}

func TestTurnsOfARealTranscript(t *testing.T) {
	data, err := os.ReadFile("testdata/session.jsonl")
	testdir.Must(t, err)
	plain := turnsOf(t, string(data), roomy)
	if len(plain) != 2 {
		t.Fatalf("%d turns", len(plain))
	}
	first := plain[0]
	want := Turn{First: 5, Last: 13, Prompt: "fix the login redirect", Began: first.Began, Ended: first.Began.Add(8 * time.Second),
		Said: []Words{{Who: "assistant", Text: "I'll look at the router."}, {Who: "agent", Text: "There are two callers."},
			{Who: "assistant", Text: "Fixed: the redirect keeps its query now."}},
		Tools: []Tool{{"Read", 1}},
		Usage: Usage{InputTokens: 11, CacheCreationTokens: 2300, CacheReadTokens: 32000, OutputTokens: 200, APICallCount: 2,
			SubagentTokens: &Usage{InputTokens: 5, CacheCreationTokens: 100, OutputTokens: 40, APICallCount: 1}}}
	if !reflect.DeepEqual(first, want) {
		t.Errorf("%+v\nnot\n%+v", first, want)
	}
	if plain[1].Prompt != "now add a test\nfor it" {
		t.Errorf("%q", plain[1].Prompt)
	}
	crlf := turnsOf(t, strings.ReplaceAll(string(data), "\n", "\r\n"), roomy)
	if !reflect.DeepEqual(crlf, plain) {
		t.Errorf("with CRLF %+v\nnot\n%+v", crlf, plain)
	}
}

func TestTurnsOfWhatIsNoTranscript(t *testing.T) {
	for _, text := range []string{"", "\n\n", "{\n  \"type\": \"user\",\n  \"message\": {\"content\": \"x\"}\n}\n",
		`[{"type":"user","message":{"content":"x"}}]`, "\xff\xfe\x00", answered} {
		if all := turnsOf(t, text, roomy); len(all) != 0 {
			t.Errorf("%q: %+v", text, all)
		}
	}
	all := turnsOf(t, "{\"type\":\"user\",\"timestamp\":7,\"message\":{\"content\":\"a\xffb\"}}\n", roomy)
	if len(all) != 1 || all[0].Prompt != "a\uFFFDb" || !all[0].Began.IsZero() {
		t.Errorf("%+v", all)
	}
}

func TestTurnsLimits(t *testing.T) {
	all := turnsOf(t, asked+answered+answered+asked+answered, Limits{Prompt: 3, Said: 6})
	if len(all) != 2 || all[0].Prompt != "fix" || !reflect.DeepEqual(all[0].Said, []Words{{Who: "assistant", Text: "done"}, {Who: "assistant", Text: "do"}}) ||
		all[0].LeftOut != 5 {
		t.Errorf("%+v", all)
	}
	if all[1].Prompt != "fix" || all[1].Said[0].Text != "done" || all[1].LeftOut != 3 {
		t.Errorf("%+v", all[1])
	}
	if all = turnsOf(t, strings.ReplaceAll(asked, "fix it", "aäb"), Limits{Prompt: 2, Said: 9}); all[0].Prompt != "a" ||
		all[0].LeftOut != 3 {
		t.Errorf("cut within a rune: %+v", all[0])
	}
	stop := errors.New("stop")
	if err := Turns(strings.NewReader(asked), roomy, func(Turn) error { return stop }); err != stop {
		t.Error(err)
	}
}

func TestTurnsMemory(t *testing.T) {
	line := `{"type":"assistant","x":"` + strings.Repeat("x", 1<<20) + `"}` + "\n"
	text := asked + strings.Repeat(strings.TrimSpace(line), 40) + "\n" + answered // one line of 40 MiB
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	all := turnsOf(t, text, roomy)
	runtime.ReadMemStats(&after)
	if len(all) != 1 || len(all[0].Said) != 1 {
		t.Errorf("%d turns: %+v", len(all), all)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 8*maxParse {
		t.Errorf("%d bytes allocated", used)
	}
}
