package ancestry

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

// TestOf asks ps for the same.
func TestOf(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("no /proc here")
	}
	above := Of()
	if len(above) == 0 || above[0].ID != os.Getppid() {
		t.Fatalf("%v", above)
	}
	again := Of()
	if !above[0].Same(again[0]) {
		t.Errorf("%v is not %v", above[0], again[0])
	}
	cmd := exec.Command("sleep", "10")
	testdir.Must(t, cmd.Start())
	defer cmd.Wait()
	defer cmd.Process.Kill()
	p, parent, err := read("/proc", cmd.Process.Pid)
	if err != nil || parent != os.Getpid() || p.Started == "" {
		t.Errorf("%+v %d %v", p, parent, err)
	}
	if began, known := p.Began(); !known || time.Since(began) < -time.Second || time.Since(began) > time.Minute {
		t.Errorf("it began %v, %v", began, known)
	}
}

func TestBelow(t *testing.T) {
	above := []Process{{ID: 9, Started: "3"}, {ID: 8, Started: "2"}, {ID: 7, Started: "1"}}
	for _, c := range []struct {
		started Process
		want    int
	}{{above[1], 9}, {above[2], 8}, {above[0], 0}, {Process{ID: 7, Started: "2"}, 0}} {
		if p, ok := Below(above, c.started); p.ID != c.want || ok != (c.want > 0) {
			t.Errorf("%+v: %+v, %v", c.started, p, ok)
		}
	}
}

func TestStrangeNames(t *testing.T) {
	dir := t.TempDir()
	write := func(pid, ppid int, name, args string) {
		at := filepath.Join(dir, strconv.Itoa(pid))
		os.Mkdir(at, 0o755)
		os.WriteFile(filepath.Join(at, "stat"), []byte(strconv.Itoa(pid)+" ("+name+") S "+strconv.Itoa(ppid)+strings.Repeat(" 0",
			17)+" 77"+strconv.Itoa(pid)+" 0\n"), 0o644)
		os.WriteFile(filepath.Join(at, "cmdline"), []byte(args), 0o644)
	}
	write(9, 8, "git", "git\x00-c\x00x=y\x00commit\x00-m\x00s\x00")
	write(8, 10, "bash", "-bash\x00")
	write(10, 7, "a) b (c", "")
	write(7, 1, "node", "/usr/bin/claude\x00")
	os.WriteFile(filepath.Join(dir, "9", "comm"), []byte("git\n"), 0o644)
	outer := filepath.Join(t.TempDir(), "outer")
	os.MkdirAll(filepath.Join(outer, "inner", "below"), 0o755)
	os.Mkdir(filepath.Join(outer, ".git"), 0o755)
	os.WriteFile(filepath.Join(outer, "inner", ".git"), nil, 0o644)
	os.Symlink(filepath.Join(outer, "inner", "below"), filepath.Join(dir, "9", "cwd"))
	for at, want := range map[string]string{filepath.Join(outer, "inner"): "commit", outer: "", outer + "/in": ""} {
		if got := runningIn(dir, []string{at}, []string{"merge", "commit"}, nil); got != want {
			t.Errorf("in %s: %q", at, got)
		}
	}
	if got := runningIn(dir, []string{filepath.Join(outer, "inner")}, []string{"merge"}, nil); got != "" {
		t.Errorf("a commit is no %s", got)
	}
	if got := runningIn(dir, []string{outer, filepath.Join(outer, "inner")}, []string{"commit"}, []Process{{ID: 9, Started: "779"}}); got != "" {
		t.Errorf("the process that is excepted is found: %s", got)
	}
	above := above(func(pid int) (Process, int, error) { return read(dir, pid) }, 9)
	if len(above) != 4 || above[0].Started != "779" {
		t.Fatalf("%+v", above)
	}
	if a, ok := Agent(above[1:]); !ok || a.ID != 10 {
		t.Errorf("the agent is %+v", a)
	}
	if g := Commands(above); len(g) != 1 || g[0].Verb != "commit" {
		t.Errorf("%+v", g)
	}
}

func TestCommands(t *testing.T) {
	for _, test := range []struct {
		args    string
		want    Git
		amends  bool
		cleanup string
		commits bool
	}{
		{"git commit", Git{"commit", []string{}}, false, "", true},
		{"/usr/lib/git-core/git commit -n --amend --no-gpg-sign", Git{"commit", []string{"-n", "--amend", "--no-gpg-sign"}}, true, "", true},
		{"git -C dir --no-pager -c a=b commit --am", Git{"commit", []string{"--am"}}, true, "", true},
		{"git commit --all", Git{"commit", []string{"--all"}}, false, "", true},
		{"git commit -- --amend", Git{"commit", []string{"--", "--amend"}}, false, "", true},
		{"git commit --cleanup=verbatim", Git{"commit", []string{"--cleanup=verbatim"}}, false, "verbatim", true},
		{"git commit --cleanup scissors", Git{"commit", []string{"--cleanup", "scissors"}}, false, "scissors", true},
		{"git commit -am --amend --message --amend", Git{"commit", []string{"-am", "--amend", "--message", "--amend"}}, false, "", true},
		{"git-rebase --amend", Git{"rebase", []string{"--amend"}}, false, "", false},
		{"git -c core.editor=true merge --continue", Git{"merge", []string{"--continue"}}, false, "", true},
		{"git merge --cont", Git{"merge", []string{"--cont"}}, false, "", true},
		{"git merge --commit side", Git{"merge", []string{"--commit", "side"}}, false, "", false},
		{"git rebase --continue", Git{"rebase", []string{"--continue"}}, false, "", false},
	} {
		got := Commands([]Process{{Args: strings.Fields(test.args)}})
		if len(got) != 1 || !reflect.DeepEqual(got[0], test.want) || got[0].Amends() != test.amends || got[0].Cleanup() != test.cleanup || got[0].Commits() != test.commits {
			t.Errorf("%s: %+v", test.args, got)
		}
	}
	if got := Commands([]Process{{Name: "vi"}, {Name: "git", Args: []string{"git"}}}); got != nil {
		t.Errorf("%+v", got)
	}
}

func TestArguments(t *testing.T) {
	count := func(n uint32) string { return string(binary.NativeEndian.AppendUint32(nil, n)) }
	for text, want := range map[string][]string{
		count(3) + "/usr/bin/git\x00\x00\x00\x00git\x00commit\x00-m\x00HOME=/x\x00": {"git", "commit", "-m"},
		count(2) + "/usr/bin/git\x00git\x00\x00A=b\x00":                             {"git", ""},
		count(1) + "git\x00git\x00":                                                 {"git"},
		count(2) + "git\x00git\x00":                                                 nil,
		count(1<<31) + "git\x00git\x00":                                             nil,
		count(0) + "git\x00git\x00":                                                 nil,
		count(1) + "git":                                                            nil,
		"":                                                                          nil,
	} {
		got, err := arguments([]byte(text))
		if !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%q gives %q, %v", text, got, err)
		}
	}
}

func TestUnknown(t *testing.T) {
	for _, test := range []struct {
		above, inWorktrees bool
		want               int
	}{{true, true, 0}, {true, false, 1}, {false, false, 2}} {
		if got := Unknown(test.above, test.inWorktrees); len(got) != test.want {
			t.Errorf("%v %v: %q", test.above, test.inWorktrees, got)
		}
	}
}
