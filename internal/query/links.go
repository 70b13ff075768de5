package query

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/index"
	"entire-plumb/internal/message"
	"entire-plumb/internal/sets"
	"entire-plumb/shadow"
)

// The index of links has a key for each link in the message of a commit on a branch, a tag or at
// HEAD: the checkpoint, a space, and the commit.

const linksForm = "1"

// linksState is what the index of links was made from: the tips of all histories in it, sorted.
type linksState struct {
	Tips    []gitexec.OID `json:"tips"`
	Shallow string        `json:"shallow,omitempty"` // the hash of what says where the history is cut off
}

// trailersOf lists the commits in histories whose messages link any of the checkpoints, each once.
// One process; two more, where branches have moved since the last time.
func (s caches) trailersOf(ctx context.Context, of histories, ids ...string) (commits []gitexec.OID, err error) {
	err = s.withLinks(ctx, of, func(x *index.Index) error {
		commits = nil
		for _, id := range ids {
			for key := range x.Scan(id + " ") {
				commits = append(commits, gitexec.OID(key[len(id)+1:]))
			}
		}
		return nil
	})
	slices.Sort(commits)
	return slices.Compact(commits), err
}

// histories are those that an index of links is made from.
type histories struct {
	index string
	refs  []string
	head  bool // HEAD's, too
}

var (
	here    = histories{"links", []string{"refs/heads/", "refs/tags/"}, true}
	fetched = histories{"fetched-links", []string{"refs/remotes/"}, false}
)

// withLinks asks an index of links, which it first brings up to date.
func (s caches) withLinks(ctx context.Context, of histories, answer func(*index.Index) error) error {
	refs, err := s.repo.RefIDs(ctx, of.refs...)
	if err != nil {
		return err
	}
	tips := of.tips(s.repo, refs)
	return twice(func(anew bool) (*index.Index, error) {
		x, err := s.open(ctx, cache{name: of.index, form: linksForm, anew: anew,
			current: func(x *index.Index) bool { return slices.Equal(s.tipsOf(x), tips) },
			update: func(x *index.Index, _ bool) (any, error) {
				return linksState{tips, s.shallow()}, s.updateLinks(ctx, x, tips)
			}})
		if err != nil {
			return nil, err
		}
		defer x.Close()
		return x, answer(x)
	})
}

// tipsOf are the tips of the histories that are in an index; none where these were cut off
// elsewhere, as in another shallow clone.
func (s caches) tipsOf(x *index.Index) []gitexec.OID {
	state := stateIn[linksState](x)
	if state.Shallow != s.shallow() {
		return nil
	}
	return state.Tips
}

// shallow is the hash of that list; empty: there is none.
func (s caches) shallow() string {
	data := s.repo.ShallowList()
	if len(data) == 0 {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(data))
}

// tips are those among some refs: of the users' branches and of tags, and HEAD, sorted, each once;
// or those of the remotes' branches.
func (of histories) tips(repo *gitexec.Repo, refs []gitexec.Ref) (tips []gitexec.OID) {
	if of.head && repo.Head.ID != "" {
		tips = append(tips, repo.Head.ID)
	}
	for _, ref := range refs {
		theirs := slices.ContainsFunc(of.refs, func(below string) bool { return strings.HasPrefix(ref.Name, below) })
		if _, tracked := shadow.Tracked(ref.Name); theirs && !tracked && !strings.HasPrefix(ref.Name, shadow.Prefix) {
			tips = append(tips, ref.ID)
		}
	}
	slices.Sort(tips)
	return slices.Compact(tips)
}

// updateLinks adds the links of the commits that came into a history, and removes those of the
// commits that are in none any more.
func (s caches) updateLinks(ctx context.Context, x *index.Index, tips []gitexec.OID) error {
	defer s.announce("the commits that link checkpoints")()
	before := s.tipsOf(x)
	if len(before) == 0 {
		// Nothing is known, or the history was cut off elsewhere: the keys may be of commits that
		// are gone.
		x.Clear()
	}
	if known, err := s.db.Info(before...); err != nil {
		return err
	} else if slices.ContainsFunc(known, func(o gitexec.Object) bool { return o.Type == "" }) {
		x.Clear() // what it had links of cannot be found any more
		before = nil
	}
	// git looks for the key in the whole message; EachTrailer then reads which of them are
	// trailers.
	text := message.LinkKey + ": "
	added, err := gitexec.Outgoing{Tips: tips, Has: before}.Containing(ctx, s.repo, text, time.Time{})
	if err != nil {
		return err
	}
	var removed []gitexec.OID
	if len(before) > 0 {
		// A rebase or a deleted branch takes commits out of all histories: their links are no links
		// any more.
		if removed, err = (gitexec.Outgoing{Tips: before, Has: tips}).Containing(ctx, s.repo, text, time.Time{}); err != nil {
			return err
		}
	}
	err = checkpoints.EachTrailer(s.db, removed, func(commit gitexec.OID, link string) { x.Delete(link + " " + string(commit)) })
	if err != nil {
		return err
	}
	count, done := progress(s.env, "indexing the commits that link checkpoints"), 0
	return checkpoints.EachTrailer(s.db, added, func(commit gitexec.OID, link string) {
		done++
		count(done, 0)
		x.Put(link+" "+string(commit), nil)
	})
}

