package gitexec

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"entire-plumb/internal/safefile"
)

// This program's configuration is read from the trace of discovery's rev-parse: it lists the values
// of the keys that GIT_TRACE2_CONFIG_PARAMS names (api-trace2, "def_param"), including those of
// included files and of the environment. A separate process would cost each hook as much as
// discovery does. The trace lacks a worktree's own file and includes for a branch. If there are
// any, a separate git config reads the values.

// Section is this program's section of git's configuration.
const Section = "entire-plumb"

// forBranch is the prefix of the keys that include a file for a branch.
const forBranch = "includeif.onbranch:"

// sharing says whether other users work in the repository, too.
const sharing = "core.sharedrepository"

// signing says whether the user's git signs commits.
const signing = "commit.gpgsign"

// keys are what is read with the section: how git makes files and commits, reads messages, and
// talks to remotes.
var keys = []string{sharing, signing, "core.commentchar", "core.commentstring", "commit.cleanup", "core.sshcommand", "core.askpass"}

// promises are the keys that make it a partial clone.
const promises = "remote.*.promisor,extensions.partialclone"

// traced is the environment with which git lists these values on descriptor 3.
var traced = []string{"GIT_TRACE2_EVENT=3", "GIT_TRACE2_EVENT_NESTING=1",
	"GIT_TRACE2_CONFIG_PARAMS=" + Section + ".*," + strings.Join(keys, ",") + "," + promises + "," + forBranch + "*"}

// mostTraced limits the trace, in bytes: the values of a few keys, and some lines about the
// process.
const mostTraced = 1 << 20

// outputTraced runs a command, and also returns the section's values; nil if they are incomplete.
func (r *runner) outputTraced(ctx context.Context, c command) (out []byte, own map[string][]string, err error) {
	read, write, err := os.Pipe()
	if err != nil || runtime.GOOS == "windows" { // which cannot inherit descriptors
		out, err = r.output(ctx, c)
		return out, nil, err
	}
	defer read.Close()
	values := make(chan map[string][]string, 1)
	go func() { values <- readTrace(read) }()
	tracing := *r
	tracing.env = append(slices.Clip(r.env), traced...)
	tracedCommand := c
	tracedCommand.trace = write
	out, err = tracing.output(ctx, tracedCommand)
	write.Close()
	own = <-values
	// git before 2.49 crashes when it traces a key without a value.
	if fault, ok := errors.AsType[*Error](err); ok && fault.Code < 0 && ctx.Err() == nil {
		out, err = r.output(ctx, c)
		return out, nil, err
	}
	return out, own, err
}

// readTrace reads the values from a trace. They are nil if it is empty or incomplete.
func readTrace(in io.Reader) map[string][]string {
	defer io.Copy(io.Discard, in) // otherwise git would be killed by SIGPIPE
	lines := bufio.NewScanner(io.LimitReader(in, mostTraced))
	lines.Buffer(nil, mostTraced)
	values := map[string][]string{}
	ended := false
	for lines.Scan() {
		var e struct {
			Event, Param string
			Value        *string // nil: a key without a value, which is true
		}
		if !utf8.Valid(lines.Bytes()) || json.Unmarshal(lines.Bytes(), &e) != nil {
			return nil // git writes bytes as they are, and JSON would replace those that are no UTF-8
		}
		switch e.Event {
		case "def_param":
			name := strings.ToLower(e.Param)
			if strings.HasPrefix(name, forBranch) {
				return nil
			}
			value := "true"
			if e.Value != nil {
				value = *e.Value
			}
			values[name] = append(values[name], value)
		// A trace that was cut off, or whose git was killed, may lack values.
		case "exit":
			ended = true
		}
	}
	if !ended || lines.Err() != nil {
		return nil
	}
	return values
}

// worktreeConfig reports whether the worktree's own configuration file may set a key that the trace
// is for, or include a file that does.
func (r *Repo) worktreeConfig() bool {
	data, err := safefile.Read(filepath.Join(r.GitDir, "config.worktree"), mostTraced)
	// No parser: where one of the words stands anywhere in the file, git is asked.
	text := strings.ToLower(string(data))
	return !errors.Is(err, fs.ErrNotExist) && (err != nil || strings.Contains(text, Section) ||
		strings.Contains(text, "promisor") || strings.Contains(text, "include") ||
		slices.ContainsFunc(keys, func(key string) bool { return strings.Contains(text, lastPart(key)) }))
}

// lastPart is what is behind the last dot of a key, which stands in a file as it is.
func lastPart(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }

// share makes private files as git makes its own. values are of git's configuration.
func (r *Repo) share(values map[string][]string) {
	mode := safefile.Sharing{}
	if all := values[sharing]; len(all) > 0 {
		mode = safefile.ParseSharing(all[len(all)-1])
	}
	safefile.Share(r.CommonDir, mode)
}

// OwnConfig is this program's section of git's configuration, and the keys that are read with it:
// values by full name in lower case, in git's order. It starts a process only if the trace of
// discovery was incomplete.
func (r *Repo) OwnConfig(ctx context.Context) (map[string][]string, error) {
	if r.own != nil {
		return r.own, nil
	}
	pattern := "^(" + Section + `\.|remote\..*\.promisor$|extensions\.partialclone$|(` + strings.Join(keys, "|") + ")$)"
	out, err := r.output(ctx, command{accept: 1, args: []string{"config", "-z", "--get-regexp", pattern}})
	if err != nil {
		return nil, err
	}
	r.own = parseConfig(out, "true") // git has section and key in lower case
	r.share(r.own)
	return r.own, nil
}
