package message

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// repo is a scratch repository with our hooks.
type repo struct {
	t   *testing.T
	dir string
}

func newRepo(t *testing.T) repo {
	t.Helper()
	quiet(t)
	dir := t.TempDir()
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "A")
		t.Setenv("GIT_"+who+"_EMAIL", "a@b")
	}
	r := repo{t, filepath.Join(dir, "repo")}
	if out, err := exec.Command("git", "init", "-q", "-b", "main", r.dir).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
	r.git("commit", "-q", "--allow-empty", "-m", "start")
	self, err := os.Executable()
	testdir.Must(t, err)
	editor := filepath.Join(dir, "edit-message")
	hooks := filepath.Join(r.dir, ".git", "hooks")
	for _, name := range []string{editor, filepath.Join(hooks, "prepare-commit-msg"), filepath.Join(hooks, "commit-msg")} {
		testdir.Must(t, os.Symlink(self, name))
	}
	t.Setenv("GIT_EDITOR", editor)
	t.Setenv(savedTemplate, filepath.Join(dir, "template"))
	return r
}

// try runs git and gives its output, stdout first.
func (r repo) try(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return string(out) + stderr.String(), err
	}
	return string(out), nil
}

func (r repo) git(args ...string) string {
	r.t.Helper()
	out, err := r.try(args...)
	if err != nil {
		r.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return out
}

func (r repo) write(name, text string) {
	r.t.Helper()
	testdir.Must(r.t, os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o666))
}

// body returns the message of HEAD in the bytes that were stored.
func (r repo) body() string {
	r.t.Helper()
	_, body, _ := strings.Cut(r.git("cat-file", "commit", "HEAD"), "\n\n")
	return body
}

const signOff = "Signed-off-by: A <a@b>"

