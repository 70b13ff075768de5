package gitexec

import (
	"bytes"
	"testing"
)

// FuzzOutput: nothing that git may print, or a program in its place, ends the reader otherwise than
// by an error, and what is read of a tree is a tree again.
func FuzzOutput(f *testing.F) {
	f.Add([]byte(":100644 100644 1111111111111111111111111111111111111111 2222222222222222222222222222222222222222 M\x00a\x00"))
	f.Add([]byte("1 .M N... 100644 100644 100644 1111111111111111111111111111111111111111 2222222222222222222222222222222222222222 a b\x00? c\x00"))
	f.Add([]byte("100644 a\x00" + string(make([]byte, 20)) + "40000 b\x00" + string(make([]byte, 20))))
	f.Add([]byte("1111111111111111111111111111111111111111 1 1 1\nauthor A\nfilename f\n\tline\n"))
	f.Add([]byte("diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n@@ -1,2 +1 @@\n-a\n-b\n+c\n\\ No newline at end of file\n"))
	f.Add([]byte("To x\n*\ta:b\t[new branch]\n!\ta:c\t[remote rejected] (hook declined)\nDone\n"))
	f.Add([]byte(`{"event":"def_param","param":"a.b","value":"c"}` + "\n" + `{"event":"exit"}` + "\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		_, _ = parseBlame(out)
		_, _ = parseStatus(out)
		_, _ = parseRawDiff(out)
		_ = ParsePatch(bytes.NewReader(out), func(FilePatch) error { return nil })
		parsePushed(string(out))
		parseConfig(out, "true")
		readTrace(bytes.NewReader(out))
		for _, format := range []Format{SHA1, SHA256} {
			tree, err := parseTree(out, format)
			if err != nil {
				continue
			}
			data, err := tree.encode()
			if err != nil {
				continue // it has a name that git refuses
			}
			if again, err := parseTree(data, format); err != nil || len(again) != len(tree) {
				t.Errorf("%q is read as %v, and that as %v, %v", out, tree, again, err)
			}
		}
	})
}
