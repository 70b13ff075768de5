package agentsettings

import (
	"slices"
	"strings"
	"testing"
)

func TestCallsEntire(t *testing.T) {
	for _, c := range []struct {
		command      string
		calls, alone bool
	}{
		{"entire hooks claude-code stop", true, true},
		{"entire hooks gemini after-agent 2>/dev/null || true", true, true},
		{"/usr/local/bin/entire hooks gemini after-agent", true, false},
		{"./entire hooks gemini after-agent", true, false},
		{`"$HOME/go bin/entire" hooks claude-code stop`, true, false},
		{"entire hooks claude-code `evil`", true, false},
		{"entire hooks claude-code $(evil)", true, false},
		{"entire hooks claude-code stop; evil", true, false},
		{"entire hooks claude-code stop && entire enable", true, false},
		{"command -v entire >/dev/null 2>&1 && exec entire hooks codex stop", true, true},
		{"my-tool; entire hooks claude-code stop", true, false},
		{"sh -c 'entire hooks claude-code stop'", true, true},
		{"sh -c 'if ! command -v entire >/dev/null 2>&1; then exit 0; fi; exec entire hooks copilot-cli agent-stop'", true, true},
		{"sh -c 'entire hooks claude-code stop; evil'", true, false},
		{"sh -c 'entire hooks claude-code stop' evil", true, false},
		{"sh -c 'entire hooks claude-code `evil`'", true, false},
		{"bash -c 'entire hooks claude-code stop'", true, false},
		{"sh -c 'evil entire'", false, false},
		{"entire hooks claude-code stop\nmy-tool", true, false},
		{"entire-plumb hooks claude-code stop", false, false},
		{"entire status", false, false},
		{"echo entire hooks", false, false},
		{"", false, false},
	} {
		if calls, alone := callsEntire(c.command); calls != c.calls || alone != c.alone {
			t.Errorf("callsEntire(%q) = %t, %t; want %t, %t", c.command, calls, alone, c.calls, c.alone)
		}
	}
}

// What was taken over and given back is byte for byte what it was, with ours beside it and without,
// and a second run changes nothing.
func TestTakeOver(t *testing.T) {
	stop := `{"matcher": "", "hooks": [{"type": "command", "command": "entire hooks claude-code stop"}]}`
	for name, data := range map[string]string{
		"pretty": "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"matcher\": \"\",\n        \"hooks\": [\n          {\n" +
			"            \"type\": \"command\",\n            \"command\": \"entire hooks claude-code stop\"\n          }\n        ]\n      }\n    ]\n  }\n}\n",
		"one line":                               `{"hooks": {"Stop": [` + stop + `]}}`,
		"beside a user's":                        `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}, ` + stop + `]}, "x": 1}`,
		"an unknown event, a comment, CRLF, BOM": "\xef\xbb\xbf{ // why\r\n  \"hooks\": {\"NewEvent\": [" + stop + "]},\r\n}\r\n",
		"escapes":                                `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "\u0065ntire hooks claude-code stop"}]}]}}`,
	} {
		out, found, mixed, err := TakeOver([]byte(data), claude)
		if err != nil || found != 1 || mixed != nil {
			t.Errorf("%s: %d, %v, %v", name, found, mixed, err)
		}
		if again, found, _, err := TakeOver(out, claude); err != nil || found != 0 || string(again) != string(out) {
			t.Errorf("%s, again: %q, %d, %v", name, again, found, err)
		}
		for _, between := range []string{string(out), disable(t, enable(t, string(out)))} {
			if back, err := GiveBack([]byte(between), claude); err != nil || string(back) != data {
				t.Errorf("%s: %q, %v; want %q", name, back, err, data)
			}
		}
		// That program installs its hook once more: one of the two is left.
		twice := strings.Replace(string(out), `"Stop": [`, `"Stop": [`+stop+`, `, 1)
		if name == "beside a user's" {
			out, found, _, err := TakeOver([]byte(twice), claude)
			if err != nil || found != 1 || strings.Count(string(out), "entire hooks") != 1 {
				t.Errorf("%s, twice: %q, %d, %v", name, out, found, err)
			}
		}
	}
	both := `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine && entire hooks claude-code stop"}]}]}}`
	out, found, mixed, err := TakeOver([]byte(both), claude)
	if err != nil || found != 0 || string(out) != both || !slices.Equal(mixed, []string{"mine && entire hooks claude-code stop"}) {
		t.Errorf("%q, %d, %q, %v", out, found, mixed, err)
	}
	// What only looks as if it had been taken over isn't given back.
	for _, command := range []string{"evil", "./entire hooks claude-code stop", "entire hooks claude-code `evil`", ""} {
		looks := `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "` + Taken + command + `"}]}]}}`
		if back, err := GiveBack([]byte(looks), claude); err != nil || string(back) != looks {
			t.Errorf("%q: %q, %v", command, back, err)
		}
	}
}
