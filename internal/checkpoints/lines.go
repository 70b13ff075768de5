package checkpoints

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/session"
	"entire-plumb/internal/sets"
)

// linesFile is the file in a session's directory that lists the lines of its turns in the commit.
const linesFile = "lines.json"

// OwnedFile is one file in lines.json: the lines of one session, in the version that the blob
// names. Each range is the first line, from 1, the number of lines, and the index of their turn in
// the list.
type OwnedFile struct {
	Path   gitexec.Path `json:"path"`
	Blob   gitexec.OID  `json:"blob"`
	Lines  int          `json:"lines"` // of the commit in this file, of all authors
	Ranges [][3]int     `json:"ranges"`
	// Unknown are the lines of the commit without a known author: the first, from 1, and how many.
	Unknown [][2]int `json:"unknown,omitempty"`
	// Moved are lines in the ranges that files which the commit changes had before: the first, from
	// 1, and how many.
	Moved [][2]int `json:"moved,omitempty"`
	// Hashes are those of the lines in the ranges, lineage.Line: 4 bytes each, in base64.
	Hashes string `json:"hashes,omitempty"`
	// Words are ledger.MarkWords of these lines: for each how many there are, and these, in base64.
	Words string `json:"words,omitempty"`
}

// unknownSpans returns the lines without a known author, without impossible ones.
func (f OwnedFile) unknownSpans() (all []span) {
	for _, r := range f.Unknown {
		if r[0] > 0 && r[1] > 0 && r[0] < math.MaxInt32 && r[1] < math.MaxInt32 {
			all = append(all, span{r[0], r[1]})
		}
	}
	return all
}

// linesVersion is the latest known format of lines.json. The first one had no version.
const linesVersion = 1

// OwnedLines is lines.json.
type OwnedLines struct {
	Version int      `json:"version,omitempty"`
	Turns   []string `json:"turns"`
	Prompts []string `json:"prompts"` // of the turns, one line each, shortened
	// Sessions are those of the turns where some are another session's, which has no part of its
	// own in the checkpoint: nothing but a few everyday lines of it are in the commit. Empty: this
	// one.
	Sessions []string    `json:"sessions,omitempty"`
	Files    []OwnedFile `json:"files"`
	Fingerprint
}

// OwnedBy returns a session's lines, in one of the commit's checkpoints if it has several links,
// and those of the other sessions for which also is true.
func (a Attribution) OwnedBy(session, link string, also func(session string) bool) OwnedLines {
	owned := OwnedLines{Turns: []string{}, Prompts: []string{}, Files: []OwnedFile{}}
	place := map[ledger.Owner]int{}
	var of []string // the turns' sessions; empty: this one
	for _, f := range a.Files {
		file := OwnedFile{Path: f.Path, Blob: f.Blob, Ranges: [][3]int{}}
		for _, n := range f.Lines.Count() {
			file.Lines += n
		}
		line := 1
		for _, r := range f.Lines {
			if a.hasTurn(r.Owner, session, link, also) {
				t := a.turn(r.Owner)
				if _, ok := place[r.Owner]; !ok {
					place[r.Owner] = len(owned.Turns)
					owned.Turns, owned.Prompts = append(owned.Turns, t.Turn), append(owned.Prompts, a.prompts[t])
					// Empty stands for the list's own session.
					if t.Session == session {
						t.Session = ""
					}
					of = append(of, t.Session)
				}
				file.Ranges = append(file.Ranges, [3]int{line, r.Count, place[r.Owner]})
			}
			if r.Owner == ledger.Unknown {
				file.Unknown = append(file.Unknown, [2]int{line, r.Count})
			}
			line += r.Count
		}
		if file.Lines > 0 {
			owned.Files = append(owned.Files, file)
		}
	}
	if slices.ContainsFunc(of, func(session string) bool { return session != "" }) {
		owned.Sessions = of
	}
	return owned
}

// hasTurn reports whether an owner is a turn of a session, or of one for which also is true, in a
// checkpoint.
func (a Attribution) hasTurn(o ledger.Owner, session, link string, also func(session string) bool) bool {
	if !o.IsTurn() || a.turn(o).Link != link {
		return false
	}
	return a.turn(o).Session == session || also(a.turn(o).Session)
}

// session is the session of a turn in the list; of is whose list it is.
func (o OwnedLines) session(turn int, of string) string {
	// A list of others may name anything: what is no session's ID would be shown, and looked for.
	if turn < len(o.Sessions) && session.CheckID(o.Sessions[turn]) == nil {
		return o.Sessions[turn]
	}
	return of
}

