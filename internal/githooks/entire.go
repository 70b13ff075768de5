package githooks

import (
	"errors"
	"fmt"
	"os"
	"path"
	"regexp"
	"strings"
	"sync"
)

// takenSuffix is what a hook of the entire CLI is named while ours stands in its place. Unlike a
// kept hook it doesn't run: both programs would record the same commit.
const takenSuffix = ".by-entire"

// ErrEntire says that hooks of the entire CLI are installed, and that nobody asked to take them
// over.
var ErrEntire = errors.New("hooks of the entire CLI are installed")

// entireMarker is in each hook that the entire CLI writes (seen in 0.3 and 0.4).
const entireMarker = "# Entire CLI hooks"

// OfEntire reports whether a hook's text is what the entire CLI writes and nothing else: a user's
// own line in it has to go on running.
func OfEntire(body string) bool {
	marked := false
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		switch {
		case line == entireMarker:
			marked = true
		case line == "", strings.HasPrefix(line, "#"), line == "fi":
		case marked && entireLine().MatchString(line):
		default:
			return false
		}
	}
	return marked
}

// entireLine matches the lines of such a hook: the call, and how it runs the hook that was there
// before. It is compiled when it is needed, which no hook does.
var entireLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^entire hooks git [a-z-]+( "\$[1-3@]")*( 2>/dev/null)?( \|\| (true|exit 1))?$|` +
		`^_entire_hook_dir="\$\(dirname "\$0"\)"$|^if \[ -x "\$_entire_hook_dir/[a-z-]+\.pre-entire" \]; then$|` +
		`^"\$_entire_hook_dir/[a-z-]+\.pre-entire" "\$@"$`)
})

// Beside returns the hooks of the entire CLI, which TakeOver puts aside, and those that call it
// among other things, which are for the user to change: their Line is the one that calls it.
func Beside(dir string) (theirs, mixed []Hook, err error) {
	hooks, err := inspectAll(dir, "")
	if err != nil {
		return nil, nil, err
	}
	for _, h := range hooks {
		kept, err := look(h.Kept)
		if err != nil {
			return nil, nil, err
		}
		if h.State == Entire || OfEntire(kept.body) && h.State.Calls() {
			theirs = append(theirs, h)
			continue
		}
		calls, err := callsOfEntire(h)
		if err != nil {
			return nil, nil, err
		}
		mixed = append(mixed, calls...)
	}
	return theirs, mixed, nil
}

// callsOfEntire are the files of a hook that call the entire CLI.
func callsOfEntire(h Hook) (calls []Hook, err error) {
	for _, file := range []string{h.Path, h.File, h.Kept} {
		if file == "" {
			continue
		}
		now, err := look(file)
		if err != nil {
			return nil, err
		}
		if line, ok := lineCalling(now.body, "entire", func([]string) bool { return true }); ok {
			h.Path, h.Line = file, line
			calls = append(calls, h)
		}
	}
	return calls, nil
}

// TakeOver puts the entire CLI's hooks aside, so that Install finds their places empty. What that
// program had kept aside is chained behind ours. It returns the hooks' names. Remove gives the
// hooks back.
func TakeOver(dir string) (taken []string, err error) {
	theirs, _, err := Beside(dir)
	if err != nil {
		return nil, err
	}
	for _, h := range theirs { // nothing is changed if one can't be
		if err := takeable(h); err != nil {
			return nil, err
		}
	}
	for _, h := range theirs {
		from := h.Path
		if h.State != Entire { // ours stands there already, and runs theirs first
			from = h.Kept
		} else if err := removeOwn(h); err != nil {
			return taken, err
		}
		if err := os.Rename(from, h.Path+takenSuffix); err != nil {
			return taken, hinted("put the entire CLI's hook aside", err)
		}
		taken = append(taken, h.Name)
	}
	return taken, nil
}

// takeable says why one of the entire CLI's hooks cannot be put aside.
func takeable(h Hook) error {
	kept, err := look(h.Kept)
	if err != nil {
		return err
	}
	if namedBySelf(kept.body) {
		return fmt.Errorf("take over the %s hook: %s is a hook manager's, which finds its work by the hook's name\n"+
			"hint: rename it to %s, then try again", h.Name, h.Kept, h.Path)
	}
	aside, err := look(h.Path + takenSuffix)
	if err != nil {
		return err
	}
	if aside.there && !OfEntire(aside.body) {
		return fmt.Errorf("take over the %s hook: %w: %s is not the entire CLI's\nhint: rename it, then try again",
			h.Name, ErrConflict, h.Path+takenSuffix)
	}
	return nil
}

// removeOwn removes a stub of ours that the entire CLI has put aside to run it after its own hook.
func removeOwn(h Hook) error {
	if ours, err := keepsOwn(h); err != nil || !ours {
		return err
	}
	return hinted("remove our hook", os.Remove(h.Kept))
}

func keepsOwn(h Hook) (bool, error) {
	kept, err := look(h.Kept)
	return isStub(h.Name, kept), err
}

// giveBack gives a hook that was taken over its name back, once ours is out of its place. It
// reports whether there was one. Where another hook has been kept since, which theirs wouldn't run,
// that one has the place.
func giveBack(h Hook) (bool, error) {
	aside := h.Path + takenSuffix
	there, err := look(aside)
	if err != nil || !OfEntire(there.body) || !there.mode.IsRegular() || h.Kept != "" && !strings.Contains(there.body, path.Base(h.Kept)) {
		return false, err
	}
	if err := os.Rename(aside, h.Path); err != nil {
		return false, hinted("give the entire CLI's hook its name back", err)
	}
	return true, nil
}

// removeBeside removes what is ours where the entire CLI has installed its hook again: our stub,
// which its hook runs, and the older hook that was taken over.
func removeBeside(h Hook) (Change, error) {
	c := Change{Name: h.Name, Path: h.Path, Before: h.State, Kept: h.Kept, Action: Unchanged}
	ours, err := keepsOwn(h)
	if err != nil {
		return c, err
	}
	if ours {
		c.Action = Removed
		if err := removeOwn(h); err != nil {
			return c, err
		}
	}
	aside, err := look(h.Path + takenSuffix)
	if err == nil && OfEntire(aside.body) && h.runBy(h.Path+takenSuffix) == "" {
		err = os.Remove(h.Path + takenSuffix)
	}
	return c, err
}
