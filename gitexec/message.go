package gitexec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
)

// InterpretTrailers adds a trailer, "key: value", to a commit message by git interpret-trailers,
// regardless of the user's trailer.* configuration.
func (r *Repo) InterpretTrailers(ctx context.Context, message []byte, trailer string) ([]byte, error) {
	// A message may have a line "---", which begins a patch in a mail: the trailer would come
	// before it.
	return r.output(ctx, command{
		args: []string{"interpret-trailers", "--no-divider", "--where=end", "--if-exists=addIfDifferent", "--if-missing=add", "--trailer",
			trailer},
		stdin: bytes.NewReader(message),
	})
}

// User is the user's identity, as git would write it into a commit now. One process.
func (r *Repo) User(ctx context.Context) (name, email string, err error) {
	// Not the repository's usual environment, which leaves out who the user says that they are.
	asking := runner{dir: r.dir, env: r.identEnv(), shown: r.shown, tracer: r.tracer}
	out, err := asking.output(ctx, command{args: []string{"var", "GIT_COMMITTER_IDENT"}})
	if err != nil {
		return "", "", err
	}
	name, rest, ok := strings.Cut(string(out), " <")
	email, _, ok2 := strings.Cut(rest, ">")
	if !ok || !ok2 {
		return "", "", fmt.Errorf("git var GIT_COMMITTER_IDENT answered %q", out)
	}
	return name, email, nil
}

// CheckVersion returns git's version, and OldGitError if it is too old. It is called after a
// failure and by commands, not by hooks.
func CheckVersion(ctx context.Context, tracer *Tracer) (string, error) {
	run := runner{dir: ".", env: discoveryEnv(), tracer: tracer}
	out, err := run.output(ctx, command{args: []string{"version"}})
	if errors.Is(err, ErrNoGit) {
		return "", fmt.Errorf("%w\nhint: install git 2.38 or newer", ErrNoGit)
	}
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(strings.TrimPrefix(string(out), "git version "))
	var major, minor int
	if n, _ := fmt.Sscanf(text, "%d.%d", &major, &minor); n == 2 && (major < 2 || major == 2 && minor < oldest) {
		return text, &OldGitError{text}
	}
	return text, nil
}
