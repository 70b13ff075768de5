package journal

import "strings"

// Kind is what a run came to, or why a work is linked, for programs. The sentence beside it is for
// readers.
type Kind string

// The kinds that something depends on; other entries have none.
const (
	// Of prepare-commit-msg, without a comparison.
	NoWork   Kind = "no-work"
	HasLink  Kind = "has-link"
	Replayed Kind = "replayed"
	Empty    Kind = "empty"

	// Of post-commit, for a commit without a link.
	Unlinked         Kind = "unlinked"
	UnlinkedAlone    Kind = "unlinked-alone" // there was nothing to compare it with
	UnlinkedReplayed Kind = "unlinked-replayed"

	Linked       Kind = "linked"        // of a commit that was found without a hook, and needs no side link
	Checkpoint   Kind = "checkpoint"    // of an agent's stop
	FileModified Kind = "file-modified" // of a work: the commit only changes a file that the agent changed
)

var sentences = map[Kind]string{
	NoWork:           "no session has work",
	HasLink:          "the message has a link already",
	Replayed:         "git replayed or merged commits: no new link, their links are kept",
	Empty:            "the message is empty: no link",
	Unlinked:         "the commit has no link",
	UnlinkedAlone:    "the commit has no link, and no session is known here",
	UnlinkedReplayed: "git replayed it, and it has no link",
	Linked:           "it is linked",
}

// String is the sentence of a kind that always has the same.
func (k Kind) String() string { return sentences[k] }

// kindOf is the kind of what was written before there were kinds. Its sentences are those of today:
// one that is reworded stays here as it was.
func kindOf(written string) Kind {
	for kind, sentence := range sentences {
		if written == sentence {
			return kind
		}
	}
	switch {
	case strings.HasPrefix(written, "checkpoint on "):
		return Checkpoint
	case written == "the commit changes a file that the agent changed":
		return FileModified
	}
	return ""
}
