package transcript

import (
	"context"
	"slices"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

func TestCut(t *testing.T) {
	tests := []struct {
		text string
		size int
		want []string
	}{
		{"", 4, []string{""}},
		{"ab", 4, []string{"ab"}},
		{"ab\ncd", 4, []string{"ab", "cd"}},
		{"ab\ncd", 5, []string{"ab\ncd"}},
		{"abcd\ne", 4, []string{"abcd", "e"}},
		{"abcdefg\nh", 4, []string{"abcdefg", "h"}},
		{"h\nabcdefg", 4, []string{"h", "abcdefg"}},
		{"abcdef", 4, []string{"abcdef"}},
		{"abcdef\n", 4, []string{"abcdef", ""}},
		{"\n\n\n", 1, []string{"\n", "\n"}},
	}
	for _, test := range tests {
		var got []string
		c := cutter{ctx: context.Background(), stretch: stretch{to: int64(len(test.text))}, f: strings.NewReader(test.text),
			size: test.size}
		for {
			chunk, more, err := c.next()
			testdir.Must(t, err)
			if !more {
				break
			}
			got = append(got, string(chunk))
		}
		if !slices.Equal(got, test.want) || strings.Join(got, "\n") != test.text {
			t.Errorf("cut(%q, %d) = %q, want %q", test.text, test.size, got, test.want)
		}
	}
}

func TestChunkName(t *testing.T) {
	for i, want := range map[int]string{0: "full.jsonl", 1: "full.jsonl.001", 12: "full.jsonl.012", 1234: "full.jsonl.1234"} {
		if got := ChunkName(i); got != want {
			t.Errorf("ChunkName(%d) = %q, want %q", i, got, want)
		}
	}
}
