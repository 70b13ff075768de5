package checkpoints

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ledger"
)

// Several different commits may link a checkpoint: one on another branch, and its successors by an
// amend, a squash or a cherry-pick. The checkpoint then has versions of its commit's lines: that of
// the last commit in a session's metadata.json and lines.json, and beside it those of earlier
// commits.

// EarlierAttribution is a session's part in an earlier commit of the checkpoint. Its lines are in
// lines-<commit>.json.
type EarlierAttribution struct {
	Commit      gitexec.OID         `json:"commit"`
	Attribution *InitialAttribution `json:"initial_attribution"` // nil: not known
}

// mostEarlier is how many versions a checkpoint keeps beside the last one, the latest: each has a
// list of lines of its own. So often a commit may be amended or rebased until its first form, which
// another branch may still have (attribution_other_branches), has the numbers of the last one.
const mostEarlier = 30

func earlierLines(commit gitexec.OID) string { return "lines-" + string(commit) + ".json" }

// Version names a version by its commit; the empty one is the last.
type Version gitexec.OID

// At reduces the metadata to one version. A session without a part in it has no attribution.
func (m *SessionMetadata) At(v Version) {
	m.InitialAttribution, _ = m.attribution(v)
	if v != "" {
		m.AttributedCommit = gitexec.OID(v)
	}
	m.EarlierAttributions = nil
}

// attribution is the session's part in a version; ok is false if it had none.
func (m *SessionMetadata) attribution(v Version) (a *InitialAttribution, ok bool) {
	if v == "" || gitexec.OID(v) == m.AttributedCommit {
		return m.InitialAttribution, true
	}
	for _, e := range m.EarlierAttributions {
		if e.Commit == gitexec.OID(v) {
			return e.Attribution, true
		}
	}
	return nil, false
}

// namesCommits reports whether what the metadata names as commits can be: git takes other names,
// too.
func (m *SessionMetadata) namesCommits() bool {
	invalid := func(e EarlierAttribution) bool { return !gitexec.ValidOID(string(e.Commit)) }
	return (m.AttributedCommit == "" || gitexec.ValidOID(string(m.AttributedCommit))) && !slices.ContainsFunc(m.EarlierAttributions, invalid)
}

// lastBefore is the commit of the last version that is not of a given one; empty where the metadata
// names none.
func (m *SessionMetadata) lastBefore(commit gitexec.OID) gitexec.OID {
	if m.AttributedCommit != commit {
		return m.AttributedCommit
	}
	if n := len(m.EarlierAttributions); n > 0 {
		return m.EarlierAttributions[n-1].Commit
	}
	return ""
}

// inLine reports whether one of two commits is in the near history of the other.
func inLine(db *gitexec.ODB, a, b gitexec.OID) bool {
	// An amend or a rebase mostly makes neighbours of two branches: where the two are farther from
	// each other, each may be on a branch of its own, and a version of each is kept.
	const near = 100
	for _, pair := range [][2]gitexec.OID{{a, b}, {b, a}} {
		line, err := db.Ancestors(pair[0], near)
		if err == nil && slices.ContainsFunc(line, func(c gitexec.Commit) bool { return c.ID == pair[1] }) {
			return true
		}
	}
	return false
}

// lines is the name of the file with the session's lines in a version.
func (s sessionDir) lines(v Version) string {
	if v == "" || gitexec.OID(v) == s.meta.AttributedCommit {
		return linesFile
	}
	return earlierLines(gitexec.OID(v))
}

