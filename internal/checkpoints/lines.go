package checkpoints

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/ownership"
)

// linesFile is where a session's directory keeps which lines of the commit are its turns'.
const linesFile = "lines.json"

// OwnedFile is one file in lines.json: in the version that the blob names, the lines of one
// session. Each range is the first line, counted from 1, how many lines there are, and the place of
// their turn in the list.
type OwnedFile struct {
	Path   gitexec.Path `json:"path"`
	Blob   gitexec.OID  `json:"blob"`
	Lines  int          `json:"lines"` // of the commit in this file, whoever's
	Ranges [][3]int     `json:"ranges"`
	// Lines of the commit that have no known author: the first, counted from 1, and how many there
	// are.
	Unknown [][2]int `json:"unknown,omitempty"`
}

// lost gives the lines that have no known author, as far as such lines can be.
func (f OwnedFile) lost() (all []span) {
	for _, r := range f.Unknown {
		if r[0] > 0 && r[1] > 0 && r[0] < math.MaxInt32 && r[1] < math.MaxInt32 {
			all = append(all, span{r[0], r[1]})
		}
	}
	return all
}

// linesVersion is the latest form of lines.json that is understood. The first one had no version.
const linesVersion = 1

// OwnedLines is lines.json.
type OwnedLines struct {
	Version int         `json:"version,omitempty"`
	Turns   []string    `json:"turns"`
	Prompts []string    `json:"prompts"` // of the turns, one line each, cut short
	Files   []OwnedFile `json:"files"`
}

// OwnedBy gives a session's lines, in one of the commit's checkpoints if it has several links.
func (a Attribution) OwnedBy(session, link string) OwnedLines {
	owned := OwnedLines{Turns: []string{}, Prompts: []string{}, Files: []OwnedFile{}}
	place := map[ownership.Owner]int{}
	for _, f := range a.Files {
		file := OwnedFile{Path: f.Path, Blob: f.Blob, Ranges: [][3]int{}}
		for _, n := range f.Lines.Count() {
			file.Lines += n
		}
		line := 1
		for _, r := range f.Lines {
			if r.Owner.IsAgent() && a.turn(r.Owner).Session == session && a.turn(r.Owner).Link == link {
				if _, ok := place[r.Owner]; !ok {
					place[r.Owner] = len(owned.Turns)
					owned.Turns = append(owned.Turns, a.turn(r.Owner).Turn)
					owned.Prompts = append(owned.Prompts, a.prompts[a.turn(r.Owner)])
				}
				file.Ranges = append(file.Ranges, [3]int{line, r.Count, place[r.Owner]})
			}
			if r.Owner == ownership.Unknown {
				file.Unknown = append(file.Unknown, [2]int{line, r.Count})
			}
			line += r.Count
		}
		if file.Lines > 0 {
			owned.Files = append(owned.Files, file)
		}
	}
	return owned
}

// encode writes it without white space: there may be many ranges.
func (o OwnedLines) encode() ([]byte, error) {
	data, err := json.Marshal(o)
	return append(data, '\n'), err
}

// valid reports whether a range can be of lines, and names a turn of the list.
func (o OwnedLines) valid(r [3]int) bool {
	return r[0] > 0 && r[1] > 0 && r[0] < math.MaxInt32 && r[1] < math.MaxInt32 && r[2] >= 0 && r[2] < len(o.Turns) && r[2] < len(o.Prompts)
}

// errNewerLines says that a newer program than this one wrote a list of lines.
var errNewerLines = errors.New("a newer version of this program wrote it")

// parseLines takes a list of lines apart. Its errors are ErrDamaged, and errNewerLines.
func parseLines(data []byte, path string, id gitexec.OID) (OwnedLines, error) {
	owned := OwnedLines{}
	if err := conversation.Decode(data, path, id, &owned); err != nil {
		return OwnedLines{}, err
	}
	if owned.Version > linesVersion {
		return OwnedLines{}, fmt.Errorf("%s is of version %d: %w", path, owned.Version, errNewerLines)
	}
	if owned.Files == nil {
		return OwnedLines{}, fmt.Errorf("%w: %s: %s lists no lines", ErrDamaged, path, id)
	}
	return owned, nil
}

// readLines reads a session's lines.json, or that of an earlier version, if it has one. What is
// wrong with its form is in form, ErrDamaged or errNewerLines; err says that it cannot be read at
// all.
func (s sessionDir) readLines(db *gitexec.ODB, v Version) (owned OwnedLines, form, err error) {
	file := s.files[s.lines(v)]
	path := s.dir + "/" + s.lines(v) + " of session " + s.meta.SessionID
	if !file.Exists() {
		return owned, nil, nil
	}
	data, err := conversation.File(db, file, path, mostLines)
	if err == nil {
		owned, form = parseLines(data, path, file.ID)
	}
	return owned, form, err
}

// saysUnknown reports whether the list names lines that have no known author. Lists of earlier
// versions of this program don't.
func (o OwnedLines) saysUnknown() bool {
	for _, f := range o.Files {
		if len(f.Unknown) > 0 {
			return true
		}
	}
	return false
}
