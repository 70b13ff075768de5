package gitexec

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// What discovery says of the configuration is what git config says, whatever it holds and wherever
// it is said. hidden makes places that discovery does not report.
func TestOwnConfiguration(t *testing.T) {
	for name, hidden := range map[string]func(*testing.T, *Repo){
		"all that is reported": func(*testing.T, *Repo) {},
		"a worktree's own": func(t *testing.T, r *Repo) {
			git(t, r.Top, "config", "extensions.worktreeConfig", "true")
			git(t, r.Top, "config", "--worktree", "Entire-Plumb.list", "x")
		},
		"for a branch": func(t *testing.T, r *Repo) {
			write(t, r.GitDir, "more", "[entire-plumb]\n\tlist = x\n")
			git(t, r.Top, "config", "includeIf.onbranch:ma*.path", "more")
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := repository(t, SHA1)
			write(t, r.Top, "included", "[entire-plumb]\n\tstrategy = \"from an \\\"included\\\" file, with a\\nline end\\t\"\n\tlist = 1\n")
			write(t, r.Top, "global", "[Entire-Plumb]\n\tList = 0\n[include]\n\tpath = included\n[entire-plumber]\n\tx = 1\n")
			t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(r.Top, "global"))
			git(t, r.Top, "config", "entire-plumb.camelCase", "ünïcode € \x01")
			git(t, r.Top, "config", "entire-plumb.long", strings.Repeat("x", 100_000))
			git(t, r.Top, "config", "extensions.worktreeConfig", "true")
			git(t, r.Top, "config", "--worktree", "core.other", "x")
			hidden(t, r)
			t.Setenv("GIT_CONFIG_COUNT", "1")
			t.Setenv("GIT_CONFIG_KEY_0", "entire-plumb.list")
			t.Setenv("GIT_CONFIG_VALUE_0", "3")
			found := discover(t, r.Top)
			own, err := found.OwnConfig(t.Context())
			testdir.Must(t, err)
			if more := found.Processes() - 1; (more == 0) != (name == "all that is reported") {
				t.Errorf("%d processes more", more)
			}
			found.own = nil
			asked, err := found.OwnConfig(t.Context())
			if err != nil || !reflect.DeepEqual(own, asked) {
				t.Errorf("discovery says\n%.1000s, git config\n%.1000s, %v", fmt.Sprint(own), fmt.Sprint(asked), err)
			}
			want := "013"
			if name != "all that is reported" {
				want = "01x3"
			}
			if got := strings.Join(asked["entire-plumb.list"], ""); got != want {
				t.Errorf("list is %q", got)
			}
		})
	}
}

// A key without a value makes versions of git crash while they trace it: then git is asked.
func TestOwnConfigurationWithoutValue(t *testing.T) {
	r := repository(t, SHA1)
	git(t, r.Top, "config", "entire-plumb.other", "x")
	file := filepath.Join(r.GitDir, "config")
	text, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, append(text, "[entire-plumb]\n\tallow\n"...), 0o600)
	}
	testdir.Must(t, err)
	found, err := Discover(t.Context(), r.Top, nil)
	testdir.Must(t, err)
	own, err := found.OwnConfig(t.Context())
	if want := map[string][]string{"entire-plumb.other": {"x"}, "entire-plumb.allow": {"true"}}; err != nil ||
		!reflect.DeepEqual(own, want) {
		t.Errorf("%q, %v", own, err)
	}
}

func TestTracked(t *testing.T) {
	r := repository(t, SHA1)
	for _, name := range []string{"a*", "aB", "d/f", "gone", "new"} {
		file := filepath.Join(r.Top, name)
		testdir.Must(t, os.MkdirAll(filepath.Dir(file), 0o700))
		testdir.Must(t, os.WriteFile(file, nil, 0o600))
	}
	git(t, r.Top, "add", "gone", "aB", "d")
	git(t, r.Top, "commit", "-qm", "x")
	git(t, r.Top, "rm", "-q", "--cached", "gone")
	git(t, r.Top, "add", "new")
	found, err := Discover(t.Context(), r.Top, nil)
	testdir.Must(t, err)
	got, err := found.Tracked(t.Context(), "a*", "AB", "d", "D/f", "gone", "new", "none", "f")
	if want := []string{"AB", "D/f", "gone", "new"}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// What is read with the section is what git says, also where a worktree says it, and costs no
// process where discovery reports it.
func TestConfigOfDiscovery(t *testing.T) {
	r := repository(t, SHA1)
	git(t, r.Top, "config", "core.commentChar", "%")
	git(t, r.Top, "config", "--add", "core.commentChar", ";")
	git(t, r.Top, "config", "core.sshCommand", "ssh -p 1")
	git(t, r.Top, "config", "extensions.worktreeConfig", "true")
	git(t, r.Top, "config", "--worktree", "core.other", "x")
	ask := func(want string, processes int) {
		t.Helper()
		found := discover(t, r.Top)
		values, err := found.Config(t.Context(), "core.commentchar", "commit.cleanup", "core.sshcommand")
		if got := values["core.commentchar"] + values["commit.cleanup"] + values["core.sshcommand"]; err != nil || got != want || found.Processes() != processes {
			t.Errorf("%q with %d processes, %v; want %q with %d", got, found.Processes(), err, want, processes)
		}
	}
	ask(";ssh -p 1", 1)
	git(t, r.Top, "config", "commit.cleanup", "jos\xe9") // which JSON cannot hold
	ask(";jos\xe9ssh -p 1", 2)
	git(t, r.Top, "config", "--unset", "commit.cleanup")
	git(t, r.Top, "config", "--worktree", "core.sshCommand", "ssh -p 2")
	ask(";ssh -p 2", 2)
}
