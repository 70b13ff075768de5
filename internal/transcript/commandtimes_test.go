package transcript

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

// TestCommandTimes: commands run from the use of a tool whose effect nobody knows to its result.
func TestCommandTimes(t *testing.T) {
	const day = "2026-01-02T10:"
	use := func(at, tool string) string {
		return `{"type":"assistant","timestamp":"` + day + at + `Z","message":{"id":"m` + at + `","role":"assistant","content":[{"type":"tool_use","id":"t","name":"` + tool + `","input":{"file_path":"/x"}}]}}` + "\n"
	}
	result := func(at string) string {
		return `{"type":"user","timestamp":"` + day + at + `Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"ok"}]}}` + "\n"
	}
	prompt := `{"type":"user","timestamp":"2026-01-02T09:00:00Z","message":{"role":"user","content":"do it"}}` + "\n"
	codex := func(at, kind string) string {
		return `{"timestamp":"` + day + at + `Z","type":"response_item","payload":{"type":"` + kind + `","name":"shell","call_id":"c","arguments":"{}","output":"x"}}` + "\n"
	}
	for name, c := range map[string]struct {
		text     string
		want     string // spans, minutes and seconds; "…" for no end
		complete bool
	}{
		"nothing":            {prompt, "", true},
		"one":                {prompt + use("00:01", "Bash") + result("00:05"), "00:01-00:05", true},
		"two":                {use("00:01", "Bash") + result("00:05") + use("00:20", "mcp__x") + result("00:25"), "00:01-00:05 00:20-00:25", true},
		"at once":            {use("00:01", "Bash") + use("00:02", "Bash") + result("00:05") + result("00:09"), "00:01-00:09", true},
		"not ended":          {use("00:01", "Bash"), "00:01-…", true},
		"tools that name":    {use("00:01", "Write") + result("00:05") + use("00:07", "Read") + result("00:08"), "", true},
		"codex":              {codex("00:01", "function_call") + codex("00:04", "function_call_output"), "00:01-00:04", true},
		"no time":            {strings.Replace(use("00:01", "Bash"), `"timestamp"`, `"other"`, 1) + result("00:05"), "", false},
		"no time of its end": {use("00:01", "Bash") + strings.Replace(result("00:05"), `"timestamp"`, `"other"`, 1), "00:01-…", false},
		"half a record":      {use("00:01", "Bash") + result("00:05") + `{"type":"assi`, "00:01-00:05", false},
		"rubbish":            {"rubbish\n[]\n" + use("00:01", "Bash") + result("00:05"), "00:01-00:05", true},
	} {
		file := filepath.Join(t.TempDir(), "t.jsonl")
		testdir.Must(t, os.WriteFile(file, []byte(c.text), 0o600))
		spans, complete, err := CommandTimes(t.Context(), file)
		var got []string
		for _, s := range spans {
			end := "…"
			if !s.End.IsZero() {
				end = s.End.Format("04:05")
			}
			got = append(got, fmt.Sprintf("%s-%s", s.Begin.Format("04:05"), end))
		}
		if said := strings.Join(got, " "); said != c.want || complete != c.complete || err != nil {
			t.Errorf("%s: %q, complete %v, %v; want %q, %v", name, said, complete, err, c.want, c.complete)
		}
	}
	if _, _, err := CommandTimes(t.Context(), filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("a missing transcript has times")
	}
}

