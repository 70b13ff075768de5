package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/message"
)

// trailersNow are the commits that link a checkpoint, as git finds them.
func (r *repository) trailersNow(id string) (all []gitexec.OID) {
	r.Helper()
	for line := range strings.Lines(r.Git("rev-list", "HEAD", "--exclude=entire/*", "--branches", "--tags")) {
		commit := gitexec.OID(strings.TrimSpace(line))
		if slices.Contains(message.Links([]byte(r.Git("log", "-1", "--format=%B", string(commit)))), id) {
			all = append(all, commit)
		}
	}
	slices.Sort(all)
	return all
}

func (r *repository) checkTrailers(after string) {
	r.Helper()
	r.open()
	for _, id := range []string{"aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc", "dddddddddddd"} {
		got, err := caches{r.Reader.Repo, r.Reader.DB, r.Reader.Env}.trailersOf(r.Context(), here, id)
		if want := r.trailersNow(id); err != nil || !slices.Equal(got, want) {
			r.Errorf("after %s, %s: %q, want %q, %v", after, id, got, want, err)
		}
	}
}

// The index of links follows the branches and tags, whatever moves or deletes them.
func TestTrailersFollowBranches(t *testing.T) {
	r := newRepository(t)
	n := 0
	linked := func(ids ...string) gitexec.OID {
		n++
		text := fmt.Sprintf("Change %d\n\n", n)
		for _, id := range ids {
			text += message.LinkKey + ": " + id + "\n"
		}
		return r.Commit(text, "f", fmt.Sprintf("change %d", n))
	}
	linked("aaaaaaaaaaaa")
	both := linked("aaaaaaaaaaaa", "bbbbbbbbbbbb")
	r.checkTrailers("the first commits")
	r.Git("checkout", "-qb", "side")
	linked("cccccccccccc")
	r.Commit("Entire-Checkpoint: dddddddddddd is no trailer here\n\nText\n", "f", "x")
	r.checkTrailers("a commit on another branch")
	r.Git("checkout", "-q", "main")
	r.Git("branch", "-qD", "side")
	r.checkTrailers("the branch is deleted")
	r.Git("reset", "-q", "--hard", "HEAD~1")
	r.checkTrailers("a reset")
	r.Git("tag", "-a", "-m", "kept", "kept", string(both))
	r.checkTrailers("a tag")
	r.Git("branch", "entire/own", string(both))
	r.Git("tag", "-d", "kept")
	r.checkTrailers("a branch of ours alone has it")
	r.Git("branch", "-D", "entire/own")
	r.Git("reflog", "expire", "--expire=now", "--all")
	r.Git("gc", "-q", "--prune=now")
	r.Git("commit", "-q", "--amend", "-m", "Amended\n\n"+message.LinkKey+": dddddddddddd")
	r.Git("reflog", "expire", "--expire=now", "--all")
	r.Git("gc", "-q", "--prune=now")
	r.checkTrailers("the commits before are gone")
}

// Each checkpoint has its own commits, the newest first, those with side links among them.
func TestLinkingEach(t *testing.T) {
	r := newRepository(t)
	first := r.Commit("One\n\nEntire-Checkpoint: aaaaaaaaaaaa\nEntire-Checkpoint: bbbbbbbbbbbb", "f", "1.1")
	second := r.Commit("Two\n\nEntire-Checkpoint: aaaaaaaaaaaa", "f", "2")
	r.open()
	by, err := r.LinkingEach(t.Context(), []string{"aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc"})
	r.Must(err)
	names := func(id string) (all []gitexec.OID) {
		for _, c := range by[id] {
			all = append(all, c.ID)
		}
		return all
	}
	if got := names("aaaaaaaaaaaa"); len(got) != 2 || !slices.Contains(got, first) || !slices.Contains(got, second) {
		t.Errorf("two commits: %q", got)
	}
	if got := names("bbbbbbbbbbbb"); !slices.Equal(got, []gitexec.OID{first}) {
		t.Errorf("one commit: %q", got)
	}
	if got := names("cccccccccccc"); len(got) > 0 {
		t.Errorf("none: %q", got)
	}
	if by, err := r.LinkingEach(t.Context(), nil); len(by) > 0 || err != nil {
		t.Errorf("no checkpoints: %v, %v", by, err)
	}
}

// The commits that changed a path are those that git lists, however the branch has moved.
func TestChangers(t *testing.T) {
	r := newRepository(t)
	check := func(path string) {
		t.Helper()
		tip := r.Git("rev-parse", "HEAD")
		var want []gitexec.OID
		for line := range strings.FieldsSeq(r.Git("rev-list", "--no-merges", "HEAD", "--", ":(literal)"+path)) {
			want = append(want, gitexec.OID(line))
		}
		r.open()
		got, err := (&changers{caches: caches{r.Reader.Repo, r.Reader.DB, r.Reader.Env}}).of(t.Context(), gitexec.OID(tip), gitexec.Path(path))
		slices.Sort(want)
		if !slices.Equal(got, want) || err != nil {
			t.Errorf("%s: %q, want %q, %v", path, got, want, err)
		}
	}
	r.Commit("One", "ab/cd/0/metadata.json", "1")
	check("ab/cd")
	check("ab/cd/0")
	check("ab/c")
	r.Commit("Two", "ab/cd/1/metadata.json", "1")
	r.Commit("Three", "ab/ce/0/metadata.json", "1")
	check("ab/cd")
	check("ab/cd/0")
	check("ab")
	r.Git("checkout", "-q", "-b", "side", "HEAD~1")
	r.Commit("Four", "ab/cf/0/metadata.json", "1")
	r.Git("merge", "-q", "--no-edit", "main")
	check("ab/cf")
	check("ab/ce")
}
