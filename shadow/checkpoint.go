package shadow

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"entire-plumb/gitexec"
)

// Part says whether a temporary checkpoint is the human's or the agent's part of the work.
type Part string

// The parts.
const (
	Human Part = "human"
	Agent Part = "agent"
)

// MetadataDir is the directory of the sessions' metadata in a checkpoint's tree.
const MetadataDir = ".entire/metadata"

// Trailers of a temporary checkpoint. The first three are the published layout; the others are
// ours.
const (
	keyMetadata = "Entire-Metadata"
	keySession  = "Entire-Session"
	keyStrategy = "Entire-Strategy"
	keyBase     = "Entire-Base"
	keyPart     = "Entire-Part"
	keyTurn     = "Entire-Turn"
	keyWork     = "Entire-Work"
	keySources  = "Entire-Sources"
	keyTask     = "Entire-Metadata-Task" // instead of the first, for a subagent's task

	keyEstimated = "Entire-Estimated"
	keyPrompt    = "Entire-Prompt" // of a task's turn; else the subject says it
)

// Strategy is the value of Entire-Strategy.
const Strategy = "manual-commit"

// Checkpoint is one commit on a stream.
type Checkpoint struct {
	ID      gitexec.OID
	Parent  gitexec.OID
	From    []gitexec.OID // the tips of the streams whose work it carries forward; nil: none
	Work    []gitexec.OID // the tips of the streams on which the work that it carries forward was done
	Sources []gitexec.OID // commits from which git brought lines in the turn; nil: none
	Task    string        // the ID of the tool use; empty: not a subagent's
	Tree    gitexec.OID   // the worktree and the metadata
	Before  gitexec.OID   // the parent's tree
	Session string
	Turn    string
	Part    Part
	Base    gitexec.OID // the full ID; empty in another program's
	Subject string
	Prompt  string // of its turn, in one line: the subject, unless that is a task's
	When    time.Time
	Began   time.Time // when its turn began: the author's date
	// Estimated says that no snapshot of the turn's start was recorded: only what the transcript
	// says that the agent's tools wrote is the agent's.
	Estimated bool
}

// readCheckpoint parses a commit. It is ours only if its trailers say so: a human's branch may have
// a stream's name.
func readCheckpoint(c gitexec.Commit) (Checkpoint, bool) {
	subject, _, _ := strings.Cut(string(c.Message), "\n")
	k := Checkpoint{ID: c.ID, Tree: c.Tree, Subject: subject, When: c.When, Began: began(c), Session: c.Trailer(keySession),
		Turn: c.Trailer(keyTurn), Part: Part(c.Trailer(keyPart)), Base: gitexec.OID(c.Trailer(keyBase))}
	if len(c.Parents) > 0 {
		k.Parent, k.From = c.Parents[0], c.Parents[1:]
	}
	if _, task, ok := strings.Cut(c.Trailer(keyTask), "/tasks/"); ok {
		k.Task = task
	}
	if k.Prompt = subject; k.Task != "" {
		k.Prompt = cmp.Or(c.Trailer(keyPrompt), subject) // earlier versions have none
	}
	k.Work, k.Sources = idsIn(c.Trailer(keyWork)), idsIn(c.Trailer(keySources))
	k.Estimated = c.Trailer(keyEstimated) != ""
	if k.Part != Human {
		k.Part = Agent // other programs write no human parts
	}
	// Their remainder alone has no metadata, and so no trailer that names it.
	named := c.Trailer(keyMetadata)+c.Trailer(keyTask) != "" || subject == theirRemainder
	return k, k.Session != "" && c.Trailer(keyStrategy) != "" && named
}

// idsIn lists the object IDs of a trailer.
func idsIn(text string) (ids []gitexec.OID) {
	for id := range strings.FieldsSeq(text) {
		if gitexec.ValidOID(id) {
			ids = append(ids, gitexec.OID(id))
		}
	}
	return ids
}

