package shadow

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/session"
)

// Streams that are deleted with work that no commit has are kept for a time under private refs,
// named after the time of the deletion, the tip and the stream.
const deletedRefs = Private + "deleted/"

// KeptDeleted is how long a deleted stream is kept: as long as a state keeps what was dismissed,
// whose lines are read from there (works.OfDiscarded). It is two weeks, for which git keeps
// unreachable objects, too (gc.pruneExpire).
const KeptDeleted = session.KeptFor

// deletedTime is the format of the time in such a ref's name: UTC.
const deletedTime = "20060102T150405Z"

// DeletedStream is a deleted stream that is kept.
type DeletedStream struct {
	Stream
	Ref  string // that keeps it
	When time.Time
}

// Delete is the deletion of a stream that is kept for a time: the stream's ref goes, and one that
// keeps its tip comes, for one transaction.
func Delete(s Stream, now time.Time) []RefChange {
	kept := deletedRefs + now.UTC().Format(deletedTime) + "-" + s.Tip.ID.Short() + "/" + strings.TrimPrefix(s.Name.Ref(), Prefix)
	return []RefChange{{Ref: s.Name.Ref(), Old: s.Tip.ID}, {Ref: kept, New: s.Tip.ID}}
}

// Deleted lists the deleted streams that are kept, the latest deletion first. Refs of that name
// that are no streams are omitted. One process beside the object database's.
func Deleted(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB) ([]DeletedStream, error) {
	refs, err := repo.Refs(ctx, deletedRefs)
	if err != nil {
		return nil, err
	}
	var found []DeletedStream
	for _, r := range refs {
		moment, name, _ := strings.Cut(strings.TrimPrefix(r.Name, deletedRefs), "/")
		// The tip in the name keeps two deletions of one name, within a second, apart.
		stamp, _, _ := strings.Cut(moment, "-")
		when, err := time.Parse(deletedTime, stamp)
		n, ok := ParseRef(Prefix + name)
		if err != nil || !ok || r.Type != "commit" {
			continue
		}
		tip, ours, err := ReadCheckpoint(db, r.ID)
		if err != nil {
			return nil, err
		}
		if ours {
			found = append(found, DeletedStream{Stream{n, tip}, r.Name, when})
		}
	}
	slices.SortStableFunc(found, func(a, b DeletedStream) int { return b.When.Compare(a.When) })
	return found, nil
}

// Expired are the changes that delete those of the deleted streams that were kept long enough; nil:
// none was.
func Expired(deleted []DeletedStream, now time.Time) []RefChange {
	var expired []RefChange
	for _, d := range deleted {
		if now.Sub(d.When) > KeptDeleted {
			expired = append(expired, RefChange{Ref: d.Ref, Old: d.Tip.ID})
		}
	}
	return expired
}

// deletedFile tells that there are deleted streams, and when Expire last looked at them; empty:
// never.
func deletedFile(repo *gitexec.Repo) string { return filepath.Join(repo.SharedDir(), "deleted") }

// noteDeleted has Expire look at deleted streams, from now on.
func noteDeleted(repo *gitexec.Repo, refs []RefChange) error {
	if !slices.ContainsFunc(refs, keeps) {
		return nil
	}
	if _, err := os.Lstat(deletedFile(repo)); err == nil {
		return nil
	}
	return safefile.Write(deletedFile(repo), nil, 0o600)
}

// keeps reports whether a change keeps a deleted stream.
func keeps(c RefChange) bool { return c.New != "" && KeepsDeleted(c.Ref) }

// KeepsDeleted reports whether a ref keeps a deleted stream.
func KeepsDeleted(ref string) bool { return strings.HasPrefix(ref, deletedRefs) }

// Expire are the changes that delete the deleted streams that were kept long enough; nil: there are
// none, or it looked within the last day. Where there may be any, it takes one process then. The
// caller holds the lock.
func Expire(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, now time.Time) ([]RefChange, error) {
	text, err := safefile.ReadOwn(deletedFile(repo), 100) // a time
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	// A clock that was set back does not put it off.
	if last, err := time.Parse(time.RFC3339, string(text)); err == nil && now.Sub(last) < 24*time.Hour && !now.Before(last) {
		return nil, nil
	}
	kept, err := Deleted(ctx, repo, db)
	if err != nil {
		return nil, err
	}
	if len(kept) == 0 {
		return nil, os.Remove(deletedFile(repo))
	}
	return Expired(kept, now), safefile.Write(deletedFile(repo), []byte(now.UTC().Format(time.RFC3339)), 0o600)
}
