package checkpoints

import (
	"encoding/json"
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

// Own is how many lines are the session's.
func (f OwnedFile) Own() int {
	n := 0
	for _, r := range f.Ranges {
		n += r[1]
	}
	return n
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
			if r.Owner.Agents() && a.turn(r.Owner).Session == session && a.turn(r.Owner).Link == link {
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

// ownedBlob is what the sessions of a checkpoint have in one version of a file.
type ownedBlob struct {
	blob    gitexec.OID
	ranges  []ownedRange
	unknown []span
}

type ownedRange struct {
	first, lines int
	turn         Turn
	prompt       string
}

func (o OwnedLines) valid(r [3]int) bool {
	return r[0] > 0 && r[1] > 0 && r[0] < math.MaxInt32 && r[1] < math.MaxInt32 && r[2] >= 0 && r[2] < len(o.Turns) && r[2] < len(o.Prompts)
}

// readOwned reads a session's lines.json, or another file of that kind; ok is false where there is
// none that can be read.
func readOwned(db *gitexec.ODB, files gitexec.Tree, name string) (o OwnedLines, ok bool, err error) {
	entry := files[name]
	if !entry.Exists() {
		return o, false, nil
	}
	data, err := conversation.File(db, entry, name, mostLines)
	if err != nil {
		return o, false, err
	}
	return o, conversation.Unmarshal(data, &o) == nil && o.Version <= linesVersion, nil
}

// owned reads what a checkpoint says of its lines, in a version.
func (c *checkpoint) owned(db *gitexec.ODB, v Version) (Known, error) {
	known := Known{}
	for _, s := range c.sessions {
		o, ok, err := readOwned(db, s.files, s.lines(v))
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		for _, f := range o.Files {
			b := known[f.Path]
			b.blob = f.Blob
			b.unknown = append(b.unknown, f.lost()...)
			for _, r := range f.Ranges {
				if o.valid(r) {
					b.ranges = append(b.ranges, ownedRange{r[0], r[1], Turn{Session: s.meta.SessionID, Turn: o.Turns[r[2]]}, o.Prompts[r[2]]})
				}
			}
			known[f.Path] = b
		}
	}
	return known, nil
}

// Known is what is known of the lines of an earlier version of a commit.
type Known map[gitexec.Path]ownedBlob

// knownBefore reads what a checkpoint says of the lines of a commit that another one replaces. It
// is empty where the checkpoint isn't there.
func knownBefore(db *gitexec.ODB, b Branch, id string, commit gitexec.Commit) (Known, error) {
	c, err := open(db, b.Tree, id)
	if err != nil {
		return nil, err
	}
	return c.owned(db, c.version(db, commit))
}

// tag says of all turns which checkpoint has them.
func (k Known) tag(link string) {
	for _, b := range k {
		for i := range b.ranges {
			b.ranges[i].turn.Link = link
		}
	}
}

// lines gives the owners of the version; what no session has was there before, as far as this goes.
func (b ownedBlob) lines(l *ledger) ownership.Lines {
	spans := make([]span, len(b.ranges))
	for i, r := range b.ranges {
		spans[i], l.prompts[r.turn] = span{r.first, r.lines}, r.prompt
	}
	lines, at := ownership.Lines{}, 1
	for _, p := range disjoint(spans) {
		lines = append(lines, ownership.Run{Owner: ownership.Base, Count: p.first - at}, ownership.Run{Owner: l.owner(b.ranges[p.of].turn), Count: p.lines})
		at = p.end()
	}
	lines = append(lines, ownership.Run{Owner: ownership.Base, Count: math.MaxInt32})
	if len(b.unknown) == 0 {
		return lines
	}
	lost, at := ownership.Lines{}, 1
	for _, p := range disjoint(b.unknown) {
		lost = append(lost, ownership.Run{Owner: ownership.Base, Count: p.first - at}, ownership.Run{Owner: ownership.Unknown, Count: p.lines})
		at = p.end()
	}
	return lines.Lost(append(lost, ownership.Run{Owner: ownership.Base, Count: math.MaxInt32}))
}