// TestCommit commits with real git. want is the message stored, or "" where git
// must abort; other trailers of it that git must still see are in seen.
func TestCommit(t *testing.T) {
	for i, test := range []struct {
		name string
		args []string
		file string // contents of the file "msg", for -F and -t
		edit string
		want string
		seen string
	}{
		{name: "-m", args: []string{"-m", "fix: it"}, want: "fix: it\n\n" + link + "\n"},
		{name: "two -m", args: []string{"-m", "s", "-m", "b"}, want: "s\n\nb\n\n" + link + "\n"},
		{name: "-m hash", args: []string{"-m", "#12 fix", "-m", "#13"}, want: "#12 fix\n\n#13\n\n" + link + "\n"},
		{name: "-m hash, strip", args: []string{"-m", "s\n\n# c", "--cleanup=strip"}, want: "s\n\n" + link + "\n"},
		{name: "-m empty", args: []string{"-m", ""}},
		{name: "-m empty, -s", args: []string{"-s", "-m", ""}},
		{name: "-m empty, verbatim", args: []string{"-m", "", "--cleanup=verbatim"}},
		{name: "-m empty, no commit-msg", args: []string{"-n", "-m", ""}},
		{name: "-m comment, strip", args: []string{"-m", "# c", "--cleanup=strip"}},
		{name: "-m -s", args: []string{"-s", "-m", "s"}, want: "s\n\n" + signOff + "\n" + link + "\n", seen: "Signed-off-by"},
		{name: "-m --trailer", args: []string{"--trailer", "Fixes: 1", "-m", "s"}, want: "s\n\nFixes: 1\n" + link + "\n", seen: "Fixes"},
		{name: "-m, only the link", args: []string{"-m", "Entire-Checkpoint: " + other}},
		{name: "-F without a line feed", args: []string{"-F", "msg"}, file: "s\n\nb", want: "s\n\nb\n\n" + link + "\n"},
		{name: "-F verbatim without a line feed", args: []string{"-F", "msg", "--cleanup=verbatim"}, file: "s", want: "s\n\n" + link +
			"\n"},
		{name: "-F CRLF", args: []string{"-F", "msg"}, file: "s\r\n\r\nFixes: 1\r\n", want: "s\n\nFixes: 1\n" + link + "\n", seen: "Fixes"},
		{name: "-F CRLF verbatim", args: []string{"-F", "msg", "--cleanup=verbatim"}, file: "s\r\n\r\nFixes: 1\r\n",
			want: "s\r\n\r\nFixes: 1\r\n" + link + "\r\n", seen: "Fixes"},
		{name: "-F white space verbatim", args: []string{"-F", "msg", "--cleanup=verbatim"}, file: "\n\ns: x\n\n# c\n\n",
			want: "\n\ns: x\n\n# c\n\n" + link + "\n\n"},
		{name: "-F scissors", args: []string{"-F", "msg"}, file: "s\n" + cut + "b\n", want: "s\n\n" + link + "\n" + cut + "b\n"},
		{name: "-F old conflicts", args: []string{"-F", "msg"}, file: "s\n\nFixes: 1\n\nConflicts:\n\ta\n",
			want: "s\n\nFixes: 1\n" + link + "\n\nConflicts:\n\ta\n", seen: "Fixes"},
		{name: "Latin-1", args: []string{"-F", "msg"}, file: "caf\xe9\n\n\xe9\n", want: "caf\xe9\n\n\xe9\n\n" + link + "\n"},

		{name: "editor", edit: "typed", want: "typed\n\n" + link + "\n"},
		{name: "editor, like a trailer", edit: "fix: it", want: "fix: it\n\n" + link + "\n"},
		{name: "editor, body", edit: "s\n\nb\n", want: "s\n\nb\n\n" + link + "\n"},
		{name: "editor, left", edit: "leave"},
		{name: "editor, emptied", edit: "empty"},
		{name: "editor, unlinked", edit: "unlink", want: "typed\n"},
		{name: "editor, verbose", args: []string{"-v"}, edit: "typed", want: "typed\n\n" + link + "\n"},
		{name: "editor, verbose, left", args: []string{"-v"}, edit: "leave"},
		{name: "editor, -s", args: []string{"-s"}, edit: "typed", want: "typed\n\n" + signOff + "\n" + link + "\n", seen: "Signed-off-by"},
		{name: "editor, -s, left", args: []string{"-s"}, edit: "leave"},
		{name: "editor, -s, verbose, left", args: []string{"-s", "-v"}, edit: "leave"},
		{name: "editor, -m", args: []string{"-e", "-m", "s"}, edit: "leave", want: "s\n\n" + link + "\n"},
		{name: "editor, -m hash", args: []string{"-e", "-m", "#12"}, edit: "leave"},
		{name: "editor, no status", args: []string{"--no-status"}, edit: "typed", want: "typed\n\n" + link + "\n"},
		{name: "scissors", args: []string{"--cleanup=scissors"}, edit: "#12", want: "#12\n\n" + link + "\n"},
		{name: "scissors, verbose", args: []string{"--cleanup=scissors", "-v"}, edit: "typed", want: "typed\n\n" + link + "\n"},
		{name: "scissors, left", args: []string{"--cleanup=scissors"}, edit: "leave"},
		{name: "scissors, -m hash", args: []string{"--cleanup=scissors", "-e", "-m", "#12", "-s"}, edit: "leave",
			want: "#12\n\n" + signOff + "\n" + link + "\n", seen: "Signed-off-by"},
		{name: "scissors, no editor", args: []string{"--cleanup=scissors", "-m", "#12"}, want: "#12\n\n" + link + "\n"},
		{name: "white space, no status", args: []string{"--cleanup=whitespace", "--no-status"}, edit: "#12", want: "#12\n\n" + link + "\n"},
		{name: "white space, left, no status", args: []string{"--cleanup=whitespace", "--no-status"}, edit: "leave"},
		{name: "verbatim, no status", args: []string{"--cleanup=verbatim", "--no-status"}, edit: "#12", want: "#12\n\n" + link + "\n"},
		{name: "verbatim, left, no status", args: []string{"--cleanup=verbatim", "--no-status"}, edit: "leave"},
		{name: "verbatim, emptied", args: []string{"--cleanup=verbatim"}, edit: "empty"},

		{name: "template, left", args: []string{"-t", "msg"}, file: "why:\n# c\n", edit: "leave"},
		{name: "template, -s, left", args: []string{"-s", "-t", "msg"}, file: "why:\n# c\n", edit: "leave"},
		{name: "template, room, left", args: []string{"-t", "msg"}, file: "\n\nFixes: \n# c\n", edit: "leave"},
		{name: "template, scissors, left", args: []string{"-t", "msg", "--cleanup=scissors"}, file: "why:\n# c\n", edit: "leave"},
		{name: "template, emptied", args: []string{"-t", "msg"}, file: "why:\n", edit: "empty"},
		{name: "template, edited", args: []string{"-t", "msg"}, file: "why:\n# c\n", edit: "typed ", want: "typed why:\n\n" + link + "\n"},
		{name: "template of comments", args: []string{"-t", "msg"}, file: "# a\n\n# b\n", edit: "typed", want: "typed\n\n" + link + "\n"},
		{name: "template of comments, left", args: []string{"-t", "msg"}, file: "# a\n\n# b\n", edit: "leave"},
		{name: "template with trailers", args: []string{"-s", "-t", "msg"}, file: "\n\nFixes: 1\n", edit: "typed",
			want: "typed\n\nFixes: 1\n" + signOff + "\n" + link + "\n", seen: "Fixes"},
		{name: "template CRLF", args: []string{"-t", "msg"}, file: "a\r\n\r\nFixes: 1\r\n", edit: "typed ",
			want: "typed a\n\nFixes: 1\n" + link + "\n", seen: "Fixes"},
	} {
		if i%testdir.Times(1, 3) != 0 {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			r := newRepo(t)
			r.write("msg", test.file)
			if strings.Contains(test.file, "\xe9") {
				r.git("config", "i18n.commitEncoding", "ISO-8859-1")
				r.git("config", "i18n.logOutputEncoding", "ISO-8859-1")
			}
			r.commit(test.args, test.edit, test.want, test.seen)
		})
	}
}

