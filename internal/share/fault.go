package share

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"

	"entire-plumb/gitexec"
)

// Fault is why a target did not take the checkpoints.
type Fault string

// The faults.
const (
	Slow         Fault = "timeout"        // it did not answer in time, or the time was too short for what was to be done here
	Unauthorized Fault = "authentication" // it wants credentials that nothing answers
	Refused      Fault = "refused"        // a rule of its own declines the branch
	NoRepository Fault = "no_repository"  // there is none at that address
	Unreachable  Fault = "unreachable"
	Otherwise    Fault = "other"
)

// TargetError is an error that counts as one of the target, and not of this clone.
type TargetError struct {
	Fault Fault
	Err   error
}

func (e *TargetError) Error() string { return e.Err.Error() }

// Unwrap is git's error.
func (e *TargetError) Unwrap() error { return e.Err }

// ofTarget says what kind of error a command that talks to the target has failed with; nil for
// none.
func ofTarget(err error) error {
	if err == nil {
		return nil
	}
	// Git was ended as its time was over: what it had said by then is no reason.
	if errors.As(err, new(*gitexec.NoAnswerError)) {
		return &TargetError{Slow, err}
	}
	if said, ok := errors.AsType[*gitexec.Error](err); ok {
		fault, _ := faultIn(said.Stderr)
		return &TargetError{fault, err}
	}
	return err
}

// signs are what git, ssh and servers say of a fault. The first that is found counts. All of it is
// English: git's commands run with LC_ALL=C.
var signs = []struct {
	fault Fault
	said  []string
}{
	{Unauthorized, []string{"could not read Username", "could not read Password", "Authentication failed", "terminal prompts disabled",
		"Permission denied (", "Host key verification failed", "Too many authentication failures", "returned error: 401", "returned error: 403", "Access denied"}},
	{NoRepository, []string{"does not appear to be a git repository", "Repository not found", "repository not found", "returned error: 404",
		"' not found"}},
	{Unreachable, []string{"Could not resolve host", "Connection refused", "Connection timed out", "Failed to connect", "Couldn't connect",
		"Could not connect", "Network is unreachable", "No route to host", "unable to look up", "returned error: 5", "Connection reset",
		"Connection closed by"}},
}

// faultIn finds the fault in what a command said, and the line that says it: ssh's come before a
// fatal one of git's that says less. No line: it is another fault.
func faultIn(said string) (fault Fault, line string) {
	for _, s := range signs {
		for line := range strings.Lines(said) {
			if slices.ContainsFunc(s.said, func(sign string) bool { return strings.Contains(line, sign) }) {
				return s.fault, line
			}
		}
	}
	return Otherwise, ""
}

// refusal is the error of a ref that the target does not take: mostly by a rule, which the next try
// would meet again.
func refusal(p gitexec.Pushed, text string) error {
	fault := Refused
	// These are no rules, but what the server lacked this time.
	for _, sign := range []string{"unpacker error", "unpack failed", "missing necessary objects", "internal", "timed out", "timeout", "quota", "no space"} {
		if strings.Contains(strings.ToLower(p.Why), sign) {
			fault = Otherwise
		}
	}
	return &TargetError{fault, errors.New(text + p.Why)}
}

var passwordInURL = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`://[^/\s]*@`) })

// withoutPasswords is a line of git's without what may be a password in an address.
func withoutPasswords(line string) string { return passwordInURL().ReplaceAllString(line, "://") }

// Hints are what the user can do about a fault, for which git had some words.
func (f Fault) Hints(words string) []string {
	switch {
	case f == Refused:
		return []string{"git config entire-plumb.pushSessions false keeps them on this machine",
			"git config entire-plumb.checkpointRemote ADDRESS takes them to a repository of their own",
			"where the server's rules come to allow entire/checkpoints/v1, entire-plumb sync pushes them"}
	// Beside a push ssh asks nothing, and so refuses a host that it does not know.
	case f == Unauthorized && strings.Contains(words, "Host key"):
		return []string{"entire-plumb sync asks whether it is the right host"}
	case f == Unauthorized && (strings.Contains(words, "Permission denied (") || strings.Contains(words, "Too many")):
		return []string{"ssh-add hands your key to the agent for pushes to come; entire-plumb sync asks for it"}
	case f == Unauthorized:
		return []string{"git config credential.helper cache has your password count for them at pushes to come; entire-plumb sync asks for it"}
	case f == Slow:
		return []string{"entire-plumb sync pushes them, however long that takes"}
	}
	return []string{"entire-plumb sync tries at once"}
}
