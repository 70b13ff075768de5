package checkpoints

import (
	"path"
	"strconv"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/transcript"
)

// TranscriptFiles are the files of a checkpoint's directory that hold transcripts: those of sessions
// and of subagents. Errors call it by a name.
func TranscriptFiles(db *gitexec.ODB, dir gitexec.Entry, called string) (paths []gitexec.Path, entries []gitexec.Entry, err error) {
	var walk func(e gitexec.Entry, at string, depth int) error
	walk = func(e gitexec.Entry, at string, depth int) error {
		const deepest = 3 // <session>/tasks/<tool use>
		files, err := conversation.Dir(db, e, path.Join(called, at))
		if err != nil {
			return err
		}
		for name, file := range files {
			below := path.Join(at, name)
			_, number := strconv.Atoi(name)
			switch {
			case file.IsTree() && (depth == 0 && number == nil || depth == 1 && name == conversation.TasksDir || depth == 2):
				if depth < deepest {
					err = walk(file, below, depth+1)
				}
			case !file.IsTree() && (depth == 1 && isChunk(name) ||
				depth == deepest && strings.HasPrefix(name, "agent-") && strings.HasSuffix(name, ".jsonl")):
				paths, entries = append(paths, gitexec.Path(below)), append(entries, file)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	err = walk(dir, "", 0)
	return paths, entries, err
}

// isChunk reports whether a file of a session's directory is a part of its transcript.
func isChunk(name string) bool {
	return name == transcript.ChunkName(0) || strings.HasPrefix(name, transcript.ChunkName(0)+".")
}