// TestRan: a command that failed did nothing, if it is one.
func TestRan(t *testing.T) {
	use := func(id, command string) string {
		return `{"type":"assistant","timestamp":"2026-01-02T10:00:01Z","message":{"content":[{"type":"tool_use","id":"` + id + `","name":"Bash","input":{"command":"` + command + `"}}]}}` + "\n"
	}
	result := func(id, failed string) string {
		return `{"type":"user","timestamp":"2026-01-02T10:00:02Z","message":{"content":[{"type":"tool_result","tool_use_id":"` + id + `","is_error":` + failed + `,"content":"x"}]}}` + "\n"
	}
	for name, c := range map[string]struct{ text, want string }{
		"done":               {use("a", "sed -i s/a/b/ f") + result("a", "false"), "sed -i s/a/b/ f"},
		"refused":            {use("a", "sed -i s/a/b/ f") + result("a", "true"), ""},
		"the second refused": {use("a", "make") + use("b", "sed -i s/a/b/ f") + result("a", "false") + result("b", "true"), "make"},
		"a part failed":      {use("a", "sed -i s/a/b/ f && make") + result("a", "true"), "sed -i s/a/b/ f && make"},
		"not ended":          {use("a", "sed -i s/a/b/ f"), "sed -i s/a/b/ f"},
	} {
		file := filepath.Join(t.TempDir(), "t.jsonl")
		testdir.Must(t, os.WriteFile(file, []byte(c.text), 0o600))
		spans, _, err := CommandTimes(t.Context(), file)
		var got []string
		for _, s := range spans {
			got = append(got, s.Ran...)
		}
		if said := strings.Join(got, "\n"); said != c.want || err != nil {
			t.Errorf("%s: %q, %v; want %q", name, said, err, c.want)
		}
	}
}

// TestSaved: a file is of the agent whose command ran when it was saved; where two ran, nobody knows.
func TestSaved(t *testing.T) {
	at := func(text string) time.Time {
		when, err := time.Parse("15:04:05", text)
		testdir.Must(t, err)
		return when
	}
	spans := Spans{{Begin: at("10:00:10"), End: at("10:00:20")}, {Begin: at("10:01:00")}}
	for text, want := range map[string]bool{"10:00:08": false, "10:00:09": true, "10:00:15": true, "10:00:21": true, "10:00:22": false, "11:00:00": true} {
		if spans.Saved("f.go", at(text), nil) != want {
			t.Errorf("at %s: %v", text, !want)
		}
	}
	others := Spans{{Begin: at("10:00:19"), End: at("10:00:20.5")}}
	for text, want := range map[string]bool{
		"10:00:18": true, "10:00:18.5": true, // shortly before the others' command, in the middle of its own
		"10:00:19.5": false, "10:00:20": false, "10:00:20.4": false, "10:00:21": false,
		"10:00:18.99": false, // within the grain of a file system's clock
	} {
		if spans.Saved("f.go", at(text), others) != want {
			t.Errorf("beside others, at %s: %v", text, !want)
		}
	}
	if others.Saved("f.go", at("10:00:18.5"), spans) || !others.Saved("f.go", at("10:00:20.4"), spans) {
		t.Error("the others' commands saved what the first ones did, or not what they did")
	}
	spans[0].Commands = `{"command":"gofmt -w f.go"}`
	if !spans.Saved("f.go", at("10:00:19.5"), others) || others.Saved("f.go", at("10:00:19.5"), spans) {
		t.Error("of two commands at once, the one that names the file didn't save it")
	}
	others[0].Commands = `{"command":"cat f.go"}`
	if spans.Saved("f.go", at("10:00:19.5"), others) || others.Saved("f.go", at("10:00:19.5"), spans) {
		t.Error("of two commands at once that name the file, one saved it")
	}
}