// Linking lists the commits on branches and tags that link any of the checkpoints, newest first.
func (r *Reader) Linking(ctx context.Context, ids ...string) ([]gitexec.Commit, error) {
	by, err := r.LinkingEach(ctx, ids)
	if err != nil {
		return nil, err
	}
	var all []gitexec.Commit
	for _, id := range ids {
		for _, c := range by[id] {
			if !slices.ContainsFunc(all, func(known gitexec.Commit) bool { return known.ID == c.ID }) {
				all = append(all, c)
			}
		}
	}
	slices.SortStableFunc(all, newestFirst)
	return all, nil
}

func newestFirst(a, b gitexec.Commit) int { return b.When.Compare(a.When) }

// LinkingEach lists the commits on branches and tags that link each of the checkpoints, newest
// first: those with a trailer, and those with a side link. Of a checkpoint that none of them links,
// it lists those on remote-tracking branches that have a trailer.
func (r *Reader) LinkingEach(ctx context.Context, ids []string) (map[string][]gitexec.Commit, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	by := map[string][]gitexec.Commit{}
	if err := addTrailers(ctx, r, by, here, ids); err != nil {
		return nil, err
	}
	beside, links, err := sideLinking(ctx, r, ids)
	if err != nil {
		return nil, err
	}
	wanted := sets.Of(ids)
	for _, c := range beside {
		for _, id := range sets.Once(links[c.ID]) {
			// One that links it in its message, too, is listed already.
			if wanted[id] && !r.inMessages.has(c, id) {
				by[id] = append(by[id], c)
			}
		}
	}
	without := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return len(by[id]) > 0 })
	if err := addTrailers(ctx, r, by, fetched, without); err != nil {
		return nil, err
	}
	for _, some := range by {
		slices.SortStableFunc(some, newestFirst)
	}
	return by, nil
}

// addTrailers adds the commits in histories whose messages link each of the checkpoints.
func addTrailers(ctx context.Context, r *Reader, by map[string][]gitexec.Commit, of histories, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	// The index has commits that existed when it was made. Readable passes over those that git has
	// pruned since.
	names, err := caches{r.Repo, r.DB, r.Env}.trailersOf(ctx, of, ids...)
	if err != nil {
		return err
	}
	commits, err := r.DB.Readable(names...)
	wanted := sets.Of(ids)
	for _, c := range commits {
		// A commit that links several of them is listed with each.
		for _, id := range sets.Once(message.Links(c.Message)) {
			if wanted[id] {
				by[id] = append(by[id], c)
			}
		}
	}
	return err
}

// messageLinks are the links in the messages of commits, as far as asked for.
type messageLinks map[gitexec.OID]map[string]bool

// has reports whether a commit's message links a checkpoint. A message is read once: it may have
// thousands of links, and is asked about each.
func (m *messageLinks) has(c gitexec.Commit, id string) bool {
	ids, known := (*m)[c.ID]
	if !known {
		if *m == nil {
			*m = messageLinks{}
		}
		ids = sets.Of(message.Links(c.Message))
		(*m)[c.ID] = ids
	}
	return ids[id]
}

// sideLinking lists the commits on branches and tags that have a side link to any of the
// checkpoints, with the checkpoints that each links. One process, if there are any.
func sideLinking(ctx context.Context, r *Reader, ids []string) ([]gitexec.Commit, map[gitexec.OID][]string, error) {
	linked, err := r.Branch.SideLinked(r.DB, ids...)
	if err != nil || len(linked) == 0 {
		return nil, nil, err
	}
	all := slices.Sorted(maps.Keys(linked))
	there, err := commitsHere(r.DB, all)
	if err != nil || len(there) == 0 {
		return nil, nil, err
	}
	// Links beside commits stay when these are amended or rebased: those that no branch has any
	// more don't count.
	if there, err = r.Repo.Reachable(ctx, there); err != nil {
		return nil, nil, err
	}
	commits, err := r.DB.Commits(there...)
	return commits, linked, err
}
