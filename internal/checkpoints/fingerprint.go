package checkpoints

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/lineage"
)

// A checkpoint keeps a fingerprint of its commit, by which other commits are recognised that hold
// the same work, also where the commit itself is not in the repository: hashes of the agent's lines
// beside their ranges in lines.json, and what is below.

// Fingerprint is the rest of a fingerprint in lines.json.
type Fingerprint struct {
	// Before are the checkpoints of the last linked commit before this one on its branch.
	Before []string `json:"before,omitempty"`
	// Others are the files that the session changed without lines of its own in the commit.
	Others []OtherFile `json:"others,omitempty"`
	// Commit is the first commit of the work, and After are those before it on its branch, newest
	// first, as far as the last linked one: what is in their history is older than the work.
	Commit gitexec.OID   `json:"commit,omitempty"`
	After  []gitexec.OID `json:"after,omitempty"`
	// Began is when the first turn of the work began.
	Began time.Time `json:"began,omitzero"`
}

// OtherFile is a file without lines: a binary one, a deleted one, or one that only lost lines.
type OtherFile struct {
	Path gitexec.Path `json:"path"`
	Blob gitexec.OID  `json:"blob,omitempty"` // empty: deleted
}

// Limits: lines and files that a commit's fingerprint has, and bytes of a file whose lines are in
// it. A line takes 4 bytes, and 5 more for its words: a list of 100,000 is under the 4 MiB that
// readers take (largeLines). A commit of more lines is found by its first ones, if at all.
const mostHashed, mostOthers, largestHashed = 100_000, 5_000, 4 << 20

// hashedLines reads the lines of the versions that agents have lines in, and hashes them and those
// of others, if there are any.
func (a Attribution) hashedLines(db *gitexec.ODB, others []gitexec.OID) (
	all map[gitexec.OID][]lineage.Line, texts map[gitexec.OID][]string, err error,
) {
	blobs := a.agentsBlobs()
	if len(blobs) == 0 {
		return nil, nil, nil
	}
	all, texts = map[gitexec.OID][]lineage.Line{}, map[gitexec.OID][]string{}
	// The agents' versions and the others have a limit each: large others must not leave the
	// agents' lines without hashes.
	hashed, agents := map[bool]int{}, len(blobs)
	blobs = append(blobs, others...)
	err = db.EachBlob(largestHashed, blobs, func(at []int, data []byte, err error) error {
		other := at[0] >= agents
		if err != nil || bytes.Count(data, []byte("\n"))+hashed[other] > mostHashed {
			return nil // the file's lines are not recognised
		}
		var lines []lineage.Line
		var text []string
		for line := range strings.Lines(string(data)) {
			if text = append(text, line); len(others) > 0 {
				lines = append(lines, lineage.HashLine(line))
			}
		}
		hashed[other] += len(text)
		for _, i := range at {
			if all[blobs[i]] = lines; !other {
				texts[blobs[i]] = text
			}
		}
		return nil
	})
	return all, texts, err
}

// agentsBlobs are the versions in which agents have lines.
func (a Attribution) agentsBlobs() (blobs []gitexec.OID) {
	for _, f := range a.Files {
		agents := 0
		for owner, n := range f.Lines.Count() {
			if owner.IsTurn() {
				agents += n
			}
		}
		// The same version may follow under another name.
		if agents > 0 && f.Blob != "" && !slices.Contains(blobs[max(0, len(blobs)-1):], f.Blob) {
			blobs = append(blobs, f.Blob)
		}
	}
	return blobs
}

// addHashes adds the hashes of the lines in a file's ranges, and of their words.
func (f *OwnedFile) addHashes(text []string) {
	var data, words []byte
	for _, r := range f.Ranges {
		first := r[0] - 1
		// The text may be shorter than the ranges say, where it was not read whole: then no line
		// has a hash.
		if r[1] > len(text) || first > len(text)-r[1] {
			return
		}
		for _, line := range text[first : first+r[1]] {
			data = binary.BigEndian.AppendUint32(data, uint32(lineage.HashLine(line)))
			marks := ledger.MarkWords(line)
			// A line's entry is its number of words, and a byte for each: `\x03abc`. 0 stands for a
			// line without. mostMarked keeps the number below 256.
			words = append(append(words, byte(len(marks))), marks...)
		}
	}
	f.Hashes, f.Words = base64.RawStdEncoding.EncodeToString(data), base64.RawStdEncoding.EncodeToString(words)
}

// marks are what is recorded of the lines in the ranges, in their order; nil: nothing. Those of a
// checkpoint of an earlier version have no words.
func (f OwnedFile) marks() []ledger.Mark {
	hashes := f.hashes()
	if hashes == nil {
		return nil
	}
	marks := make([]ledger.Mark, len(hashes))
	for i, h := range hashes {
		marks[i] = ledger.Mark{Line: uint32(h), Light: h.Light()}
	}
	words, err := base64.RawStdEncoding.DecodeString(f.Words)
	for i := range marks {
		// Damaged from here on: lines without words are still found by their hashes.
		if err != nil || len(words) == 0 || len(words) <= int(words[0]) {
			break
		}
		end := 1 + int(words[0])
		marks[i].Words, words = words[1:end], words[end:]
	}
	return marks
}

