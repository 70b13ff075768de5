package main

import (
	"bufio"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

// importAll feeds what write writes to a fast-import, which makes one pack of it, as a clone would
// have.
func (r *repository) importAll(write func(io.Writer)) error {
	return r.importWith(write, "-c", "core.compression=1", "-c", "fastimport.unpackLimit=0")
}

// importWith makes loose objects of little, as a commit does, unless options of git say otherwise.
func (r *repository) importWith(write func(io.Writer), options ...string) error {
	in, out := io.Pipe()
	go func() {
		buffered := bufio.NewWriterSize(out, 1<<20)
		write(buffered) // an error stays with the buffer, for Flush to tell
		out.CloseWithError(buffered.Flush())
	}()
	args := append(append([]string{"git"}, options...), "fast-import", "--quiet")
	_, _, err := r.run(process{dir: r.dir, stdin: in, args: args})
	in.Close() // sets the writer free when fast-import ended before it
	return err
}

// writeFiles writes the commit of all files.
func writeFiles(out io.Writer, paths []string) {
	writeCommit(out, refBase, "All files\n")
	for i, path := range paths {
		writeFile(out, path, text(i, 1024+i*37%3072))
	}
}

// writeCheckpoints writes the branch of checkpoints as the program would have, a commit for each:
// they are of the changes from the first on.
func writeCheckpoints(out io.Writer, n, first int) {
	if n == 0 {
		return
	}
	writeCommit(out, refCheckpoints, checkpoints.InitMessage)
	fmt.Fprintf(out, "reset %s\nfrom %s\n\n", refNone, refCheckpoints)
	for i := range n {
		writeCheckpoint(out, refCheckpoints, checkpointID(i), i)
		writeLines(out, checkpointID(i), first+i)
	}
}

// writeLines writes whose the lines of a change are: the first one is the agent's.
func writeLines(out io.Writer, id string, change int) {
	path, text := changed(change)
	blob := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(text), text))
	writeFile(out, checkpoints.Dir(id)+"/0/lines.json", indented(checkpoints.OwnedLines{Turns: []string{id}, Prompts: []string{"A prompt"},
		Files: []checkpoints.OwnedFile{{Path: gitexec.Path(path), Blob: gitexec.OID(hex.EncodeToString(blob[:])), Lines: 2,
			Ranges: [][3]int{{1, 1, 0}}}}}))
}

// changed is what the n-th commit of a history changes: a file of two lines.
func changed(n int) (path, text string) {
	return fmt.Sprintf("area%02d/file%02d.txt", n%20, n%31), fmt.Sprintf("line %d\nline %d by hand\n", n, n)
}

func checkpointID(n int) string {
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "checkpoint %d", n)))[:12]
}

// writeCheckpoint writes one on a ref.
func writeCheckpoint(out io.Writer, ref, id string, n int) {
	writeCommit(out, ref, fmt.Sprintf("Checkpoint: %s\n\nEntire-Session: %s\nEntire-Strategy: %s\n", id, earlier(n), shadow.Strategy))
	writeCheckpointFiles(out, id, n)
}

// earlier is the session of a checkpoint: each has five.
func earlier(n int) string { return fmt.Sprintf("earlier-%d", n/5) }

// writeCheckpointFiles writes the files of a checkpoint.
func writeCheckpointFiles(out io.Writer, id string, n int) {
	session := earlier(n)
	dir := checkpoints.Dir(id)
	at := "/" + dir + "/0/"
	usage := &transcript.Usage{InputTokens: 10 + n, OutputTokens: 300, APICallCount: 5}
	files := []gitexec.Path{"area00/part00/file000.txt", "area00/part00/file001.txt"}
	writeFile(out, dir+"/metadata.json", indented(checkpoints.Summary{CheckpointID: id, Strategy: shadow.Strategy, Branch: "main",
		CheckpointsCount: 1,
		FilesTouched:     files, TokenUsage: usage, Sessions: []checkpoints.SessionPaths{{Metadata: at + "metadata.json",
			Transcript: at + transcript.ChunkName(0), Context: at + "context.md", ContentHash: at + "content_hash.txt", Prompt: at +
				"prompt.txt"}}}))
	writeFile(out, dir+"/0/metadata.json", indented(checkpoints.SessionMetadata{CheckpointID: id, SessionID: session,
		Strategy: shadow.Strategy,
		CreatedAt: time.Unix(1_700_000_000+int64(n),
			0).UTC(), Branch: "main", CheckpointsCount: 1, FilesTouched: files, Agent: "Claude Code",
		TurnID: id, TokenUsage: usage, InitialAttribution: &checkpoints.InitialAttribution{AgentLines: 10, HumanAdded: 10,
			TotalCommitted: 20, AgentPercentage: 50}}))
	said := fmt.Sprintf(`{"type":"user","message":{"role":"user","content":"prompt %d"}}`, n)
	writeFile(out, dir+"/0/"+transcript.ChunkName(0), said)
	writeFile(out, dir+"/0/content_hash.txt", fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(said))))
	writeFile(out, dir+"/0/prompt.txt", fmt.Sprintf("prompt %d", n))
	writeFile(out, dir+"/0/context.md", fmt.Sprintf("# Session %s\n\n## Prompts\n\n### 1\n\nprompt %d\n", session, n))
}

// writeCommit begins a commit on top of the ref.
func writeCommit(out io.Writer, ref, message string) {
	fmt.Fprintf(out, "commit %s\ncommitter Ada <ada@example.com> 1700000000 +0000\ndata %d\n%s\n", ref, len(message), message)
}

func writeFile(out io.Writer, path, content string) {
	fmt.Fprintf(out, "M 100644 inline %s\ndata %d\n%s\n", path, len(content), content)
}

func indented(v any) string {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err) // values of ours, which are always JSON
	}
	return string(data) + "\n"
}
