package settings

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/redact"
)

// guarded is a key that can weaken what protects the user: secrets that are not taken out, work
// that leaves the machine, commits that nobody asked for, pushes that wait for minutes. Others can
// commit a file of settings, so that there such a value counts only once the user has confirmed the
// file as it is; in git's configuration, and in a local file that git doesn't track, it counts at
// once.
type guarded struct {
	path    []string                       // of the key in a file
	config  string                         // its name in git's configuration
	weakens func(value any) bool           // false: it makes recording more private, and counts whoever says it; nil: worseReaders
	parse   func(last string) (any, error) // a value of git's configuration
	list    bool                           // of several values all count, and not the last one
}

// guards are all such keys.
var guards = []guarded{
	{path: []string{"redaction", "allow"}, config: "redactionAllow", list: true, parse: text,
		weakens: func(value any) bool { all, ok := value.([]any); return !ok || len(all) > 0 }},
	{path: []string{"allow_shadow_push"}, config: "allowShadowPush", parse: boolean,
		weakens: func(value any) bool { return value != false }},
	{path: []string{"strategy"}, config: "strategy", parse: text,
		weakens: func(value any) bool { return value != ManualCommit && value != "" }},
	{path: []string{"strategy_options", "checkpoint_remote"}, config: "checkpointRemote", parse: text,
		weakens: func(any) bool { return true }},
	{path: []string{"strategy_options", "push_sessions"}, config: "pushSessions", parse: boolean,
		weakens: func(any) bool { return false }}, // without it they are pushed, too
	{path: []string{"strategy_options", "push_all"}, config: "pushAll", parse: boolean,
		weakens: func(value any) bool { return value != false }},
	{path: []string{"strategy_options", "push_timeout_seconds"}, config: "pushTimeoutSeconds", parse: number,
		weakens: func(value any) bool {
			seconds, err := number(fmt.Sprint(value))
			return err != nil || !(seconds.(float64) <= defaultPatience.Seconds())
		}},
	{path: []string{"strategy_options", "push_in_background"}, config: "pushInBackground", parse: boolean,
		weakens: func(value any) bool { return value != false }},
	{path: []string{"strategy_options", "accept_purges"}, config: "acceptPurges", parse: boolean,
		weakens: func(value any) bool { return value != false }},
	{path: []string{encryptTo}, config: "encryptTo", list: true, parse: text},
}

const encryptTo = "encrypt_to"

// names are those of a list in JSON.
func names(list json.RawMessage) (all []string) {
	_ = json.Unmarshal(list, &all)
	return all
}

// Ignores reports whether a file's value of a key doesn't count.
func (s Settings) Ignores(key string) bool {
	return slices.ContainsFunc(s.Ignored, func(i Ignored) bool { return i.Key == key })
}

func (g guarded) key() string { return strings.Join(g.path, ".") }

// Ignored is a value in a file that doesn't count, since others may have put it there.
type Ignored struct {
	File   string          `json:"file"` // below the worktree's top level
	Key    string          `json:"key"`
	Value  json.RawMessage `json:"value"`
	Why    string          `json:"why"`
	Config string          `json:"config,omitempty"` // the name in git's configuration where it would count, if it has one

	sum string // of the file's content
}

// guard takes out of a file's keys those that weaken protection, unless they are the user's own
// words, and rules of redaction over the limits. top is the worktree that has the file. others
// reports whether what it says may be the words of others.
func guard(ctx context.Context, repo *gitexec.Repo, top, name string, data []byte, keys map[string]any) (found []Ignored, others bool) {
	for _, g := range guards {
		value, _ := lookUp(keys, g.path)
		if value == nil {
			continue
		}
		if g.weakens == nil && worseReaders(ctx, repo, value) || g.weakens != nil && g.weakens(value) {
			text, _ := json.Marshal(value) // it was JSON
			found = append(found, Ignored{Key: g.key(), Value: text, Config: gitexec.Section + "." + g.config})
		}
	}
	if len(found) == 0 && !hasRules(keys) {
		return nil, false
	}
	sum := hash(data)
	why := distrust(ctx, repo, top, name, sum)
	if why == "" {
		return nil, false
	}
	for i, ignored := range found {
		if ignored.Key == encryptTo && !opens(ctx, repo, names(ignored.Value)) {
			found[i].Why = "no identity here opens what it encrypts"
		}
	}
	for _, i := range found {
		remove(keys, strings.Split(i.Key, "."))
	}
	found = append(found, limitRules(keys)...)
	for i := range found {
		found[i].File, found[i].sum = Dir+"/"+name, sum
		found[i].Why = strings.TrimPrefix(found[i].Why+"; "+why, "; ")
	}
	return found, true
}

