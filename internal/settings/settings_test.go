package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testdir"
)

// worktree makes a directory with files of .entire in it; "" stands for none.
func worktree(t *testing.T, sharedText, localText string) string {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	testdir.Must(t, err)
	for name, text := range map[string]string{shared: sharedText, local: localText} {
		if text == "" {
			continue
		}
		testdir.Must(t, os.MkdirAll(filepath.Join(top, Dir), 0o755))
		testdir.Must(t, os.WriteFile(filepath.Join(top, Dir, name), []byte(text), 0o640))
	}
	return top
}

// load reads the settings of a directory, which becomes a repository. The user's own configuration
// has no part in it.
func load(t *testing.T, top string) (Settings, error) {
	t.Helper()
	return Load(t.Context(), repository(t, top))
}

func repository(t *testing.T, top string) *gitexec.Repo {
	t.Helper()
	testdir.Git(t, top, "init", "-q")
	repo, err := gitexec.Discover(t.Context(), top, nil)
	testdir.Must(t, err)
	return repo
}

func TestMain(m *testing.M) { testdir.Main(m) }

// content returns a file of .entire, "" if there is none.
func content(t *testing.T, top, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(top, Dir, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(data)
}

func TestLoad(t *testing.T) {
	for name, c := range map[string]struct {
		shared, local string
		want          error
		largest       int64
	}{
		"none":                  {"", "", ErrNotEnabled, defaultMaxUntracked},
		"fresh":                 {fresh, "", nil, defaultMaxUntracked},
		"nothing said":          {`{}`, "", nil, defaultMaxUntracked},
		"disabled":              {`{"enabled": false}`, "", ErrDisabled, defaultMaxUntracked},
		"local alone":           {"", `{"enabled": true}`, nil, defaultMaxUntracked},
		"locally disabled":      {fresh, `{"enabled": false}`, ErrDisabled, defaultMaxUntracked},
		"local overrides a key": {`{"enabled": true, "max_untracked_bytes": 5}`, `{"max_untracked_bytes": 7}`, nil, 7},
		"and leaves the others": {`{"enabled": true, "max_untracked_bytes": 5}`, `{"strategy": "manual-commit"}`, nil, 5},
		"zero is the default":   {`{"enabled": true, "max_untracked_bytes": 0}`, "", nil, defaultMaxUntracked},
		"below zero, too":       {`{"enabled": true, "max_untracked_bytes": -1}`, "", nil, defaultMaxUntracked},
		"unknown keys":          {`{"enabled": true, "zebra": {"a": [1]}}`, `{"x": null}`, nil, defaultMaxUntracked},
		"an option":             {`{"enabled": true, "strategy_options": {"suffix": {"match": "fuzzy"}}}`, "", nil, defaultMaxUntracked},
		"one option of several": {`{"enabled": true, "strategy_options": {"suffix": {"match": "fuzzy", "max_streams": 3}}}`,
			`{"strategy_options": {"suffix": {"max_streams": 4}}}`, nil, defaultMaxUntracked},
		"the largest number":     {`{"enabled": true, "max_untracked_bytes": 9223372036854775807}`, "", nil, 9223372036854775807},
		"an empty shared object": {`{}`, `{"enabled": true}`, nil, defaultMaxUntracked},
	} {
		got, err := load(t, worktree(t, c.shared, c.local))
		if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if err != nil && strings.Count(err.Error(), "\nhint: ") != 1 {
			t.Errorf("%s: %q has no hint", name, err)
		}
		if got.MaxUntrackedBytes != c.largest {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestLoadByConfig: git's configuration switches recording on and off, with the files or without.
func TestLoadByConfig(t *testing.T) {
	for value, want := range map[string]error{"true": nil, "1": nil, "false": ErrNotEnabled} {
		top := worktree(t, "", "")
		testdir.Git(t, top, "init", "-q")
		testdir.Git(t, top, "config", "entire-plumb.enabled", value)
		got, err := load(t, top)
		if !errors.Is(err, want) || (err == nil) != (want == nil) || got.MaxUntrackedBytes != defaultMaxUntracked {
			t.Errorf("%s: %+v, %v, want %v", value, got, err, want)
		}
	}
	top := worktree(t, `{"enabled": false}`, "")
	testdir.Git(t, top, "init", "-q")
	testdir.Git(t, top, "config", "entire-plumb.enabled", "yes")
	if _, err := load(t, top); err != nil {
		t.Errorf("yes, and a file that says no: %v", err)
	}
	testdir.Git(t, top, "config", "entire-plumb.enabled", "perhaps")
	if _, err := load(t, top); err == nil || errors.Is(err, ErrDisabled) {
		t.Errorf("perhaps: %v", err)
	}
}

func TestLoadSaysWhichFileIsBroken(t *testing.T) {
	for text, want := range map[string]string{
		"{":                  "unexpected end of JSON input",
		"\x00":               "invalid character",
		"[]":                 "the top level is an array, not an object",
		"null":               "the top level is null, not an object",
		`{"enabled": "yes"}`: `"enabled" is a string, not true or false`,
		`{"strategy": 5}`:    `"strategy" is a number, not a string`,
		`{"enabled": true, "max_untracked_bytes": "10M"}`:                    `"max_untracked_bytes" is a string, not a whole number`,
		`{"enabled": true, "strategy_options": {"suffix": {"match": true}}}`: `"strategy_options.suffix.match" is a bool, not a string`,
		`{"enabled": true, "strategy_options": {"suffix": {"match": "x"}}}`:  `"strategy_options.suffix.match" is "x", neither "exact" nor "fuzzy"`,
	} {
		for _, name := range []string{shared, local} {
			top := worktree(t, text, "")
			if name == local {
				top = worktree(t, fresh, text)
			}
			_, err := load(t, top)
			if err == nil || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), "\nhint: ") != 1 {
				t.Errorf("%s with %s: %v, want %s with a hint", name, text, err, want)
			} else if file := filepath.Join(top, Dir, name); !strings.Contains(err.Error(), file+": ") {
				t.Errorf("%s with %s: %v doesn't name the file", name, text, err)
			}
		}
	}
}

// Enable and then Disable give the bytes from before, wherever that can be known: a file of the
// user's that said nothing of "enabled" says false in the end.
func TestEnableAndDisable(t *testing.T) {
	for name, c := range map[string]struct {
		shared, local string
		enabled       [2]string // shared, local; "" for as it was
	}{
		"none": {"", "", [2]string{fresh, ""}},
		"off":  {`{"enabled":false}`, "", [2]string{`{"enabled":true}`, ""}},
		"the user's layout": {"{ \"b\": 1,\n\t\"enabled\" :\tfalse ,\"a\":[ 2 ]}\r\n\n", "",
			[2]string{"{ \"b\": 1,\n\t\"enabled\" :\ttrue ,\"a\":[ 2 ]}\r\n\n", ""}},
		"within a value": {`{"x": {"enabled": true}, "enabled": false}`, "", [2]string{`{"x": {"enabled": true}, "enabled": true}`, ""}},
		"the last one":   {`{"enabled": true, "enabled": false}`, "", [2]string{`{"enabled": true, "enabled": true}`, ""}},
		"local off":      {"", `{"enabled": false, "x": 1}`, [2]string{fresh, `{"enabled": true, "x": 1}`}},
		"local silent":   {"", `{"x": 1}`, [2]string{fresh, ""}},
	} {
		top := worktree(t, c.shared, c.local)
		if err := Check(t.Context(), repository(t, top)); err != nil {
			t.Errorf("%s: Check: %v", name, err)
		}
		if content(t, top, shared) != c.shared || content(t, top, gitignore) != "" {
			t.Errorf("%s: Check changed something", name)
		}
		done, err := Enable(t.Context(), repository(t, top), false)
		if err != nil || len(done) == 0 {
			t.Errorf("%s: Enable: %q, %v", name, done, err)
		}
		for i, file := range []string{shared, local} {
			want := c.enabled[i]
			if want == "" {
				want = []string{c.shared, c.local}[i]
			}
			if got := content(t, top, file); got != want {
				t.Errorf("%s: after Enable %s holds %q, want %q", name, file, got, want)
			}
		}
		if _, err := load(t, top); err != nil {
			t.Errorf("%s: after Enable: %v", name, err)
		}
		if done, err := Enable(t.Context(), repository(t, top), false); err != nil || len(done) != 0 {
			t.Errorf("%s: Enable again: %q, %v", name, done, err)
		}
		if _, err := Disable(t.Context(), repository(t, top), false); err != nil {
			t.Errorf("%s: Disable: %v", name, err)
		}
		if content(t, top, shared) != c.shared || content(t, top, local) != c.local || content(t, top, gitignore) != "" {
			t.Errorf("%s: after Disable: %q, %q, %q", name, content(t, top, shared), content(t, top, local), content(t, top, gitignore))
		}
		if _, err := os.Stat(filepath.Join(top, Dir)); c.shared+c.local == "" && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the directory stays", name)
		}
		if done, err := Disable(t.Context(), repository(t, top), false); err != nil || len(done) != 0 {
			t.Errorf("%s: Disable again: %q, %v", name, done, err)
		}
	}
}

func TestDisableHasTheLastWord(t *testing.T) {
	for name, top := range map[string]string{
		"local on":      worktree(t, fresh, `{"enabled": true}`),
		"shared silent": worktree(t, `{"strategy": "manual-commit"}`, ""),
		"shared on":     worktree(t, `{"x": 1, "enabled": true}`, ""),
		"empty":         worktree(t, `{}`, ""),
	} {
		if _, err := Enable(t.Context(), repository(t, top), false); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := load(t, top); err != nil {
			t.Errorf("%s: after Enable: %v", name, err)
		}
		if _, err := Disable(t.Context(), repository(t, top), false); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := load(t, top); !errors.Is(err, ErrDisabled) && !errors.Is(err, ErrNotEnabled) {
			t.Errorf("%s: after Disable: %v", name, err)
		}
	}
}

func TestEnableKeepsModeAndSymlink(t *testing.T) {
	top := worktree(t, `{"enabled": false}`, "")
	file := filepath.Join(top, Dir, shared)
	elsewhere := filepath.Join(top, "elsewhere.json")
	if err := errors.Join(os.Rename(file, elsewhere), os.Symlink("../elsewhere.json", file)); err != nil {
		t.Skip(err)
	}
	if _, err := Enable(t.Context(), repository(t, top), false); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(file); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the symlink is gone: %v, %v", info, err)
	}
	if info, err := os.Stat(elsewhere); err != nil || info.Mode().Perm() != 0o640 || content(t, top, shared) != `{"enabled": true}` {
		t.Errorf("the file behind it: %v, %v", info, err)
	}
}

func TestIgnoreAddsWhatIsMissing(t *testing.T) {
	all := "tmp/\nsettings.local.json\nmetadata/\nlogs/\n"
	for text, want := range map[string]string{
		"":                      all,
		all:                     all,
		"mine":                  "mine\n" + all,
		"logs/\n\n  tmp/ \n# x": "logs/\n\n  tmp/ \n# x\nsettings.local.json\nmetadata/\n",
	} {
		if got := string(ignore([]byte(text))); got != want {
			t.Errorf("ignore(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestPatience: it has bounds, which no number overflows.
func TestPatience(t *testing.T) {
	for seconds, want := range map[float64]time.Duration{0: 5 * time.Second, 2.5: 2500 * time.Millisecond, -3: time.Second / 10, 1e20: 10 * time.Minute} {
		if got := (Options{PushTimeout: seconds}).Patience(); got != want {
			t.Errorf("%v: %v, not %v", seconds, got, want)
		}
	}
}
