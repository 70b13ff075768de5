package gitexec

import (
	"bufio"
	"strings"
	"testing"
)

// What is no answer to the name that was asked for is an error: no other might come.
func TestAnswer(t *testing.T) {
	id := OID(strings.Repeat("1a", 20))
	for _, test := range []struct {
		name     OID
		line     string
		wantType string
		fails    bool
	}{
		{id, string(id) + " commit 250\n", "commit", false},
		{"HEAD", string(id) + " commit 250\n", "commit", false},
		{id, string(id) + " missing\n", "", false},
		{"HEAD:a b", "HEAD:a b missing\n", "", false},
		{"1a1a", "1a1a ambiguous\n", "", false},
		{"HEAD:sub", "HEAD:sub submodule\n", "", false},
		{"HEAD", "", "", true},
		{"HEAD", "HEAD", "", true},
		{"HEAD", "other missing\n", "", true},
		{"HEAD", "\xff\xfe{rubbish\x00 -1\n", "", true},
		{"HEAD", string(id) + " commit -250\n", "", true},
		{"HEAD", "HEAD commit 250\n", "", true},
	} {
		var got Object
		o := Objects{out: bufio.NewReader(strings.NewReader(test.line))}
		err := o.answer(test.name, &got, false)
		if got.Type != test.wantType || (err != nil) != test.fails {
			t.Errorf("%q to %q: %v, %v", test.line, test.name, got, err)
		}
	}
}
