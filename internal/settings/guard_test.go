package settings

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// What others can commit weakens nothing, however it is spelled, and may strengthen what it likes.
func TestGuard(t *testing.T) {
	for shared, want := range map[string]struct {
		ignored  string
		strategy string
		allow    int
		push     bool
	}{
		`{"enabled": true}`: {"", ManualCommit, 0,
			false},
		`{"enabled": true, "strategy": "auto-commit"}`: {"strategy", ManualCommit,
			0, false},
		`{"enabled": true, "STRATEGY": "auto-commit"}`: {"strategy", ManualCommit,
			0, false},
		`{"enabled": true, "ſtrategy": "auto-commit"}`: {"strategy", ManualCommit,
			0, false},
		`{"enabled": true, "strategy": null}`: {"", ManualCommit, 0,
			false},
		`{"enabled": true, "strategy": "manual-commit", "Strategy": "auto-commit"}`: {"strategy", ManualCommit,
			0, false},
		`{"enabled": true, "strategy": "auto-commit", "strategy": "manual-commit"}`: {"", ManualCommit, 0,
			false},
		`{"enabled": true, "allow_shadow_push": true, "Allow_Shadow_Push": true}`: {"allow_shadow_push", ManualCommit, 0, false},
		`{"enabled": true, "allow_shadow_push": false, "redaction": {"allow": []}}`: {"", ManualCommit, 0,
			false},
		`{"enabled": true, "redaction": {"allow": ["a"], "Allow": ["b"]}, "Redaction": {"allow": ["c", "d"]}}`: {"redaction.allow", ManualCommit, 0, false},
		`{"enabled": true, "strategy_options": {"push_timeout_seconds": 600}}`:                                 {"strategy_options.push_timeout_seconds", ManualCommit, 0, false},
		`{"enabled": true, "strategy_options": {"push_timeout_seconds": 1}}`: {"", ManualCommit, 0,
			false},
		`{"enabled": true, "redaction": null, "allow_shadow_push": null}`: {"", ManualCommit, 0,
			false},
	} {
		for _, name := range []string{"shared", "tracked"} {
			top := worktree(t, shared, "")
			if name == "tracked" {
				top = worktree(t, "", shared)
				repository(t, top)
				testdir.Git(t, top, "add", "-f", ".entire")
			}
			got, err := load(t, top)
			var keys []string
			for _, i := range got.Ignored {
				keys = append(keys, i.Key)
			}
			if err != nil || strings.Join(keys, " ") != want.ignored || got.Strategy != want.strategy ||
				len(got.Redaction.Allow) != want.allow || got.AllowShadowPush != want.push {
				t.Errorf("%s %s: %+v, %v", name, shared, got, err)
			}
		}
		top := worktree(t, "", shared)
		if got, err := load(t, top); err != nil || len(got.Ignored) != 0 {
			t.Errorf("untracked %s: %+v, %v", shared, got, err)
		}
	}
}

// Without the user's word the rest of the file counts.
func TestGuardLeavesTheRest(t *testing.T) {
	got, err := load(t, worktree(t,
		`{"enabled": true, "max_untracked_bytes": 7, "redaction": {"rules": [{"id": "a", "regex": "b"}], "allow": [".*"]}}`, ""))
	if err != nil || got.MaxUntrackedBytes != 7 || len(got.Redaction.Rules) != 1 || got.Redaction.Allow != nil {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := load(t, worktree(t, `{"enabled": false, "strategy": "auto-commit"}`, "")); !errors.Is(err, ErrDisabled) {
		t.Errorf("disabled: %v", err)
	}
}

func TestConfigured(t *testing.T) {
	top := worktree(t, `{"enabled": true, "strategy": "manual-commit"}`, "")
	repository(t, top)
	set := func(args ...string) { testdir.Git(t, top, append([]string{"config"}, args...)...) }
	set("--add", "entire-plumb.redactionAllow", "a")
	set("--add", "entire-plumb.redactionAllow", "b\nc")
	set("entire-plumb.strategy", "auto-commit")
	for text, want := range map[string]bool{"true": true, "Yes": true, "on": true, "1": true, "-3": true, "0": false, "false": false,
		"no": false, "": false} {
		set("entire-plumb.allowShadowPush", text)
		got, err := load(t, top)
		if err != nil || got.AllowShadowPush != want || got.Strategy != AutoCommit ||
			!slices.Equal(got.Redaction.Allow, []string{"a", "b\nc"}) || got.Ignored != nil {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for key, value := range map[string]string{"allowShadowPush": "perhaps", "strategy": "x", "redactionAllow": "(", "pushTimeoutSeconds": "NaN"} {
		set("--replace-all", "entire-plumb."+key, value)
		if _, err := load(t, top); err == nil || !strings.HasPrefix(err.Error(), "git config entire-plumb."+key+": ") {
			t.Errorf("%s: %v", key, err)
		}
		set("--unset", "entire-plumb."+key)
	}
}

func TestConfirm(t *testing.T) {
	text := `{"enabled": true, "strategy": "auto-commit"}`
	top := worktree(t, text, "")
	repo := repository(t, top)
	got, err := Load(t.Context(), repo)
	if err != nil || len(got.Ignored) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	testdir.Must(t, Confirm(repo, got.Ignored))
	if got, err := Load(t.Context(), repo); err != nil || got.Ignored != nil || got.Strategy != AutoCommit {
		t.Errorf("confirmed: %+v, %v", got, err)
	}
	if info, err := os.Stat(confirmedFile(repo)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	file := filepath.Join(top, Dir, shared)
	testdir.Must(t, os.WriteFile(file, []byte(text+"\n"), 0o600))
	if got, err := Load(t.Context(), repo); err != nil || len(got.Ignored) != 1 {
		t.Errorf("changed: %+v, %v", got, err)
	}
	for range 2 {
		if _, err := Forget(repo); err != nil {
			t.Error(err)
		}
	}
}

// Git is asked once of a local file, and again when another file is in its place, though it holds
// the same.
func TestLocalFileIsAskedForOnce(t *testing.T) {
	text := `{"enabled": true, "strategy": "auto-commit"}`
	top := worktree(t, "", text)
	repo := repository(t, top)
	for range 3 {
		if got, err := Load(t.Context(), repo); err != nil || got.Ignored != nil {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	testdir.Git(t, top, "add", "-f", ".entire")
	file := filepath.Join(top, Dir, local)
	testdir.Must(t, errors.Join(os.WriteFile(file+"2", []byte(text), 0o600), os.Rename(file+"2", file)))
	if got, err := Load(t.Context(), repo); err != nil || len(got.Ignored) != 1 {
		t.Errorf("replaced: %+v, %v", got, err)
	}
}
