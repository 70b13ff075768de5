package report

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
	"entire-plumb/internal/transcript"
)

//go:embed testdata/harness.html
var harness string

// nasty is what a transcript, a file or a name may hold.
var nasty = []string{
	`<script>top.ran = 1; parent.ran = 1</script>`,
	`</script><script>top.ran = 2</script><script>`,
	`</style><script>top.ran = 3</script>`,
	`"><img src=x onerror="top.ran = 4"><svg onload="top.ran = 5">`,
	`' onfocus='top.ran = 6' autofocus='`,
	`<a href="javascript:top.ran = 7">link</a> [link](javascript:top.ran=8) http://example.com/`,
	`<iframe src="/outside"></iframe><link rel=stylesheet href="/outside.css"><meta http-equiv=refresh content="0;url=/outside">`,
	"{{.}} {{template `x`}} `${top.ran = 9}` <!-- --!> ]]> &lt;script&gt;",
	"\x1b[31mred\x1b[0m \x1b]0;title\x07 \x00 \x7f \u009b31m",
	"\xff\xfe bytes \xc3\x28",
	"\u202eturned\u202c \u2066isolated\u2069 \u200fmark\u2028line \ufeff",
	"שלום עולם, مرحبا بالعالم",
	"👩‍💻 e\u0301 漢字",
	"# A heading <b onclick=\"top.ran = 10\">\n\nSome **strong** and *emphatic* `code`, [here](http://example.com/there), ![alt](http://example.com/x.png)\n\n" +
		"```html\n<script>top.ran = 11</script>\n```\n\n- [ ] a\n- [x] b\n\n3. three\n\n| a | b |\n|---|---|\n| `1` | <img src=x onerror=top.ran=12> |\n\n> quoted\n\n---\n",
	strings.Repeat("> ", 400) + "deep " + strings.Repeat("[", 200) + strings.Repeat("**", 150),
	strings.Repeat("long", 1000),
	strings.Repeat("many lines\n", 200),
	strings.Repeat("a/", 300) + "path.go",
}

