package transcript

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

const (
	asked    = `{"type":"user","message":{"content":"fix it"}}` + "\n"
	answered = `{"type":"assistant","message":{"id":"a","stop_reason":"end_turn","content":[{"type":"text","text":"done"}]}}` + "\n"
	unstated = `{"type":"assistant","message":{"id":"a","stop_reason":null,"content":[{"type":"text","text":"done"}]}}` + "\n"
	thinking = `{"type":"assistant","message":{"id":"a","stop_reason":null,"content":[{"type":"thinking","thinking":"hm"}]}}` + "\n"
	calling  = `{"type":"assistant","message":{"id":"a","stop_reason":"tool_use","content":[{"type":"tool_use","id":"t"}]}}` + "\n"
	early    = `{"type":"assistant","message":{"id":"a","stop_reason":null,"content":[{"type":"tool_use","id":"t"}]}}` + "\n"
	result   = `{"type":"user","message":{"content":[{"type":"tool_result","content":"ok"}]}}` + "\n"
	system   = `{"type":"system","subtype":"stop_hook_summary"}` + "\n"
	subagent = `{"type":"assistant","isSidechain":true,"message":{"id":"s","stop_reason":"end_turn","content":[]}}` + "\n"
)

func TestComplete(t *testing.T) {
	long := func(n int) string { return `{"type":"progress","x":"` + strings.Repeat("x", n) + `"}` + "\n" }
	tests := []struct {
		name, content string
		want          bool
	}{
		{"empty", "", false},
		{"binary", "\x00\xff\x00\xfe", false},
		{"binary lines", "\x00\xff\n\x00\xfe\n", false},
		{"asked", asked, false},
		{"answered", asked + answered, true},
		{"answered, CRLF", strings.ReplaceAll(asked+answered, "\n", "\r\n"), true},
		{"answered, no newline", asked + strings.TrimSpace(answered), true},
		{"alone, no newline", strings.TrimSpace(answered), true},
		{"half-written", asked + answered[:40], false},
		{"answered, half a line", asked + answered + system[:9], false},
		{"text, reason unstated", asked + unstated, true},
		{"thinking", asked + thinking, false},
		{"calling", asked + calling, false},
		{"calling, reason unstated", asked + unstated + early, false},
		{"result", asked + calling + result, false},
		{"asked again", asked + answered + asked, false},
		{"system after", asked + answered + system, true},
		{"junk after", asked + answered + "\xff\n\n", true},
		{"system after call", asked + calling + system, false},
		{"subagent after call", asked + calling + subagent, false},
		{"synthetic", asked + `{"type":"assistant","message":{"model":"<synthetic>","stop_reason":"stop_sequence","content":[]}}` + "\n",
			true},
		{"long line after", asked + answered + long(firstTail), true},
		{"many lines after", asked + answered + strings.Repeat(long(1000), 1000), true},
		{"long line before", long(2*maxTail) + answered, true},
		{"longest line after", asked + answered + long(maxTail), false},
		{"long half-written", asked + answered + strings.TrimSpace(long(2*maxTail)), false},
		{"long line, no newline", asked + answered + strings.TrimSpace(long(firstTail)), true},
		{"lines at the window's edge", strings.Repeat("x", 10) + "\n" + answered + long(firstTail-len(long(0))), true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := file(t, test.content)
			if got, _, err := endingOf(path, false, ""); got != test.want || err != nil {
				t.Errorf("%v, %v", got, err)
			}
			// What is read as a whole says the same, unless the last message is far from the end, or a line isn't.
			if w, err := Written(context.Background(), path); err != nil || w.All && w.ToItsEnd("") != test.want && len(test.content) < maxTail {
				t.Errorf("read as a whole: %t, %v", !test.want, err)
			}
		})
	}
	if got, _, err := endingOf(filepath.Join(t.TempDir(), "missing"), false, ""); got || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v, %v", got, err)
	}
}

func TestToItsEnd(t *testing.T) {
	for name, test := range map[string]struct {
		content, answer string
		want            bool
	}{
		"nothing":                  {"", "done", false},
		"prompt":                   {asked, "done", false},
		"the answer":               {asked + answered, "done", true},
		"an answer unknown":        {asked + unstated, "", true},
		"another text":             {asked + unstated, "It is made.", false},
		"the last of many texts":   {asked + unstated, "I write.\ndone\n", true},
		"all but the answer":       {asked + unstated + calling + result, "done", false},
		"a call":                   {asked + unstated + calling, "done", false},
		"the next prompt":          {asked + answered + asked, "done", true},
		"the next one is answered": {asked + answered + asked + calling, "done", false},
		"a subagent":               {asked + answered + subagent, "done", true},
		"an earlier answer":        {asked + answered + asked + unstated, "It is made.", false},
	} {
		w, err := WrittenInAnswer(t.Context(), file(t, test.content), 0)
		if err != nil || w.ToItsEnd(test.answer) != test.want {
			t.Errorf("%s: %t, %v", name, !test.want, err)
		}
	}
}

