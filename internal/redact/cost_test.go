//go:build unix

package redact

import (
	"bytes"
	"encoding/json"
	flags "flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"entire-plumb/internal/redact/corpus"
	"entire-plumb/internal/testdir"
)

// processorTime is how long the program has computed so far: what other programs do at the same
// time doesn't count.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		t.Skip("no processor time here: ", err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// sources are a transcript of some five megabytes: Go's own files, as tools read them, with numbers
// of lines and without.
func sources(t *testing.T) []byte {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("go is not on PATH: ", err)
	}
	var text []byte
	files, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "src", "net", "http", "*.go"))
	for i, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Skip("Go's sources are not here: ", err)
		}
		content := string(data)
		if i%3 == 0 {
			var b strings.Builder
			for n, line := range strings.Split(content, "\n") {
				fmt.Fprintf(&b, "%6d→%s\n", n+1, line)
			}
			content = b.String()
		}
		record, err := json.Marshal(map[string]any{"type": "user", "message": map[string]any{"content": []any{map[string]any{"type": "tool_result", "content": content}}}})
		testdir.Must(t, err)
		text = append(append(text, record...), '\n')
	}
	for len(text) < 5<<20 {
		text = append(text, text...)
	}
	return text[:bytes.LastIndexByte(text[:5<<20], '\n')+1]
}

// TestCost: five megabytes take half a second of one processor. Twice as much is allowed for here,
// for machines that do other things, too.
func TestCost(t *testing.T) {
	r, _ := New(Options{})
	text := sources(t)
	r.Records(text[:1<<20]) // compiles the expressions
	best := time.Hour
	for tries := 0; tries < 3 && best > time.Second; tries++ {
		runtime.GC()
		begun := processorTime(t)
		r.Records(text)
		best = min(best, processorTime(t)-begun)
	}
	t.Logf("%d bytes in %v of a processor's time", len(text), best)
	if best > time.Second && !raceDetector {
		t.Errorf("%d bytes took %v", len(text), best)
	}
}

