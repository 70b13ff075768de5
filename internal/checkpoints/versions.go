package checkpoints

import (
	"cmp"
	"slices"

	"entire-plumb/gitexec"
)

// A checkpoint may be linked by several commits that differ: one on another branch, and what came
// of it by an amend, a squash, a cherry-pick. What it says of its commit's lines is then there in
// versions: that of the commit that it was brought to last in a session's metadata.json and
// lines.json, and beside it those of the commits before.

// EarlierAttribution is a session's part in a commit that the checkpoint was of before. Which lines
// they are is in lines-<commit>.json.
type EarlierAttribution struct {
	Commit      gitexec.OID         `json:"commit"`
	Attribution *InitialAttribution `json:"initial_attribution"` // nil: not known
}

// mostEarlier is how many versions a checkpoint keeps beside the last one.
const mostEarlier = 30

func earlierLines(commit gitexec.OID) string { return "lines-" + string(commit) + ".json" }

// Version names one version by its commit; the empty one is the last.
type Version gitexec.OID

// At narrows the metadata to what they say of one version. A session that had no part in it has no
// attribution.
func (m *SessionMetadata) At(v Version) {
	if a, ok := m.attribution(v); ok {
		m.InitialAttribution = a
	} else {
		m.InitialAttribution = nil
	}
	if v != "" {
		m.AttributedCommit = gitexec.OID(v)
	}
	m.EarlierAttributions = nil
}

// attribution is the session's part in a version; ok is false if it had none.
func (m *SessionMetadata) attribution(v Version) (a *InitialAttribution, ok bool) {
	return inVersion(v, m.InitialAttribution, m.AttributedCommit, m.EarlierAttributions)
}

// inVersion is so, given what the metadata say.
func inVersion(v Version, last *InitialAttribution, of gitexec.OID, earlier []EarlierAttribution) (a *InitialAttribution, ok bool) {
	if v == "" || gitexec.OID(v) == of {
		return last, true
	}
	for _, e := range earlier {
		if e.Commit == gitexec.OID(v) {
			return e.Attribution, true
		}
	}
	return nil, false
}

// lines is the name of the file that says which lines are the session's in a version.
func (s sessionDir) lines(v Version) string {
	if v == "" || gitexec.OID(v) == s.meta.AttributedCommit {
		return linesFile
	}
	return earlierLines(gitexec.OID(v))
}

// versions lists those there are, the last one first; none if there is but one.
func (c *checkpoint) versions() []Version {
	var last, all []Version
	add := func(to *[]Version, id gitexec.OID) {
		if id != "" && !slices.Contains(last, Version(id)) && !slices.Contains(all, Version(id)) {
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

// VersionOf tells which version of a checkpoint is about a commit: the one that is of it, or else
// of another one that changes the same, since a commit has another name after a rebase. Where it
// cannot be told it is the last one. It reads no more than the checkpoint, if that has but one.
func VersionOf(db *gitexec.ODB, b Branch, id string, commit gitexec.Commit) Version {
	c, _ := openHealthy(db, b.root(db, id), id)
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
	best, most := Version(""), 0
	for i, v := range all {
		likeness := 0
		seen := map[gitexec.Path]bool{}
		for _, s := range c.sessions {
			owned, _, err := s.readLines(db, v)
			if err != nil {
				return ""
			}
			for _, f := range owned.Files {
				if seen[f.Path] {
					continue
				}
				seen[f.Path] = true
				switch blob, there := changed[f.Path]; {
				case there && blob == f.Blob:
					likeness += 3
				case there:
					likeness++
				default:
					likeness--
				}
			}
		}
		if i == 0 || likeness > most {
			best, most = v, likeness
		}
	}
	return best
}

// changedBy gives what a commit makes of the files that it changes. It is an error where the commit
// before isn't there, as in a shallow clone.
func changedBy(db *gitexec.ODB, commit gitexec.Commit) (map[gitexec.Path]gitexec.OID, error) {
	before, err := db.ParentTree(commit)
	if err != nil {
		return nil, err
	}
	changes, err := db.DiffTrees(before, commit.Tree)
	if err != nil {
		return nil, err
	}
	changed := map[gitexec.Path]gitexec.OID{}
	for _, c := range changes {
		if c.New.Exists() {
			changed[c.Path] = c.New.ID
		}
	}
	return changed, nil
}

// BroughtTo reports whether one of the checkpoints was brought to a commit.
func BroughtTo(db *gitexec.ODB, b Branch, ids []string, commit gitexec.OID) bool {
	return slices.ContainsFunc(ids, func(id string) bool {
		c, _ := openHealthy(db, b.Tree, id)
		return slices.ContainsFunc(c.sessions, func(s sessionDir) bool { return s.meta.AttributedCommit == commit })
	})
}

// bringTo lets the checkpoint be another commit's. What it said is kept for the one that it was of
// before, which a branch may still have: if that isn't noted, it is the one that the new commit
// stands for.
func (c *checkpoint) bringTo(commit, before gitexec.OID) {
	for i := range c.sessions {
		s := &c.sessions[i]
		was := cmp.Or(s.meta.AttributedCommit, before)
		if was == "" || commit == "" || was == commit {
			continue
		}
		kept := slices.DeleteFunc(slices.Clone(s.meta.EarlierAttributions), func(e EarlierAttribution) bool { return e.Commit == was || e.Commit == commit })
		kept = append(kept, EarlierAttribution{was, s.meta.InitialAttribution})
		if lines := s.files[linesFile]; lines.Exists() {
			s.files[earlierLines(was)] = lines
		}
		for _, e := range kept[:max(0, len(kept)-mostEarlier)] {
			delete(s.files, earlierLines(e.Commit))
		}
		delete(s.files, earlierLines(commit))
		delete(s.files, linesFile)
		s.meta.EarlierAttributions = kept[max(0, len(kept)-mostEarlier):]
		s.meta.AttributedCommit, s.meta.InitialAttribution = commit, nil
	}
}

// keepEarlier takes what a session's directory says of earlier versions over to the files of one
// that takes its place.
func (s sessionDir) keepEarlier(files gitexec.Tree) {
	for _, e := range s.meta.EarlierAttributions {
		if name := earlierLines(e.Commit); s.files[name].Exists() {
			files[name] = s.files[name]
		}
	}
}
