package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestEachPatched: a patch says of each part what stands there before and after it, and in which file.
func TestEachPatched(t *testing.T) {
	for name, c := range map[string]struct {
		patch string
		want  []string
	}{
		"a new file":                   {"*** Add File: a b\n+one\n+two\n", []string{"a b: - > one two"}},
		"a line replaced":              {"*** Update File: a\n@@ func f()\n before\n-old\n+new\n\n after\n", []string{"a: before old  after > before new  after"}},
		"two parts":                    {"*** Update File: a\n@@\n x\n+y\n@@\n z\n-w\n", []string{"a: x > x y", "a: z w > z"}},
		"after the end of a file":      {"*** Update File: a\n@@\n x\n+y\n*** End of File\n@@\n z\n+w\n", []string{"a: x > x y", "a: z > z w"}},
		"lines that end as on Windows": {"*** Update File: a\r\n@@\r\n x\r\n\r\n+y\r\n", []string{"a: x\r \r > x\r \r y\r"}},
		"two files, and one gone":      {"*** Update File: a\n+x\n*** Delete File: b\n*** Add File: c\n+y\n", []string{"a: - > x", "c: - > y"}},
		"moved, and changed there":     {"*** Update File: a\n*** Move to: b\n@@\n x\n-y\n+z\n", []string{"b: x y > x z, moved"}},
		"only moved":                   {"*** Update File: a\n*** Move to: b\n", nil},
		"before any file":              {"+x\n", nil},
		"none":                         {"", nil},
	} {
		var got []string
		text := func(of string) string {
			if of == "" {
				return "-"
			}
			return strings.ReplaceAll(strings.TrimSuffix(of, "\n"), "\n", " ")
		}
		eachPatched("*** Begin Patch\n"+c.patch+"*** End Patch\n", func(file string, e Edit) {
			moved := map[bool]string{false: ", moved"}[e.Located]
			got = append(got, fmt.Sprintf("%s: %s > %s%s", file, text(e.Old), text(e.New), moved))
		})
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
