package settings

import (
	"fmt"
	"path/filepath"

	"entire-plumb/gitexec"
	"entire-plumb/internal/redact"
)

// purgedFile lists what was purged, by hashes: it must not be recorded again.
func purgedFile(repo *gitexec.Repo) string { return filepath.Join(repo.SharedDir(), "purged.json") }

// Purged is what was purged in a repository. A file that cannot be read is an error: what it names
// would be recorded again.
func Purged(repo *gitexec.Repo) (all []redact.Purged, err error) {
	if all, err = readFile[[]redact.Purged](purgedFile(repo)); err != nil {
		err = fmt.Errorf("what was purged cannot be read: %s: %w\nhint: remove the file, and purge again", purgedFile(repo), err)
	}
	return all, err
}

// AddPurged notes what is being purged. The caller holds the repository's lock.
func AddPurged(repo *gitexec.Repo, more ...redact.Purged) error {
	all, err := Purged(repo)
	if err != nil {
		return err
	}
	return write(purgedFile(repo), append(all, more...))
}

// Secrets are the rules by which texts are redacted in a repository.
func (s Settings) Secrets(repo *gitexec.Repo) (*redact.Redactor, error) {
	secrets, err := redact.New(s.Redaction)
	if err != nil {
		return nil, err
	}
	purged, err := Purged(repo)
	if err != nil {
		return nil, err
	}
	return secrets.Without(purged)
}
