package gitexec

import (
	"bufio"
	"bytes"
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

	"entire-plumb/internal/safefile"
)

// What the user's configuration says to this program is asked of the rev-parse that discovery runs
// anyway: git's trace lists the values of the keys that GIT_TRACE2_CONFIG_PARAMS names (api-trace2,
// "def_param"), those of included files and of the environment among them. Another process for it
// would cost each hook as much as discovery does. What git hasn't read yet when it traces, a
// worktree's own file and what is included for a branch, is looked for, and where there is any of
// it git is asked.

// Section is the part of git's configuration that is this program's.
const Section = "entire-plumb"

// forBranch begins the keys of what is included for a branch.
const forBranch = "includeif.onbranch:"

// traced is the environment with which a git command lists the section's values on the descriptor
// 3.
var traced = []string{"GIT_TRACE2_EVENT=3", "GIT_TRACE2_EVENT_NESTING=1", "GIT_TRACE2_CONFIG_PARAMS=" + Section + ".*," + forBranch + "*"}

// mostTraced is how many bytes of the trace are read: the values of a few keys, and some lines
// about the process.
const mostTraced = 1 << 20

// outputTraced is output of a command that tells the section's values as well; nil where it
// doesn't.
func (r *runner) outputTraced(ctx context.Context, c command) (out []byte, own map[string][]string, err error) {
	read, write, err := os.Pipe()
	if err != nil || runtime.GOOS == "windows" { // which passes no descriptors on
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
	// Before 2.49 git crashes while it traces a key that has no value at all.
	var fault *Error
	if errors.As(err, &fault) && fault.Code < 0 && ctx.Err() == nil {
		out, err = r.output(ctx, c)
		return out, nil, err
	}
	return out, own, err
}

// readTrace reads the values from a trace. They are nil if there was none, or not all of it can be
// read.
func readTrace(in io.Reader) map[string][]string {
	defer io.Copy(io.Discard, in) // else git would be stopped in the middle of a line
	lines := bufio.NewScanner(io.LimitReader(in, mostTraced))
	lines.Buffer(nil, mostTraced)
	values := map[string][]string{}
	ended := false
	for lines.Scan() {
		var e struct{ Event, Param, Value string }
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			return nil
		}
		switch e.Event {
		case "def_param":
			name := strings.ToLower(e.Param)
			if strings.HasPrefix(name, forBranch) {
				return nil
			}
			values[name] = append(values[name], e.Value)
		case "exit":
			ended = true
		}
	}
	if !ended || lines.Err() != nil {
		return nil
	}
	return values
}

// worktreeConfig reports whether the worktree's own configuration file may say something in the
// section, or include what does.
func (r *Repo) worktreeConfig() bool {
	text, err := safefile.Read(filepath.Join(r.GitDir, "config.worktree"), mostTraced)
	text = bytes.ToLower(text)
	return !errors.Is(err, fs.ErrNotExist) && (err != nil || bytes.Contains(text, []byte(Section)) || bytes.Contains(text, []byte("include")))
}

// Own gives the values of this program's own section of git's configuration, by names in lower case
// with the section before them, in git's order: of a name that can have one value, the last one
// counts. It starts a process only where discovery couldn't tell.
func (r *Repo) Own(ctx context.Context) (map[string][]string, error) {
	if r.own != nil {
		return r.own, nil
	}
	out, err := r.output(ctx, command{accept: 1, args: []string{"config", "-z", "--get-regexp", "^" + Section + `\.`}})
	if err != nil {
		return nil, err
	}
	own := map[string][]string{}
	for record := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if record == "" {
			continue
		}
		name, value, ok := strings.Cut(record, "\n")
		if !ok {
			value = "true" // a name alone
		}
		name = strings.ToLower(name)
		own[name] = append(own[name], value)
	}
	r.own = own
	return own, nil
}
