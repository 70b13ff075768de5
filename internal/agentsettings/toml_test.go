package agentsettings

import (
	"strings"
	"testing"

	"entire-plumb/internal/agent"
)

// TestTOML: Enable adds tables of ours, and Disable gives the very bytes from before, whatever else
// is in the file.
func TestTOML(t *testing.T) {
	calling := func(program string) func(string) string {
		return func(verb string) string {
			return "trap 'exit 0' EXIT; test -x \"$HOME\"/'a \\b'/" + program + " && \"$HOME\"/'a \\b'/" + program + " hooks --user kimi " + verb + "; exit 0"
		}
	}
	ours := calling("entire-plumb")
	for _, data := range []string{
		"", "a = 1", "a = 1\n", "a = 1\r\nb = 2\r\n", "# hooks\n\n[hooks_x]\na = 1\n# end",
		"[[hooks]]\nevent = \"Stop\"\ncommand = \"beep\"", "[[hooks]]\nevent = \"Stop\"\ncommand = \"beep\"\n\n[x]\ny = 1\n",
		"[[ hooks ]] # mine\ncommand = '''\nbeep\n[[hooks]]\n'''\nevent = \"Stop\"\n\n\n[x]\ny = [\n1,\n[2],\n]\n",
		"[[hooks]]\nevent = \"Stop\"\ncommand = \"beep\"\n[hooks.env]\nA = \"1\"\n\n[[hooks.more]]\nb = 1\n[x]\ny = 1\n",
		"[x]\ny = \"\"\"\n[[hooks]]\nevent = \"Stop\"\n\"\"\"\n", "[x.hooks]\na = 1\n[[y.hooks]]\nevent = \"Stop\"\n",
	} {
		once, err := Enable([]byte(data), agent.Kimi, ours)
		if err != nil {
			t.Errorf("%q: %v", data, err)
			continue
		}
		if there, missing, err := Installed(once, agent.Kimi); err != nil || len(missing) > 0 || len(there) != len(agent.Kimi.Events) {
			t.Errorf("%v is missing in %q: %v", missing, once, err)
		}
		twice, _ := Enable(once, agent.Kimi, ours)
		back, err := Disable(once, agent.Kimi)
		if string(twice) != string(once) || string(back) != data || err != nil || (back == nil) != (data == "") {
			t.Errorf("from: %q\nover: %q\nand:  %q\nto:   %q, %v", data, once, twice, back, err)
		}
		moved, err := Enable(once, agent.Kimi, calling("new/entire-plumb"))
		if err != nil || strings.Count(string(moved), "new/entire-plumb") != 2*len(agent.Kimi.Events) {
			t.Errorf("moved: %v\n%s", err, moved)
		}
		if back, err := Disable(moved, agent.Kimi); string(back) != data || err != nil {
			t.Errorf("moved, from: %q\nto:   %q, %v", data, back, err)
		}
	}
}

// TestTOMLOfOthers: what the agent wrote anew, without blank lines and with tables behind ours, is
// ours as before, and what Enable can't add to without damage is left as it is.
func TestTOMLOfOthers(t *testing.T) {
	const table = "[[hooks]]\nevent = \"Stop\"\ncommand = \"/b/entire-plumb hooks --user kimi stop\"\n"
	for data, want := range map[string]string{
		"a = 1\n" + table + "[x]\ny = 1\n":                                             "a = 1\n[x]\ny = 1\n",
		"a = 1\n\n" + table + "\n[x]\ny = 1\n":                                         "a = 1\n\n[x]\ny = 1\n",
		table + "[[hooks]]\nevent = \"Stop\"\ncommand = \"beep\"\n" + table:            "[[hooks]]\nevent = \"Stop\"\ncommand = \"beep\"",
		"[[hooks]]\nevent = \"Stop\"\ncommand = \"a; entire-plumb hooks kimi stop\"\n": "[[hooks]]\nevent = \"Stop\"\ncommand = \"a; entire-plumb hooks kimi stop\"\n",
	} {
		if got, err := Disable([]byte(data), agent.Kimi); err != nil || string(got) != want {
			t.Errorf("%q\nto %q, %v\nnot %q", data, got, err, want)
		}
	}
	call := func(verb string) string { return "/b/entire-plumb hooks --user kimi " + verb }
	for data, want := range map[string]string{
		"a = 1\nb = = 2\n":   "line 2: ",
		"hooks = 1\n":        "",
		"hooks = []\n":       "table",
		"[hooks.x]\na = 1\n": "table",
		"hooks = [{event=\"Stop\", command=\"beep\"}]\n": "table",
	} {
		if out, err := Enable([]byte(data), agent.Kimi, call); err == nil || out != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v", data, out, err)
		}
	}
}

// TestTOMLNotRemoved: a table of ours to which the user has added a value of several lines, or a
// table, is left as it is: the agent could not read the half of it.
func TestTOMLNotRemoved(t *testing.T) {
	const ours = "[[hooks]]\nevent = \"Stop\"\ncommand = \"/b/entire-plumb hooks --user kimi stop\"\n"
	for _, data := range []string{ours + "more = [\n\"a\",\n]\n", ours + "more = [\n]\n[x]\ny = 1\n", ours + "[hooks.more]\na = 1\n"} {
		if out, err := Disable([]byte(data), agent.Kimi); err == nil || out != nil || !strings.Contains(err.Error(), "hint: remove by hand") {
			t.Errorf("%q: %q, %v", data, out, err)
		}
	}
}
