package checkpoints

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/message"
	"entire-plumb/internal/transcript"
)

// Summary is a checkpoint's root metadata.json (seed 003, CheckpointSummary). It is derived from
// its sessions' metadata.
type Summary struct {
	CLIVersion           string            `json:"cli_version"`
	CheckpointID         string            `json:"checkpoint_id"`
	Strategy             string            `json:"strategy"`
	Branch               string            `json:"branch"`
	CheckpointsCount     int               `json:"checkpoints_count"`
	FilesTouched         []gitexec.Path    `json:"files_touched"`
	Sessions             []SessionPaths    `json:"sessions"`
	TokenUsage           *transcript.Usage `json:"token_usage,omitempty"`
	CheckpointTokenUsage *transcript.Usage `json:"checkpoint_token_usage,omitempty"` // ours: of this checkpoint only
}

// foreign reports whether it is JSON of something else: every checkpoint names its ID or its
// sessions.
func (s *Summary) foreign() bool { return s.CheckpointID == "" && len(s.Sessions) == 0 }

// names reports whether the summary names a file of the session's directory dir. The entire CLI's
// auto-commit strategy names a hash that it doesn't write: of a part without lines, which is not
// ours, the name says nothing.
func (s *Summary) names(dir, file string) bool {
	return slices.ContainsFunc(s.Sessions, func(p SessionPaths) bool {
		named := []string{p.Context, p.Prompt, p.Lines}
		if p.Lines != "" {
			named = append(named, p.ContentHash)
		}
		// A checkpoint with a ref of its own names its files from its root.
		return slices.Contains(named, "/"+dir+"/"+file) || slices.Contains(named, "/"+path.Base(dir)+"/"+file)
	})
}

// missing lists the named files that are not in the directory.
func (s *Summary) missing(dir string, files gitexec.Tree) []error {
	var all []error
	for _, name := range []string{"prompt.txt", "context.md", "content_hash.txt", linesFile} {
		if !files[name].Exists() && s.names(dir, name) {
			all = append(all, fmt.Errorf("%w: %s/%s is missing", ErrDamaged, dir, name))
		}
	}
	return all
}

// SessionPaths are the paths of a session's files, from the root of the branch, with a leading
// slash.
type SessionPaths struct {
	Metadata    string `json:"metadata"`
	Transcript  string `json:"transcript,omitempty"`
	Context     string `json:"context"`
	ContentHash string `json:"content_hash,omitempty"`
	Prompt      string `json:"prompt"`
	Lines       string `json:"lines,omitempty"` // ours
}

// SessionMetadata is a session's metadata.json within a checkpoint (seed 003, CommittedMetadata).
type SessionMetadata struct {
	CLIVersion       string         `json:"cli_version"`
	CheckpointID     string         `json:"checkpoint_id"`
	SessionID        string         `json:"session_id"`
	Strategy         string         `json:"strategy"`
	CreatedAt        time.Time      `json:"created_at"`
	Branch           string         `json:"branch"`
	CheckpointsCount int            `json:"checkpoints_count"`
	FilesTouched     []gitexec.Path `json:"files_touched"`
	Agent            string         `json:"agent,omitempty"`
	Model            string         `json:"model,omitempty"`         // ours
	Title            string         `json:"session_title,omitempty"` // ours
	TurnID           string         `json:"turn_id,omitempty"`
	// IsTask says that a subagent's task made the session's last checkpoint, and ToolUseID is the
	// use of the tool that called it.
	IsTask                    bool                `json:"is_task,omitempty"`
	ToolUseID                 string              `json:"tool_use_id,omitempty"`
	CheckpointTranscriptStart int                 `json:"checkpoint_transcript_start"`       // transcript lines before this checkpoint's
	CheckpointPromptStart     int                 `json:"checkpoint_prompt_start,omitempty"` // ours: prompts before this checkpoint's
	TokenUsage                *transcript.Usage   `json:"token_usage,omitempty"`             // of the session so far
	CheckpointTokenUsage      *transcript.Usage   `json:"checkpoint_token_usage,omitempty"`
	InitialAttribution        *InitialAttribution `json:"initial_attribution,omitempty"`
	// Ours, where several commits have the checkpoint: the last one, and the ones before.
	AttributedCommit    gitexec.OID          `json:"attributed_commit,omitempty"`
	EarlierAttributions []EarlierAttribution `json:"earlier_attributions,omitempty"`
	TranscriptPath      string               `json:"transcript_path,omitempty"` // below the home directory
}

// ValidID reports whether s is a checkpoint's ID.
func ValidID(s string) bool { return message.ValidID(s) }

// ValidShard reports whether a directory has checkpoints: those whose IDs begin with its name.
func ValidShard(name string) bool { return len(name) == 2 && message.ValidPrefix(name) }

// Dir is a checkpoint's directory on the branch.
func Dir(id string) string { return id[:2] + "/" + id[2:] }

// place is where a checkpoint is, as messages name it.
func place(id string) string {
	if message.HasOwnRef(id) {
		return OwnRef(id)
	}
	return Dir(id)
}

// paths returns the paths of the files of a session's directory.
func paths(id string, index int, files gitexec.Tree) SessionPaths {
	at := fmt.Sprintf("/%s/%d/", Dir(id), index)
	// Only files that exist are named: a name without a file counts as damage.
	p := SessionPaths{Metadata: at + "metadata.json"}
	if files["context.md"].Exists() {
		p.Context = at + "context.md"
	}
	if files["prompt.txt"].Exists() {
		p.Prompt = at + "prompt.txt"
	}
	if files[transcript.ChunkName(0)].Exists() {
		p.Transcript = at + transcript.ChunkName(0)
	}
	if files[conversation.HashFile].Exists() {
		p.ContentHash = at + conversation.HashFile
	}
	if files[linesFile].Exists() {
		p.Lines = at + linesFile
	}
	return p
}

// encode writes JSON in the format of the branch: indented by two spaces, with a final newline,
// HTML not escaped.
func encode(v any) ([]byte, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return []byte(b.String()), err
}

// writeJSON stores it as a file.
func writeJSON(db *gitexec.ODB, v any) (gitexec.Entry, error) {
	data, err := encode(v)
	if err != nil {
		return gitexec.Entry{}, err
	}
	return db.WriteFile(data)
}
