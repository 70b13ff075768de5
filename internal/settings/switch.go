package settings

import (
	"context"
	"fmt"
	"strings"

	"entire-plumb/gitexec"
)

// keySwitch is a key of git's configuration that enables or disables this program alone: the entire
// CLI obeys "enabled" in the files of settings as well, and refuses files with keys that it doesn't
// know.
const keySwitch = gitexec.Section + ".enabled"

// switched is what the key says, in whichever of git's files.
func switched(ctx context.Context, repo *gitexec.Repo) (on, said bool, err error) {
	own, err := repo.OwnConfig(ctx)
	values := own[strings.ToLower(keySwitch)]
	if err != nil || len(values) == 0 {
		return false, false, err
	}
	value, err := boolean(values[len(values)-1])
	if err != nil {
		return false, false, fmt.Errorf("git config %s: %w", keySwitch, err)
	}
	return value == true, true, nil
}

// Switched reports whether Switch has enabled this program in the repository, beside the entire
// CLI.
func Switched(ctx context.Context, repo *gitexec.Repo) (bool, error) {
	values, err := repo.LocalConfig(ctx, keySwitch)
	return len(values) > 0 && values[len(values)-1] == "true", err // twice, where two did so at once
}

// Switch sets the key in the repository's own configuration.
func Switch(ctx context.Context, repo *gitexec.Repo, on bool) error {
	values, err := repo.LocalConfig(ctx, keySwitch)
	if err != nil || len(values) > 0 && values[len(values)-1] == fmt.Sprint(on) {
		return err
	}
	if err := repo.UnsetLocalConfig(ctx, keySwitch, values...); err != nil { // not another one's that came since
		return err
	}
	return repo.AddLocalConfig(ctx, keySwitch, fmt.Sprint(on))
}

// SwitchBack removes the key, or disables by it where something is recorded: the files of settings
// are the entire CLI's, and may enable.
func SwitchBack(ctx context.Context, repo *gitexec.Repo, recorded bool) error {
	if recorded {
		return Switch(ctx, repo, false)
	}
	values, err := repo.LocalConfig(ctx, keySwitch)
	if err != nil {
		return err
	}
	return repo.UnsetLocalConfig(ctx, keySwitch, values...)
}
