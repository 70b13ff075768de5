package shadow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"runtime/debug"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/seal"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
)

// Metadata is a session's conversation as it is stored: blobs by file name.
type Metadata struct {
	Transcript gitexec.Tree // full.jsonl, full.jsonl.001, …
	Prompts    gitexec.Entry
	Asked      int // the number of prompts
	Context    gitexec.Entry
	Summary    gitexec.Entry // zero: no message of the agent's yet
	Tasks      gitexec.Entry // of subagents, a directory each; zero: none
}

// Files are the files of a temporary checkpoint's metadata directory.
func (m Metadata) Files() gitexec.Tree {
	files := gitexec.Tree{"prompt.txt": m.Prompts, "context.md": m.Context}
	maps.Copy(files, m.Transcript)
	if m.Summary.Exists() {
		files["summary.txt"] = m.Summary
	}
	if m.Tasks.Exists() {
		files["tasks"] = m.Tasks
	}
	return files
}

// Record stores the new part of a session's conversation, without secrets, updates the state, and
// returns all of it. Where the transcript or the file of prompts is missing or unreadable, trouble
// is the warning, and what was recorded before is returned.
func Record(ctx context.Context, db *gitexec.ODB, store session.Store, state *session.State) (m Metadata, trouble, err error) {
	startCount(state)
	if err := sealStored(db, store.Readers, state); err != nil {
		return m, nil, err
	}
	if trouble = recordTranscript(ctx, db, store, state); trouble != nil {
		trouble = fmt.Errorf("%w\nhint: the work is recorded without the new part of the conversation; the next turn tries again", trouble)
	}
	prompts, err := store.ReadPrompts(state.SessionID)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		trouble = errors.Join(err, trouble)
	}
	// Also after trouble: the state names what was recorded until now, and the work gets that.
	m = recorded(db, state)
	if m.Prompts, err = writeText(db, store.Readers, state, conversation.PromptFile, prompts); err != nil {
		return m, trouble, err
	}
	if len(prompts) > 0 {
		m.Asked = strings.Count(string(prompts), session.PromptSeparator) + 1
	}
	m.Context, err = writeText(db, store.Readers, state, conversation.ContextFile, contextPage(state, string(prompts)))
	return m, trouble, err
}

// startCount sets the tokens since the last checkpoint before there is any: of those that were
// counted elsewhere, none is in a checkpoint.
func startCount(state *session.State) {
	noCheckpoint := state.CheckpointTokenUsage == nil && state.LastCheckpointID == "" && state.CheckpointTranscriptStart == 0
	if counted := state.CountedElsewhere(); counted != nil && noCheckpoint {
		all := *counted
		state.CheckpointTokenUsage = &all
	}
}

// recorded is what the state names: the transcript, the summary and the tasks.
func recorded(db *gitexec.ODB, state *session.State) Metadata {
	m := Metadata{Transcript: gitexec.Tree{}}
	for i, id := range state.Chunks {
		// `full.jsonl`, `full.jsonl.001` and so on: the state keeps the order alone.
		m.Transcript[transcript.ChunkName(i)] = fileEntry(id)
	}
	if state.SummaryID != "" {
		m.Summary = fileEntry(state.SummaryID)
	}
	if state.TasksTree != "" {
		if info, err := db.Info(state.TasksTree); err == nil && info[0].Type == "tree" { // else git has pruned it
			db.Rely(state.TasksTree)
			m.Tasks = gitexec.Entry{Mode: gitexec.ModeTree, ID: state.TasksTree}
		}
	}
	return m
}