// commit commits and compares what git stored and what it reads as trailers.
func (r repo) commit(args []string, edit, want, seen string) {
	r.t.Helper()
	r.t.Setenv("TEST_EDIT", edit)
	for _, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--cleanup="); ok {
			r.t.Setenv("TEST_CLEANUP", value)
		}
	}
	out, err := r.try(append([]string{"commit", "--allow-empty"}, args...)...)
	if want == "" {
		if err == nil || !strings.Contains(out, "Aborting commit") {
			r.t.Errorf("git did not abort: %v\n%s%q", err, out, r.body())
		}
		return
	}
	if err != nil {
		r.t.Fatalf("%v\n%s", err, out)
	}
	if got := r.body(); got != want {
		r.t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := r.git("log", "-1", "--format=%B"); got != want+"\n" {
		r.t.Errorf("%%B: got %q\nwant %q", got, want+"\n")
	}
	trailer := strings.TrimSpace(r.git("log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly)"))
	if strings.Contains(want, link) && trailer != id || !strings.Contains(want, link) && trailer != "" {
		r.t.Errorf("git sees %q of %q", trailer, r.body())
	}
	if seen != "" && r.git("log", "-1", "--format=%(trailers:key="+seen+")") == "\n" {
		r.t.Errorf("git no longer sees %s of %q", seen, r.body())
	}
}

