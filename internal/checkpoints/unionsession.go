package checkpoints

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
)

// A session's part in a checkpoint has two halves, which grow apart from each other: the
// conversation, when the turn ends, and the versions of its lines, when the commit is replaced.

// isLines reports whether a file is of the versions.
func isLines(name string) bool {
	return name == linesFile || strings.HasPrefix(name, "lines-") && strings.HasSuffix(name, ".json")
}

// unitedSession unites two versions of a session's part. Of each half that one counts which has all
// of the other one; if none has, that which has all of the first one in the common history; else
// the larger one, by an order that is the same for all. Whoever can push can write anything: what
// has not grown from what was first there doesn't take its place.
func (u *uniting) unitedSession(id string, a, b sessionDir) (sessionDir, error) {
	ids, err := u.db.WriteTrees(a.files, b.files)
	if err != nil || ids[0] == ids[1] {
		return a, err
	}
	for i, s := range []sessionDir{a, b} {
		// The part without the purged blob counts as a whole, though it may have less.
		if holds, err := u.holdsPurged(s.files, mostLevels); err != nil {
			return a, err
		} else if holds {
			return []sessionDir{b, a}[i], nil
		}
	}
	talk, err := u.half(id, &a, &b, hasConversation, moreSaid)
	if err != nil {
		return a, err
	}
	lines, err := u.half(id, &a, &b, hasVersions, moreVersions)
	if err != nil {
		return a, err
	}
	return talk.withVersions(*lines, a, b), u.db.Canceled()
}

// half chooses the part that one half is taken from. has reports whether a half of one has all that
// another one has.
func (u *uniting) half(id string, a, b *sessionDir, has func(db *gitexec.ODB, more, less *sessionDir) bool, order func(a, b *sessionDir) int) (*sessionDir, error) {
	// Mostly one has grown from the other: a turn's end adds to the transcript, a rebase adds a
	// version of the lines.
	ours, theirs := has(u.db, a, b), has(u.db, b, a)
	if !ours && !theirs {
		first, err := u.first(id, a.meta.SessionID)
		if err != nil {
			return nil, err
		}
		if first != nil {
			ours, theirs = has(u.db, a, first), has(u.db, b, first)
		}
	}
	// One alone has all of the other, or of the first: it counts. Else the order decides, which all
	// clones share.
	if ours != theirs && theirs || ours == theirs && order(a, b) < 0 {
		return b, nil
	}
	return a, nil
}

// mostFirst is how many checkpoints are looked up in the common history, each by a search of git's.
// Two clones seldom change the same one. Of the others it isn't known whose part has grown, and the
// order of values decides.
const mostFirst = 50

// first is a session's part in the first commit that had the checkpoint; nil: it is not known.
func (u *uniting) first(id, session string) (*sessionDir, error) {
	// Each takes a search in history: whoever pushes many changed checkpoints can't make a fetch
	// take minutes.
	if u.asked++; u.First == nil || u.asked > mostFirst {
		return nil, nil
	}
	root, err := u.First(id)
	if err != nil || root == "" {
		return nil, err
	}
	c, _ := openReadable(u.db, root, id)
	if i, there := c.index(session); there {
		return &c.sessions[i], nil
	}
	return nil, nil
}

// withVersions is a conversation with the versions of another part, and those that any of others
// has beside.
func (s sessionDir) withVersions(of sessionDir, others ...sessionDir) sessionDir {
	files := gitexec.Tree{}
	for name, e := range s.files {
		if !isLines(name) {
			files[name] = e
		}
	}
	for name, e := range of.files {
		if isLines(name) {
			files[name] = e
		}
	}
	meta := s.meta
	meta.FilesTouched, meta.InitialAttribution = of.meta.FilesTouched, of.meta.InitialAttribution
	meta.AttributedCommit, meta.EarlierAttributions = of.meta.AttributedCommit, slices.Clone(of.meta.EarlierAttributions)
	united := sessionDir{meta: meta, files: files, dir: s.dir}
	// "" is named from the start: a version without a commit is not added beside others.
	named, has := map[gitexec.OID]bool{"": true}, united.equals()
	for _, v := range united.recorded() {
		named[v.commit] = true
	}
	for _, other := range others {
		for _, v := range other.recorded() {
			// There is one version for each commit: the chosen part's, else the first other's.
			if named[v.commit] || has[v.key()] {
				continue
			}
			named[v.commit] = true
			united.meta.EarlierAttributions = append(united.meta.EarlierAttributions, EarlierAttribution{v.commit, v.claimed})
			if v.lines.Exists() {
				files[earlierLines(v.commit)] = v.lines
			}
		}
	}
	// Only what was added is sorted: which side it came from must not show.
	slices.SortStableFunc(united.meta.EarlierAttributions[len(of.meta.EarlierAttributions):], func(a, b EarlierAttribution) int {
		return cmp.Compare(a.Commit, b.Commit)
	})
	return united
}