// began is the author's date of a commit, or the committer's where that is earlier.
func began(c gitexec.Commit) time.Time {
	var unix int64
	// A turn cannot begin after its checkpoint was written.
	if _, err := fmt.Sscan(c.AuthorDate, &unix); err == nil && unix < c.When.Unix() {
		return time.Unix(unix, 0).UTC()
	}
	return c.When
}

// theirRemainder is the subject with which the entire CLI keeps what a partial commit leaves: a
// checkpoint without metadata.
const theirRemainder = "carry forward: uncommitted session files"

// isCheckpoint reports whether a commit is a checkpoint on a stream.
func isCheckpoint(c gitexec.Commit) bool {
	_, ours := readCheckpoint(c)
	return ours
}

// IsOurs reports whether a commit is a checkpoint on a stream, or keeps the worktree before a
// rewind.
func IsOurs(c gitexec.Commit) bool { return isCheckpoint(c) || IsRewind(c) }

// Foreign reports whether another program wrote the checkpoint: one that does not separate the
// human's part from the agent's.
func (k Checkpoint) Foreign() bool { return k.Base == "" }

// ReadCheckpoint reads a checkpoint by its commit; ok is false for any other commit. An object that
// is missing, or is no commit, is an error.
func ReadCheckpoint(db *gitexec.ODB, id gitexec.OID) (k Checkpoint, ok bool, err error) {
	c, err := db.Commit(id)
	if err != nil {
		return Checkpoint{}, false, err
	}
	k, ok = readCheckpoint(c)
	return k, ok, nil
}

// message is the commit message of a checkpoint.
func (k Checkpoint) message() string {
	metadata := fmt.Sprintf("%s: %s/%s", keyMetadata, MetadataDir, k.Session)
	if k.Task != "" {
		metadata = fmt.Sprintf("%s: %s/%s/tasks/%s", keyTask, MetadataDir, k.Session, k.Task)
	}
	text := fmt.Sprintf("%s\n\n%s\n%s: %s\n%s: %s\n%s: %s\n%s: %s\n%s: %s\n", cmp.Or(k.Subject, NoDescription),
		metadata, keySession, k.Session, keyStrategy, Strategy,
		keyBase, k.Base, keyPart, k.Part, keyTurn, k.Turn)
	for _, list := range []struct {
		key string
		ids []gitexec.OID
	}{{keyWork, k.Work}, {keySources, k.Sources}} {
		if len(list.ids) == 0 {
			continue
		}
		text += list.key + ":"
		for _, id := range list.ids {
			text += " " + string(id)
		}
		text += "\n"
	}
	if k.Task != "" && k.Prompt != "" {
		text += keyPrompt + ": " + Describe(k.Prompt) + "\n"
	}
	if k.Estimated {
		text += keyEstimated + ": true\n"
	}
	return text
}

// Lengths and words of subjects (seed 004, MaxDescriptionLength and NoDescription).
const (
	maxDescription = 60
	NoDescription  = "No description"
)

// Describe makes a one-line description of a prompt, of at most 60 runes, of which the last three
// are "..." where it is cut; empty of an empty prompt (seed 004, MaxDescriptionLength).
func Describe(prompt string) string {
	// In one line, and without control characters: it becomes a commit's subject.
	words := strings.FieldsFunc(prompt, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\uFFFD' })
	line := []rune(strings.Join(words, " "))
	if len(line) > maxDescription {
		return string(line[:maxDescription-len("...")]) + "..."
	}
	return string(line)
}

// Shown is a description as users read it: "…" is the one sign for what is cut.
func Shown(description string) string {
	if cut, ok := strings.CutSuffix(description, "..."); ok && utf8.RuneCountInString(description) == maxDescription {
		return cut + "…"
	}
	return description
}

// DescribeBoth describes a turn's prompts by their description so far and a prompt that was entered
// during the turn.
func DescribeBoth(described, prompt string) string {
	return Describe(strings.TrimPrefix(described+"; "+prompt, "; "))
}
