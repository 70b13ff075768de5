package agentsettings

import "testing"

func TestRecognise(t *testing.T) {
	cases := []struct {
		command string
		verb    string
		kind    kind
	}{
		{"entire-plumb hooks claude-code stop", "stop", ours},
		{"/usr/bin/entire-plumb hooks claude-code session-start", "session-start", ours},
		{`'/opt/a b/entire-plumb' hooks claude-code stop`, "stop", ours},
		{`'/opt/it'\''s/entire-plumb' hooks claude-code stop`, "stop", ours},
		{`"$HOME/bin/entire-plumb" hooks claude-code stop`, "stop", ours},
		{`"C:\Program Files\entire-plumb.exe" hooks claude-code stop`, "stop", ours},
		{`/opt/a\ b/entire-plumb hooks claude-code stop`, "stop", ours},
		{"test -x /p/entire-plumb && /p/entire-plumb hooks claude-code stop || true", "stop", ours},
		{"[ -x /p/entire-plumb ] && exec /p/entire-plumb hooks claude-code stop; exit 0", "stop", ours},
		{"if command -v entire-plumb >/dev/null 2>&1; then entire-plumb hooks claude-code stop; fi", "stop", ours},
		{"test -x /p/entire-plumb||exit 0;/p/entire-plumb  hooks  claude-code  stop", "stop", ours},
		{"entire-plumb hooks codex stop", "stop", ours},
		{"entire-plumb hooks --user gemini session-end", "session-end", ours},
		{`trap 'exit 0' EXIT; test -x "$HOME"/go/bin/entire-plumb && "$HOME"/go/bin/entire-plumb hooks claude-code stop; ` +
			`test ! -x "$HOME"/go/bin/entire-plumb && command -v entire-plumb >/dev/null 2>&1 && entire-plumb hooks claude-code stop; exit 0`, "stop", ours},
		{`test -x /a/entire-plumb && /a/entire-plumb hooks claude-code stop; ` +
			`test ! -x /b/entire-plumb && command -v entire-plumb >/dev/null 2>&1 && entire-plumb hooks claude-code stop; exit 0`, "stop", byHand},
		{"trap 'rm -r x' EXIT; entire-plumb hooks claude-code stop", "stop", byHand},
		{`test -x "$HOME"/go/bin/entire-plumb && exec "$HOME"/go/bin/entire-plumb hooks claude-code stop; ` +
			"command -v entire-plumb >/dev/null 2>&1 && exec entire-plumb hooks claude-code stop; exit 0", "stop", ours},
		{"exec entire-plumb hooks codex stop; exec entire-plumb hooks codex session-end", "session-end", byHand},
		{"exec entire-plumb hooks codex stop; entire-plumb hooks codex stop", "stop", byHand},
		{"notify-send done; entire-plumb hooks claude-code stop", "stop", byHand},
		{"timeout 5 entire-plumb hooks claude-code stop", "stop", byHand},
		{"entire-plumb hooks claude-code stop | tee log", "stop", byHand},
		{"entire-plumb hooks claude-code stop --verbose", "stop", byHand},
		{"sh -c 'entire-plumb hooks claude-code stop'", "stop", byHand},
		{"entire-plumb hooks claude-code stop; entire-plumb hooks claude-code stop", "stop", byHand},
		{"entire hooks claude-code stop", "", foreign},
		{"/home/entire-plumb/bin/entire hooks claude-code stop", "", foreign},
		{"my-entire-plumb hooks claude-code stop", "", foreign},
		{"entire-plumb hooks claude-code", "", foreign},
		{"entire-plumb hooks git commit-msg", "", foreign},
		{"entire-plumb hooks --user", "", foreign},
		{"entire-plumb hooks nosuch stop", "", foreign},
		{"entire-plumb status", "", foreign},
		{"'unclosed", "", foreign},
		{"", "", foreign},
	}
	for _, c := range cases {
		if verb, kind := recognise(c.command); verb != c.verb || kind != c.kind {
			t.Errorf("recognise(%q) = %q, %v; want %q, %v", c.command, verb, kind, c.verb, c.kind)
		}
	}
}
