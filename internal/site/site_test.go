package site

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/query"
	"entire-plumb/internal/testdir"
)

func TestMain(m *testing.M) { testdir.Main(m) }

// TestPlan: which pages there are, and what each depends on.
func TestPlan(t *testing.T) {
	one, two := gitexec.OID(strings.Repeat("1", 40)), gitexec.OID(strings.Repeat("2", 40))
	base := func() known {
		return known{form: "f", sessions: map[string]*query.SessionInfo{"s1": {Checkpoints: []string{"k1"}}, "s2": {Checkpoints: []string{"k2"}}},
			directories: map[string]gitexec.OID{"k1": "d1", "k2": "d2"}, commits: []gitexec.Commit{{ID: two}, {ID: one}},
			links: map[gitexec.OID][]string{one: {"k1"}, two: {"k2"}}}
	}
	from := func(k known) map[string]string {
		all := map[string]string{}
		p := k.plan()
		for _, i := range slices.Concat(p.sessions, p.commits) {
			all[i.name] = i.from
		}
		return all
	}
	before := from(base())
	if len(before) != 4 || before["session-s1"] == "" || before["commit-"+string(one)] == "" {
		t.Fatalf("%v", before)
	}
	for name, c := range map[string]struct {
		change func(*known)
		want   []string
	}{
		"nothing":               {func(*known) {}, nil},
		"a checkpoint changes":  {func(k *known) { k.directories["k1"] = "other" }, []string{"commit-" + string(one), "session-s1"}},
		"a link is removed":     {func(k *known) { k.links[two] = nil }, []string{"commit-" + string(two), "session-s2"}},
		"another commit links":  {func(k *known) { k.links[one] = []string{"k1", "k2"} }, []string{"commit-" + string(one), "commit-" + string(two), "session-s2"}},
		"another checkpoint":    {func(k *known) { k.sessions["s1"].Checkpoints = []string{"k1", "k3"} }, []string{"session-s1"}},
		"it counts no longer":   {func(k *known) { k.sessions["s1"].Added = true }, []string{"session-s1"}},
		"the form of the pages": {func(k *known) { k.form = "g" }, []string{"commit-" + string(one), "commit-" + string(two), "session-s1", "session-s2"}},
	} {
		k := base()
		c.change(&k)
		var changed []string
		for page, now := range from(k) {
			if now != before[page] {
				changed = append(changed, page)
			}
		}
		slices.Sort(changed)
		if !slices.Equal(changed, c.want) {
			t.Errorf("%s: %q", name, changed)
		}
	}
}

