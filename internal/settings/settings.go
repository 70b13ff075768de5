// Package settings reads and writes what a repository's user chose: .entire/settings.json, which is
// shared, and .entire/settings.local.json beside it, which overrides it key by key.
package settings

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/jsonfault"
	"entire-plumb/internal/redact"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/seal"
)

// Dir is the directory of the settings, in the worktree's top level.
const Dir = ".entire"

// Files in Dir.
const (
	shared    = "settings.json"
	local     = "settings.local.json"
	gitignore = ".gitignore"
)

// defaultMaxUntracked is the size in bytes above which untracked files are left out of snapshots.
const defaultMaxUntracked = 10 << 20

// Settings are the settings in force.
type Settings struct {
	Enabled           bool    `json:"enabled"`
	Strategy          string  `json:"strategy,omitempty"`            // ManualCommit or AutoCommit
	MaxUntrackedBytes int64   `json:"max_untracked_bytes,omitempty"` // 0: the default
	AllowShadowPush   bool    `json:"allow_shadow_push,omitempty"`   // let shadow branches leave the machine
	Link              Link    `json:"link,omitempty"`                // where links are
	RestoreHooks      bool    `json:"restore_hooks"`                 // put back git's hooks that somebody deleted or overwrote
	StrategyOptions   Options `json:"strategy_options"`

	Redaction redact.Options `json:"redaction"`            // beside the rules that everybody has
	EncryptTo []string       `json:"encrypt_to,omitempty"` // age recipients, who alone can read conversations; none: everybody

	Ignored     []Ignored `json:"-"` // what files say that doesn't count
	ReadersKept bool      `json:"-"` // EncryptTo is of before: nothing that counts says it now
}

// Options are the options of the strategy.
type Options struct {
	// Suffix is about streams; of the zero value each field has its default.
	Suffix struct {
		Match      string `json:"match,omitempty"`       // exact or fuzzy: without an effect, white space is never evidence; empty: fuzzy
		MaxStreams int    `json:"max_streams,omitempty"` // of one base and worktree; 0: no cap
	} `json:"suffix"`
	MultiSessionWarning bool `json:"multi_session_warning,omitempty"` // a prompt warns of other sessions with uncommitted work here
	AttributionTrailer  bool `json:"attribution_trailer,omitempty"`   // beside the link

	PushSessions     *bool             `json:"push_sessions,omitempty"`        // the checkpoints go along with a push; nil: they do
	PushTimeout      float64           `json:"push_timeout_seconds,omitempty"` // that may take; 0: the default
	PushAll          bool              `json:"push_all,omitempty"`             // also those of commits that were never pushed
	PushInBackground bool              `json:"push_in_background,omitempty"`   // what does not fit into that time goes on after the push
	AcceptPurges     bool              `json:"accept_purges,omitempty"`        // what others purge is gone here without a question
	CheckpointRemote *CheckpointRemote `json:"checkpoint_remote,omitempty"`    // where they go; nil: to the elected remote
}

// Pushes reports whether the checkpoints go along with a push (seed 004, PrePush).
func (o Options) Pushes() bool { return o.PushSessions == nil || *o.PushSessions }

// defaultPatience is how long the checkpoints may take beside a push.
const defaultPatience = 5 * time.Second

// Patience is how long the checkpoints may take beside a push: a tenth of a second to ten minutes.
func (o Options) Patience() time.Duration {
	if o.PushTimeout == 0 {
		return defaultPatience
	}
	return time.Duration(max(0.1, min(600, o.PushTimeout)) * float64(time.Second))
}

// Link says where the link of a commit is.
type Link string

// The places. Trailer is the default.
const (
	Trailer Link = "trailer" // in its message
	Side    Link = "side"    // beside it, on the checkpoints' branch
	Both    Link = "both"
)

// Links is where links are.
func (s Settings) Links() Link { return cmp.Or(s.Link, Trailer) }

// The strategies (seed 003, Strategy Role): checkpoints are committed with the user's commits, or
// each turn's end makes a commit.
const (
	ManualCommit = "manual-commit"
	AutoCommit   = "auto-commit"
)

// ErrNotEnabled says that nobody enabled this program in the repository; ErrDisabled that somebody
// disabled it.
var (
	ErrNotEnabled = errors.New("recording is not enabled here")
	ErrDisabled   = errors.New("recording is disabled here")
)

// mostSettings is how many bytes a file of settings may have. Those that people write have
// hundreds.
const mostSettings = 1 << 20

// Load reads the settings of a worktree: .entire/settings.json, over it git's configuration, over
// that .entire/settings.local.json. Where a sparse checkout leaves the shared file out, it is read
// from the index; in a partial clone that has not got it yet, `enable` fetches it. A linked
// worktree without either file has those of the main worktree. Files without the key "enabled"
// enable; entire-plumb.enabled in git's configuration decides before them. What weakens protection
// counts only where the user has said it: see guards. Without any file, and where that key does not
// enable, it gives ErrNotEnabled, and the defaults.
func Load(ctx context.Context, repo *gitexec.Repo) (Settings, error) {
	s := Settings{Enabled: true, Strategy: ManualCommit, MaxUntrackedBytes: defaultMaxUntracked, RestoreHooks: true}
	top, texts, err := textsInForce(ctx, repo)
	if err != nil {
		return s, err
	}
	on, said, err := switched(ctx, repo)
	switch {
	case len(texts) == 0 && !on && err == nil: // a commit without the file may be checked out
		return s, fmt.Errorf("%w\nhint: entire-plumb enable --agent claude-code", ErrNotEnabled)
	case err != nil:
		return s, err
	}
	if err := s.merge(ctx, repo, top, texts); err != nil {
		return s, err
	}
	if s.MaxUntrackedBytes <= 0 {
		s.MaxUntrackedBytes = defaultMaxUntracked
	}
	if said {
		s.Enabled = on
	}
	if !s.Enabled {
		return s, fmt.Errorf("%w\nhint: entire-plumb enable", ErrDisabled)
	}
	return s, nil
}

