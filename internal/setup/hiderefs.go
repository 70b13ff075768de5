package setup

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/shadow"
)

const (
	keyHideRefs = "transfer.hideRefs"
	keyHidden   = "entire-plumb.hideStreams" // the values below are ours
)

// hidden are the values that hide our refs from fetches of this repository and pushes to it. The
// last match counts. Other branches below entire/ are hidden, too: git has no pattern for a
// stream's name.
var hidden = []string{
	strings.TrimSuffix(shadow.Prefix, "/"),
	"!" + shadow.Prefix + "checkpoints",
	"!" + shadow.Prefix + "trails",
	strings.TrimSuffix(shadow.Private, "/"),
}

// HidesStreams reports whether the values are set.
func HidesStreams(ctx context.Context, repo *gitexec.Repo) (bool, error) {
	ours, err := repo.LocalConfig(ctx, keyHidden)
	if err != nil || len(ours) == 0 {
		return false, err
	}
	values, err := repo.LocalConfig(ctx, keyHideRefs)
	return slices.Equal(hidden, slices.DeleteFunc(values, func(v string) bool { return !slices.Contains(hidden, v) })), err
}

// HideStreams hides shadow branches and private refs, but not the committed checkpoints, from
// fetches of this repository. It returns its changes, one line each.
func HideStreams(ctx context.Context, repo *gitexec.Repo) ([]string, error) {
	done, err := HidesStreams(ctx, repo)
	if err != nil || done {
		return nil, err
	}
	if _, err := ShowStreams(ctx, repo); err != nil { // removes values of a killed run
		return nil, err
	}
	values, err := repo.LocalConfig(ctx, keyHideRefs)
	if err != nil {
		return nil, err
	}
	for _, v := range values {
		if slices.Contains(hidden, v) {
			return nil, fmt.Errorf("%s already has the value %s, set by another program\nhint: git config --local --fixed-value --unset-all %s %s",
				keyHideRefs, v, keyHideRefs, gitexec.ShellQuote(v))
		}
	}
	if err := repo.AddLocalConfig(ctx, keyHidden, "true"); err != nil {
		return nil, err
	}
	if err := repo.AddLocalConfig(ctx, keyHideRefs, hidden...); err != nil {
		return nil, err
	}
	return []string{"hid the shadow branches from fetches (" + keyHideRefs + ")"}, nil
}

// ShowStreams removes the values of HideStreams.
func ShowStreams(ctx context.Context, repo *gitexec.Repo) ([]string, error) {
	ours, err := repo.LocalConfig(ctx, keyHidden)
	if err != nil || len(ours) == 0 {
		return nil, err
	}
	if err := repo.UnsetLocalConfig(ctx, keyHideRefs, hidden...); err != nil {
		return nil, err
	}
	if err := repo.UnsetLocalConfig(ctx, keyHidden, ours...); err != nil { // last, so that a killed run is repeated
		return nil, err
	}
	return []string{"removed our values from " + keyHideRefs}, nil
}