// TestApart: what was saved while the agent said nothing but words is none of its tools'.
func TestApart(t *testing.T) {
	const day = "2026-01-02T10:"
	said := func(at, block string) string {
		return `{"type":"assistant","timestamp":"` + day + at + `Z","message":{"role":"assistant","content":[` + block + `]}}` + "\n"
	}
	use := func(at, tool, input string) string {
		return said(at, `{"type":"tool_use","id":"t","name":"`+tool+`","input":{`+input+`}}`)
	}
	result := func(at, more string) string {
		return `{"type":"user","timestamp":"` + day + at + `Z"` + more + `,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"ok"}]}}` + "\n"
	}
	words := func(at string) string { return said(at, `{"type":"text","text":"So."}`) }
	bash := func(command string) string {
		return use("00:10", "Bash", `"command":"`+command+`"`) + result("00:20", "")
	}
	gemini := `{"id":"1","timestamp":"` + day + `00:05Z","type":"gemini","content":"I do."}
{"id":"1","timestamp":"` + day + `00:05Z","type":"gemini","content":"I do.","toolCalls":[{"id":"c","name":"run_shell_command","args":{"command":"make"},"result":[{"functionResponse":{"id":"c"}}]}]}
{"id":"2","timestamp":"` + day + `00:08Z","type":"user","content":[{"functionResponse":{"id":"c","response":{"output":"ok"}}}]}
{"id":"3","timestamp":"` + day + `01:00Z","type":"gemini","content":"Done."}
`
	for name, c := range map[string]struct {
		text string
		at   string
		want bool
	}{
		"long after a command": {bash("make") + words("01:00"), "00:30", true},
		"shortly after it":     {bash("make") + words("01:00"), "00:22", false},
		"in it":                {bash("make") + words("01:00"), "00:15", false},
		"in one beside another, whose result has what looks like more": {use("00:10", "Bash", `"command":"make"`) + use("00:10", "Bash", `"command":"make"`) +
			result("00:12", `,"toolUseResult":[{"functionResponse":{}},{"functionResponse":{}}]`) + words("00:13") + result("00:40", "") + words("01:00"), "00:30", false},
		"before it":                             {words("00:00") + bash("make") + words("01:00"), "00:05", true},
		"a command before it names it":          {bash("make f.go") + words("01:00"), "00:30", false},
		"one that only reads names it":          {bash("cat f.go") + words("01:00"), "00:30", true},
		"one after it does":                     {bash("git add f.go") + words("01:00"), "00:02", true},
		"while a tool waits to write another":   {bash("make") + use("00:25", "Write", `"file_path":"/x"`) + result("00:50", "") + words("01:00"), "00:40", true},
		"shortly before it has":                 {use("00:10", "Write", `"file_path":"/x"`) + result("00:40", "") + words("01:00"), "00:38", false},
		"shortly after it has":                  {use("00:10", "Write", `"file_path":"/x"`) + result("00:40", "") + words("01:00"), "00:42", false},
		"while it goes on waiting":              {bash("make") + use("00:25", "Write", `"file_path":"/x"`) + words("01:00"), "00:40", false},
		"while it waits beside a command":       {use("00:10", "Bash", `"command":"make"`) + use("00:10", "Write", `"file_path":"/x"`) + result("00:11", "") + result("00:40", "") + words("01:00"), "00:30", false},
		"its result has no time":                {use("00:10", "Write", `"file_path":"/x"`) + strings.Replace(result("00:40", ""), `"timestamp"`, `"other"`, 1) + words("01:00"), "00:30", false},
		"its text has a word of shells":         {bash("make") + use("00:21", "Write", `"file_path":"/x"`) + result("00:22", `,"toolUseResult":{"content":"background: red"}`) + words("01:00"), "00:30", true},
		"while a tool reads":                    {bash("make") + use("00:25", "Read", `"file_path":"/x"`) + result("00:40", "") + words("01:00"), "00:30", true},
		"when only a tool that reads has ended": {use("00:10", "Read", `"file_path":"/x"`) + result("00:11", "") + words("01:00"), "00:30", true},
		"when the agent has ended":              {bash("make") + words("01:00"), "01:10", false},
		"the format has no results":             {use("00:40", "Bash", `"command":"make"`) + words("01:00"), "00:30", false},
		"while one goes on":                     {use("00:10", "Bash", `"command":"make"`) + words("01:00"), "00:30", false},
		"new: a command ran before it":          {bash("make") + words("01:00"), "00:30", false},
		"new: none ran before it":               {words("00:00") + use("00:30", "Bash", `"command":"x"`) + result("00:31", "") + words("01:00"), "00:10", true},
		"two at once, one goes on":              {use("00:10", "Bash", `"command":"x"`) + use("00:11", "Bash", `"command":"y"`) + result("00:12", "") + words("00:13") + result("00:40", "") + words("01:00"), "00:30", false},
		"two at once, one has no end":           {bash("make") + use("00:25", "Bash", `"command":"x"`) + use("00:26", "Bash", `"command":"y"`) + result("00:27", "") + words("01:00"), "00:40", false},
		"a command starts another":              {bash("tmux send-keys make") + words("01:00"), "00:30", false},
		"a command detaches":                    {bash("serve >log 2>&1 &") + words("01:00"), "00:30", false},
		"it prints a word of shells":            {use("00:10", "Bash", `"command":"make"`) + result("00:20", `,"toolUseResult":{"stdout":"in the background"}`) + words("01:00"), "00:30", true},
		"a subagent is left alone":              {use("00:10", "Task", `"prompt":"x"`) + result("00:20", `,"toolUseResult":{"isAsync":true,"status":"async_launched"}`) + words("01:00"), "00:30", false},
		"a command joins":                       {bash("make 2>&1 && true &>log") + words("01:00"), "00:30", true},
		"a command is left alone":               {use("00:10", "Bash", `"command":"x"`) + result("00:20", `,"toolUseResult":{"backgroundTaskId":"b"}`) + words("01:00"), "00:30", false},
		"Gemini CLI":                            {gemini, "00:30", true},
		"Gemini CLI, in a command":              {gemini, "00:06", false},
		"a time that isn't there at all":        {strings.Replace(bash("make"), `"timestamp"`, `"other"`, 1) + words("01:00"), "00:30", false},
	} {
		file := filepath.Join(t.TempDir(), "t.jsonl")
		testdir.Must(t, os.WriteFile(file, []byte(c.text), 0o600))
		at, err := time.Parse(time.RFC3339, day+c.at+"Z")
		testdir.Must(t, err)
		working, complete, err := WorkingTimes(t.Context(), file, 0, time.Time{})
		if got := complete && working.Apart("f.go", strings.HasPrefix(name, "new:"), at); got != c.want || err != nil {
			t.Errorf("%s: %v, complete %v, %v", name, got, complete, err)
		}
	}
}