// slack is what a busy machine may take beyond a limit.
const slack = 200 * time.Millisecond

func waited(ctx context.Context, path string, limit time.Duration) time.Duration {
	start := time.Now()
	Wait(ctx, path, limit)
	return time.Since(start)
}

func TestWait(t *testing.T) {
	ctx := context.Background()
	const limit = 50 * time.Millisecond
	t.Run("complete", func(t *testing.T) {
		if got := waited(ctx, file(t, asked+answered), time.Minute); got > slack {
			t.Errorf("took %v", got)
		}
	})
	t.Run("never", func(t *testing.T) {
		if got := waited(ctx, file(t, asked), limit); got < limit || got > limit+slack {
			t.Errorf("took %v", got)
		}
	})
	t.Run("at work", func(t *testing.T) {
		for _, c := range []struct {
			content, answer  string
			atWork, from, to time.Duration
		}{
			{asked, "", 4 * limit, 4 * limit, 4*limit + slack},
			{"{}\n", "done", time.Minute, limit, limit + slack},
			{asked + answered, "", time.Minute, 0, slack},
			{asked + unstated, "All is\n done", time.Minute, 0, slack},
			{asked + unstated, "It is made.", 4 * limit, 4 * limit, 4*limit + slack},
		} {
			start := time.Now()
			WaitForAnswer(ctx, file(t, c.content), c.answer, limit, c.atWork)
			if got := time.Since(start); got < c.from || got > c.to {
				t.Errorf("%q took %v", c.content, got)
			}
		}
	})
	t.Run("missing", func(t *testing.T) {
		if got := waited(ctx, filepath.Join(t.TempDir(), "missing"), limit); got < limit || got > limit+slack {
			t.Errorf("took %v", got)
		}
	})
	t.Run("no time", func(t *testing.T) {
		if got := waited(ctx, file(t, asked), 0); got > slack {
			t.Errorf("took %v", got)
		}
	})
	t.Run("context ends", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		if got := waited(ctx, file(t, asked), time.Minute); got > limit+slack {
			t.Errorf("took %v", got)
		}
	})
	t.Run("late lines", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "session.jsonl")
		late := make(chan struct{})
		go func() {
			defer close(late)
			for _, content := range []string{asked, asked + answered[:30], asked + answered} {
				time.Sleep(10 * time.Millisecond)
				if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
					t.Error(err)
				}
			}
		}()
		got := waited(ctx, path, time.Minute)
		<-late
		if got < 30*time.Millisecond || got > 30*time.Millisecond+slack {
			t.Errorf("took %v", got)
		}
	})
}

func TestInterrupted(t *testing.T) {
	const stop = `{"type":"user","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}` + "\n"
	const queued = `{"type":"attachment","attachment":{"type":"queued_command","prompt":"And then"}}` + "\n"
	const failed = `{"type":"assistant","isApiErrorMessage":true,"message":{"model":"<synthetic>","content":[{"type":"text","text":"API Error"}]}}` + "\n"
	for name, c := range map[string]struct {
		content string
		want    bool
	}{
		"empty":                {"", false},
		"asked":                {asked, false},
		"answered":             {asked + answered, false},
		"interrupted":          {asked + calling + stop, true},
		"system after":         {asked + stop + system, true},
		"a tool's late result": {asked + calling + stop + result, true},
		"a subagent's record":  {asked + calling + stop + subagent, true},
		"half a line after":    {asked + stop + answered[:40], true},
		"asked again":          {asked + stop + asked, false},
		"a queued prompt":      {asked + stop + queued, false},
		"answered then":        {asked + stop + answered, false},
		"an error":             {asked + failed, true},
		"too far from the end": {asked + stop + `{"type":"progress","x":"` + strings.Repeat("x", firstTail) + `"}` + "\n", false},
	} {
		path := filepath.Join(t.TempDir(), "t.jsonl")
		testdir.Must(t, os.WriteFile(path, []byte(c.content), 0o600))
		if got, err := Interrupted(path); got != c.want || err != nil {
			t.Errorf("%s: %v, %v, want %v", name, got, err, c.want)
		}
	}
}

// A subagent that was killed before the turn leaves a transcript without an end.
func TestSubagentGoesOn(t *testing.T) {
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, test := range []struct {
		name, content string
		written       time.Duration
		want          bool
	}{
		{"only called yet", "", 0, true},
		{"at work", calling, time.Second, true},
		{"at work since the turn began", calling, 0, true},
		{"killed before", calling, -time.Second, false},
		{"ended", answered, time.Second, false},
	} {
		path := filepath.Join(t.TempDir(), "agent-1.jsonl")
		if test.content != "" {
			testdir.Must(t, os.WriteFile(path, []byte(test.content), 0o600))
			testdir.Must(t, os.Chtimes(path, began, began.Add(test.written)))
		}
		if got := SubagentGoesOn(path, began); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}
