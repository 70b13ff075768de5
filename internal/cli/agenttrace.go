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
	URL         string           `json:"url"`
	Contributor traceContributor `json:"contributor"`
	Ranges      []traceRange     `json:"ranges"`
}

type traceContributor struct {
	Type    string `json:"type"`
	ModelID string `json:"model_id,omitempty"`
}

type traceRange struct {
	StartLine int `json:"start_line"`
	EndLine   int `json:"end_line"`
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

func traceOf(c query.CommitLines) traceRecord {
	t := traceRecord{Version: "0.1.0", ID: traceID(c.Commit), Timestamp: c.When, VCS: traceVCS{"git", c.Commit},
		Tool: traceTool{"entire-plumb", version()}, Files: []*traceFile{}}
	at := map[gitexec.Path]*traceFile{}
	for _, k := range slices.Concat(c.Checkpoints, c.Kept) {
		for _, s := range k.Sessions {
			for _, f := range s.Files {
				if len(f.Ranges) == 0 {
					continue
				}
				if at[f.Path] == nil {
					at[f.Path] = &traceFile{Path: f.Path}
					t.Files = append(t.Files, at[f.Path])
				}
				one := traceConversation{URL: "entire-checkpoint:" + k.ID + "/" + s.SessionID,
					Contributor: traceContributor{"ai", modelID(s.Model)}}
				for _, r := range f.Ranges {
					one.Ranges = append(one.Ranges, traceRange{r[0], r[0] + r[1] - 1})
				}
				at[f.Path].Conversations = append(at[f.Path].Conversations, one)
			}
		}
	}
	return t
}

// modelID is a model's name with its vendor, as the format requires.
func modelID(model string) string {
	if strings.HasPrefix(model, "claude") {
		return "anthropic/" + model
	}
	return model
}

// traceID is a UUID computed from the commit, so that it is always the same.
func traceID(commit gitexec.OID) string {
	b := sha256.Sum256([]byte("entire-plumb agent-trace " + string(commit)))
	b[6], b[8] = b[6]&0x0f|0x80, b[8]&0x3f|0x80 // version 8, a custom one
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
}
