package gitexec

import "testing"

func TestAttributes(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		write(t, r.Top, ".gitattributes", "*.pb generated\n*.c -generated\n*.x generated=maybe\n")
		write(t, r.Top, "dir/.gitattributes", "* vendored\n")
		odd := Path("with \"quotes\"\nand a line.pb")
		files := []Path{"a.go", "a.pb", "a.c", "a.x", "dir/gone/b.pb", odd}
		all, err := r.Attributes(t.Context(), files, "generated", "vendored")
		if err != nil {
			t.Fatal(err)
		}
		want := map[Path][2]string{"a.go": {"unspecified", "unspecified"}, "a.pb": {"set", "unspecified"}, "a.c": {"unset", "unspecified"},
			"a.x": {"maybe", "unspecified"}, "dir/gone/b.pb": {"set", "set"}, odd: {"set", "unspecified"}}
		for file, values := range want {
			if got := all[file]; got["generated"] != values[0] || got["vendored"] != values[1] {
				t.Errorf("%q: %v", file, got)
			}
		}
	})
}

// No files cost no process, and have no attributes.
func TestAttributesOfNothing(t *testing.T) {
	r := repository(t, SHA1)
	if all, err := r.Attributes(t.Context(), nil, "generated"); err != nil || len(all) > 0 {
		t.Errorf("%v, %v", all, err)
	}
}
