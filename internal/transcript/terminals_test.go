package transcript

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

func TestReadTerminals(t *testing.T) {
	const at = `{"timestamp":"2026-11-23T10:21:14.252Z","ordinal":1,"type":`
	prompt := at + `"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Go"}]}}`
	output := func(text string) string {
		return at + `"response_item","payload":{"type":"function_call_output","id":"fco","call_id":"c","output":"` + text + `"}}`
	}
	started := func(id string) string {
		return output(`Chunk ID: 8e1e62\nWall time: 0.3 seconds\nProcess running with session ID ` + id + `\nOriginal token count: 0\nOutput:\n`)
	}
	ended := func(id string) string {
		return at + `"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"c","process_id":"` + id + `","status":"completed"}}}`
	}
	for name, c := range map[string]struct {
		lines   []string
		known   []string
		running []string
	}{
		"none":                       {[]string{prompt, output(`Process exited with code 0\nOutput:\nx`)}, nil, nil},
		"one":                        {[]string{prompt, started("24322")}, nil, []string{"24322"}},
		"one has ended":              {[]string{prompt, started("1"), started("2"), ended("1")}, nil, []string{"2"}},
		"of an earlier prompt":       {[]string{started("1"), prompt}, nil, nil},
		"which goes on":              {[]string{started("1"), prompt, started("2")}, []string{"1"}, []string{"1", "2"}},
		"which has ended":            {[]string{started("1"), prompt, ended("1")}, []string{"1"}, nil},
		"a command prints the words": {[]string{prompt, output(`Process exited with code 0\nOutput:\nProcess running with session ID 7\n`)}, nil, nil},
		"no number":                  {[]string{prompt, started("x"), started(strings.Repeat("1", 100))}, nil, nil},
		"rubbish":                    {[]string{at, "Process running with session ID 1", `{"payload":"timestamp CommandExecution"}`}, nil, nil},
	} {
		file := filepath.Join(t.TempDir(), "t.jsonl")
		testdir.Must(t, os.WriteFile(file, []byte(strings.Join(c.lines, "\n")+"\n"), 0o600))
		got, err := ReadTerminals(t.Context(), file)
		if running := got.Running(c.known...); err != nil || !slices.Equal(running, c.running) {
			t.Errorf("%s: %q, %v", name, running, err)
		}
	}
	called := at + `"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"gen >\\\"out\\\"\"}","call_id":"c"}}`
	for want, lines := range map[string][]string{`gen >"out"`: {prompt, called, started("1")}, "": {called, prompt, started("1")}} {
		file := filepath.Join(t.TempDir(), "t.jsonl")
		testdir.Must(t, os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
		if got, err := ReadTerminals(t.Context(), file); err != nil || got.Commands["1"] != want {
			t.Errorf("the command is %q, not %q, %v", got.Commands["1"], want, err)
		}
	}
	now := time.Now()
	all := Terminals{Ended: map[string]time.Time{"1": now, "2": now.Add(-time.Hour)}}
	if last, ok := all.AllEnded([]string{"2", "1"}); !ok || !last.Equal(now) {
		t.Errorf("%v, %t", last, ok)
	}
	for _, ids := range [][]string{nil, {"1", "3"}} {
		if _, ok := all.AllEnded(ids); ok {
			t.Errorf("%q have ended", ids)
		}
	}
}
