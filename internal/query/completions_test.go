package query

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/index"
	"entire-plumb/internal/session"
)

func names(all []Completion) string {
	var texts []string
	for _, c := range all {
		texts = append(texts, c.Name+": "+c.About)
	}
	return strings.Join(texts, "\n")
}

// TestCompletions: names of each kind, the latest first, by what is there now, and without a write.
func TestCompletions(t *testing.T) {
	r := newRepository(t)
	r.checkpoints([]checkpoints.SessionMetadata{part("aaaaaaaaaaaa", "s1", 50, "f")}, []checkpoints.SessionMetadata{part("bbbbbbbbbbbb", "s2", 90, "g")})
	last := time.Unix(95, 0).UTC()
	r.state(&session.State{SessionID: "s3", FirstPrompt: "First", LastInteractionTime: &last})
	for _, name := range []string{"refs/heads/feature", "refs/tags/v1", "refs/remotes/origin/main", "refs/remotes/origin/HEAD", "refs/remotes/origin/entire/checkpoints/v1",
		"refs/heads/entire/0123456-1", "refs/remotes/origin/team/entire/x"} {
		r.Git("update-ref", name, "HEAD")
	}
	for kind, c := range map[string]struct {
		of   Nameable
		want string
	}{
		"nothing":     {Nameable{}, ""},
		"commits":     {Nameable{Commits: true}, "HEAD: the current commit\nfeature: branch\nmain: branch\nv1: tag\norigin/main: remote branch\norigin/team/entire/x: remote branch"},
		"checkpoints": {Nameable{Checkpoints: true}, "bbbbbbbbbbbb: Do s2\naaaaaaaaaaaa: Do s1"},
		"sessions":    {Nameable{Sessions: true}, "s3: First\ns2: Do s2\ns1: Do s1"},
	} {
		if got := names(r.source.Completions(t.Context(), c.of)); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", kind, got, c.want)
		}
	}
	home := index.Home(r.Reader.Repo.CommonDir, r.Reader.Repo.SharedDir())
	if _, err := os.Stat(filepath.Join(home, "checkpoints")); err == nil {
		t.Error("an index was written")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if got := r.source.Completions(ended, Nameable{Commits: true, Sessions: true}); len(got) != 0 {
		t.Errorf("%v, after the time was over", got)
	}
	outside := r.source
	outside.Dir = t.TempDir()
	if got := outside.Completions(t.Context(), Nameable{Commits: true, Points: true}); len(got) != 0 {
		t.Errorf("%v, outside of a repository", got)
	}
}

// TestOutdatedCompletions: where the index can't be brought up to date in time, it is used as it is.
func TestOutdatedCompletions(t *testing.T) {
	r := newRepository(t)
	r.checkpoints([]checkpoints.SessionMetadata{part("aaaaaaaaaaaa", "s1", 50, "f")})
	if c := outdated(r.Reader); len(checkpointNames(c)) != 0 {
		t.Error("there is no index yet")
	}
	_, err := r.source.Checkpoints(t.Context(), Search{}, 0)
	r.Must(err)
	c := outdated(r.Reader)
	defer c.close()
	if got := names(slices.Concat(checkpointNames(c), sessionNames(r.Reader, c))); got != "aaaaaaaaaaaa: Do s1\ns1: Do s1" {
		t.Error(got)
	}
}
