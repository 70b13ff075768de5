package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// CheckpointRemote is a repository of its own for the checkpoints (seed 004, PrePush): a
// provider's, or an address.
type CheckpointRemote struct {
	Provider string // a key of providers; empty: URL is set
	Repo     string // owner/name at the provider
	URL      string
	Invalid  string // what is wrong with the value: then nothing is shared, and everything is recorded

	value json.RawMessage
}

// providers are the hosts of repositories that have a name.
var providers = map[string]string{"github": "github.com", "gitlab": "gitlab.com", "bitbucket": "bitbucket.org", "codeberg": "codeberg.org"}

var ownerAndName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)+$`)
})

// UnmarshalJSON reads {"provider": …, "repo": …}, or an address as a string. A value that is
// neither is no error, which would stop recording: see Invalid.
func (r *CheckpointRemote) UnmarshalJSON(data []byte) error {
	*r = CheckpointRemote{value: bytes.Clone(data)}
	if json.Unmarshal(data, &r.URL) == nil {
		if !harmlessAddress(r.URL) {
			r.Invalid = "it is no address of a repository: use one that begins with https:// or ssh://, user@host:path, or an absolute path" // it may hold a password
		}
		return nil
	}
	var named struct{ Provider, Repo string }
	err := json.Unmarshal(data, &named)
	r.Provider, r.Repo = named.Provider, named.Repo
	switch {
	case err != nil:
		r.Invalid = `it is neither an address as a string nor {"provider": …, "repo": …}`
	case providers[named.Provider] == "":
		r.Invalid = fmt.Sprintf("the provider %q is unknown: use github, gitlab, bitbucket or codeberg, or the address as a string", named.Provider)
	case !ownerAndName().MatchString(named.Repo):
		r.Invalid = fmt.Sprintf("the repo %q is not of the form owner/name", named.Repo)
	}
	return nil
}

// MarshalJSON is the reverse.
func (r CheckpointRemote) MarshalJSON() ([]byte, error) {
	if r.Invalid != "" {
		return r.value, nil
	}
	if r.URL != "" {
		return json.Marshal(r.URL)
	}
	return json.Marshal(map[string]string{"provider": r.Provider, "repo": r.Repo})
}

var userAtHost = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([A-Za-z0-9._~-]+@)?[A-Za-z0-9][A-Za-z0-9.-]*:[^:]`)
})

// harmlessAddress reports whether git takes an address for that of a repository, and not for a
// program to run or for an option.
func harmlessAddress(address string) bool {
	if strings.ContainsAny(address, "\x00\n\r") || strings.HasPrefix(address, "-") || strings.Contains(address, "::") {
		return false
	}
	for _, scheme := range []string{"https://", "http://", "ssh://", "git://", "file://"} {
		if rest, ok := strings.CutPrefix(address, scheme); ok {
			return rest != "" && !strings.HasPrefix(rest, "-")
		}
	}
	return !strings.Contains(address, "://") && (filepath.IsAbs(address) || userAtHost().MatchString(address))
}

// Address is the repository's address, by the protocol of another remote's.
func (r CheckpointRemote) Address(like string) string {
	switch {
	case r.URL != "":
		return r.URL
	case strings.HasPrefix(like, "https://") || strings.HasPrefix(like, "http://"):
		return "https://" + providers[r.Provider] + "/" + r.Repo + ".git"
	}
	return "git@" + providers[r.Provider] + ":" + r.Repo + ".git"
}