func recordTranscript(ctx context.Context, db *gitexec.ODB, store session.Store, state *session.State) error {
	if state.TranscriptPath == "" {
		return nil
	}
	// Before resetPruned forgets it: tokens that were counted before must not be counted again
	// below.
	used := state.Recorded.Used
	pruned, err := resetPruned(db, state)
	if err != nil {
		return err
	}
	if err := hashStored(db, state); err != nil {
		return err
	}
	info, err := os.Stat(state.TranscriptPath)
	// A hook that comes twice, or a task's, reads nothing of a transcript of megabytes.
	if err == nil && unchangedSince(state, info) {
		countTokens(state, transcript.Part{})
		return nil
	}
	w := chunkWriter{db: db, store: store}
	// Only new chunks are written, behind those that are stored.
	if state.Recorded.Bytes > 0 { // a restored state has chunks, but does not know the position
		w.chunks = state.Chunks
		if state.Stored != nil {
			w.sum = *state.Stored
		}
	} else if state.TokenUsage == nil || state.TokenUsage.APICallCount == 0 { // its subagents may be counted
		// The first recording of a session. Where it goes on from another one, its transcript
		// begins with a copy of that one's lines, which are not its own.
		state.Recorded.Copied = copiedLines(ctx, store, state)
		state.CheckpointTranscriptStart = max(state.CheckpointTranscriptStart, state.Recorded.Copied)
	}
	part, err := transcript.Read(ctx, state.TranscriptPath, state.Recorded, w.write)
	if err != nil {
		return err
	}
	// A transcript that starts over and has no chunk yet drops what is stored all the same.
	w.begin(part.Restarted)
	// All of it was read again only to be stored: nothing in it was said since.
	if pruned {
		part.Again, part.Usage = true, part.Usage.Less(used)
	}
	if err := notePart(db, store, state, part); err != nil {
		return err
	}
	countTokens(state, part)
	state.Chunks, state.Stored, state.Recorded, state.RecordedTime = w.chunks, &w.sum, part.Position, nil
	if info != nil { // from before the file was read, so that later lines are noticed next time
		stamp := info.ModTime().UTC()
		state.RecordedTime = &stamp
	}
	return nil
}

// unchangedSince reports whether a transcript is as it was when it was recorded.
func unchangedSince(state *session.State, info fs.FileInfo) bool {
	return state.RecordedTime != nil && info.Size() == state.Recorded.Bytes && info.ModTime().Equal(*state.RecordedTime)
}

// chunkWriter stores the new chunks of a transcript behind those that are stored.
type chunkWriter struct {
	db      *gitexec.ODB
	store   session.Store
	chunks  []gitexec.OID
	sum     transcript.Sum
	started bool
}

// begin forgets what is stored, before the first chunk, if the transcript starts over.
func (w *chunkWriter) begin(restarted bool) {
	if restarted && !w.started {
		w.chunks, w.sum = nil, transcript.Sum{}
	}
	w.started = true
}

func (w *chunkWriter) write(chunk []byte, restarted bool) error {
	w.begin(restarted)
	// One long line. Beside it there may be 32 MiB of garbage; by default it would be as much again
	// as is in use.
	if len(chunk) > transcript.ChunkSize {
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(len(chunk)) + 32<<20))
	}
	var id gitexec.OID
	// The hash is that of the text without secrets, as the stored file opens, and not of the
	// encrypted one.
	err := w.sum.Add(func(hash io.Writer) (err error) {
		id, err = w.db.WriteBlobFrom(func(file io.Writer) error {
			return w.store.Readers.To(file, func(file io.Writer) error { return w.store.Secrets.WriteRecords(io.MultiWriter(file, hash), chunk) })
		})
		return err
	})
	// A new array, since the first one is the state's: if reading fails, the state keeps its list.
	w.chunks = append(w.chunks[:len(w.chunks):len(w.chunks)], id)
	return err
}

// notePart keeps what the new part says of the session: its last message as the summary, its model,
// its title, its queued prompts.
func notePart(db *gitexec.ODB, store session.Store, state *session.State, part transcript.Part) error {
	if part.LastText != "" {
		text, err := store.Readers.Seal([]byte(store.Secrets.Text(part.LastText) + "\n"))
		if err != nil {
			return err
		}
		if state.SummaryID, err = db.WriteBlob(text); err != nil {
			return err
		}
	}
	if part.Model != "" {
		state.ModelName = store.Secrets.Name(part.Model)
	}
	if part.Title != "" {
		state.Title = Describe(store.Secrets.Text(part.Title))
	}
	// What is read again was queued before: its prompts are in the file already.
	if part.Restarted {
		return nil
	}
	for _, prompt := range part.Queued {
		prompt = store.Secrets.Text(prompt)
		if err := store.AddPrompt(state.SessionID, prompt); err != nil {
			return err
		}
		state.Prompted(DescribeBoth(state.LastPrompt, prompt))
	}
	return nil
}

// copiedLines counts the lines of a session's transcript that another session wrote, at the first
// recording. The other one's transcript may be elsewhere than this one's.
func copiedLines(ctx context.Context, store session.Store, state *session.State) int {
	states, _ := store.All() // what can't be read names no transcript
	var others []string
	for _, o := range states {
		if o.TranscriptPath != "" && o.SessionID != state.SessionID {
			others = append(others, o.TranscriptPath)
		}
	}
	copied, err := transcript.Copied(ctx, state.TranscriptPath, others)
	if err != nil {
		return 0 // Read has the same error
	}
	return copied
}

