package hooks

import (
	"slices"
	"strings"
	"testing"
)

// TestCheck: what a file of events says wrongly is said of its line, and of no other.
func TestCheck(t *testing.T) {
	const session = `"session_id":"s1","cwd":"/r"`
	for events, want := range map[string]string{
		`{"verb":"user-prompt-submit",` + session + `,"prompt":"p"}` + "\n" + `{"verb":"stop",` + session + `}`:        "",
		`{"verb":"user-prompt-submit",` + session + `,"prompt":"p"}` + "\n" + `{"verb":"session-end",` + session + `}`: "",
		`{"verb":"user-prompt-submit",` + session + `,"prompt":"p"}`:                                                   "1 no stop ends this turn",
		`{"verb":"stop",` + session + `}`:                                  "1 no user-prompt-submit",
		`{"verb":"stop",` + session + `,"stop_hook_active":true}`:          "",
		"\n" + `{"verb":"pre-task",` + session + `,"tool_use_id":"t"}`:     "2 no post-task ends the task t",
		`{"verb":"stop","session_id":"s1","cwd":"r"}`:                      "1 no user-prompt-submit|1 cwd is",
		`{"verb":"session-start","session_id":"s1","transcript_path":"t"}`: "1 transcript_path is",
		`{"verb":"session-start",` + session + `,"prompt":7}`:              "1 this is not the JSON expected: \"prompt\" is a number",
		`[]`: "1 this is not the JSON expected",
	} {
		found, err := Check(t.Context(), strings.NewReader(events))
		var got []string
		for _, e := range found {
			if e.Wrong != "" {
				got = append(got, string(rune('0'+e.Line))+" "+e.Wrong)
			}
		}
		wanted := strings.FieldsFunc(want, func(r rune) bool { return r == '|' })
		if err != nil || !slices.EqualFunc(got, wanted, strings.HasPrefix) {
			t.Errorf("%s\n%q, %v, not %q", events, got, err, want)
		}
	}
	if _, err := Check(t.Context(), strings.NewReader(" \n")); err == nil {
		t.Error("no event at all is no fault")
	}
}
