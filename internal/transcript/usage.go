package transcript

import (
	"io"

	"entire-plumb/internal/amount"
)

// Usage counts tokens, with the JSON keys of a checkpoint's metadata.
type Usage struct {
	InputTokens         int `json:"input_tokens"`
	CacheCreationTokens int `json:"cache_creation_tokens"`
	CacheReadTokens     int `json:"cache_read_tokens"`
	OutputTokens        int `json:"output_tokens"`
	// APICallCount is the number of messages that the model answered.
	APICallCount int `json:"api_call_count"`
	// SubagentTokens are those of subagents, which the other fields do not
	// contain; nil if none.
	SubagentTokens *Usage `json:"subagent_tokens,omitempty"`
}

// Text says which tokens there are, those of subagents apart.
func (u Usage) Text() string {
	text := amount.Spent(u.InputTokens, u.OutputTokens, u.CacheReadTokens, u.CacheCreationTokens) + ", " + amount.Of(u.APICallCount, "call")
	if u.SubagentTokens != nil {
		text += "; subagents " + u.SubagentTokens.Text()
	}
	return text
}

// All is the number of tokens, those of the cache and of subagents included.
func (u Usage) All() int {
	n := u.InputTokens + u.CacheCreationTokens + u.CacheReadTokens + u.OutputTokens
	if u.SubagentTokens != nil {
		n += u.SubagentTokens.All()
	}
	return n
}

// Add returns the sum. It shares no memory with u or v; its SubagentTokens are
// nil if they come to nothing.
func (u Usage) Add(v Usage) Usage { return u.plus(v, 1) }

// Less returns what is beyond v, likewise, and nothing below it.
func (u Usage) Less(v Usage) Usage { return u.sub(v).positive() }

// sub returns the difference, likewise.
func (u Usage) sub(v Usage) Usage { return u.plus(v, -1) }

func (u Usage) plus(v Usage, sign int) Usage {
	// Both were read from files of others: no sum of theirs may overflow.
	add := func(a, b int) int { return bounded(bounded(a) + sign*bounded(b)) }
	sum := Usage{
		InputTokens:         add(u.InputTokens, v.InputTokens),
		CacheCreationTokens: add(u.CacheCreationTokens, v.CacheCreationTokens),
		CacheReadTokens:     add(u.CacheReadTokens, v.CacheReadTokens),
		OutputTokens:        add(u.OutputTokens, v.OutputTokens),
		APICallCount:        add(u.APICallCount, v.APICallCount),
	}
	if u.SubagentTokens == nil && v.SubagentTokens == nil {
		return sum
	}
	// None rather than zeros: the JSON leaves it out.
	if sub := u.subagents().plus(v.subagents(), sign); sub != (Usage{}) {
		sum.SubagentTokens = &sub
	}
	return sum
}

// mostTokens limits what others may have written, so that no sum overflows.
const mostTokens = 1_000_000_000_000_000

func bounded(n int) int { return max(min(n, mostTokens), -mostTokens) }

// positive leaves out what is less than nothing.
func (u Usage) positive() Usage {
	p := Usage{max(u.InputTokens, 0), max(u.CacheCreationTokens, 0), max(u.CacheReadTokens, 0), max(u.OutputTokens, 0),
		max(u.APICallCount, 0), nil}
	if u.SubagentTokens != nil {
		if sub := u.SubagentTokens.positive(); sub != (Usage{}) {
			p.SubagentTokens = &sub
		}
	}
	return p
}

func (u Usage) subagents() Usage {
	if u.SubagentTokens == nil {
		return Usage{}
	}
	return *u.SubagentTokens
}

// Spent counts the tokens that a transcript tells of after its first copied lines.
func Spent(in io.Reader, copied int) (Usage, error) {
	count := newTally(nil)
	err := lines(in, func(line []byte) error {
		new(Part).parse(line, copied, count)
		copied--
		return nil
	})
	return count.total, err
}

// BySubagent returns the same tokens as ones that a subagent took: its own records may call
// themselves so, or not.
func (u Usage) BySubagent() Usage {
	all := u
	all.SubagentTokens = nil
	all = all.Add(u.subagents())
	return Usage{}.Add(Usage{SubagentTokens: &all})
}

// output is a message's output tokens, whether the session's or a subagent's.
func (u Usage) output() int { return u.OutputTokens + u.subagents().OutputTokens }

// counted is the tokens of one message of the model; nil if a figure is less than nothing.
func counted(input, cacheCreation, cacheRead, output int) *Usage {
	if min(input, cacheCreation, cacheRead, output) < 0 {
		return nil
	}
	return &Usage{InputTokens: input, CacheCreationTokens: cacheCreation, CacheReadTokens: cacheRead, OutputTokens: output,
		APICallCount: 1}
}