// rules is the path of the rules of redaction in a file.
var rules = []string{"redaction", "rules"}

func hasRules(keys map[string]any) bool {
	value, _ := lookUp(keys, rules)
	all, _ := value.([]any)
	return len(all) > 0
}

// limitRules takes the rules out of a file's keys that are over the limits for those of others, and
// names them, by what they are over.
func limitRules(keys map[string]any) (found []Ignored) {
	if value, in := lookUp(keys, rules); value != nil {
		in[rules[1]], found = limited(value)
	}
	return found
}

// limited are the rules within the limits, and those over them, by what they are over. What is no
// list of rules stays as it is.
func limited(value any) (within any, found []Ignored) {
	text, err := json.Marshal(value)
	var all []redact.Rule
	if err != nil || json.Unmarshal(text, &all) != nil {
		return value, nil
	}
	fit, over := redact.Limit(all)
	if len(over) == 0 {
		return value, nil
	}
	ids := map[string][]string{}
	for _, o := range over {
		ids[o.Why] = append(ids[o.Why], o.ID)
	}
	for _, why := range slices.Sorted(maps.Keys(ids)) {
		list, _ := json.Marshal(ids[why])
		found = append(found, Ignored{Key: strings.Join(rules, "."), Value: list, Why: why})
	}
	return fit, found
}

// lookUp returns the value of a key, and the object that it is in; nil: it has none.
func lookUp(keys map[string]any, path []string) (value any, in map[string]any) {
	for ; len(path) > 1; path = path[1:] {
		keys, _ = keys[path[0]].(map[string]any)
	}
	return keys[path[0]], keys
}

func remove(keys map[string]any, path []string) {
	_, in := lookUp(keys, path)
	delete(in, path[len(path)-1])
}

// stillIgnored drops what the user's own words, which override it, make of no interest.
func stillIgnored(ignored []Ignored, over map[string]any) []Ignored {
	return slices.DeleteFunc(ignored, func(i Ignored) bool {
		value, _ := lookUp(over, strings.Split(i.Key, "."))
		return value != nil
	})
}

// configured returns what git's configuration says, in the form of a file's keys.
func configured(ctx context.Context, repo *gitexec.Repo) (map[string]any, error) {
	own, err := repo.OwnConfig(ctx)
	if err != nil {
		return nil, err
	}
	keys := map[string]any{}
	for _, g := range guards {
		name := gitexec.Section + "." + g.config
		values := own[strings.ToLower(name)]
		if len(values) == 0 {
			continue
		}
		one, err := g.keys(values)
		if err != nil {
			return nil, fmt.Errorf("git config %s: %w", name, err)
		}
		override(keys, one)
	}
	return keys, nil
}

// keys are values of git's configuration in the form of a file's keys.
func (g guarded) keys(values []string) (map[string]any, error) {
	all := []any{}
	for _, v := range values {
		if g.list && v == "" {
			continue // alone it is the empty list
		}
		value, err := g.parse(v)
		if err != nil {
			return nil, err
		}
		all = append(all, value)
	}
	var value any = all
	if !g.list {
		value = all[len(all)-1]
	}
	for _, part := range slices.Backward(g.path) {
		value = map[string]any{part: value}
	}
	one := value.(map[string]any)
	data, err := json.Marshal(one)
	if err == nil {
		_, err = check(data)
	}
	return one, err
}

func text(value string) (any, error) { return value, nil }

func number(value string) (any, error) { return strconv.ParseFloat(value, 64) }

// boolean reads one as git does.
func boolean(value string) (any, error) {
	switch strings.ToLower(value) {
	case "true", "yes", "on":
		return true, nil
	case "false", "no", "off", "":
		return false, nil
	}
	n, err := strconv.ParseInt(value, 0, 64)
	if err != nil {
		return nil, fmt.Errorf("%q is neither true nor false", value)
	}
	return n != 0, nil
}
