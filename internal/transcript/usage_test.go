package transcript

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
)

func TestUsageAdd(t *testing.T) {
	sub := &Usage{InputTokens: 5, APICallCount: 1}
	u := Usage{1, 2, 3, 4, 5, nil}
	v := Usage{10, 20, 30, 40, 50, sub}
	tests := []struct{ a, b, want Usage }{
		{u, u, Usage{2, 4, 6, 8, 10, nil}},
		{u, v, Usage{11, 22, 33, 44, 55, &Usage{InputTokens: 5, APICallCount: 1}}},
		{v, v, Usage{20, 40, 60, 80, 100, &Usage{InputTokens: 10, APICallCount: 2}}},
		{Usage{}, Usage{}, Usage{}},
	}
	for _, test := range tests {
		for _, got := range []Usage{test.a.Add(test.b), test.b.Add(test.a)} {
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("%+v, want %+v", got, test.want)
			}
			if got.SubagentTokens == sub {
				t.Error("the sum shares memory")
			}
		}
	}
	if got := v.sub(v); got != (Usage{}) {
		t.Errorf("v - v = %+v", got)
	}
}

// TestUsageIsBounded: absurd counts, which others may have written, overflow no sum.
func TestUsageIsBounded(t *testing.T) {
	absurd := Usage{InputTokens: math.MaxInt, OutputTokens: math.MinInt, SubagentTokens: &Usage{CacheReadTokens: math.MaxInt}}
	sum := absurd.Add(absurd).Add(absurd)
	if sum.InputTokens != mostTokens || sum.OutputTokens != -mostTokens || sum.SubagentTokens.CacheReadTokens != mostTokens {
		t.Errorf("%+v, %+v", sum, sum.SubagentTokens)
	}
	if got := absurd.Less(Usage{}); got.InputTokens != mostTokens || got.OutputTokens != 0 {
		t.Errorf("%+v", got)
	}
}

func TestUsageJSON(t *testing.T) {
	got, err := json.Marshal(Usage{1, 2, 3, 4, 5, &Usage{}})
	want := `{"input_tokens":1,"cache_creation_tokens":2,"cache_read_tokens":3,"output_tokens":4,"api_call_count":5,` +
		`"subagent_tokens":{"input_tokens":0,"cache_creation_tokens":0,"cache_read_tokens":0,"output_tokens":0,"api_call_count":0}}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
	if got, _ := json.Marshal(Usage{}); strings.Contains(string(got), "subagent") {
		t.Errorf("%s", got)
	}
}

func assistant(id, usage string) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"content":[],"usage":%s}}`, id, usage) + "\n"
}

func TestTokens(t *testing.T) {
	tests := []struct {
		name string
		text string
		want Usage
	}{
		{"highest output of an id, first of equals",
			assistant("a", `{"input_tokens":1,"output_tokens":5}`) + assistant("a", `{"input_tokens":2,"output_tokens":9}`) +
				assistant("a", `{"input_tokens":3,"output_tokens":9}`) + assistant("a", `{"input_tokens":4,"output_tokens":2}`),
			Usage{InputTokens: 2, OutputTokens: 9, APICallCount: 1}},
		{"ids apart", assistant("a", `{"output_tokens":5}`) + assistant("b", `{"output_tokens":5}`),
			Usage{OutputTokens: 10, APICallCount: 2}},
		{"no tokens, yet a call", assistant("a", `{}`), Usage{APICallCount: 1}},
		{"no usage", assistant("a", `null`) + `{"type":"assistant","message":{"id":"b"}}`, Usage{}},
		{"no id", assistant("", `{"output_tokens":5}`), Usage{}},
		{"odd usage", assistant("a", `7`) + assistant("b", `{"output_tokens":"x"}`) + assistant("c", `{"output_tokens":-1}`) +
			assistant("d", `{"output_tokens":1e99}`), Usage{}},
		{"a user's", `{"type":"user","message":{"id":"a","usage":{"output_tokens":5}}}`, Usage{}},
		{"nested progress", `{"type":"progress","data":{"message":{"type":"assistant","message":{"id":"a","usage":{"output_tokens":5}}}}}`,
			Usage{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rec := &recorder{path: file(t, test.text), chunkSize: ChunkSize}
			if part := rec.read(t); !reflect.DeepEqual(part.Usage, test.want) {
				t.Errorf("%+v, want %+v", part.Usage, test.want)
			}
		})
	}
}

// A message that goes on after a reading adds only what it has more.
func TestTokensStraddle(t *testing.T) {
	rec := &recorder{path: file(t, ""), chunkSize: ChunkSize}
	text := assistant("a", `{"input_tokens":7,"output_tokens":5}`) + assistant("b", `{"input_tokens":1,"output_tokens":3}`)
	put(t, rec.path, text)
	rec.read(t)
	text += assistant("b", `{"input_tokens":1,"output_tokens":9}`) + assistant("a", `{"input_tokens":7,"output_tokens":5}`)
	put(t, rec.path, text)
	if part := rec.read(t); part.Usage != (Usage{OutputTokens: 6}) {
		t.Errorf("%+v", part.Usage)
	}
	if len(rec.pos.Recent) != 2 || rec.pos.Recent[1].ID != "a" {
		t.Errorf("recent %+v", rec.pos.Recent)
	}
	for i := range 3 * keptMessages {
		text += assistant(fmt.Sprint("more", i), `{"output_tokens":1}`)
	}
	put(t, rec.path, text)
	if part := rec.read(t); part.Usage.APICallCount != 3*keptMessages || len(rec.pos.Recent) != keptMessages {
		t.Errorf("%+v, %d kept", part.Usage, len(rec.pos.Recent))
	}
}

// TestAllTokens: all kinds of tokens count, and subagents'.
func TestAllTokens(t *testing.T) {
	u := Usage{InputTokens: 1, CacheCreationTokens: 20, CacheReadTokens: 300, OutputTokens: 4000, SubagentTokens: &Usage{InputTokens: 50_000}}
	if got := u.All(); got != 54_321 {
		t.Error(got)
	}
}
