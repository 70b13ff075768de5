package gitexec

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// network are the options and the environment of a command that talks to a remote. It starts no
// other work beside.
func (r *Repo) network(ctx context.Context, with Remote) (options, env []string) {
	// An empty push.pushOption clears the list: the user's options are meant for the server's work
	// on their own push.
	options, env = []string{"-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "push.pushOption="}, with.exactly()
	// A user who has set it to 0 is not asked at the terminal here, either.
	if with.Asks {
		return options, append(env, "GIT_TERMINAL_PROMPT="+cmp.Or(os.Getenv("GIT_TERMINAL_PROMPT"), "1"))
	}
	askpass, inEnvironment := os.LookupEnv("GIT_ASKPASS")
	ssh := os.Getenv("GIT_SSH_COMMAND")
	if ssh == "" || !inEnvironment {
		values, _ := r.Config(ctx, "core.sshcommand", "core.askpass")
		ssh = cmp.Or(ssh, values["core.sshcommand"])
		if !inEnvironment {
			askpass = values["core.askpass"]
		}
	}
	if ssh == "" && os.Getenv("GIT_SSH") == "" {
		ssh = "ssh"
	}
	return append(options, "-c", "credential.interactive=false"), append(env, unaskedBy(askpass, ssh)...)
}

// unaskedBy is the environment in which a command that talks to a remote has what the user's own
// git has without a question: what a program answers for them, the helpers of their credentials, an
// agent of ssh, and a connection of ssh that is there.
func unaskedBy(askpass, ssh string) (env []string) {
	if isDialog(askpass) {
		askpass = ""
	}
	// An empty GIT_ASKPASS wins over core.askPass. The others are those of ssh, and of Git
	// Credential Manager.
	env = []string{"GIT_ASKPASS=" + askpass, "SSH_ASKPASS=", "SSH_ASKPASS_REQUIRE=never", "GCM_INTERACTIVE=never"}
	if program, _, _ := strings.Cut(ssh, " "); filepath.Base(program) == "ssh" { // others have other options
		// A connection that others are to use would end with this command.
		env = append(env, "GIT_SSH_COMMAND="+ssh+" -o BatchMode=yes -o ControlMaster=no")
	}
	return env
}

// isDialog reports whether a program of GIT_ASKPASS asks the user in a window, by its name: beside
// a push it would ask for the same a second time. Others, of editors and of CI, answer by
// themselves.
func isDialog(askpass string) bool {
	name := strings.ToLower(askpass[strings.LastIndexAny(askpass, `/\`)+1:])
	signs := []string{"ssh-askpass", "ssh_askpass", "sshaskpass", "git-gui--askpass"}
	return slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(name, sign) })
}
