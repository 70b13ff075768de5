package settings

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/seal"
)

// Who could read conversations last is remembered: a branch whose settings don't name them yet, or
// a commit of somebody else's that takes them out, must not have conversations stored as they are.

func readersFile(repo *gitexec.Repo) string {
	return filepath.Join(repo.SharedDir(), "encrypt-to.json")
}

// lastReaders are the recipients in force when something was recorded last.
func lastReaders(repo *gitexec.Repo) (last []string, err error) {
	if last, err = readFile[[]string](readersFile(repo)); err != nil {
		return nil, fmt.Errorf("for whom conversations were encrypted cannot be read: %s: %w\nhint: remove the file, and set encrypt_to again",
			readersFile(repo), err)
	}
	return last, nil
}

// worseReaders is worsens with what is known here.
func worseReaders(ctx context.Context, repo *gitexec.Repo, value any) bool {
	before, err := lastReaders(repo)
	return worsens(before, err == nil, value, func(recipients []string) bool { return opens(ctx, repo, recipients) })
}

// worsens decides whether a value of encrypt_to has conversations read by more than before, or no
// more by the user: no identity here opens what it encrypts.
func worsens(before []string, known bool, value any, opens func(recipients []string) bool) bool {
	names, isList := value.([]any)
	all := make([]string, len(names))
	for i, one := range names {
		all[i], _ = one.(string)
	}
	missing := func(from []string) func(string) bool {
		return func(name string) bool { return !slices.Contains(from, name) }
	}
	if known && len(before) == 0 {
		return !(isList && len(all) == 0) && !opens(all)
	}
	if len(all) == 0 || slices.ContainsFunc(all, missing(before)) {
		return true
	}
	return slices.ContainsFunc(before, missing(all)) && !opens(all) && opens(before)
}

// opens reports whether an identity here opens what is encrypted for the recipients.
func opens(ctx context.Context, repo *gitexec.Repo, recipients []string) bool {
	return seal.NewKeys(func() (string, error) {
		own, err := repo.OwnConfig(ctx)
		if err != nil {
			return "", err
		}
		return seal.IdentityName(own[seal.IdentityKey])
	}).Opens(recipients)
}

// keepReaders gives the settings the recipients that they had, unless the user says otherwise.
// merged are all keys that count.
func (s *Settings) keepReaders(repo *gitexec.Repo, merged map[string]any) (err error) {
	if merged[encryptTo] != nil {
		return nil
	}
	s.EncryptTo, err = lastReaders(repo)
	s.ReadersKept = len(s.EncryptTo) > 0
	return err
}

// Remember notes the recipients that conversations are stored for. A repository that has none, and
// had none, costs nothing.
func (s Settings) Remember(repo *gitexec.Repo) error {
	last, err := lastReaders(repo)
	if err != nil {
		return err
	}
	if strings.Join(last, "\n") == strings.Join(s.EncryptTo, "\n") {
		return nil
	}
	return write(readersFile(repo), s.EncryptTo)
}
