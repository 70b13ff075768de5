package cli

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"entire-plumb/internal/amount"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/safefile"
)

// mostReplayed is how many runs of hooks a bundle has.
const mostReplayed = 500

// writeBundle writes a report of a bug: versions, the state of the hooks, what is wrong, and what
// hooks did lately, as a script that `replay` runs. It has no contents, names, prompts or messages:
// sessions and files are numbered.
func writeBundle(c *cli.Context, d *diagnosis, file string) error {
	r, err := gatherStatus(c)
	if err != nil {
		r = &statusReport{} // what stops it is among the problems
	}
	repo, err := discover(c)
	if err != nil {
		return err
	}
	entries, err := journal.Read(repo.SharedDir())
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# A report of entire-plumb doctor: entire-plumb %s, git %s, %s/%s.\n", d.Version, d.Git, runtime.GOOS, runtime.GOARCH)
	fmt.Fprintf(&b, "# Enabled: %v. Strategy: %s. Objects: %s. Linked worktree: %v.\n", r.Enabled, r.Strategy, repo.Format, repo.WorktreeID() != "")
	k := d.Recorded
	fmt.Fprintf(&b, "# Recorded: %s, %s, %s, %s of private files.\n", amount.Of(k.Checkpoints, "checkpoint"), amount.Of(k.Streams, "stream"),
		amount.Of(k.Sessions, "session"), amount.Bytes(k.Bytes))
	for _, name := range slices.Sorted(maps.Keys(r.GitHooks)) {
		fmt.Fprintf(&b, "# Hook %s: %s.\n", name, r.GitHooks[name])
	}
	for _, h := range k.Hooks {
		fmt.Fprintf(&b, "# Speed of %s: median %d ms, longest %d ms, %s, %s.\n", printable(h.Hook), h.Median, h.Longest, processes(h.Processes), amount.Of(h.Runs, "run"))
	}
	for _, t := range k.Troubles {
		fmt.Fprintf(&b, "# Trouble: %s.\n", t.Kind)
	}
	fmt.Fprintf(&b, "# Problems in all: %d.\n", len(d.Problems))
	replayed{out: &b, sessions: map[string]string{}}.write(entries[max(0, len(entries)-mostReplayed):])
	if err := safefile.WriteNew(file, []byte(b.String()), 0o600); err != nil {
		return fmt.Errorf("%w\nhint: name a file that does not exist yet", ofNamed(file, err))
	}
	fmt.Fprintf(c.App.Writer, "wrote %s: read it before you send it; entire-plumb replay runs it\n", printable(file))
	return nil
}

// replayed writes runs of hooks as a script.
type replayed struct {
	out      *strings.Builder
	sessions map[string]string // their numbers
}

func (s replayed) write(entries []journal.Entry) {
	fmt.Fprintln(s.out, "\nrepo base")
	files, last := 0, time.Time{}
	for _, e := range entries {
		_, event, _ := strings.Cut(e.Hook, " ")
		known := event == "user-prompt-submit" || event == "stop" || e.Hook == "post-commit"
		if at := e.Time.UTC().Truncate(time.Second); known && at.After(last) {
			fmt.Fprintf(s.out, "at %s\n", at.Format(time.RFC3339))
			last = at
		}
		if s.add(e, event, &files) {
			continue
		}
		failed := ""
		if e.Error != "" {
			failed = ", failed"
		}
		fmt.Fprintf(s.out, "# %d ms, %s%s\n", e.Milliseconds, processes(e.Processes), failed)
	}
}

// add writes the run of a hook, unless it changes nothing by itself. files is how many were
// written.
func (s replayed) add(e journal.Entry, event string, files *int) (skipped bool) {
	switch {
	case event == "user-prompt-submit":
		fmt.Fprintf(s.out, "prompt %s 'A prompt'\n", s.number(e.Session))
	case event == "stop":
		if *files++; e.Kind == journal.Checkpoint {
			fmt.Fprintf(s.out, "write file%d 'a line of turn %d by the agent' 'and another line of it'\n", *files, *files)
		}
		fmt.Fprintf(s.out, "answer %s\n", s.number(e.Session))
	case e.Hook == "post-commit":
		*files++
		fmt.Fprintf(s.out, "write human%d 'a line by the human, number %d'\ngit add -A\ngit commit -qm 'A commit'\n", *files, *files)
	case e.Hook == "note" || e.Hook == "prepare-commit-msg":
		return true
	default:
		agent, _, _ := strings.Cut(e.Hook, " ")
		fmt.Fprintf(s.out, "# %s %s\n", hookWord(agent), hookWord(event))
	}
	return false
}

// number is a session's number, such as s2.
func (s replayed) number(id string) string {
	if s.sessions[id] == "" {
		s.sessions[id] = fmt.Sprintf("s%d", len(s.sessions)+1)
	}
	return s.sessions[id]
}

// hookWord is a word of a hook's name, which the caller may have made up.
func hookWord(word string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, word)
}