// nastyPage has every text at every place.
func nastyPage(clean func(string) string) Page {
	all := make([]string, len(nasty))
	for i, text := range nasty {
		all[i] = clean(text)
	}
	everything := strings.Join(all, " ")
	usage := transcript.Usage{InputTokens: 1234567, OutputTokens: 12345, CacheReadTokens: 123456789, CacheCreationTokens: 1234, APICallCount: 1234, SubagentTokens: &transcript.Usage{InputTokens: 5}}
	p := Page{Kind: "session", Name: all[0] + all[13], Title: everything, Branch: everything, Tokens: &usage, Notes: all, Version: all[0], Lines: Lines{Agent: 12345, Other: 3, Human: 4, Unknown: 5, Removed: 6}}
	talk := Session{ID: all[3], Agent: all[1], Model: all[13], Notes: all}
	chapter := Chapter{Name: all[0], Commit: &Commit{ID: strings.Repeat("0", 40), Subject: everything, Author: everything, When: time.Unix(1e9, 0)}, Also: []Commit{{ID: all[4], Subject: everything}}, Checkpoints: all,
		Stream: all[13], Against: everything, MoreFiles: 3, Notes: all, Lines: p.Lines}
	for i, kind := range []string{Agent, Other, Human, Unknown} {
		chapter.Owners = append(chapter.Owners, &Owner{Kind: kind, Mark: []string{"A1", "B2", "H", "?"}[i], Session: all[i], Agent: all[4], Turn: all[5], Prompt: everything, On: []string{fmt.Sprintf("s1-t%d", i+1)}, Lines: 7, Tint: []string{"s0", "s1", Human, Unknown}[i]})
	}
	for i, text := range all {
		turn := Turn{ID: fmt.Sprintf("s1-t%d", i+1), Number: i + 1, Prompt: text, Began: time.Unix(1e9, 0), Seconds: 75, Tokens: usage, LeftOut: 3, Lines: 2, Said: []Words{{"assistant", everything}, {"agent", text}}, Tools: []transcript.Tool{{Name: text, Times: 3}},
			Files: []TurnFile{{Path: text, Lines: 3, Place: "f1"}, {Path: text}}, Uses: []transcript.ToolUse{{Name: text, File: text, Command: text}}, MoreUses: 4}
		if i%4 == 1 {
			turn.Dismissed = text
		}
		turn.Gone = i%4 == 2
		if i%3 > 0 {
			turn.Of = []string{chapter.Name}
		}
		talk.Turns = append(talk.Turns, turn)
		f := File{ID: fmt.Sprintf("f%d", i+1), Path: text, Was: text, What: "renamed", Mode: text, Note: text, Lines: p.Lines, LeftOut: 9}
		for j, o := range append([]*Owner{nil}, chapter.Owners...) {
			signs := []string{"-", "+", "+", "+", "+"}
			f.Hunks = append(f.Hunks, Hunk{Head: text, Rows: []Row{{Sign: " ", Old: 1, New: 1, Text: text}, {Sign: signs[j], New: 123456, Text: text, Owner: o, Leads: true}, {Sign: signs[j], New: 123457, Text: text, Owner: o}, {Sign: `\`, Text: text}}})
		}
		chapter.Files = append(chapter.Files, f)
	}
	for _, kind := range []string{"base", Human, Agent, Other, Unknown, "more", "commit", "checkpoint", "checkpoint"} {
		chapter.Graph = append(chapter.Graph, Step{Kind: kind, Label: all[13], More: everything, On: "s1-t1"})
	}
	p.Sessions = []Session{talk}
	for i := range 6 {
		id := fmt.Sprintf("s%d-t1", i+2)
		p.Sessions = append(p.Sessions, Session{ID: all[i], Turns: []Turn{{ID: id, Number: 1, Prompt: all[i], Lines: 4, Of: []string{chapter.Name}, Began: time.Unix(1e9, 0)}}})
	}
	p.Chapters = []Chapter{chapter, chapter}
	p.Summary = summarise(p, nil, map[string]*bill{p.Sessions[0].ID: {cost: Cost{USD: 2, Unpriced: 3}}}, all[0])
	return p
}

func browser(t *testing.T) string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("ENTIRE_TEST_BROWSER") == "required" {
		t.Fatal("there is no chromium on PATH")
	}
	t.Skip("there is no chromium on PATH")
	return ""
}

// profile is a directory for what a browser keeps. Its processes may go on writing there for a
// moment when the first has ended, and make the directory again.
func profile(t *testing.T) string {
	dir, err := os.MkdirTemp("", "browser")
	testdir.Must(t, err)
	t.Cleanup(func() {
		absent := 0
		for until := time.Now().Add(time.Minute); absent < 10 && time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
			if _, err := os.Lstat(dir); err != nil {
				absent++
				continue
			}
			absent = 0
			_ = os.RemoveAll(dir)
		}
		if absent < 10 {
			t.Errorf("%s can't be removed", dir)
		}
	})
	return dir
}

// TestInABrowser looks at the page as a reader does: on a phone's width and on a screen's, in the light and in the dark, with the keyboard. The harness
// holds it in frames, does what the reader does, and says what is wrong.
func TestInABrowser(t *testing.T) {
	exe := browser(t)
	pages := map[string][]byte{}
	for name, clean := range map[string]func(string) string{"/raw": func(s string) string { return s }, "/clean": clean} {
		var text bytes.Buffer
		testdir.Must(t, Write(&text, nastyPage(clean)))
		pages[name] = text.Bytes()
	}
	result, asked := inBrowser(t, exe, harness, pages)
	for _, wrong := range result.Wrong {
		t.Error(wrong)
	}
	t.Log(result.Counts)
	if result.Counts["frames"] != 4 || result.Counts["texts"] < 1000 || result.Counts["links"] < 100 || result.Counts["stops"] < 50 {
		t.Errorf("the harness looked at too little: %v", result.Counts)
	}
	if want := []string{"/clean", "/clean", "/harness", "/raw", "/raw"}; !slices.Equal(asked, want) {
		t.Errorf("the browser asked for %q", asked)
	}
}

// found is what a harness says.
type found struct {
	Wrong  []string
	Counts map[string]int
}

// inBrowser has a browser show a harness that looks at pages, and returns what it says, and all
// that the browser asked for.
func inBrowser(t *testing.T, exe, harness string, pages map[string][]byte) (result found, asked []string) {
	t.Helper()
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.URL.Path)
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if page, ok := pages[r.URL.Path]; ok {
			w.Write(page)
		} else {
			w.Write([]byte(harness))
		}
	}))
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--disable-dev-shm-usage", "--user-data-dir="+profile(t), "--window-size=1400,900", "--timeout=60000", "--dump-dom", server.URL+"/harness")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", exe, err, out)
	}
	said := regexp.MustCompile(`(?s)<pre id="result">(.*?)</pre>`).FindSubmatch(out)
	if said == nil {
		t.Fatalf("the harness came to no result:\n%.2000s", out)
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(string(said[1]))), &result); err != nil {
		t.Fatalf("%v: %s", err, said[1])
	}
	slices.Sort(asked)
	return result, asked
}

//go:embed testdata/unfold.html
var unfoldHarness string

// TestUnfolds: a page of as many rows as there may be unfolds while the reader waits.
func TestUnfolds(t *testing.T) {
	exe := browser(t)
	var text bytes.Buffer
	testdir.Must(t, Write(&text, largePage()))
	result, _ := inBrowser(t, exe, unfoldHarness, map[string][]byte{"/large": text.Bytes()})
	for _, wrong := range result.Wrong {
		t.Error(wrong)
	}
	t.Logf("%d rows in %d bytes unfold in %d ms", result.Counts["rows"], text.Len(), result.Counts["ms"])
	const most = 3000 // milliseconds: 20 on a machine with nothing else to do
	if result.Counts["rows"] < mostRows || result.Counts["ms"] > most {
		t.Errorf("%v", result.Counts)
	}
}

// largePage has as many rows as a page may have.
func largePage() Page {
	p := Page{Kind: "commit", Name: strings.Repeat("a", 40), Title: "Large", Lines: Lines{Agent: 9000, Human: 3000}}
	owners := []*Owner{{Kind: Agent, Tint: "s0", Mark: "A1", Prompt: "Write it", On: []string{"s1-t1"}},
		{Kind: Other, Tint: "s3", Mark: "B1", Prompt: "Write that"}, {Kind: Human, Tint: Human, Mark: "H"}}
	c := Chapter{Name: "aaaaaaa", Owners: owners}
	for f := range mostRows / mostFileRows {
		hunk := Hunk{Head: "@@ -1 +1,3000 @@"}
		for i := range mostFileRows {
			text := fmt.Sprintf("\tif value := compute(%d); value != nil { return %d }", i, f) + strings.Repeat(" word", 50)
			hunk.Rows = append(hunk.Rows, Row{Sign: "+", New: i + 1, Text: text, Owner: owners[i/7%3]})
		}
		markRows(hunk.Rows)
		c.Files = append(c.Files, File{ID: fmt.Sprintf("f%d", f+1), Path: fmt.Sprintf("dir/file%d.go", f), What: "added",
			Lines: Lines{Agent: mostFileRows}, Hunks: []Hunk{hunk}})
	}
	talk := Session{ID: "s", Turns: []Turn{{ID: "s1-t1", Number: 1, Prompt: "Write it", Of: []string{c.Name}}}}
	p.Sessions, p.Chapters = []Session{talk}, []Chapter{c}
	return p
}
