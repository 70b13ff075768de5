package checkpoints

import (
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/testrepo"
	"entire-plumb/internal/transcript"
)

// TestSharedLines: of transcripts that others may have written no more is read than there is room
// for in all of them, and nothing that ours has as well.
func TestSharedLines(t *testing.T) {
	r := testrepo.New(t)
	text := func(lines int) string { return strings.TrimSuffix(strings.Repeat("0123456789\n", lines), "\n") }
	files := func(chunks ...string) gitexec.Tree {
		tree := gitexec.Tree{}
		for i, chunk := range chunks {
			tree[transcript.ChunkName(i)] = r.Blob(chunk)
		}
		return tree
	}
	mine := conversation.Of(r.DB, files(text(1000), text(1001)), "mine")
	for name, test := range map[string]struct {
		parts []gitexec.Tree
		left  int64
		want  int
	}{
		"all":                      {[]gitexec.Tree{files(text(1000), text(1001))}, 0, 2001},
		"cut otherwise":            {[]gitexec.Tree{files(text(500), text(700))}, 20 << 10, 1200},
		"the first without room":   {[]gitexec.Tree{files(text(500), text(700))}, 7 << 10, 500},
		"without room":             {[]gitexec.Tree{files(text(1500))}, 10 << 10, 0},
		"the same one and a large": {[]gitexec.Tree{files(text(1000), text(1500))}, 10 << 10, 1000},
		"a second one":             {[]gitexec.Tree{files(text(500)), files(text(700))}, 20 << 10, 700},
		"a second without room":    {[]gitexec.Tree{files(text(500)), files(text(700))}, 10 << 10, 500},
		"many empty ones":          {[]gitexec.Tree{files(make([]string, 30)...), files(text(500))}, 20 << 10, 0},
		"another one":              {[]gitexec.Tree{files("other\n" + text(500))}, 1 << 20, 0},
		"none":                     {nil, 1 << 20, 0},
	} {
		var parts []sessionDir
		for _, tree := range test.parts {
			parts = append(parts, sessionDir{files: tree})
		}
		if got := sharedLines(r.DB, mine, parts, test.left); got != test.want {
			t.Errorf("%s: %d lines, not %d", name, got, test.want)
		}
	}
}