// versions lists the versions, the last one first; none if there is only one.
func (c *checkpoint) versions() []Version {
	var last, all []Version
	seen := map[gitexec.OID]bool{"": true}
	add := func(to *[]Version, id gitexec.OID) {
		if !seen[id] {
			seen[id] = true
			*to = append(*to, Version(id))
		}
	}
	for _, s := range c.sessions {
		add(&last, s.meta.AttributedCommit)
	}
	for _, s := range c.sessions {
		for _, e := range slices.Backward(s.meta.EarlierAttributions) {
			add(&all, e.Commit)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return append(last, all...)
}

// VersionOf chooses the version of a checkpoint for a commit: that of the commit, else that of the
// commit with the most similar changes, since a rebase changes a commit's ID; else the last one. It
// reads only the checkpoint if that has one version.
func VersionOf(db *gitexec.ODB, b Branch, id string, commit gitexec.Commit) Version {
	c, _ := openReadable(db, b.root(db, id), id)
	return c.version(db, commit)
}

func (c *checkpoint) version(db *gitexec.ODB, commit gitexec.Commit) Version {
	all := c.versions()
	if slices.Contains(all, Version(commit.ID)) {
		return Version(commit.ID)
	}
	if len(all) == 0 {
		return ""
	}
	changed, err := changedBy(db, commit)
	if err != nil {
		return ""
	}
	best, bestScore := Version(""), 0
	for i, v := range all {
		score, err := c.similarity(db, v, changed)
		if err != nil {
			return ""
		}
		// Of equals the last version counts, which is the first of the list.
		if i == 0 || score > bestScore {
			best, bestScore = v, score
		}
	}
	return best
}

// similarity is how much a version of the checkpoint is like a commit's changes, file by file.
func (c *checkpoint) similarity(db *gitexec.ODB, v Version, changed map[gitexec.Path]*changedFile) (score int, err error) {
	seen := map[gitexec.Path]bool{}
	for _, s := range c.sessions {
		owned, _, err := s.readLines(db, v)
		if err != nil {
			return 0, err
		}
		for _, f := range owned.Files {
			if !seen[f.Path] {
				seen[f.Path] = true
				score += changed[f.Path].like(db, f)
			}
		}
	}
	return score, nil
}

// like is how much a file that a commit changes is like one that a version has; nil: the commit
// doesn't change it.
func (f *changedFile) like(db *gitexec.ODB, recorded OwnedFile) int {
	switch {
	// A version with a file that the commit does not change is the less likely the more of these it
	// has.
	case f == nil:
		return -1
	// The same file in another version: the commit may have been rebased.
	case f.New.ID != recorded.Blob:
		return 1
	case f.newLines(db) == recorded.Lines:
		return 4
	}
	return 3 // of another base
}

// changedFile is a file that a commit changes.
type changedFile struct {
	gitexec.Change
	lines int // that are new in it; -1: not counted yet
}

// newLines is how many lines the commit has in the file that its parent hasn't, white space apart:
// where a commit also indents lines its own version says more. 0: it can't be found out.
func (f *changedFile) newLines(db *gitexec.ODB) int {
	if f.lines >= 0 {
		return f.lines
	}
	f.lines = 0
	book, before := ledger.New(), ledger.Text(nil)
	if f.Old.Exists() {
		data, err := db.Blob(f.Old.ID, largestHashed)
		if err != nil {
			return 0
		}
		before = book.Text(data)
	}
	data, err := db.Blob(f.New.ID, largestHashed)
	if err != nil {
		return 0
	}
	for _, at := range ledger.Match(before, book.Text(data)) {
		if at < 0 {
			f.lines++
		}
	}
	return f.lines
}

// changedBy lists the files that a commit changes. It fails where the parent is missing, as in a
// shallow clone.
func changedBy(db *gitexec.ODB, commit gitexec.Commit) (map[gitexec.Path]*changedFile, error) {
	parent, err := db.ParentTree(commit)
	if err != nil {
		return nil, err
	}
	changes, err := db.DiffTrees(parent, commit.Tree)
	if err != nil {
		return nil, err
	}
	changed := map[gitexec.Path]*changedFile{}
	for _, c := range changes {
		if c.New.Exists() {
			changed[c.Path] = &changedFile{Change: c, lines: -1}
		}
	}
	return changed, nil
}

// HasVersion reports whether the last version of one of the checkpoints is of a commit.
func HasVersion(db *gitexec.ODB, b Branch, ids []string, commit gitexec.OID) bool {
	return slices.ContainsFunc(ids, func(id string) bool {
		c, _ := openReadable(db, b.Tree, id)
		return slices.ContainsFunc(c.sessions, func(s sessionDir) bool { return s.meta.AttributedCommit == commit })
	})
}

// moveTo moves the checkpoint to another commit. It keeps the version of the old one, which a
// branch may still contain: that which the metadata or the list of lines names, else the replaced
// commit.
func (c *checkpoint) moveTo(db *gitexec.ODB, commit, replaced gitexec.OID) {
	for i := range c.sessions {
		s := &c.sessions[i]
		old := s.meta.AttributedCommit
		if old == "" {
			old = replaced
			if owned, form, err := s.readLines(db, ""); err == nil && form == nil && gitexec.ValidOID(string(owned.Commit)) {
				old = owned.Commit
			}
		}
		// Without both names the versions cannot be told apart.
		if old != "" && commit != "" && old != commit {
			s.moveFrom(old, commit)
		}
	}
}

// moveFrom makes the last version that of a commit, and keeps it as an earlier one of another
// commit; the oldest ones beyond the limit are dropped.
func (s *sessionDir) moveFrom(old, commit gitexec.OID) {
	kept := slices.DeleteFunc(slices.Clone(s.meta.EarlierAttributions), func(e EarlierAttribution) bool {
		// Each commit has one version: the newest that is known of it.
		return e.Commit == old || e.Commit == commit
	})
	kept = append(kept, EarlierAttribution{old, s.meta.InitialAttribution})
	if lines := s.files[linesFile]; lines.Exists() {
		s.files[earlierLines(old)] = lines
	}
	for _, e := range kept[:max(0, len(kept)-mostEarlier)] {
		delete(s.files, earlierLines(e.Commit))
	}
	delete(s.files, earlierLines(commit))
	// It is written anew for the commit that follows.
	delete(s.files, linesFile)
	s.meta.EarlierAttributions = kept[max(0, len(kept)-mostEarlier):]
	s.meta.AttributedCommit, s.meta.InitialAttribution = commit, nil
}

// keepEarlier copies the lists of earlier versions to the files that replace a session's directory.
func (s sessionDir) keepEarlier(files gitexec.Tree) {
	for _, e := range s.meta.EarlierAttributions {
		if name := earlierLines(e.Commit); s.files[name].Exists() {
			files[name] = s.files[name]
		}
	}
}