// TestSavedAfterAStop: of tools that were stopped, what was saved later is the user's, unless a
// command of that time names it.
func TestSavedAfterAStop(t *testing.T) {
	stopped := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	span := func(commands string, end time.Time) Span {
		return Span{Begin: stopped.Add(-time.Minute), End: end, Commands: commands}
	}
	for name, c := range map[string]struct {
		span  Span
		since time.Duration // from the stop to the file's time
		began time.Duration // from the stop to the turn's beginning
		want  bool
	}{
		"later":                     {span("make", stopped), 2 * few, -time.Hour, true},
		"at once":                   {span("make", stopped), few, -time.Hour, false},
		"before":                    {span("make", stopped), -few, -time.Hour, false},
		"a command names it":        {span("sh mk f.go", stopped), 2 * few, -time.Hour, false},
		"without a result":          {span("make", time.Time{}), 2 * few, -time.Hour, true},
		"one of an earlier turn":    {span("sh mk f.go", stopped.Add(-time.Second)), 2 * few, 0, true},
		"one of which no end tells": {span("sh mk f.go", time.Time{}), 2 * few, 0, false},
	} {
		w := Working{Spans: Spans{c.span}}
		w.Since(stopped.Add(c.began))
		if got := w.After("f.go", stopped, stopped.Add(c.since)); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if ran := (Spans{span("make", stopped)}); !ran.Ran(stopped.Add(few)) || ran.Ran(stopped.Add(2*few)) || (Spans{}).Ran(stopped) {
		t.Error("a command saves a file while it runs, or a second around that")
	}
}
