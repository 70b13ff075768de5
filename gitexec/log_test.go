package gitexec

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// nasty is what lines of files can look like to one who reads a patch.
var nasty = []string{
	"@@ -1,2 +3,4 @@\n", "diff --git a/x b/x\n", "--- a/x\n", "+++ b/x\n", "-- \n", "++ \n", "\\ No newline at end of file\n", "\\\n",
	"\x01commit 1111111111111111111111111111111111111111\n", "Binary files a/x and b/x differ\n", "new file mode 100644\n", "deleted file mode 100644\n",
	"crlf\r\n", "\r\n", "\n", " \n", "\t\n", "a\rb\n", "\xff\xfe\n", "é\n", "\x1b[31mred\x1b[m\n", "index 123..456\n", "\n", "plain\n", "plain\n",
}

// TestPatchLog plays a file's patches back onto nothing, and has to arrive at what git has in each
// commit.
func TestPatchLog(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		git(t, r.Top, "config", "core.autocrlf", "false")
		names := []string{"plain", "with space", "quo\"te", "new\nline", "tab\t", "back\\slash", "\xff\xfe", "é", "-x", " b/", "a b/b b"}
		names[9] = "x b/x" // "diff --git a/x b/x b/x b/x" can be read in several ways
		versions := []string{
			strings.Join(nasty, ""),
			strings.Join(nasty[3:], "") + "no newline",
			"first\n" + strings.Join(nasty[3:15], "") + strings.Join(nasty[18:], "") + "no newline at all",
			"",
			"no newline",
			strings.Join(nasty, "") + strings.Join(nasty, ""),
		}
		for i, version := range versions {
			for j, name := range names {
				write(t, r.Top, name, versions[(i+j)%len(versions)]+version)
			}
			git(t, r.Top, "add", "-A")
			// the message isn't printed
			git(t, r.Top, "commit", "-q", "--allow-empty", "--cleanup=verbatim", "-m", strings.Join(nasty[:8], ""))
		}
		for i, name := range names[:4] {
			if i%2 == 0 {
				git(t, r.Top, "rm", "-q", "--", name)
			} else {
				git(t, r.Top, "mv", "--", name, "moved-"+fmt.Sprint(i))
			}
		}
		git(t, r.Top, "commit", "-q", "-m", "gone and moved")

		state := map[OID]map[Path]string{"": {}}
		err := r.PatchLog(context.Background(), []string{"HEAD"}, nil, func(p FilePatch) error {
			if state[p.Commit] == nil {
				state[p.Commit] = map[Path]string{}
				for path, text := range state[p.Parent] {
					state[p.Commit][path] = text
				}
			}
			files := state[p.Commit]
			if p.Old != "" && p.New != "" && p.Old != p.New {
				return fmt.Errorf("%q became %q", p.Old, p.New)
			}
			text, err := patched(files[p.Old], p.Hunks)
			if err != nil {
				return fmt.Errorf("%q in %s: %w", p.New, p.Commit.Short(), err)
			}
			if p.New == "" {
				delete(files, p.Old)
				if text != "" {
					return fmt.Errorf("%q goes, and %q is left", p.Old, text)
				}
				return nil
			}
			files[p.New] = text
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		commits := strings.Fields(git(t, r.Top, "rev-list", "HEAD"))
		if len(commits) != len(state)-1 {
			t.Errorf("%d commits were told of, there are %d", len(state)-1, len(commits))
		}
		db := r.ODB(context.Background())
		defer db.Close()
		for _, c := range commits {
			listed := strings.Split(strings.TrimSuffix(git(t, r.Top, "ls-tree", "-r", "-z", "--name-only", c), "\x00"), "\x00")
			if len(listed) != len(state[OID(c)]) {
				t.Errorf("%.7s: %d files, want %d", c, len(state[OID(c)]), len(listed))
			}
			tree := OID(git(t, r.Top, "rev-parse", c+"^{tree}"))
			for _, name := range listed {
				found, err := db.Lookup(tree, Path(name))
				if err != nil {
					t.Fatal(err)
				}
				want, err := db.Blob(found[0].ID, 1<<20)
				if err != nil {
					t.Fatal(err)
				}
				if got := state[OID(c)][Path(name)]; got != string(want) {
					t.Errorf("%.7s: %q is %.60q, want %.60q", c, name, got, want)
				}
			}
		}
	})
}

