package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
	"entire-plumb/internal/transcript"
)

// TestAxe: axe finds nothing that keeps people from reading a page, at three widths, in the light
// and in the dark. ENTIRE_TEST_AXE names axe's script.
func TestAxe(t *testing.T) {
	file := os.Getenv("ENTIRE_TEST_AXE")
	if file == "" {
		t.Skip("ENTIRE_TEST_AXE names no axe.min.js")
	}
	exe := browser(t)
	axe, err := os.ReadFile(file)
	testdir.Must(t, err)
	pages := map[string][]byte{}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"/page":     func(w *bytes.Buffer) error { return Write(w, fairPage()) },
		"/overview": func(w *bytes.Buffer) error { return WriteOverview(w, overview()) },
		"/search":   func(w *bytes.Buffer) error { return WriteSearch(w, overview()) },
	} {
		var text bytes.Buffer
		testdir.Must(t, write(&text))
		policy := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`) // it would keep axe out
		pages[name] = append(policy.ReplaceAll(text.Bytes(), nil), []byte(axeInPage)...)
	}
	results := make(chan []byte, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch page := pages[r.URL.Path]; {
		case r.URL.Path == "/result":
			var text bytes.Buffer
			_, _ = text.ReadFrom(r.Body)
			results <- text.Bytes()
		case r.URL.Path == "/axe.js":
			w.Write(axe)
		case page != nil:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Write(page)
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Write([]byte(axeHarness))
		}
	}))
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage",
		"--user-data-dir="+profile(t), "--window-size=1500,900", "--remote-debugging-port=0", server.URL+"/harness")
	testdir.Must(t, cmd.Start())
	var text []byte
	select {
	case text = <-results:
	case <-ctx.Done():
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	var result found
	if err := json.Unmarshal(text, &result); err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	for _, wrong := range result.Wrong {
		t.Error(wrong)
	}
	if t.Log(result.Counts); result.Counts["pages"] != 18 || result.Counts["passes"] < 300 {
		t.Errorf("axe looked at too little: %v", result.Counts)
	}
}

// fairPage is a page with some of everything.
func fairPage() Page {
	p := nastyPage(readable)
	some := []int{0, 1, 2, 13}
	turns, files := p.Sessions[0].Turns, p.Chapters[0].Files
	p.Sessions[0].Turns = nil
	for i := range p.Chapters {
		p.Chapters[i].Files = nil
		p.Chapters[i].Commit = &Commit{ID: strings.Repeat(fmt.Sprint(i), 40), Subject: "Part"}
	}
	for _, i := range some {
		p.Sessions[0].Turns = append(p.Sessions[0].Turns, turns[i])
		p.Chapters[0].Files = append(p.Chapters[0].Files, files[i])
	}
	for i := range p.Chapters {
		for _, o := range p.Chapters[i].Owners {
			o.On = []string{"s1-t1"}
		}
		for j := range p.Chapters[i].Graph {
			p.Chapters[i].Graph[j].On = "s1-t1"
		}
	}
	return p
}

// readable is a text in place of a nasty one.
func readable(text string) string {
	if strings.HasPrefix(text, "# A heading") {
		return text
	}
	return fmt.Sprintf("text %d", slices.Index(nasty, text))
}

// overview is a small repository's.
func overview() Overview {
	at := func(day int) time.Time { return time.Date(2026, 1, day, 9, 0, 0, 0, time.UTC) }
	var sessions []SessionCard
	var commits []CommitCard
	for i := range 5 {
		sessions = append(sessions, SessionCard{ID: fmt.Sprint("s", i), Page: fmt.Sprintf("session-s%d.html", i), Title: fmt.Sprint("Write part ", i), Agent: "Claude Code",
			Began: at(5 * i), Ended: at(5*i + 3), Lines: 5, Commits: 1, Tokens: transcript.Usage{InputTokens: 5000}, Withheld: i == 2, Cost: Cost{USD: 2},
			Turns: []TurnCard{{Place: "s1-t1", Number: 1, When: at(5 * i), Prompt: "Write part", Said: "Done </script>", Lines: 5, Tokens: 5000, Cost: Cost{USD: 2}, Rejected: i == 3}}})
		commits = append(commits, CommitCard{ID: strings.Repeat(fmt.Sprint(i), 40), Page: fmt.Sprintf("commit-%d.html", i), Subject: "Part", When: at(5 * i), Lines: Lines{Agent: 5, Human: i},
			Files: []FileCard{{Path: fmt.Sprintf("dir/part%d.go", i), Lines: Lines{Agent: 5, Human: i}}}})
	}
	o := Summed(sessions, commits)
	o.Title, o.Version, o.Notes, o.Survival = "repo", "test", []string{"A note."}, []Survivors{{"after a week", "75 % of 4", "–"}}
	return o
}

const axeInPage = `<script src="/axe.js"></script><script>
addEventListener('message', async function (e) {
  try {
    if (e.data === 'dark') document.documentElement.dataset.theme = 'dark';
    dispatchEvent(new Event('beforeprint'));
    const words = document.getElementById('words');
    if (words) { words.value = 'part'; document.getElementById('search').requestSubmit(); }
    const r = await axe.run(document, { resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] });
    const wrong = r.violations.map(v => v.id + ': ' + v.help + ': ' + v.nodes.length + ', such as ' + v.nodes[0].html.slice(0, 200));
    if (document.documentElement.scrollWidth > innerWidth) wrong.push('it is ' + document.documentElement.scrollWidth + ' px wide');
    for (const t of document.querySelectorAll('.sums')) if (t.parentElement.scrollWidth > t.parentElement.clientWidth) wrong.push('a table of ' + t.parentElement.scrollWidth + ' px');
    e.source.postMessage({ wrong: wrong, passes: r.passes.length }, '*');
  } catch (err) { e.source.postMessage({ wrong: ['axe failed: ' + err.stack], passes: 0 }, '*'); }
});
</script>`

const axeHarness = `<!doctype html><html><head><meta charset="utf-8"><link rel="icon" href="data:,"></head><body><script>
(async function () {
  const result = { wrong: [], counts: { pages: 0, passes: 0 } };
  for (const page of ['/page', '/overview', '/search']) for (const theme of ['light', 'dark']) for (const width of [360, 800, 1400]) {
    const frame = document.createElement('iframe');
    frame.width = width; frame.height = 800; frame.style.border = 0; frame.src = page;
    await new Promise(done => { frame.onload = done; document.body.appendChild(frame); });
    const got = new Promise(done => addEventListener('message', e => done(e.data), { once: true }));
    frame.contentWindow.postMessage(theme, '*');
    const said = await got;
    for (const w of said.wrong) result.wrong.push(page + ' at ' + width + ', ' + theme + ': ' + w);
    result.counts.pages++; result.counts.passes += said.passes;
    frame.remove();
  }
  fetch('/result', { method: 'POST', body: JSON.stringify(result) });
})();
</script></body></html>`