// recordedVersion is a version of a session's lines.
type recordedVersion struct {
	commit  gitexec.OID // empty: not named
	claimed *InitialAttribution
	lines   gitexec.Entry
}

// recorded are the versions, the last one first.
func (s sessionDir) recorded() []recordedVersion {
	all := []recordedVersion{{s.meta.AttributedCommit, s.meta.InitialAttribution, s.files[linesFile]}}
	for _, e := range s.meta.EarlierAttributions {
		all = append(all, recordedVersion{e.Commit, e.Attribution, s.files[earlierLines(e.Commit)]})
	}
	return all
}

// versionKey is a version with its lines and numbers.
type versionKey struct {
	commit gitexec.OID
	lines  gitexec.Entry
	counts string
}

func (v recordedVersion) key() versionKey {
	k := versionKey{commit: v.commit, lines: v.lines}
	if v.claimed != nil {
		counts := *v.claimed
		// Two clones compute the same numbers at different times.
		counts.CalculatedAt = time.Time{}
		if data, err := encode(counts); err == nil {
			k.counts = string(data)
		}
	}
	return k
}

// equals are the versions, each also without its commit: one that names none is equal to any with
// its lines and numbers.
func (s sessionDir) equals() map[versionKey]bool {
	all := map[versionKey]bool{}
	for _, v := range s.recorded() {
		k := v.key()
		all[k] = true
		k.commit = ""
		all[k] = true
	}
	return all
}

// moreSaid orders conversations: one that has all of another one has as many chunks at least.
func moreSaid(a, b *sessionDir) int {
	return cmp.Or(cmp.Compare(chunks(a.files), chunks(b.files)), cmp.Compare(saidIn(a.meta), saidIn(b.meta)),
		a.meta.CreatedAt.Compare(b.meta.CreatedAt), compareNames(a.files, b.files))
}

// saidIn is how much a session has said, in tokens and answers.
func saidIn(m SessionMetadata) int {
	if m.TokenUsage == nil {
		return 0
	}
	return m.TokenUsage.OutputTokens + m.TokenUsage.APICallCount
}

// chunks is how many files a transcript has.
func chunks(files gitexec.Tree) (n int) {
	for name := range files {
		n += ordinal(isChunk(name))
	}
	return n
}

// moreVersions orders versions of lines.
func moreVersions(a, b *sessionDir) int {
	one, other := a.recorded(), b.recorded()
	named := func(s *sessionDir) int { return min(1, len(s.meta.AttributedCommit)) }
	lines := func(all []recordedVersion) string {
		var text strings.Builder
		for _, v := range all {
			text.WriteString(string(v.commit + " " + v.lines.ID + "\n"))
		}
		return text.String()
	}
	return cmp.Or(cmp.Compare(len(one), len(other)), cmp.Compare(named(a), named(b)), cmp.Compare(lines(one), lines(other)))
}

// compareNames orders files by their names and objects, without those of versions.
func compareNames(a, b gitexec.Tree) int {
	text := func(files gitexec.Tree) string {
		var all strings.Builder
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if !isLines(name) {
				all.WriteString(name + " " + string(files[name].ID) + "\n")
			}
		}
		return all.String()
	}
	return cmp.Compare(text(a), text(b))
}