// TestHostileTexts: texts that are made to take for ever take time in proportion to their length.
func TestHostileTexts(t *testing.T) {
	if !*allRecords && flags.Lookup("test.run").Value.String() == "" {
		t.Skip("it takes long: CI sets ENTIRE_TEST_ALL; -run plays it, too")
	}
	r, _ := New(Options{})
	nested := `{"password":"Zq8kLm2vT9x!"}`
	for range 12 {
		nested = string(encoded(nested))
		nested = `{"text":` + nested + `,"more":"` + strings.Repeat("x ", 20) + `"}`
		if len(nested) > 1<<20 {
			break
		}
	}
	const size = 50 << 10
	unit := func(s string) string { return strings.Repeat(s, size/len(s)) }
	for name, text := range map[string]string{
		"JSON in JSON in JSON":        nested,
		"open braces":                 unit(`{"a`),
		"open brackets":               unit(`[[`),
		"open objects":                unit(`{"a":`),
		"objects":                     unit(`{"a":"b"} {`),
		"backslashes":                 unit(`\`),
		"backslashes and quotes":      unit(`\\\"`),
		"escaped objects":             unit(`{\"a\":\"b\"}`),
		"names":                       unit("password "),
		"names with colons":           unit("password:"),
		"names with equals signs":     unit("password="),
		"one name":                    unit("password"),
		"one name in parts":           unit("password_"),
		"names in quotes":             unit(`"password",`),
		"names in XML":                unit("<password>"),
		"columns":                     unit("password,") + "\n" + unit("a,"),
		"heads of tables":             unit("| a | password |\n"),
		"heads of aligned columns":    unit("A  PASSWORD  TOKEN\n"),
		"heads of separated columns":  unit("a;password;token\n"),
		"one head":                    unit("password|") + "\n" + unit("aB3!xyz|"),
		"manifests":                   unit("kind: Secret\ndata:\n  password: aa\n"),
		"kinds of manifests":          unit("kind: Secret\n"),
		"dots":                        unit("aB3dE5gH7jK9mN1pQ4sT6v.abcdef."),
		"words of a list, by line":    unit("zebra\nask\nvelvet\n"),
		"calls":                       unit("login(\"a\",connect('"),
		"names by place":              unit("mysqli_connect(a,"),
		"keys that begin":             unit("-----BEGIN PRIVATE KEY-----\n"),
		"keys that begin, in a patch": unit("+-----BEGIN PRIVATE KEY-----\n+MII\n"),
		"certificates that begin":     unit("-----BEGIN CERTIFICATE-----\n"),
		"dashes":                      unit("-"),
		"numbers of lines":            unit("1:1:1:1:"),
		"quotes of mail":              unit("> "),
		"commands":                    unit("curl "),
		"commands with flags":         unit("docker login -u a "),
		"commands and backslashes":    unit("curl \\\n"),
		"URLs":                        unit("://a:"),
		"random":                      unit("aB3dE5gH7jK9mN1pQ4sT6vW8yZ0bC2eF5hJ7"),
		"random words":                unit("aB3dE5gH7jK9mN1pQ4sT6vW8yZ0bC2eF5hJ7 "),
		"token prefixes":              unit("sk-"),
		"jwt prefixes":                unit("eyJ."),
		"seed words":                  unit("abandon "),
		"words of a list":             unit("true false "),
		"web keys":                    unit(`"kty":"d":"`),
		"invalid UTF-8":               unit("\xff\xfe password=\xff"),
		"zeros":                       unit("\x00"),
		"tabs":                        unit("password\t"),
		"newlines":                    unit("password:\n"),
		"block scalars":               unit("password: |\n  a\n"),
		"spaces":                      "password" + unit(" "),
		"data URLs":                   unit("data:image/png;base64,AAAA "),
	} {
		for _, shape := range []string{"text", "record"} {
			line := []byte(text)
			if shape == "record" {
				line = append(append([]byte(`{"content":`), encoded(text)...), '}')
			}
			begun := processorTime(t)
			got := r.Records(line)
			took := processorTime(t) - begun
			if limit := 2 * time.Second * time.Duration(1+len(line)/(1<<20)); took > limit && !raceDetector {
				t.Errorf("%s, as a %s of %d bytes, took %v", name, shape, len(line), took)
			} else if took > time.Second {
				t.Logf("%s, as a %s of %d bytes: %v", name, shape, len(line), took)
			}
			if shape == "record" && json.Valid(line) && !json.Valid(got) {
				t.Errorf("%s: the record is no JSON any more", name)
			}
			if name == "JSON in JSON in JSON" && bytes.Contains(got, []byte("Zq8kLm2vT9x")) && shape == "text" && strings.Count(text, `\`) < 1<<8 {
				t.Errorf("%s: the password is still there", name)
			}
		}
	}
}

// TestDeepTexts: a password is found however often the text it stands in was made a string, up to
// the bound.
func TestDeepTexts(t *testing.T) {
	r, _ := New(Options{})
	text := `{"password":"Zq8kLm2vT9x!","port":5432}`
	for depth := range deepest {
		if got := string(r.Records([]byte(text))); strings.Contains(got, "Zq8kLm2vT9x") || !json.Valid([]byte(got)) || !strings.Contains(got, "5432") {
			t.Errorf("at depth %d: %s", depth, got)
		}
		text = `{"text":` + string(encoded(text)) + `}`
	}
}

// TestLongLineOfPlains: what is no secret stays as it is in a line that is redacted in pieces, too.
func TestLongLineOfPlains(t *testing.T) {
	r, _ := New(Options{})
	var text strings.Builder
	for plains := eachOf(corpus.Plains(3), 3, 1); text.Len() < longLine+4*unit; {
		for _, p := range plains {
			text.WriteString(p.Text)
		}
	}
	record := append(append([]byte(`{"content":`), encoded(text.String())...), '}')
	got := r.Records(record)
	if n := bytes.Count(got, []byte(Mark)); !json.Valid(got) || n > strings.Count(text.String(), "\n")/2000 {
		t.Errorf("%d marks in %d lines", n, strings.Count(text.String(), "\n"))
	}
}
