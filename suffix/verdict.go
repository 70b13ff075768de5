package suffix

import "entire-plumb/gitexec"

// Verdict is what was found of one stream's work.
type Verdict struct {
	Suffix int     `json:"suffix"`
	Reason string  `json:"reason"` // Present, Absent, NoOverlap, Unreadable or CannotCompare
	Score  float64 `json:"score"`  // how much of the work is there: 0 to 1, files counting alike
	Files  []File  `json:"files"`  // those that both touch
	Weak   bool    `json:"weak,omitempty"`
	Err    string  `json:"error,omitempty"`
}

// File is what was found of the agent's work in one file.
type File struct {
	Path     gitexec.Path  `json:"path"`
	Before   gitexec.Entry `json:"base"` // before the agent's first change on the stream
	After    gitexec.Entry `json:"shadow"`
	Now      gitexec.Entry `json:"worktree"`
	Evidence Evidence      `json:"evidence"`
	Present  bool          `json:"present"`
	Weak     bool          `json:"weak,omitempty"` // it could come from elsewhere
	Score    float64       `json:"score"`          // how much of the change is there: 0 to 1
	// The agent's lines, where lines decide; those that are committed are left out.
	AddedFound   []string `json:"added_found,omitempty"`
	AddedGone    []string `json:"added_not_found,omitempty"`
	RemovedStill []string `json:"removed_still_out,omitempty"`
	RemovedBack  []string `json:"removed_back,omitempty"`
}

// Evidence says what a file's verdict rests on.
type Evidence string

// The kinds of evidence.
const (
	SameObject Evidence = "same object"    // whole file, mode included; a deletion too
	OtherWhole Evidence = "other object"   // of a binary file, a symlink, a submodule, or a file that one side doesn't have
	ByLines    Evidence = "lines"          // of a text
	ByOrder    Evidence = "order of lines" // of a text in which the agent only put lines elsewhere: each with the one before it
	ModeOnly   Evidence = "mode"           // the agent changed the mode alone
	Unknown    Evidence = "cannot compare" // see the verdict's error
)

// Judge holds one stream against the worktree.
func Judge(s Stream, worktree Worktree, texts Texts, match Match) Verdict {
	v := Verdict{Suffix: s.Suffix, Files: []File{}}
	if s.Err != nil {
		v.Reason, v.Err = Unreadable, s.Err.Error()
		return v
	}
	v.Reason = NoOverlap
	changed := ByFile(s.Changes)
	for _, changes := range changed {
		now, modified := worktree[changes[0].Path]
		if !modified {
			continue
		}
		f, err := weigh(changes, now, texts, match)
		if err != nil {
			v.Reason, v.Err = CannotCompare, err.Error()
			return v
		}
		v.Files = append(v.Files, f)
		v.Score += f.Score / float64(len(changed))
		switch {
		case f.Present:
			v.Weak = f.Weak && (v.Weak || v.Reason != Present)
			v.Reason = Present
		case v.Reason == NoOverlap:
			v.Reason = Absent
		}
	}
	return v
}

// InEffect reports whether what the agent did to a file, in one or more turns, is there in a
// version of it, whole or in part, and is not in the version under it: version goes from that one
// to this.
func InEffect(changes []Change, version gitexec.Change, texts Texts, match Match) (bool, error) {
	f, err := weigh(changes, version, texts, match)
	return f.Present, err
}

// Undone reports whether it can be seen in a version that what the agent did to the file was taken
// back: the lines that it took out are there again, and none of those that it added is.
func Undone(changes []Change, version gitexec.Change, texts Texts, match Match) (bool, error) {
	f, err := weigh(changes, version, texts, match)
	return !f.Present && f.Evidence == ByLines && len(f.RemovedBack) > 0 && len(f.RemovedStill) == 0 && len(f.AddedFound) == 0, err
}

// ByFile brings the changes of each file together, in the order in which files come first.
func ByFile(changes []Change) [][]Change {
	at := map[gitexec.Path]int{}
	var files [][]Change
	for _, c := range changes {
		i, ok := at[c.Path]
		if !ok {
			i = len(files)
			at[c.Path] = i
			files = append(files, nil)
		}
		files[i] = append(files[i], c)
	}
	return files
}
