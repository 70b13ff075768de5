package transcript

import (
	"encoding/json"
	"testing"
)

func TestOnlyReads(t *testing.T) {
	for command, want := range map[string]bool{
		"ls -la":                             true,
		"git status":                         true,
		"cd src && git diff --stat; ls":      true,
		"git diff main":                      false,
		"git diff -- a.go":                   false,
		"git log -p":                         false,
		"git log -U3":                        false,
		"git log -c":                         false,
		"grep -c main a.go":                  true,
		"git log --remerge-diff":             false,
		"git show HEAD~1:f":                  false,
		"git log --oneline | head -5":        true,
		"grep -rn 'func main' . 2>/dev/null": true,
		"cat a.txt 2>&1 | grep x || pwd":     true,
		"find . -name '*.go'":                true,
		"":                                   false,
		"  ":                                 false,
		"git":                                false,
		"git commit -qm x":                   false,
		"git add -A && git add a.go":         true,
		"git add -p":                         false,
		"git -C other status":                false,
		"git diff --output=f":                false,
		"cat a >b":                           false,
		"ls | tee f":                         false,
		"ls && make":                         false,
		"find . -name x -delete":             false,
		"find . -exec rm a +":                false,
		"rg --pre ./run x":                   false,
		"ls $(make)":                         false,
		"X=1 ls":                             false,
		"cat <<E\nls\nE":                     false,
		"ls\nmake":                           false,
		"sed -i s/a/b/ f":                    false,
		"python3 -c 'open(\"f\", \"w\")'":    false,
		"grep 'a|make' f":                    false, // the quotes are not read
		"bash -lc ls":                        false,
		"cat a.txt &":                        true,
	} {
		if got := onlyReads(command); got != want {
			t.Errorf("%q: %t", command, got)
		}
	}
}

// TestCommandThatOnlyReads: it is no shell that may have written a file; any other one is.
func TestCommandThatOnlyReads(t *testing.T) {
	for command, want := range map[string]effect{"git status": reads, "make": unknownEffect} {
		var in toolInput
		if err := json.Unmarshal([]byte(`{"command":"`+command+`"}`), &in); err != nil {
			t.Fatal(err)
		}
		if b := in.use("t", "Bash"); b.effect != want || b.command != command || b.runs() != (want == unknownEffect) {
			t.Errorf("%s: %+v", command, b)
		}
	}
}
