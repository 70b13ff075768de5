package hooks

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/lock"
	"entire-plumb/internal/safefile"
)

// An agent whose settings in the repository and the user's own both have our hooks calls two for
// each event, at once and in any order. That both files have them doesn't tell that both are
// called: the agent may read one alone (claude --setting-sources), or trust one alone (Codex). So
// the one that comes first does the work, and the other, with the same event, does nothing.

const (
	// mostAgentSettings limits the settings that are searched for our hooks, in bytes.
	mostAgentSettings = 1 << 20
	// heardFor is how long the second call is waited for.
	heardFor = time.Minute
	// mostHeard limits the file of events heard, in bytes; it has those of a minute.
	mostHeard = 1 << 20
)

// heard is an event that one of two hooks has brought.
type heard struct {
	Event string    `json:"event"` // a hash
	User  bool      `json:"user"`  // by the user's own settings
	Time  time.Time `json:"time"`
}

// heardTwice reports whether the agent's other hook has brought this event already. If not, it is
// noted for that one, should there be one. Where that fails the event counts as new.
func heardTwice(ctx context.Context, repo *gitexec.Repo, now func() time.Time, e Env, a agent.Agent, verb string, payload agentPayload) bool {
	if !slices.ContainsFunc(e.otherSettings(a, repo.Top), callsUs) {
		return false
	}
	file := filepath.Join(repo.PrivateDir(), "heard.json")
	unlock, err := lock.Take(ctx, file+".lock")
	if err != nil {
		return false
	}
	defer unlock()
	all, _ := safefile.ReadPrivate[[]heard](file, mostHeard) // a damaged file is replaced
	sum := sha256.Sum256(append([]byte(a.Name+" "+verb+" "), payload.raw...))
	this := heard{Event: hex.EncodeToString(sum[:]), User: e.User, Time: now()}
	all = slices.DeleteFunc(all, func(h heard) bool { return this.Time.Sub(h.Time).Abs() > heardFor })
	twin := slices.IndexFunc(all, func(h heard) bool { return h.Event == this.Event && h.User != this.User })
	if twin >= 0 {
		all = slices.Delete(all, twin, twin+1)
	} else {
		all = append(all, this)
	}
	return safefile.WritePrivate(file, all) == nil && twin >= 0
}

// otherSettings are the agent's settings files whose hooks this one isn't of: the user's own, or
// the repository's in the directory that the agent was started in.
func (e Env) otherSettings(a agent.Agent, top string) []string {
	if !e.User {
		return []string{a.UserFile(e.Getenv)}
	}
	start := e.Dir
	if a.Project != "" {
		start = cmp.Or(e.Getenv(a.Project), start)
	}
	var files []string
	for _, dir := range []string{start, top} {
		for _, name := range []string{path.Base(a.Settings), strings.TrimSuffix(path.Base(a.Settings), ".json") + ".local.json"} {
			files = append(files, filepath.Join(dir, path.Dir(a.Settings), name))
		}
	}
	return files
}

// callsUs reports whether settings may have a hook of ours.
func callsUs(file string) bool {
	if file == "" {
		return false
	}
	data, err := safefile.Read(file, mostAgentSettings)
	return err == nil && bytes.Contains(data, []byte("entire-plumb"))
}
