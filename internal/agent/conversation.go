package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"time"

	"entire-plumb/internal/safefile"
)

// Conversation is one whose file is sought.
type Conversation struct {
	Dir   string // the agent's directory of the user's settings, see UserDir
	Top   string // the worktree in which the agent is started
	ID    string // of the session; a file name
	Begun time.Time
}

// Place is where an agent looks for a conversation.
type Place struct {
	File string
	// Owner, if any, is a file that must hold Top, without which the agent takes the directory for
	// that of another worktree. It does not exist yet.
	Owner string
}

// NoPlaceError says why no place is known, and what the user can do.
type NoPlaceError struct{ text string }

func (e *NoPlaceError) Error() string { return e.text }

var (
	errUnknown  = &NoPlaceError{"the place of this agent's transcripts is unknown; entire-plumb show --raw prints it"}
	errLongName = &NoPlaceError{"Claude Code shortens the name of its directory for this worktree: start it here once, and repeat this"}
)

// Place finds the place of a conversation in the worktree at top, whether or not the file exists.
// Nothing but names that this program made is in it: id is a session's ID. Its error is a
// NoPlaceError. The zero Agent has no place.
func (a Agent) Place(getenv func(string) string, top, id string, begun time.Time) (Place, error) {
	dir := a.UserDir(getenv)
	if a.Transcript == nil || dir == "" {
		return Place{}, errUnknown
	}
	return a.Transcript(Conversation{dir, top, id, begun})
}

// Kept is the transcript of a session, where the session's ID alone gives its place, and it is
// there; empty: it isn't.
func (a Agent) Kept(getenv func(string) string, id string) string {
	if !a.ByID {
		return ""
	}
	place, err := a.Place(getenv, "", id, time.Time{})
	if err != nil {
		return ""
	}
	if info, err := os.Lstat(place.File); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return place.File
}

// ClaudeProject is Claude Code's name for the directory of a worktree's transcripts, in full. Each
// UTF-16 unit that is not an ASCII letter or digit becomes a dash.
func ClaudeProject(top string) string {
	var name strings.Builder
	for _, c := range top {
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9':
			name.WriteRune(c)
		case c > 0xffff:
			name.WriteString("--")
		default:
			name.WriteByte('-')
		}
	}
	return name.String()
}

// ClaudeShortened is how much Claude Code keeps of a longer name; a hash follows.
const ClaudeShortened = 200

// claudePlace is projects/NAME/ID.jsonl.
func claudePlace(c Conversation) (Place, error) {
	projects, name := filepath.Join(c.Dir, "projects"), ClaudeProject(c.Top)
	if len(name) > ClaudeShortened {
		found := named(projects, func(other string) bool {
			return len(other) > ClaudeShortened+1 && strings.HasPrefix(other, name[:ClaudeShortened]+"-")
		})
		if len(found) != 1 {
			return Place{}, errLongName
		}
		name = found[0]
	}
	return Place{File: filepath.Join(projects, name, c.ID+".jsonl")}, nil
}

// codexTime is the time in the name of a rollout file.
const codexTime = "2006-01-02T15-04-05"

// codexPlace is sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl, in local time. Codex finds it by the ID,
// whatever the directory.
func codexPlace(c Conversation) (Place, error) {
	every := func(string) bool { return true }
	sessions := filepath.Join(c.Dir, "sessions")
	for _, year := range named(sessions, every) {
		for _, month := range named(filepath.Join(sessions, year), every) {
			for _, day := range named(filepath.Join(sessions, year, month), every) {
				dir := filepath.Join(sessions, year, month, day)
				found := named(dir, func(name string) bool {
					return codexRollout(name) == c.ID
				})
				if len(found) > 0 {
					return Place{File: filepath.Join(dir, found[len(found)-1])}, nil
				}
			}
		}
	}
	when := c.Begun.Local()
	return Place{File: filepath.Join(c.Dir, "sessions", filepath.FromSlash(when.Format("2006/01/02")),
		"rollout-"+when.Format(codexTime)+"-"+c.ID+".jsonl")}, nil
}

// codexRollout is the ID in the name of a rollout file; empty: it is none. The time before it has a
// fixed length, and an ID may hold hyphens: another session's may end alike.
func codexRollout(name string) string {
	rest, rollout := strings.CutPrefix(name, "rollout-")
	id, lines := strings.CutSuffix(rest, ".jsonl")
	if at := len(codexTime); rollout && lines && len(id) > at && id[at] == '-' {
		if _, err := time.Parse(codexTime, id[:at]); err == nil {
			return id[at+1:]
		}
	}
	return ""
}

// geminiOwner is the file that says whose a directory of Gemini CLI's is.
const geminiOwner = ".project_root"

// geminiPlace is tmp/NAME/chats/session-TIME-ID8.jsonl, where tmp/NAME/.project_root holds the
// worktree. Gemini CLI takes any directory that says so.
func geminiPlace(c Conversation) (Place, error) {
	all := filepath.Join(c.Dir, "tmp")
	short := c.ID[:min(8, len(c.ID))]
	file := "session-" + c.Begun.UTC().Format("2006-01-02T15-04") + "-" + short + ".jsonl"
	if owned := named(all, func(name string) bool { return GeminiOwner(filepath.Join(all, name)) == c.Top }); len(owned) > 0 {
		chats := filepath.Join(all, owned[0], "chats")
		// Another session may have the same first digits: its file begins with the whole ID.
		there := named(chats, func(name string) bool {
			return strings.HasPrefix(name, "session-") && strings.HasSuffix(name, "-"+short+".jsonl") && begins(filepath.Join(chats, name), c.ID)
		})
		if len(there) > 0 {
			file = there[len(there)-1]
		}
		return Place{File: filepath.Join(chats, file)}, nil
	}
	// A name with a hash of the path is no other worktree's.
	hash := sha256.Sum256([]byte(c.Top))
	dir := filepath.Join(all, "entire-plumb-"+hex.EncodeToString(hash[:8]))
	return Place{File: filepath.Join(dir, "chats", file), Owner: filepath.Join(dir, geminiOwner)}, nil
}

// GeminiOwner is the worktree of which a directory of Gemini CLI's is; empty: none.
func GeminiOwner(dir string) string {
	root, err := safefile.Read(filepath.Join(dir, geminiOwner), 4096+16)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(root))
}

// mostHead is how much of a file is read to see whose it is.
const mostHead = 4096

// begins reports whether the head of a file names an ID.
func begins(file, id string) bool {
	f, err := safefile.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, mostHead)
	n, _ := f.Read(head)
	return strings.Contains(string(head[:n]), `"`+id+`"`)
}

// mostEntries is how many entries of an agent's directory are looked at.
const mostEntries = 10_000

// named lists the names in a directory that a condition holds for, in order.
func named(dir string, holds func(string) bool) (names []string) {
	all, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range all[:min(len(all), mostEntries)] {
		if holds(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}