// TestFileName: a session's ID names a file nowhere but in the directory, and no two the same one.
func TestFileName(t *testing.T) {
	for id, same := range map[string]bool{"0b2c-1": true, "A": false, "../x": false, "a.b": false, "": false, "-a": false, strings.Repeat("a", 81): false} {
		name := fileName(id)
		if (name == id) != same || !ours("session-"+name+".html") || !ours("commit-"+name+".json") {
			t.Errorf("%q: %q", id, name)
		}
	}
	for _, name := range []string{"", "x.html", "session-.html", "session-a", "session-../a.html", "other-a.html", "session-A.html", manifestFile, "session-a.html.json/"} {
		if ours(name) {
			t.Errorf("%q is a name of a page", name)
		}
	}
	if !ours(indexPage) || !ours(searchPage) {
		t.Error("the first pages")
	}
	if fileName("A") == fileName("B") || digest("ab", "c") == digest("a", "bc") {
		t.Error("two have the same name")
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	testdir.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
}

// TestOpen: an empty directory or a site can be used, and nothing else.
func TestOpen(t *testing.T) {
	top := t.TempDir()
	for name, c := range map[string]struct {
		prepare func(dir string)
		refused string
	}{
		"new":     {func(dir string) { testdir.Must(t, os.Remove(dir)) }, ""},
		"empty":   {func(string) {}, ""},
		"a site":  {func(dir string) { write(t, dir, manifestFile, `{"version":1,"pages":{}}`) }, ""},
		"damaged": {func(dir string) { write(t, dir, manifestFile, `x`) }, ""},
		"files":   {func(dir string) { write(t, dir, "x", "") }, "is no site"},
		"a link": {func(dir string) {
			write(t, top, "manifest", `{"version":1}`)
			testdir.Must(t, os.Symlink("../manifest", filepath.Join(dir, manifestFile)))
		}, "cannot be used"},
		"a file": {func(dir string) { testdir.Must(t, os.Remove(dir)); write(t, top, filepath.Base(dir), "") }, "cannot be used"},
	} {
		dir := filepath.Join(top, strings.ReplaceAll(name, " ", "-"))
		testdir.Must(t, os.Mkdir(dir, 0o700))
		c.prepare(dir)
		d, err := open(dir)
		if (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			testdir.Must(t, d.begin())
			if again, err := open(dir); err != nil || again.was.Version != formOfManifest {
				t.Errorf("%s: after its beginning it is no site: %v", name, err)
			}
		}
	}
}

// TestFinish: what the manifest names and is gone from the site is removed, if it is a page.
func TestFinish(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "site")
	testdir.Must(t, os.Mkdir(dir, 0o700))
	write(t, top, "precious", "x")
	old := manifest{Version: formOfManifest, Pages: map[string]entry{}}
	for _, name := range []string{"session-a.html", "session-b.html", "commit-1.json", "other.html", "../precious", "session-link.html", "session-gone.html"} {
		old.Pages[name] = entry{}
	}
	for _, name := range []string{"session-a.html", "session-b.html", "commit-1.json", "other.html"} {
		write(t, dir, name, "x")
	}
	testdir.Must(t, os.Symlink("../precious", filepath.Join(dir, "session-link.html")))
	d := &directory{path: dir, was: old}
	removed, err := d.finish(manifest{Version: formOfManifest, Pages: map[string]entry{"session-a.html": {}}})
	slices.Sort(removed)
	if err != nil || !slices.Equal(removed, []string{"commit-1.json", "session-b.html"}) {
		t.Errorf("%q, %v", removed, err)
	}
	for _, name := range []string{"session-a.html", "other.html", "session-link.html", "../precious"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if err := d.write("../precious", nil); err == nil {
		t.Error("a name outside was written")
	}
}

// TestKept: a page is kept if it and its card are as they were written, from the same.
func TestKept(t *testing.T) {
	one := item{name: "session-a", from: "f"}
	for name, c := range map[string]struct {
		change func(dir string, m *manifest)
		want   bool
	}{
		"the same":             {func(string, *manifest) {}, true},
		"from something else":  {func(_ string, m *manifest) { m.Pages["session-a.html"] = entry{Sum: digest("page"), From: "g"} }, false},
		"the page was changed": {func(dir string, _ *manifest) { write(t, dir, "session-a.html", "x") }, false},
		"the card was changed": {func(dir string, _ *manifest) { write(t, dir, "session-a.json", `{"a":2}`) }, false},
		"the card is gone":     {func(dir string, _ *manifest) { testdir.Must(t, os.Remove(filepath.Join(dir, "session-a.json"))) }, false},
		"not known":            {func(_ string, m *manifest) { m.Pages = nil }, false},
	} {
		dir := t.TempDir()
		write(t, dir, "session-a.html", "page")
		write(t, dir, "session-a.json", `{"a":1}`)
		m := manifest{Pages: map[string]entry{"session-a.html": {Sum: digest("page"), From: "f"}, "session-a.json": {Sum: digest(`{"a":1}`), From: "f"}}}
		c.change(dir, &m)
		var card map[string]int
		if _, got := (&directory{path: dir, was: m}).kept(one, &card); got != c.want || got && card["a"] != 1 {
			t.Errorf("%s: %v", name, got)
		}
	}
	if _, err := json.Marshal(manifest{}); err != nil {
		t.Error(err)
	}
}
