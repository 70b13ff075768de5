package query

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/session"
)

// TestMisnamed: what is said of a name that a command has no use for.
func TestMisnamed(t *testing.T) {
	for _, c := range []struct {
		wanted, is Kind
		want       string
	}{
		{ASession, aTurn, "\"x\" is a turn, and not a session\nhint: entire-plumb show x"},
		{ASession, ACommit, "\"x\" is a commit, and not a session\nhint: entire-plumb show x"},
		{ACommit, ASession, "\"x\" is a session, and not a commit\nhint: entire-plumb sessions show x"},
		{ADirectory, onAStream, "\"x\" is a checkpoint on a stream, and not a directory\nhint: entire-plumb show x"},
		{AnyKind, aRange, "\"x\" is a range of commits, and not a commit, checkpoint, session or turn\nhint: entire-plumb log x lists its commits"},
		{AnyKind, aFile, "\"x\" is a file, and not a commit, checkpoint, session or turn\nhint: paths come after --; entire-plumb blame x shows its authors"},
		{ASession, ASession, "session x has no state on this machine, and so nothing uncommitted\nhint: entire-plumb show x"},
		{ACheckpoint, ACheckpoint, ""},
		{ASession, "", ""},
	} {
		if got := misnamed("x", c.wanted, c.is); got != c.want {
			t.Errorf("%s for %s: %q, not %q", c.is, c.wanted, got, c.want)
		}
	}
}

// misnaming is a repository with something of each kind.
func misnaming(t *testing.T) (r *repository, stream string) {
	r = newRepository(t)
	r.Commit("Second\n\nEntire-Checkpoint: aaaaaaaaaaaa", "f", "2")
	r.open()
	on := r.stream(1, "s2", "a", "b")
	r.state(&session.State{SessionID: "s2"})
	r.checkpoints([]checkpoints.SessionMetadata{part("aaaaaaaaaaaa", "s1", 5, "f")})
	return r, string(on[1])
}

// TestKindOf: a name of each kind, by prefix where it has digits.
func TestKindOf(t *testing.T) {
	r, stream := misnaming(t)
	r.Must(os.WriteFile(filepath.Join(r.Dir, "plain"), nil, 0o600))
	r.Must(os.Mkdir(filepath.Join(r.Dir, "dir"), 0o700))
	for name, want := range map[string]Kind{
		"HEAD": ACommit, "main": ACommit, "aaaaaaaaaaaa": ACheckpoint, "aaaa": ACheckpoint, "s1": ASession, "s2": ASession,
		"000000000005": aTurn, "01bb": aTurn, stream: onAStream, stream[:7]: onAStream, "HEAD~1..HEAD": aRange, "aaaa..HEAD": aRange,
		"plain": aFile, "./plain": aFile, "dir": ADirectory, "nothing": "", "nothing..HEAD": "", "-x": "", "": "",
	} {
		if got, err := r.kindOf(t.Context(), name); got != want && !(name == "" && got == ADirectory) || err != nil {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
}

// TestExplainNames: an error about a name says what it is; others stay as they are.
func TestExplainNames(t *testing.T) {
	r, _ := misnaming(t)
	other, nothing := errors.New("other"), &MisnamedError{"nothing", ASession, errors.New("no such session")}
	for _, err := range []error{nil, other, nothing, fmt.Errorf("within: %w", nothing), &NotFoundError{Name: "HEAD", Purged: "2026-01-02"}} {
		if got := r.source.Explain(t.Context(), err); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{&MisnamedError{"aaaa", ASession, other}, `"aaaa" is a checkpoint, and not a session`},
		{errors.Join(other, &MisnamedError{"HEAD", ASession, other}), `"HEAD" is a commit, and not a session`},
		{&MisnamedError{"s", ACommit, other}, `"s" is the beginning of several: session s1, session s2`},
		{&NotFoundError{Name: "HEAD~1..HEAD"}, `"HEAD~1..HEAD" is a range of commits`},
	} {
		if got := r.source.Explain(t.Context(), c.err); c.want != "" && !strings.HasPrefix(got.Error(), c.want) {
			t.Errorf("%v: %v", c.err, got)
		}
	}
}

// TestRevision: the one commit of a name.
func TestRevision(t *testing.T) {
	r, stream := misnaming(t)
	head := string(r.Reader.Repo.Head.ID)
	for name, want := range map[string]string{
		"HEAD": head, "aaaa": head, "s1": head, "000000000005": head, "s2": stream, "01bb": stream, stream[:8]: stream, "nothing": "", "HEAD~1..HEAD": "",
	} {
		got, err := r.Revision(t.Context(), name)
		if string(got) != want || (err != nil) != (want == "") || err != nil && !errors.As(err, new(*MisnamedError)) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	if base, err := r.Base(t.Context(), stream); string(base) != head || err != nil {
		t.Errorf("the stream's base: %s, %v", base, err)
	}
}
