package transcript

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

func TestShellWrites(t *testing.T) {
	for command, want := range map[string]string{
		"cat >f <<'E'\na\nb\nE": `f="a\nb\n"`,
		"cd d && apply_patch <<'E'\n*** Begin Patch\n*** Update File: f\n@@\n x\n-y\n+a\n*** Add File: /g\n+b\n*** End Patch\nE": `d/f+="a\n" /g+="b\n"`,
		"apply_patch '*** Begin Patch\n*** Update File: f\n+a\n*** End Patch'":                                                   `f+="a\n"`,
		"apply_patch $x":                                  ``,
		"cat >> f.go <<EOF\na\nEOF\ncat f.go":             `f.go+="a\n"`,
		"cat <<'E' > d/f\na $x\nE\n":                      `d/f="a $x\n"`,
		"cat > f <<E\na $x\nE\n":                          ``,
		"cat >f <<E\na\n":                                 ``,
		"cat >f <<-E\n\ta\n\tE\n":                         `f="a\n"`,
		"cat >f <<'E' && cat >>g <<\"F\"\na\nE\nb\nF\nls": `f="a\n" g+="b\n"`,
		"mkdir -p d && cd d && cat >f <<E\na\nE":          `d/f="a\n"`,
		"cd /x; echo a >f":                                `/x/f="a\n"`,
		"cd $x; echo a >f; echo b >/y":                    `/y="b\n"`,
		"(cd d; echo a >f); echo b >g":                    ``,
		"{ cd d; echo a >f; }":                            ``,
		"for d in x y; do cd $d; echo a >f; cd ..; done":  ``,
		"if cd d; then echo a; fi; echo b >f":             ``,
		"git add . && echo a >f":                          `f="a\n"`,
		"cd d; x=$(date); echo a >f":                      `d/f="a\n"`,
		". env.sh; echo a >f; echo b >/g":                 `/g="b\n"`,
		"bash -lc cd d && echo a >f":                      ``,
		"bash -c 'cd d && echo a' >f":                     ``,
		"(echo a; echo b) | tee f":                        ``,
		"echo a b 'c  d' >>f":                             `f+="a b c  d\n"`,
		`echo "say \"a\"" >f`:                             `f="say \"a\"\n"`,
		`echo "$a" >f`:                                    ``,
		`echo 'a\nb' >f`:                                  ``,
		"echo *.go >f":                                    ``,
		"echo a >$f":                                      ``,
		"echo a >'f g'":                                   `f g="a\n"`,
		"echo a \\\n  b >f":                               `f="a b\n"`,
		"echo -n a >f":                                    `f="a"`,
		"echo -e a >f":                                    ``,
		"echo a 2>/dev/null >f":                           `f="a\n"`,
		"echo a 2>f":                                      ``,
		"echo a >/dev/null 2>&1":                          ``,
		"echo a >&2":                                      ``,
		"echo a &>f":                                      ``,
		"printf 'a\\nb\\n' >f":                            `f="a\nb\n"`,
		"printf '%s\\n' a 'b c' >f":                       `f="a\nb c\n"`,
		"printf '%d\\n' 1 >f":                             ``,
		"echo a | tee -a f >/dev/null":                    `f+="a\n"`,
		"cat <<E | tee f g\na\nE":                         `f="a\n" g="a\n"`,
		"echo a | sed s/a/b/ >f":                          ``,
		"echo a; echo b >f # > g\necho c >h":              `f="b\n" h="c\n"`,
		"python3 - <<'E' >f\nprint(1)\nE":                 ``,
		"if x; then echo a >f; fi":                        ``,
		"echo $(date >g) >f":                              ``,
		"go test ./... && git commit -qm 'a > b'":         ``,
		"sed -i s/a/b/ f":                                 ``,
		"echo 'a":                                         ``,
		"echo 'a >f":                                      ``,
		"echo a >":                                        ``,
	} {
		var got []string
		for _, w := range shellWrites(command) {
			got = append(got, fmt.Sprintf("%s%s=%q", w.file, map[bool]string{true: "+"}[w.adds], w.text))
		}
		if all := strings.Join(got, " "); all != want {
			t.Errorf("%q: %s, want %s", command, all, want)
		}
	}
}

// TestShellsDirectory: a shell's file is in the directory where the shell is.
func TestShellsDirectory(t *testing.T) {
	const claude = `{"type":"assistant","cwd":"/repo/sub","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"echo a >f"}}]}}`
	const codex = `{"timestamp":"2026-11-21T20:26:53Z","type":"session_meta","payload":{"cwd":"/repo"}}` + "\n" +
		`{"timestamp":"2026-11-21T20:26:54Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","call_id":"c","arguments":"{\"cmd\":\"echo a >f\",\"workdir\":\"sub\"}"}}`
	for _, content := range []string{claude, codex} {
		if w, err := Written(t.Context(), file(t, content+"\n")); err != nil || len(w.Files) > 0 || !slices.Equal(slices.Collect(maps.Keys(w.Texts)), []string{"/repo/sub/f"}) {
			t.Errorf("%s: %+v, %v", content, w, err)
		}
	}
}

// TestFailedShell: a command that failed, or that the user refused, counts for the files that look
// as it leaves them.
func TestFailedShell(t *testing.T) {
	dir := t.TempDir()
	testdir.Must(t, os.WriteFile(filepath.Join(dir, "made"), []byte("by the agent\nby the user\n"), 0o600))
	testdir.Must(t, os.WriteFile(filepath.Join(dir, "refused"), []byte("by the user\n"), 0o600))
	content := `{"type":"assistant","cwd":"` + dir + `","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":` +
		`"echo by the agent >>made; echo by the agent >refused; go test"}}]}}` + "\n" +
		`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"no"}]}}` + "\n"
	w, err := Written(t.Context(), file(t, content))
	if err != nil || !slices.Equal(slices.Collect(maps.Keys(w.Texts)), []string{filepath.Join(dir, "made")}) || w.All {
		t.Errorf("%+v, %v", w, err)
	}
}

// TestShellWritesBounded: rubbish takes no longer than it is long.
func TestShellWritesBounded(t *testing.T) {
	for _, one := range []string{"(", "$(", "<<E\n", ">", "cat <<E >f\n", "'", "\"", "\\", "a|", "echo a >f;", "cd d;", "#", "\n", "(cx"} {
		begun := time.Now()
		shellWrites("echo a >f; " + strings.Repeat(one, mostShell/len(one)-11))
		if took := time.Since(begun); took > 20*slack {
			t.Errorf("%q: %v", one, took)
		}
	}
	long := strings.Repeat("x", mostShell/2-20)
	for _, command := range []string{"printf '%s" + long + "' " + strings.Repeat("a ", len(long)/2) + ">f", "echo " + long + " | tee -a " + strings.Repeat("f ", len(long)/2)} {
		size := 0
		for _, w := range shellWrites(command) {
			size += len(w.text)
		}
		if size > mostShellText {
			t.Errorf("%.20q: %d bytes", command, size)
		}
	}
}

func FuzzShellWrites(f *testing.F) {
	f.Add("cat >f <<'E'\na\nE")
	f.Add("echo \"a\\\"b\" | tee -a f g; cd d && printf '%s\\n' x >>h # c")
	f.Fuzz(func(t *testing.T, command string) {
		for _, w := range shellWrites(command) {
			if w.file == "" || w.text == "" {
				t.Errorf("%q: %+v", command, w)
			}
		}
	})
}