func TestCommentCharacter(t *testing.T) {
	for _, char := range []string{";", "auto"} {
		for i, test := range []struct {
			name string
			args []string
			edit string
			want string
		}{
			{"typed", []string{"-e", "-m", "#1 x"}, "leave", "#1 x\n\n" + link + "\n"},
			{"verbose", []string{"-v", "-e", "-m", "#1 x"}, "leave", "#1 x\n\n" + link + "\n"},
			{"scissors", []string{"--cleanup=scissors", "-e", "-m", "#1 x"}, "leave", "#1 x\n\n" + link + "\n"},
			{"nothing", nil, "leave", ""},
			{"nothing, verbose", []string{"-v"}, "leave", ""},
			{"nothing, scissors", []string{"--cleanup=scissors"}, "leave", ""},
			{"no editor", []string{"-m", ";1 x"}, "", ";1 x\n\n" + link + "\n"},
			{"template", []string{"-t", "msg"}, "typed", "typed# help\n\n" + link + "\n"},
		} {
			if i%testdir.Times(1, 4) != 0 {
				continue
			}
			t.Run(char+" "+test.name, func(t *testing.T) {
				r := newRepo(t)
				r.git("config", "core.commentChar", char)
				r.write("msg", "# help\n")
				r.commit(test.args, test.edit, test.want, "")
			})
		}
	}
}

func TestAmend(t *testing.T) {
	r := newRepo(t)
	linked := "s\n\nFixes:1\n" + link + "\n"
	r.commit([]string{"-m", "s\n\nFixes:1"}, "", linked, "Fixes")
	r.commit([]string{"--amend", "--no-edit"}, "", linked, "Fixes")
	r.commit([]string{"--amend"}, "leave", linked, "Fixes")
	r.commit([]string{"--amend", "-s"}, "leave", "s\n\nFixes:1\n"+link+"\n"+signOff+"\n", "Fixes")
}

func TestMerge(t *testing.T) {
	r := newRepo(t)
	r.git("checkout", "-q", "-b", "side")
	r.commit([]string{"-s", "-m", "one"}, "", "one\n\n"+signOff+"\n"+link+"\n", "")
	r.write("side", "")
	r.git("add", "side")
	r.commit([]string{"-m", "two"}, "", "two\n\n"+link+"\n", "")
	r.git("checkout", "-q", "main")

	t.Run("squash", func(t *testing.T) {
		r := repo{t, r.dir}
		r.git("merge", "-q", "--squash", "side")
		t.Setenv("TEST_EDIT", "leave")
		r.git("commit", "-q")
		body := r.body()
		if !strings.HasPrefix(body, "Squashed commit of the following:\n\ncommit ") || !strings.HasSuffix(body, "\n\n"+link+"\n") {
			t.Errorf("%q", body)
		}
		if ids := Links([]byte(body)); len(ids) != 1 {
			t.Errorf("links %q of %q", ids, body)
		}
		r.git("reset", "-q", "--hard", "HEAD^")
	})
	t.Run("no-ff", func(t *testing.T) {
		r := repo{t, r.dir}
		t.Setenv("TEST_EDIT", "leave")
		r.git("merge", "-q", "--no-ff", "side")
		if want := "Merge branch 'side'\n\n" + link + "\n"; r.body() != want {
			t.Errorf("got  %q\nwant %q", r.body(), want)
		}
	})
}

// TestTrailerConfig proves that what a user told interpret-trailers to do to
// other trailers does not reach the message.
func TestTrailerConfig(t *testing.T) {
	r := newRepo(t)
	r.git("config", "trailer.where", "start")
	r.git("config", "trailer.ifexists", "replace")
	r.git("config", "trailer.ifmissing", "doNothing")
	r.git("config", "trailer.sign.key", "Signed-by: ")
	r.git("config", "trailer.sign.command", "echo me")
	r.commit([]string{"-m", "s", "-m", "b"}, "", "s\n\nb\n\n"+link+"\n", "")
	r.commit([]string{"-m", "s", "-m", "Fixes:1\nsign: x"}, "", "s\n\nFixes:1\nsign: x\n"+link+"\n", "Fixes")
}
