package gitexec

import (
	"os"
	"os/exec"
)

// StartDetached starts a program in the top level of the worktree that goes on when this one has
// ended: in a session of its own, without a terminal, input or output. name is what it is
// called with. It finds the repository by itself.
func (r *Repo) StartDetached(program, name string, args ...string) error {
	cmd := exec.Command(program, args...)
	cmd.Args[0] = name
	cmd.Dir, cmd.Env = r.Top, without(os.Environ(), locationVars)
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}
