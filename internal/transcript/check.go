package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Held is what a transcript holds, for whoever writes one.
type Held struct {
	Prompts, Answers, Uses int
	Files                  []string // that tools were asked to write, sorted
	Usage                  Usage
}

// BadLine is a line of a transcript that tells nothing, or not all that it should.
type BadLine struct {
	Line int // from 1
	What string
}

// Check reads a transcript whole. Errors are those of Read.
func Check(ctx context.Context, path string) (held Held, bad []BadLine, err error) {
	part, err := Read(ctx, path, Position{}, func([]byte, bool) error { return nil })
	if err != nil {
		return held, nil, err
	}
	held.Usage = part.Usage
	seen := map[string]int{}
	at := 0
	err = eachLine(ctx, path, 0, func(line []byte) {
		at++
		// Results of tools are of any shape: nothing is counted of them, so nothing can be wrong
		// with them.
		if len(bytes.TrimSpace(line)) == 0 || toolOutput(line) {
			return
		}
		rec, ok := decode(line)
		if what := faultOf(line, ok); what != "" {
			bad = append(bad, BadLine{at, what})
			return
		}
		held.add(rec)
		said := plainSaid(line)
		// A message may have several lines with one ID, as the uses of several tools: only the same
		// words again are a mistake.
		if first := seen[said]; said != "" && first > 0 {
			bad = append(bad, BadLine{at, fmt.Sprintf("says what line %d says, by the same id: it is shown twice", first)})
		} else {
			seen[said] = at
		}
	})
	slices.Sort(held.Files)
	held.Files = slices.Compact(held.Files)
	return held, bad, err
}

func (h *Held) add(rec record) {
	if rec.prompt != "" && !rec.subagent {
		h.Prompts++
	}
	// An answer is often in several records, some of which have tools alone.
	if rec.who == typeAssistant && rec.lastText() != "" {
		h.Answers++
	}
	for _, b := range rec.blocks {
		if b.tool != "" {
			h.Uses, h.Files = h.Uses+1, append(h.Files, b.files...)
		}
	}
}

// faultOf says what is wrong with a line; known says that it was decoded.
func faultOf(line []byte, known bool) string {
	var l plainLine
	err := json.Unmarshal(line, &l)
	switch _, plain := plainRecord(line); {
	case !json.Valid(line) && line[len(line)-1] != '\n':
		return "is not written to its end"
	case !json.Valid(line):
		return "is no JSON"
	case !known && names(line, "role"):
		return fmt.Sprintf("is of no known format: a role is user, assistant or tool, and each key has its type (%q)", l.Role)
	case !known:
		return "is of no known format"
	case !plain || err != nil:
		return ""
	case l.Time.IsZero():
		return "has no time as RFC 3339 has it: nothing tells when it was"
	case l.Tokens != nil && l.ID == "":
		return "has tokens and no id: they don't count"
	case l.Role == "tool" && l.Tool == "":
		return "has no tool: its use doesn't count"
	}
	return tokenFault(line)
}

// tokenFault says which tokens of a line of the generic format don't count.
func tokenFault(line []byte) string {
	var l struct {
		Tokens map[string]json.RawMessage `json:"tokens"`
	}
	_ = json.Unmarshal(line, &l) // of another shape it is no line of the format
	var unknown []string
	for _, key := range slices.Sorted(maps.Keys(l.Tokens)) {
		if !slices.Contains([]string{"input", "cache_creation", "cache_read", "output"}, key) {
			unknown = append(unknown, strconv.Quote(key))
		} else if bytes.HasPrefix(l.Tokens[key], []byte("-")) {
			return "has less than no tokens: they don't count"
		}
	}
	if unknown == nil {
		return ""
	}
	return "has tokens of unknown names (" + strings.Join(unknown, ", ") + "): they are input, cache_creation, cache_read and output"
}

// plainSaid is what a line of the generic format with an ID says; empty: it has none, or is another
// one's.
func plainSaid(line []byte) string {
	var l plainLine
	if _, plain := plainRecord(line); !plain || json.Unmarshal(line, &l) != nil || l.ID == "" {
		return ""
	}
	return strings.Join([]string{l.ID, l.Role, l.Tool, l.Text}, "\x00")
}