// textsInForce reads the files of settings that count, and says which worktree has them.
func textsInForce(ctx context.Context, repo *gitexec.Repo) (top string, texts map[string][]byte, err error) {
	texts, err = readTexts(repo.Top)
	if err == nil && texts[shared] == nil {
		var text []byte
		if text, err = leftOut(ctx, repo.Offline()); text != nil {
			texts[shared] = text
		}
		if gitexec.IsMissing(err) {
			err = nil
		}
	}
	if err != nil || len(texts) > 0 || repo.MainTop() == "" {
		return repo.Top, texts, err
	}
	texts, err = readTexts(repo.MainTop())
	return repo.MainTop(), texts, err
}

// merge reads what the shared file, git's configuration and the local file say, each over those
// before it.
func (s *Settings) merge(ctx context.Context, repo *gitexec.Repo, top string, texts map[string][]byte) error {
	all, err := layers(ctx, repo, top, texts)
	if err != nil {
		return err
	}
	merged := map[string]any{}
	for _, l := range all {
		if l.rules {
			s.Redaction.Others = l.others
		}
		s.Ignored = append(stillIgnored(s.Ignored, l.keys), l.ignored...)
		override(merged, l.keys)
	}
	data, err := json.Marshal(merged)
	if err == nil {
		err = json.Unmarshal(data, s)
	}
	if err != nil {
		return err
	}
	return s.keepReaders(repo, merged)
}

// leftOut is the shared file if a sparse checkout leaves it out of the worktree; nil: it doesn't.
func leftOut(ctx context.Context, repo *gitexec.Repo) ([]byte, error) {
	return repo.LeftOut(ctx, Dir+"/"+shared, mostSettings)
}

// readTexts reads the files of settings that are there.
func readTexts(top string) (map[string][]byte, error) {
	texts := map[string][]byte{}
	for _, name := range []string{shared, local} {
		data, err := safefile.ReadInside(top, Dir+"/"+name, mostSettings)
		if err == nil {
			texts[name] = data
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return texts, nil
}

// override puts the keys of over into base, and those of objects in them one by one.
func override(base, over map[string]any) {
	for key, value := range over {
		inner, isObject := value.(map[string]any)
		if below, ok := base[key].(map[string]any); ok && isObject {
			override(below, inner)
			continue
		}
		base[key] = value
	}
}

// check reads a settings file's keys, and says what is wrong with them.
func check(data []byte) (map[string]any, error) {
	var s Settings
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, jsonfault.Explain(err)
	}
	if err := s.checkChoices(); err != nil {
		return nil, err
	}
	if err := redact.Check(s.Redaction); err != nil {
		return nil, fmt.Errorf(`"redaction": %w`, err)
	}
	if _, err := seal.Parse(s.EncryptTo); err != nil {
		return nil, fmt.Errorf(`"encrypt_to": %w`, err)
	}
	return keysIn(data, append(keysOf(reflect.TypeFor[Settings](), ""), others...), "")
}

// keysIn reads the keys of an object in their order. encoding/json doesn't tell upper case from
// lower: a key that is in known behind the prefix gets the spelling from there, so that of two
// spellings the last counts.
func keysIn(data []byte, known []string, prefix string) (map[string]any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber() // as floating point the largest whole numbers would come out larger than they are
	if token, err := dec.Token(); token == nil || err != nil {
		return nil, cmp.Or(err, errNull)
	}
	keys := map[string]any{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		key, _ := token.(string)
		if at := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, prefix+key) }); at >= 0 {
			key = known[at][len(prefix):]
		}
		value, err := valueIn(dec, known, prefix+key+".")
		if err != nil {
			return nil, err
		}
		override(keys, map[string]any{key: value})
	}
	return keys, nil
}

// valueIn reads the next value. prefix is that of the keys in it. An object is read once for each
// that it is in: only where keys are known, or a deep one would take long.
func valueIn(dec *json.Decoder, known []string, prefix string) (value any, err error) {
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return nil, err
	}
	below := func(key string) bool { return strings.HasPrefix(key, prefix) }
	if raw[0] == '{' && slices.ContainsFunc(known, below) {
		return keysIn(raw, known, prefix)
	}
	inner := json.NewDecoder(bytes.NewReader(raw))
	inner.UseNumber()
	return value, inner.Decode(&value)
}

// checkChoices says which value is none of those that its key may have.
func (s Settings) checkChoices() error {
	for _, c := range []struct {
		key, value string
		may        []any
	}{
		{"strategy_options.suffix.match", s.StrategyOptions.Suffix.Match, []any{"exact", "fuzzy"}},
		{"strategy", s.Strategy, []any{ManualCommit, AutoCommit}},
		{"link", string(s.Link), []any{string(Trailer), string(Side), string(Both)}},
	} {
		if c.value != "" && !slices.Contains(c.may, any(c.value)) {
			return fmt.Errorf("%q is %q, neither "+strings.Repeat("%q nor ", len(c.may)-1)+"%q", append([]any{c.key, c.value}, c.may...)...)
		}
	}
	return nil
}

// errNull says that a settings file holds nothing but null, which encoding/json takes for an
// object.
var errNull = errors.New("the top level is null, not an object")
