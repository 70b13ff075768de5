package works

import (
	"os"
	"path/filepath"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testrepo"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// TestInStash: files of work as stash entries have them, under the names that they have there.
func TestInStash(t *testing.T) {
	const base = "the first line of all\nthe second line of all\n"
	r := testrepo.New(t)
	r.Commit("base", "f", base, "other", "1\n")
	changed := func(path gitexec.Path, before, after gitexec.Entry) suffix.Change {
		return suffix.Change{Path: path, Before: before, After: after}
	}
	f := changed("f", r.Blob(base), r.Blob(base+"a line of the agent\n"))
	added := changed("added", gitexec.Entry{}, r.Blob("the agent's new file\nand its second line\n"))
	gone := changed("f", r.Blob(base), gitexec.Entry{})
	for name, c := range map[string]struct {
		stashed []string // files and their contents
		work    suffix.Change
		want    string // "-": none
	}{
		"changed":                    {[]string{"f", base + "a line of the agent\nanother\n"}, f, base + "a line of the agent\nanother\n"},
		"another file":               {[]string{"other", "2\n"}, f, base},
		"renamed":                    {[]string{"f", "", "dir/g", base + "a line of the agent\n"}, f, base + "a line of the agent\n"},
		"renamed and changed":        {[]string{"f", "", "dir/g", base + "a line of the agent\nanother\n"}, f, base + "a line of the agent\nanother\n"},
		"removed, beside another":    {[]string{"f", "", "g", "some other text\nthat nobody knows\n"}, f, "-"},
		"a new file":                 {[]string{"added", "the agent's new file\n"}, added, "the agent's new file\n"},
		"a new file, renamed":        {[]string{"g", "the agent's new file\nand its second line\n"}, added, "the agent's new file\nand its second line\n"},
		"a new file that it has not": {[]string{"other", "2\n"}, added, "-"},
		"a file that work removed":   {[]string{"f", "", "g", base}, gone, "-"},
	} {
		if c.stashed[0] == "f" && c.stashed[1] == "" {
			r.Must(os.Remove(filepath.Join(r.Dir, "f")))
			c.stashed = c.stashed[2:]
		}
		r.Write(c.stashed...)
		r.Git("stash", "push", "-q", "-u")
		r.Open()
		stashes, err := shadow.Stashes(t.Context(), r.Repo, r.DB)
		r.Must(err)
		found, err := InStash(r.DB, stashes[0], [][]suffix.Change{{changed("none", gitexec.Entry{}, r.Blob("x\n"))}, {c.work}}, &shadow.Texts{DB: r.DB})
		r.Must(err)
		got := "-"
		if found[1].New.Exists() {
			got = r.Text(found[1].New)
		}
		if got != c.want || found[0].New.Exists() || found[1].Old != c.work.Before {
			t.Errorf("%s: %q, want %q; %+v", name, got, c.want, found)
		}
		r.Git("stash", "drop", "-q")
	}
}