// others lists the other sessions that have lines in the list.
func (o OwnedLines) others() []string {
	return slices.DeleteFunc(sets.Once(o.Sessions), func(id string) bool { return session.CheckID(id) != nil })
}

// fewer reports whether it has fewer lines of a file than another list.
func (o OwnedLines) fewer(than OwnedLines) bool {
	lines := map[gitexec.Path]int{}
	for i, list := range []OwnedLines{o, than} {
		for _, f := range list.Files {
			// Those of this list add, those of the other one subtract.
			lines[f.Path] += f.claimed() * (1 - 2*i)
		}
	}
	for _, more := range lines {
		if more < 0 {
			return true
		}
	}
	return false
}

// put writes it to a session's files, as JSON without white space: there may be many ranges.
func (o OwnedLines) put(db *gitexec.ODB, files gitexec.Tree) error {
	data, err := json.Marshal(o)
	if err != nil {
		return err
	}
	files[linesFile], err = db.WriteFile(append(data, '\n'))
	return err
}

// valid reports whether a range is possible and names a turn of the list.
func (o OwnedLines) valid(r [3]int) bool {
	return r[0] > 0 && r[1] > 0 && r[0] < math.MaxInt32 && r[1] < math.MaxInt32 &&
		r[2] >= 0 && r[2] < len(o.Turns) && r[2] < len(o.Prompts)
}

// errNewerLines says that a newer version of this program wrote a list of lines.
var errNewerLines = errors.New("a newer version of this program wrote it")

// parseLines parses a list of lines. Its errors are ErrDamaged, and errNewerLines.
func parseLines(data []byte, path string, id gitexec.OID) (OwnedLines, error) {
	owned := OwnedLines{}
	if err := conversation.Decode(data, path, id, &owned); err != nil {
		return OwnedLines{}, err
	}
	// Its form is not known: to read it as the older one could give lines to the wrong turns.
	if owned.Version > linesVersion {
		return OwnedLines{}, fmt.Errorf("%s is of version %d: %w", path, owned.Version, errNewerLines)
	}
	if owned.Files == nil {
		return OwnedLines{}, fmt.Errorf("%w: %s: %s lists no lines", ErrDamaged, path, id)
	}
	if n := len(owned.Before); n > mostSideLinked {
		return OwnedLines{}, fmt.Errorf("%w: %s: %s names %d checkpoints of one commit", ErrDamaged, path, id, n)
	}
	for _, f := range owned.Files {
		if err := owned.check(f, path, id); err != nil {
			return OwnedLines{}, err
		}
	}
	return owned, nil
}

// check is ErrDamaged where the list's lines of a file cannot be.
func (o OwnedLines) check(f OwnedFile, path string, id gitexec.OID) error {
	if f.Ranges == nil {
		return fmt.Errorf("%w: %s: %s lists no ranges of %q", ErrDamaged, path, id, f.Path)
	}
	for _, r := range f.Ranges {
		if !o.valid(r) {
			return fmt.Errorf("%w: %s: %s lists the range %v of %q, which can't be", ErrDamaged, path, id, r, f.Path)
		}
	}
	// 0: the list does not say how many the commit has.
	if n := f.claimed(); f.Lines > 0 && n > f.Lines {
		return fmt.Errorf("%w: %s: %s lists %d of the %d lines that the commit has in a file", ErrDamaged, path, id, n, f.Lines)
	}
	return nil
}

// claimed is how many lines the ranges have.
func (f OwnedFile) claimed() (n int) {
	for _, r := range f.Ranges {
		n += r[1]
	}
	return n
}

// readLines reads a session's lines.json, or that of an earlier version, if it has one. form is
// ErrDamaged or errNewerLines if its content is invalid; err says that it cannot be read.
func (s sessionDir) readLines(db *gitexec.ODB, v Version) (owned OwnedLines, form, err error) {
	return s.readLinesUpTo(db, v, mostLines)
}

// readLinesUpTo is readLines of at most so many bytes.
func (s sessionDir) readLinesUpTo(db *gitexec.ODB, v Version, most int64) (owned OwnedLines, form, err error) {
	file := s.files[s.lines(v)]
	path := s.dir + "/" + s.lines(v) + " of session " + s.meta.SessionID
	if !file.Exists() {
		return owned, nil, nil
	}
	data, err := conversation.File(db, file, path, most)
	if err == nil {
		owned, form = parseLines(data, path, file.ID)
	}
	return owned, form, err
}

// hasUnknown reports whether the list names lines without a known author. Lists of earlier versions
// of this program do not.
func (o OwnedLines) hasUnknown() bool {
	return slices.ContainsFunc(o.Files, func(f OwnedFile) bool { return len(f.Unknown) > 0 })
}
