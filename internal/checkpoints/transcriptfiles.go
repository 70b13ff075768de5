package checkpoints

import (
	"encoding/json"
	"errors"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/transcript"
)

// TranscriptFiles are the files of a checkpoint's directory that hold transcripts: those of
// sessions and of subagents. Errors call it by a name.
func TranscriptFiles(db *gitexec.ODB, dir gitexec.Entry, called string) (paths []gitexec.Path, entries []gitexec.Entry, err error) {
	var walk func(e gitexec.Entry, at string, depth int) error
	walk = func(e gitexec.Entry, at string, depth int) error {
		files, err := conversation.Dir(db, e, path.Join(called, at))
		if err != nil {
			return err
		}
		for name, file := range files {
			below := path.Join(at, name)
			switch {
			case file.IsTree() && mayHoldTranscripts(name, depth):
				if err := walk(file, below, depth+1); err != nil {
					return err
				}
			case !file.IsTree() && isTranscript(name, depth):
				paths, entries = append(paths, gitexec.Path(below)), append(entries, file)
			}
		}
		return nil
	}
	err = walk(dir, "", 0)
	return paths, entries, err
}

// mayHoldTranscripts reports whether a directory so deep in a checkpoint's may hold transcripts:
// <session>/tasks/<tool use>.
func mayHoldTranscripts(name string, depth int) bool {
	switch depth {
	case 0:
		_, err := strconv.Atoi(name)
		return err == nil
	case 1:
		return name == conversation.TasksDir
	}
	return depth == 2
}

// isTranscript reports whether a file in a directory so deep is one, or a part of one: a session's,
// or that of a subagent.
func isTranscript(name string, depth int) bool {
	switch depth {
	case 1:
		return isChunk(name)
	case 3:
		return strings.HasPrefix(name, "agent-") && strings.HasSuffix(name, ".jsonl")
	}
	return false
}

// isChunk reports whether a file of a session's directory is a part of its transcript.
func isChunk(name string) bool {
	return name == transcript.ChunkName(0) || strings.HasPrefix(name, transcript.ChunkName(0)+".")
}

// transcriptLine is the line of a checkpoint's metadata.json that names a transcript, as this
// program and the entire CLI write it.
var transcriptLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^[ \t]*"transcript": "[^"\n]*",\r?\n`) })

// WithoutTranscripts is a checkpoint's directory without its transcripts. Of a damaged one it is
// what can be read, and its metadata stays as it is.
func WithoutTranscripts(db *gitexec.ODB, dir gitexec.OID, id string) (gitexec.OID, error) {
	paths, _, err := TranscriptFiles(db, rootEntry(dir), Dir(id))
	damaged := errors.Is(err, ErrDamaged) // other commands name the damage
	if err != nil && !damaged {
		return "", err
	}
	edits := gitexec.Edits{}
	for _, p := range paths {
		edits[p] = gitexec.Entry{}
	}
	if len(paths) > 0 && !damaged {
		if err := unnameTranscripts(db, dir, edits); err != nil {
			return "", err
		}
	}
	return db.EditTree(dir, edits)
}

// unnameTranscripts takes the names of the transcripts out of a checkpoint's metadata.
func unnameTranscripts(db *gitexec.ODB, dir gitexec.OID, edits gitexec.Edits) error {
	const file = "metadata.json"
	found, err := db.Files(dir, file)
	if err != nil || !found[0].Exists() {
		return err
	}
	text, err := conversation.File(db, found[0], file, mostMetadata)
	if errors.Is(err, conversation.ErrDamaged) {
		return nil
	}
	if err != nil {
		return err
	}
	after := transcriptLine().ReplaceAll(text, nil)
	// A line is taken out as text: written again as JSON, fields that this version does not know
	// would be lost.
	if len(after) == len(text) || !json.Valid(after) {
		return nil
	}
	edits[file], err = db.WriteFile(after)
	return err
}
