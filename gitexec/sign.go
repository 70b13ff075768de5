package gitexec

import (
	"context"
	"slices"
	"strings"
	"time"
)

// mostSigning is how long a signature may take. Nobody is asked for a passphrase: what an agent
// holds is used.
const mostSigning = 5 * time.Second

// unasked is the environment in which ssh-keygen and gpg ask nobody: there is no terminal, either.
// ssh-keygen runs the program false in place of a question.
var unasked = []string{"SSH_ASKPASS=false", "SSH_ASKPASS_REQUIRE=force", "GPG_TTY=", "DISPLAY=", "WAYLAND_DISPLAY="}

// Signs reports whether the user's git signs commits. Where discovery did not tell, it is one
// process.
func (db *ODB) Signs() bool {
	own, err := db.OwnConfig()
	values := own[signing]
	if err != nil || len(values) == 0 {
		return false
	}
	return slices.Contains([]string{"true", "yes", "on", "1"}, strings.ToLower(values[len(values)-1]))
}

// signedCommit writes a commit with a signature. git chooses the key and the program, as for the
// user's commits.
func (r *Repo) signedCommit(ctx context.Context, c NewCommit) (OID, error) {
	write := c.command("-S")
	write.env = append(write.env, unasked...)
	return commitID(r.outputAlone(ctx, Remote{Patience: mostSigning}, write))
}

// Signature is what git says of a commit's signature.
type Signature struct {
	Commit OID
	Good   bool   // it is of a signer who is allowed, or whose key is trusted
	Status string // %G?: see git-log(1)
	By     string // the committer
}

// Signatures lists the commits of a history that are not in another one, with what git says of
// their signatures. One process, and those that git starts for each signature. It is git log, since
// rev-list of git 2.39 doesn't read who may sign.
func (r *Repo) Signatures(ctx context.Context, of OID, but []OID) (all []Signature, err error) {
	args := []string{"log", "--no-show-signature", "--no-patch", "--no-color", "--format=%H%x00%G?%x00%cn <%ce>", string(of)}
	for _, id := range but {
		args = append(args, "^"+string(id))
	}
	out, err := r.output(ctx, command{args: args, env: unasked})
	for line := range strings.Lines(string(out)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\x00", 3)
		if len(f) == 3 && ValidOID(f[0]) {
			all = append(all, Signature{Commit: OID(f[0]), Good: f[1] == "G", Status: f[1], By: f[2]})
		}
	}
	return all, err
}