// hashes returns the hashes of the lines in the ranges, in their order; nil if there are none, or
// not as many as lines.
func (f OwnedFile) hashes() (lines []lineage.Line) {
	data, err := base64.RawStdEncoding.DecodeString(f.Hashes)
	n := 0
	for _, r := range f.Ranges {
		// A list from elsewhere may claim any number: this keeps n from overflowing.
		if r[1] <= 0 || r[1] > len(data) {
			return nil
		}
		n += r[1]
	}
	// All or nothing: a hash that belongs to another line would be evidence for the wrong one.
	if err != nil || len(data) != 4*n || n > f.Lines {
		return nil
	}
	lines = make([]lineage.Line, n)
	for at := range n {
		lines[at] = lineage.Line(binary.BigEndian.Uint32(data[4*at:]))
	}
	return lines
}

// withoutLines lists the files that the session changed without lines of its own.
func (o OwnedLines) withoutLines(touched []gitexec.Path, changes []gitexec.Change) (others []OtherFile) {
	own := map[gitexec.Path]bool{}
	for _, f := range o.Files {
		own[f.Path] = len(f.Ranges) > 0
	}
	wanted := map[gitexec.Path]bool{}
	for _, path := range touched {
		// A file that the session changed and of which it has no line in the commit, as one that it
		// deleted.
		wanted[path] = !own[path]
	}
	for _, c := range changes {
		if wanted[c.Path] && len(others) < mostOthers {
			others = append(others, OtherFile{c.Path, c.New.ID})
		}
	}
	return others
}

// linkedBefore lists the links of the last linked commit before another one on its branch, without
// some, and the commits as far as that one, newest first.
func linkedBefore(db *gitexec.ODB, b Branch, commit gitexec.OID, but []string) (links []string, after []gitexec.OID) {
	if commit == "" {
		return nil, nil
	}
	// The first one is the commit itself.
	line, err := db.Ancestors(commit, lineage.MostBefore+1)
	if err != nil || len(line) == 0 {
		return nil, nil // a shallow clone: the branch is not known
	}
	for _, c := range line[1:] {
		after = append(after, c.ID)
		links := slices.DeleteFunc(b.storedLinks(db, c), func(id string) bool { return slices.Contains(but, id) })
		if len(links) > 0 {
			return links, after
		}
	}
	return nil, after
}

// allowance is what the fingerprints of a branch may cost in all. A few kilobytes of objects can
// expand to a gigabyte of lists; those of real checkpoints are a kilobyte, most of them.
type allowance struct {
	large int64 // bytes of the lists above smallLines that may still be read
}

const (
	// smallLines and largeLines are bytes of a list: up to the first, as most are, it costs no
	// allowance; above the second no fingerprint is read from it. 100,000 lines fit into that.
	smallLines, largeLines = 64 << 10, 4 << 20
	// mostLarge is how many bytes of lists above smallLines are read: 300 lists of a million lines,
	// which are 1.6 GB, took 21 seconds and 2.4 GB of memory. This takes a twelfth.
	mostLarge = 128 << 20
)

// readLines reads a list for its fingerprint. Its error is errAllowance where the list is too
// large.
func (a *allowance) readLines(db *gitexec.ODB, s sessionDir) (OwnedLines, error) {
	owned, form, err := s.readLinesUpTo(db, "", smallLines)
	var large *gitexec.TooLargeError
	if errors.As(err, &large) {
		if large.Size > min(largeLines, a.large) {
			return OwnedLines{}, errAllowance
		}
		// Only large lists cost allowance, and what one costs is gone for the others of the branch:
		// who pushes them in thousands makes no clone read for minutes.
		a.large -= large.Size
		owned, form, err = s.readLinesUpTo(db, "", largeLines)
	}
	return owned, cmp.Or(err, form)
}

// errAllowance says that a fingerprint is more than may be read.
var errAllowance = errors.New("more lines than are read")