// hashStored computes the hash of what an earlier version stored, which did not keep it.
func hashStored(db *gitexec.ODB, state *session.State) error {
	if len(state.Chunks) == 0 || state.Stored != nil {
		return nil
	}
	state.Stored = &transcript.Sum{}
	for _, id := range state.Chunks {
		err := state.Stored.Add(func(hash io.Writer) error { return conversation.Copy(db, hash, id) })
		if conversation.IsSealed(err) { // the whole transcript is recorded again
			state.Chunks, state.Stored, state.Recorded, state.RecordedTime = nil, nil, transcript.Position{Copied: state.Recorded.Copied}, nil
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// countTokens adds the tokens of the new part. Where a transcript starts over, the last checkpoint
// covers none of it, or as many lines of the repeated part as there are.
func countTokens(state *session.State, part transcript.Part) {
	if counted := state.CountedElsewhere(); counted != nil {
		part.Usage = part.Usage.Less(*counted)
	}
	state.CountTokens(part.Usage)
	switch {
	case part.Restarted && !part.Again:
		state.CheckpointTranscriptStart = part.Position.Copied
		session.Shorten(state, part.Position.Copied, math.MaxInt)
	case part.Again:
		session.Shorten(state, part.Position.Lines, math.MaxInt)
	}
}

// resetPruned starts the recording over if one of its blobs is missing: the stream that held it may
// have been deleted long ago.
func resetPruned(db *gitexec.ODB, state *session.State) (forgot bool, err error) {
	ask := append([]gitexec.OID{}, state.Chunks...)
	if state.SummaryID != "" {
		ask = append(ask, state.SummaryID)
	}
	info, err := db.Info(ask...)
	if err != nil {
		return false, err
	}
	for _, object := range info {
		if object.Type == "" {
			state.Stored = nil
			state.Chunks, state.Recorded, state.RecordedTime, state.SummaryID = nil, transcript.Position{Copied: state.Recorded.Copied}, nil, ""
			return true, nil
		}
	}
	// They are there now. A gc before the refs move must not go unnoticed: they cannot be stored
	// again.
	db.Rely(ask...)
	return false, nil
}

// contextPage is context.md: an overview of the session for a human or an agent.
func contextPage(state *session.State, prompts string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# Session %s\n\n", state.SessionID)
	if state.AgentType != "" {
		fmt.Fprintf(&b, "Agent: %s", state.AgentType)
		if state.ModelName != "" {
			fmt.Fprintf(&b, " (%s)", state.ModelName)
		}
		b.WriteString("\n\n")
	}
	b.WriteString("## Prompts\n")
	for i, p := range strings.Split(prompts, session.PromptSeparator) {
		if strings.TrimSpace(p) != "" {
			fmt.Fprintf(&b, "\n### %d\n\n%s\n", i+1, strings.TrimSpace(p))
		}
	}
	return []byte(b.String())
}

// writeText stores a text, encrypted if it has readers. One that was encrypted for them before is
// stored as it was.
func writeText(db *gitexec.ODB, readers *seal.Recipients, state *session.State, name string, content []byte) (gitexec.Entry, error) {
	if readers == nil {
		id, err := db.WriteBlob(content)
		return fileEntry(id), err
	}
	// Each encryption makes another blob: without this, a checkpoint would differ from the one
	// before in files that did not change.
	hash := sha256.Sum256(append([]byte(strings.Join(readers.Names(), " ")+"\n"), content...))
	sum := hex.EncodeToString(hash[:])
	if last := state.Sealed[name]; last.SHA256 == sum {
		if info, err := db.Info(last.Blob); err != nil || info[0].Type == "blob" { // else git has pruned it
			db.Rely(last.Blob)
			return fileEntry(last.Blob), err
		}
	}
	sealed, err := readers.Seal(content)
	if err != nil {
		return gitexec.Entry{}, err
	}
	id, err := db.WriteBlob(sealed)
	if state.Sealed == nil {
		state.Sealed = map[string]session.SealedFile{}
	}
	state.Sealed[name] = session.SealedFile{SHA256: sum, Blob: id}
	return fileEntry(id), err
}

func fileEntry(id gitexec.OID) gitexec.Entry { return gitexec.Entry{Mode: gitexec.ModeFile, ID: id} }