// patched makes a hunk after the other to a text, and is strict about what they say was there.
func patched(text string, hunks []Hunk) (string, error) {
	lines := slices.Collect(strings.Lines(text))
	moved := 0
	for _, h := range hunks {
		at := h.OldStart - 1
		if len(h.Old) == 0 {
			at = h.OldStart
		}
		at += moved
		if at < 0 || at+len(h.Old) > len(lines) || !slices.Equal(lines[at:at+len(h.Old)], h.Old) {
			return "", fmt.Errorf("the hunk %+v doesn't fit", h)
		}
		if start := at + 1; len(h.New) > 0 && h.NewStart != start {
			return "", fmt.Errorf("the hunk %+v says %d, and lies at %d", h, h.NewStart, start)
		}
		lines = slices.Replace(lines, at, at+len(h.Old), h.New...)
		moved += len(h.New) - len(h.Old)
	}
	return strings.Join(lines, ""), nil
}

// What has no lines is told of, too, without hunks.
func TestPatchLogWithoutLines(t *testing.T) {
	r := repository(t, SHA1)
	write(t, r.Top, "bin\n", "a\x00b")
	write(t, r.Top, "tool", "x\n")
	write(t, r.Top, "empty", "")
	git(t, r.Top, "add", "-A")
	git(t, r.Top, "commit", "-q", "-m", "second")
	write(t, r.Top, "bin\n", "a\x00c")
	if err := errors.Join(os.Chmod(filepath.Join(r.Top, "tool"), 0o755), os.Remove(filepath.Join(r.Top, "empty")),
		os.Remove(filepath.Join(r.Top, "a.txt")), os.Symlink("tool", filepath.Join(r.Top, "a.txt"))); err != nil {
		t.Fatal(err)
	}
	git(t, r.Top, "add", "-A")
	git(t, r.Top, "commit", "-q", "-m", "third")
	git(t, r.Top, "rm", "-q", "bin\n")
	git(t, r.Top, "commit", "-q", "-m", "fourth")
	var got []string
	err := r.PatchLog(context.Background(), []string{"HEAD~3..HEAD"}, nil, func(p FilePatch) error {
		got = append(got, fmt.Sprintf("%q>%q %v %d", p.Old, p.New, p.Binary, len(p.Hunks)))
		return nil
	})
	want := []string{
		`"">"bin\n" true 0`, `"">"empty" false 0`, `"">"tool" false 1`,
		`"a.txt">"" false 1`, `"">"a.txt" false 1`, `"bin\n">"bin\n" true 0`, `"empty">"" false 0`, `"tool">"tool" false 0`,
		`"bin\n">"" true 0`,
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, got\n%s\nwant\n%s", err, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestPatchLogStops(t *testing.T) {
	r := repository(t, SHA1)
	enough := errors.New("enough")
	count := 0
	if err := r.PatchLog(context.Background(), []string{"HEAD"}, nil, func(FilePatch) error { count++; return enough }); !errors.Is(err,
		enough) || count != 1 {
		t.Errorf("stopped with %v after %d files", err, count)
	}
	var paths []Path
	if err := r.PatchLog(context.Background(), []string{"HEAD"}, []Path{"dir"},
		func(p FilePatch) error { paths = append(paths, p.New); return nil }); err != nil || !slices.Equal(paths, []Path{"dir/b.txt"}) {
		t.Errorf("limited to dir: %q, %v", paths, err)
	}
	var fault *Error
	if err := r.PatchLog(context.Background(), []string{"nowhere"}, nil, func(FilePatch) error { return nil }); !errors.As(err, &fault) ||
		fault.Stderr == "" {
		t.Errorf("of no revision: %v", err)
	}
}

func TestParsePatchLogRefuses(t *testing.T) {
	const file = logMark + "1111\n\ndiff --git a/x b/x\n"
	for _, text := range []string{file + "@@ nonsense @@\n", file + "@@ -1 1 @@\n", file + "@@ -1 +1 @@\nx\n", file + "@@ -a +1 @@\n",
		"\\ No newline\n"} {
		if err := ParsePatchLog(strings.NewReader(text), func(FilePatch) error { return nil }); err == nil ||
			!strings.Contains(err.Error(), "git answered") {
			t.Errorf("%q: %v, want an error", text, err)
		}
	}
	for _, text := range []string{"", "\n", logMark + "\n", "noise\n", file} {
		if err := ParsePatchLog(strings.NewReader(text), func(FilePatch) error { return nil }); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
