package githooks

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

// shells are those of this machine that may be /bin/sh somewhere.
func shells(t *testing.T) map[string][]string {
	found := map[string][]string{"sh": {"sh"}}
	for _, args := range [][]string{{"dash"}, {"bash", "--posix"}, {"busybox", "ash"}, {"mksh"}, {"ksh"}, {"yash"}} {
		if _, err := exec.LookPath(args[0]); err == nil {
			found[args[0]] = args
		} else {
			t.Logf("no %s here", args[0])
		}
	}
	return found
}

// call runs the stub in dir as git would, by a shell; before is shell code that comes first.
func call(dir, name string, shell []string, before, input string) (code int, stderr string) {
	word := strings.Join(shell, " ") + " " + quote(filepath.Join(dir, name))
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	cmd := exec.CommandContext(ctx, "sh", "-c", before+"exec "+word+` "$@"`, "sh", filepath.Join(dir, "MSG"))
	cmd.Stdin = strings.NewReader(input)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	cmd.Run()
	return cmd.ProcessState.ExitCode(), errs.String()
}

// stubs writes the stub of each hook, where commit-msg has something to do, and the kept hook if
// there is one.
func stubs(t *testing.T, program, kept string) (dir, exe string) {
	t.Helper()
	dir = t.TempDir()
	exe = filepath.Join(dir, "the program", "entire-plumb")
	put(t, exe, program, 0o755)
	put(t, filepath.Join(dir, "entire-plumb", TemplateFile), "", 0o644)
	for _, name := range Names {
		if kept != "" {
			put(t, filepath.Join(dir, name+keptSuffix), kept, 0o755)
		}
		put(t, filepath.Join(dir, name), stub(name, exe, kept != ""), 0o755)
	}
	return dir, exe
}

// Whatever becomes of the program, git sees a hook that succeeds, and the user one line.
func TestStubSucceedsWhateverBecomesOfTheProgram(t *testing.T) {
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Skip("no /proc here")
	}
	programs := []struct {
		name, body string
		code       int  // 0: any
		says       bool // something by itself, or by its shell, before the line of ours
	}{
		{"exits 1", "#!/bin/sh\nexit 1\n", 1, false},
		{"exits 2", "#!/bin/sh\nexit 2\n", 2, false},
		{"exits 255", "#!/bin/sh\nexit 255\n", 255, false},
		{"complains", "#!/bin/sh\necho complaint >&2; exit 3\n", 3, true},
		{"is killed", "#!/bin/sh\nkill -9 $$\n", 137, false},
		{"is terminated", "#!/bin/sh\nkill -TERM $$\n", 143, false},
		{"is cut off", string(self[:4096]), 139, false},
		{"is cut off early", string(self[:100]), 0, true},
		{"is for another machine", string(self[:18]) + "\xf7\x00" + string(self[20:4096]), 0, true},
		{"has no interpreter", "#!/nowhere/sh\n", 0, true},
	}
	for shellName, shell := range shells(t) {
		for _, p := range programs {
			for _, kept := range []string{"", "#!/bin/sh\ncat >/dev/null; exit 0\n"} {
				t.Run(fmt.Sprintf("%s/%s/%v", shellName, p.name, kept != ""), func(t *testing.T) {
					t.Parallel()
					dir, _ := stubs(t, p.body, kept)
					for _, name := range Names {
						code, said := call(dir, name, shell, "", "input\n")
						if code != 0 {
							t.Errorf("%s ends with %d: %s", name, code, said)
						}
						begin := "entire-plumb: " + name + " could not run (exit "
						at := strings.LastIndex(said, begin)
						if at < 0 || strings.Count(said[at:], "\n") != 1 || !strings.HasSuffix(said, "\n") {
							t.Errorf("%s says %q", name, said)
							continue
						}
						if p.code != 0 && !strings.HasPrefix(said[at:], fmt.Sprintf("%s%d); ", begin, p.code)) || !p.says && at != 0 {
							t.Errorf("%s says %q", name, said)
						}
					}
				})
			}
		}
	}
}

// A real program of Go's that gets no memory.
func TestStubSucceedsWithoutMemory(t *testing.T) {
	for shellName, shell := range shells(t) {
		if shellName == "bash" || shellName == "ksh" {
			continue // that need more than the limit themselves
		}
		dir, exe := stubs(t, "", "")
		os.Remove(exe)
		link(t, os.Args[0], exe)
		for _, name := range Names {
			if code, said := call(dir, name, shell, "ulimit -v 60000; ", ""); code != 0 ||
				!strings.Contains(said, name+" could not run (exit 2); ") {
				t.Errorf("%s: %s ends with %d: %s", shellName, name, code, said)
			}
		}
	}
}

