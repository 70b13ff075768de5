package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"entire-plumb/internal/agent"
	"entire-plumb/internal/agentsettings"
	"entire-plumb/internal/safefile"
)

// EnableUser installs the agents' hooks in the user's own settings. They do nothing, in silence,
// where recording isn't enabled. It returns its changes, one line each.
func EnableUser(r Request) ([]string, error) {
	var edits []edit
	for _, a := range r.Agents {
		e, err := readUser(a, r.Getenv)
		if err != nil {
			return nil, err
		}
		if e.now, err = agentsettings.Enable(e.old, a, func(verb string) string { return r.command(a, verb, true) }); err != nil {
			return nil, fmt.Errorf("%s: %w", e.user, err)
		}
		edits = append(edits, e)
	}
	return applyAgents("", edits)
}

// DisableUser removes our hooks from the user's own settings of the agents; without names, of all.
// An error in one doesn't prevent the others.
func DisableUser(getenv func(string) string, agents ...agent.Agent) (done []string, err error) {
	for _, a := range only(withHooks(), agents) {
		e, err2 := readUser(a, getenv)
		if err2 == nil && e.old != nil {
			if e.now, err2 = agentsettings.Disable(e.old, a); err2 != nil {
				err2 = fmt.Errorf("%s: %w", e.user, err2)
			}
		}
		if err2 == nil {
			var changed bool
			if changed, err2 = e.apply(""); changed {
				done = append(done, "removed our hooks from "+e.user)
			}
		}
		err = errors.Join(err, err2)
	}
	return done, err
}

// readUser reads the user's own settings of an agent. A symbolic link, as to a directory of
// dotfiles, is the user's own as well: the file behind it is meant.
func readUser(a agent.Agent, getenv func(string) string) (edit, error) {
	e := edit{agent: a, user: a.UserFile(getenv)}
	if e.user == "" {
		return e, fmt.Errorf("the user's settings of %s are not known\nhint: set HOME to your home directory", a.Title)
	}
	if real, err := filepath.EvalSymlinks(e.user); err == nil {
		e.user = real
	} else if info, err2 := os.Lstat(e.user); err2 == nil && info.Mode()&fs.ModeSymlink != 0 {
		return e, err
	}
	var err error
	e.old, err = safefile.ReadOwn(e.user, mostSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return e, nil
	}
	return e, err
}

// userHooks are the events of an agent that call us by the user's own settings, and the others.
// What can't be read has none.
func userHooks(a agent.Agent, file string) (there, missing []agent.Event) {
	if file == "" {
		return nil, a.Events
	}
	data, err := safefile.Read(file, mostSettings)
	if err == nil {
		there, missing, err = agentsettings.Installed(data, a)
	}
	if err != nil {
		return nil, a.Events
	}
	return there, missing
}

// InUserSettings reports whether the user's own settings have all hooks of an agent.
func (r Request) InUserSettings(a agent.Agent) bool {
	_, missing := userHooks(a, a.UserFile(r.Getenv))
	return len(missing) == 0
}

// LacksHooks reports whether an agent that reads the user's own settings alone has no hooks there.
func (r Request) LacksHooks(a agent.Agent) bool {
	return a.Settings == "" && a.UserSettings != "" && !r.InUserSettings(a)
}

// inSettings reports whether settings have hooks of ours.
func inSettings(data []byte, a agent.Agent) bool {
	there, _, err := agentsettings.Installed(data, a)
	return err != nil || len(there) > 0
}