// fingerprint reads the fingerprint of a checkpoint, given its directory. ok is false where it
// has none, or is damaged. Its error is errAllowance.
func (a *allowance) fingerprint(db *gitexec.ODB, id string, dir gitexec.Entry) (f lineage.Checkpoint, ok bool, err error) {
	// A checkpoint is found as a whole or not at all: one session's damaged part would leave half
	// of the evidence.
	u := unitedFingerprint{Checkpoint: lineage.Checkpoint{ID: id}, seen: map[string]bool{}, at: map[gitexec.Path]int{}, changed: map[gitexec.Path]bool{}}
	files, err := conversation.Dir(db, dir, place(id))
	if err != nil {
		return u.Checkpoint, false, nil
	}
	indexes, err := sessionsIn(files, place(id))
	if err != nil {
		return u.Checkpoint, false, nil
	}
	for _, index := range indexes {
		s, err := readSession(db, files[strconv.Itoa(index)], place(id)+"/"+strconv.Itoa(index))
		if err != nil {
			return u.Checkpoint, false, nil
		}
		owned, err := a.readLines(db, s)
		if errors.Is(err, errAllowance) {
			return u.Checkpoint, false, err
		}
		if err != nil {
			return u.Checkpoint, false, nil
		}
		u.addTimes(s.meta.CreatedAt, owned.Began)
		u.addCommits(owned, s.meta.EarlierAttributions)
		if !u.addFiles(owned, func(blob gitexec.OID, lines int) bool { return fitsBlob(db, blob, lines) }) {
			return u.Checkpoint, false, errAllowance
		}
	}
	u.Changed = len(u.changed)
	return u.Checkpoint, u.any, nil
}

// unitedFingerprint is that of a checkpoint, united from those of its sessions.
type unitedFingerprint struct {
	lineage.Checkpoint
	any     bool // it has lines, or files without lines
	hashed  int
	seen    map[string]bool       // commits and checkpoints, each with its kind
	at      map[gitexec.Path]int  // of the files
	changed map[gitexec.Path]bool // also files without lines of agents
}

// isNew reports whether something is named as this kind for the first time.
func (u *unitedFingerprint) isNew(kind, id string) bool {
	old := u.seen[kind+id]
	u.seen[kind+id] = true
	return !old
}

// addTimes adds when a session's part was made, and when its work began: the first times count.
func (u *unitedFingerprint) addTimes(created, began time.Time) {
	if made := created.Unix(); u.Made == 0 || made < u.Made {
		u.Made = made
	}
	if at := began.Unix(); !began.IsZero() && at > 0 && (u.Began == 0 || at < u.Began) {
		u.Began = at
	}
}

// addCommits adds the commits that a list of lines is of and that follow it, those of earlier
// versions, and the checkpoints before it. Each counts as what it is named first.
func (u *unitedFingerprint) addCommits(owned OwnedLines, earlier []EarlierAttribution) {
	// A commit that is both can't be older than the work and its own: what was read first counts.
	if id := owned.Commit; !u.seen["after "+string(id)] {
		u.addCommit("commit ", id, &u.Commits)
	}
	for _, id := range owned.After[:min(lineage.MostBefore, len(owned.After))] {
		if !u.seen["commit "+string(id)] {
			u.addCommit("after ", id, &u.After)
		}
	}
	for _, e := range earlier {
		u.addCommit("commit ", e.Commit, &u.Commits)
	}
	for _, before := range owned.Before {
		if ValidID(before) && u.isNew("before ", before) {
			u.Before = append(u.Before, before)
		}
	}
}

// addCommit adds a commit to those of a kind, once.
func (u *unitedFingerprint) addCommit(kind string, id gitexec.OID, to *[]gitexec.OID) {
	if gitexec.ValidOID(string(id)) && u.isNew(kind, string(id)) {
		*to = append(*to, id)
	}
}

// addFiles adds the files of a list; false where there are more lines than may be read, or than
// fit a version.
func (u *unitedFingerprint) addFiles(owned OwnedLines, fits func(blob gitexec.OID, lines int) bool) bool {
	for _, o := range owned.Files {
		u.changed[o.Path] = true
		lines := o.hashes()
		// Whoever can push may write hashes of lines that no version has: many of them must fit the
		// blob's size.
		if u.hashed += len(lines); u.hashed > mostHashed || len(lines) > manyLines && !fits(o.Blob, len(lines)) {
			return false
		}
		if len(lines) > 0 {
			u.any = true
			to := u.file(o.Path, o.Blob, o.Lines)
			to.Lines = append(to.Lines, o.evidence()...)
		}
	}
	for _, o := range owned.Others {
		u.any, u.changed[o.Path] = true, true
		u.file(o.Path, o.Blob, 0)
	}
	return true
}

// file is the file of a path, which is added if there is none.
func (u *unitedFingerprint) file(path gitexec.Path, blob gitexec.OID, all int) *lineage.File {
	i, there := u.at[path]
	if !there {
		i = len(u.Files)
		u.at[path], u.Files = i, append(u.Files, lineage.File{Path: path, Blob: blob, All: all})
	}
	return &u.Files[i]
}

// manyLines is from how many lines of a file on its blob is asked for: only long lists are worth a
// lie about their file, and a question for each file of each checkpoint takes longer than reading
// them.
const manyLines = 1000

// fitsBlob reports whether a version can have so many lines. One that is not here may.
func fitsBlob(db *gitexec.ODB, blob gitexec.OID, lines int) bool {
	found, err := db.Info(blob)
	return err != nil || found[0].Type == "" || found[0].Type == "blob" && found[0].Size >= int64(lines)
}
