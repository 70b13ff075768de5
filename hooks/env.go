package hooks

import (
	"entire-plumb/internal/workspace"
)

// Env is the environment of a hook.
type Env struct {
	workspace.Env
	User bool // a hook of an agent is of the user's own settings, not of the repository's
}
