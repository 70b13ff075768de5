package cli

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/query"
)

// A record of the Agent Trace format, version 0.1.0 (https://agent-trace.dev).
type traceRecord struct {
	Version   string       `json:"version"`
	ID        string       `json:"id"`
	Timestamp time.Time    `json:"timestamp"`
	VCS       traceVCS     `json:"vcs"`
	Tool      traceTool    `json:"tool"`
	Files     []*traceFile `json:"files"`
}

type traceVCS struct {
	Type     string      `json:"type"`
	Revision gitexec.OID `json:"revision"`
}

type traceTool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type traceFile struct {
	Path          gitexec.Path        `json:"path"`
	Conversations []traceConversation `json:"conversations"`
}

type traceConversation struct {
	URL         string           `json:"url,omitempty"` // empty: no agent's
	Contributor traceContributor `json:"contributor"`
	Ranges      []traceRange     `json:"ranges"`
}

type traceContributor struct {
	Type    string `json:"type"`
	ModelID string `json:"model_id,omitempty"`
}

type traceRange struct {
	StartLine   int    `json:"start_line"`
	EndLine     int    `json:"end_line"`
	ContentHash string `json:"content_hash,omitempty"` // SHA-256 of the lines, with their ends
}

// agentTrace prints a record for each commit, one per line.
func agentTrace(w io.Writer, commits []query.CommitLines) error {
	enc := json.NewEncoder(escaping{w})
	enc.SetEscapeHTML(false)
	for _, c := range commits {
		if err := enc.Encode(traceOf(c)); err != nil {
			return err
		}
	}
	return nil
}

// mostModelID is how long the format lets a model's name be.
const mostModelID = 250

// traceOf is the record of a commit: its lines by session, then the human's, then those without a
// known author.
func traceOf(c query.CommitLines) traceRecord {
	t := traceRecord{Version: "0.1.0", ID: traceID(c.Commit), Timestamp: c.When, VCS: traceVCS{"git", c.Commit},
		Tool: traceTool{"entire-plumb", version()}, Files: []*traceFile{}}
	texts, at := map[gitexec.Path][]string{}, map[gitexec.Path]*traceFile{}
	for _, f := range c.Files {
		texts[f.Path] = f.Text
	}
	add := func(path gitexec.Path, one traceConversation, ranges [][2]int) {
		if len(ranges) == 0 {
			return
		}
		if at[path] == nil {
			at[path] = &traceFile{Path: path}
			t.Files = append(t.Files, at[path])
		}
		for _, r := range ranges {
			one.Ranges = append(one.Ranges, traceRange{r[0], r[0] + r[1] - 1, contentHash(texts[path], r)})
		}
		at[path].Conversations = append(at[path].Conversations, one)
	}
	for _, k := range slices.Concat(c.Checkpoints, c.Kept) {
		for _, s := range k.Sessions {
			for _, f := range s.Files {
				add(f.Path, traceConversation{URL: "entire-checkpoint:" + k.ID + "/" + s.SessionID, Contributor: traceContributor{"ai", modelID(s.Model)}}, f.Ranges)
			}
		}
	}
	for _, f := range c.Files {
		add(f.Path, traceConversation{Contributor: traceContributor{Type: "human"}}, f.Human)
		add(f.Path, traceConversation{Contributor: traceContributor{Type: "unknown"}}, f.Unknown)
	}
	return t
}

// contentHash is the hash of some lines of a file; empty: they are not known.
func contentHash(text []string, r [2]int) string {
	if r[0] < 1 || r[0]-1+r[1] > len(text) {
		return ""
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(strings.Join(text[r[0]-1:r[0]-1+r[1]], ""))))
}

// vendors are those of models, by the beginning of their names.
var vendors = []struct{ prefix, vendor string }{{"claude", "anthropic"}, {"gpt", "openai"}, {"codex", "openai"}, {"gemini", "google"}, {"qwen", "alibaba"}, {"kimi", "moonshotai"}}

// modelID is a model's name with its vendor, as the format requires.
func modelID(model string) string {
	for _, v := range vendors {
		if strings.HasPrefix(model, v.prefix) && !strings.Contains(model, "/") {
			model = v.vendor + "/" + model
			break
		}
	}
	return strings.ToValidUTF8(model[:min(len(model), mostModelID)], "")
}

// traceID is a UUID computed from the commit, so that it is always the same.
func traceID(commit gitexec.OID) string {
	b := sha256.Sum256([]byte("entire-plumb agent-trace " + string(commit)))
	b[6], b[8] = b[6]&0x0f|0x80, b[8]&0x3f|0x80 // version 8, a custom one
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
}
