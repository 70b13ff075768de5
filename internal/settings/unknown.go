package settings

import (
	"path"
	"reflect"
	"slices"
	"strings"

	"entire-plumb/internal/spelling"
)

// Unknown is a key in a file of settings that means nothing.
type Unknown struct {
	File string `json:"file"` // from the top level, with slashes
	Key  string `json:"key"`  // with dots
	Like string `json:"like,omitempty"`
}

// others are the keys of the `entire` CLI, which reads the same files.
var others = []string{"absolute_git_hook_path", "checkpoints", "commit_linking", "external_agents", "local_dev", "log_level", "review", "summary_generation",
	"telemetry", "vercel", "strategy_options.checkpoint_push_remote", "strategy_options.checkpoints_version", "strategy_options.checkpoints_v2",
	"strategy_options.push_v2_refs", "strategy_options.summarize"}

// UnknownKeys lists the keys in a worktree's settings that neither this program nor the `entire`
// CLI knows, with the known one that is most like it. Files that cannot be read have none.
func UnknownKeys(top string) []Unknown {
	texts, err := readTexts(top)
	if err != nil {
		return nil
	}
	known := append(keysOf(reflect.TypeFor[Settings](), ""), others...)
	var found []Unknown
	for _, name := range []string{shared, local} {
		keys, err := check(texts[name])
		if err != nil {
			continue
		}
		for _, key := range unknownIn(keys, "", known) {
			found = append(found, Unknown{path.Join(Dir, name), key, mostLike(key, known)})
		}
	}
	return found
}

// keysOf lists the JSON keys of a type, with dots, and with a dot at the end where any key may
// follow.
func keysOf(t reflect.Type, prefix string) []string {
	var keys []string
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		keys = append(keys, prefix+name)
		switch f.Type.Kind() {
		case reflect.Struct:
			keys = append(keys, keysOf(f.Type, prefix+name+".")...)
		case reflect.Map:
			keys = append(keys, prefix+name+".")
		}
	}
	return keys
}

func unknownIn(keys map[string]any, prefix string, known []string) []string {
	var found []string
	for key, value := range keys {
		key = prefix + key
		inner, isObject := value.(map[string]any)
		below := slices.ContainsFunc(known, func(k string) bool { return strings.HasPrefix(k, key+".") && k != key+"." })
		switch {
		case isObject && below:
			found = append(found, unknownIn(inner, key+".", known)...)
		case !slices.Contains(known, key):
			found = append(found, key)
		}
	}
	slices.Sort(found)
	return found
}

// mostLike is the known key with the fewest letters to change; empty: none is like it.
func mostLike(key string, known []string) string {
	best, fewest := "", 3
	for _, k := range known {
		if n := spelling.Distance(key, k); n < fewest {
			best, fewest = k, n
		}
	}
	return best
}
