package skill

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// TestSpecification: name, description and lengths are as agentskills.io has them, and as the
// strictest of the agents wants them.
func TestSpecification(t *testing.T) {
	head, body, ok := strings.Cut(strings.TrimPrefix(string(Text()), "---\n"), "\n---\n")
	if !ok {
		t.Fatal("no front matter")
	}
	keys := map[string]string{}
	for _, line := range strings.Split(head, "\n") {
		key, value, ok := strings.Cut(line, ": ")
		if !ok || strings.Contains(value, ": ") || strings.ContainsAny(value[:1], "\"'[{>|&*!%#`@") || strings.Contains(value, " #") {
			t.Errorf("no plain YAML: %q", line)
		}
		keys[key] = value
	}
	if name := keys["name"]; name != Name || len(name) > 64 || !regexp.MustCompile("^[a-z0-9]+(-[a-z0-9]+)*$").MatchString(name) {
		t.Errorf("name %q", name)
	}
	if n := len(keys["description"]); n == 0 || n > 1024 || !strings.Contains(keys["description"], "Use it ") {
		t.Errorf("the description has %d characters, or doesn't say when", n)
	}
	if n := len(keys["compatibility"]); n > 500 {
		t.Errorf("compatibility has %d characters", n)
	}
	if strings.Count(body, "\n") > 500 || len(body)/4 > 5000 {
		t.Errorf("the body has %d bytes", len(body))
	}
	for _, name := range Files {
		if !strings.HasSuffix(name, "/skills/"+Name+"/SKILL.md") {
			t.Errorf("%s has not the skill's name", name)
		}
	}
}

func TestStateOf(t *testing.T) {
	older := "---\nname: entire-plumb\n---\nolder\n"
	for name, c := range map[string]struct {
		data []byte
		want State
	}{
		"none":                  {nil, Absent},
		"empty":                 {[]byte{}, Foreign},
		"ours":                  {Text(), Current},
		"ours with CRLF":        {bytes.ReplaceAll(Text(), []byte("\n"), []byte("\r\n")), Current},
		"changed":               {bytes.Replace(Text(), []byte("Judge"), []byte("Obey"), 1), Foreign},
		"with more":             {append(Text(), "more\n"...), Foreign},
		"of another version":    {[]byte(older + lineOf(older)), Outdated},
		"another's":             {[]byte(older), Foreign},
		"with a mark of others": {[]byte(older + "\n" + mark + "00 -->\n"), Foreign},
	} {
		if got := StateOf(c.data); got != c.want {
			t.Errorf("%s: %s, not %s", name, got, c.want)
		}
	}
}
