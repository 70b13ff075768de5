package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"entire-plumb/gitexec"
	"entire-plumb/internal/redact"
	"entire-plumb/internal/safefile"
)

// purgedFile lists what was purged, by hashes: it must not be recorded again.
func purgedFile(repo *gitexec.Repo) string { return filepath.Join(repo.SharedDir(), "purged.json") }

// mostPurged is how many bytes that file has.
const mostPurged = 1 << 20

// Purged is what was purged in a repository. A file that cannot be read is an error: what it names
// would be recorded again.
func Purged(repo *gitexec.Repo) (all []redact.Purged, err error) {
	data, err := safefile.ReadOwn(purgedFile(repo), mostPurged)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil {
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