func TestStubRefusesPushesOnly(t *testing.T) {
	refuses := fmt.Sprintf("#!/bin/sh\nexit %d\n", RefusePush)
	for shellName, shell := range shells(t) {
		for _, kept := range []string{"", "#!/bin/sh\nexit 0\n"} {
			dir, _ := stubs(t, refuses, kept)
			for _, name := range Names {
				code, said := call(dir, name, shell, "", "input\n")
				if refused := code == 1 && said == ""; refused != (name == "pre-push") || !refused && code != 0 {
					t.Errorf("%s: %s ends with %d: %q", shellName, name, code, said)
				}
			}
		}
		dir, _ := stubs(t, "#!/bin/sh\nexit 0\n", "#!/bin/sh\nexit 42\n")
		for _, name := range Names {
			want := 42
			if strings.HasPrefix(name, "post-") {
				want = 0
			}
			if code, said := call(dir, name, shell, "", ""); code != want || said != "" {
				t.Errorf("%s: with a kept hook that fails %s ends with %d: %q", shellName, name, code, said)
			}
		}
	}
}

// Neither the program nor a kept hook has to read what git writes, or to have anything to read from
// or write to.
func TestStubWithAnyInputAndOutput(t *testing.T) {
	much := strings.Repeat("refs/heads/main 1 refs/heads/main 2\n", 1<<12) // more than a pipe holds
	for shellName, shell := range shells(t) {
		for _, kept := range []string{"", "#!/bin/sh\nexit 0\n"} {
			dir, exe := stubs(t, "#!/bin/sh\necho ran >>ran\n", kept)
			for i, name := range Names {
				for k, before := range []string{"", "trap '' PIPE; ", "exec <&-; ", "exec >&-; ", "set -e; ", "exec 3>&-; ",
					"exec 3</dev/null; "} {
					if (i+k)%testdir.Times(1, 3) != 0 {
						continue
					}
					code, said := call(dir, name, shell, before, much)
					ran, _ := os.ReadFile(filepath.Join(dir, "ran"))
					os.Remove(filepath.Join(dir, "ran"))
					if code != 0 || said != "" || string(ran) != "ran\n" {
						t.Errorf("%s: %s%s ends with %d: %q, ran %q", shellName, before, name, code, said, ran)
					}
				}
				if code, _ := call(dir, name, shell, "exec 2>&-; ", much); code != 0 {
					t.Errorf("%s: %s without stderr ends with %d", shellName, name, code)
				}
				os.Remove(filepath.Join(dir, "ran"))
			}
			put(t, exe, "#!/bin/sh\necho a warning >&2\ncat\n", 0o755)
			code, said := call(dir, "post-rewrite", shell, "", "one\ntwo")
			if code != 0 || said != "a warning\n" {
				t.Errorf("%s: %d, %q", shellName, code, said)
			}
		}
	}
}

// A tool that moves the stub away, and then the kept hook calls, makes a loop. It ends, and the
// kept hook decides.
func TestStubsInALoop(t *testing.T) {
	for shellName, shell := range shells(t) {
		for _, end := range []int{0, 5} {
			for _, changed := range []bool{false, true} {
				dir, _ := stubs(t, "#!/bin/sh\necho ours >>log\n", "x")
				path := filepath.Join(dir, "commit-msg")
				testdir.Must(t, os.Rename(path, path+".moved"))
				manager := fmt.Sprintf("#!/bin/sh\necho manager >>log\n\"${0%%/*}/commit-msg.moved\" \"$@\" || exit\nexit %d\n", end)
				put(t, path, manager, 0o755)
				if changed {
					manager += "# an older one\n"
				}
				put(t, path+keptSuffix, manager, 0o755)
				code, said := call(dir, "commit-msg", shell, "", "")
				if code != end || said != "" {
					t.Errorf("%s: ends with %d: %q", shellName, code, said)
				}
				log, _ := os.ReadFile(filepath.Join(dir, "log"))
				if n := strings.Count(string(log), "manager"); changed && n > 4 || !changed && n != 1 {
					t.Errorf("%s: the manager runs %d times", shellName, n)
				}
			}
		}
	}
}

// A git command that a kept hook runs has hooks of its own, of the same name too.
func TestKeptHookMayCommit(t *testing.T) {
	r := newRepo(t)
	mustInstall(t, r.hooks(), r.exe)
	r.wantCommit(r.dir, ours)
	if _, err := Remove(r.hooks()); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(r.hooks(),
		"post-commit"), "#!/bin/sh\necho theirs >>"+quote(r.log)+"\n[ -e ../again ] || { : >../again; git commit -q --allow-empty -m again; git commit -q --amend --allow-empty -m more; }\n", 0o755)
	mustInstall(t, r.hooks(), r.exe)
	if out, err := r.commitIn(r.dir); err != nil || out != "" {
		t.Fatalf("%v: %s", err, out)
	}
	log := r.logged()
	if strings.Count(log, "theirs") != 3 || strings.Count(log, "ours hooks git post-commit") != 3 ||
		strings.Count(log, "ours hooks git prepare-commit-msg") != 3 {
		t.Errorf("log:\n%s", log)
	}
}
