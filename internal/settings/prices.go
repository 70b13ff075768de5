package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"entire-plumb/internal/prices"
	"entire-plumb/internal/safefile"
)

// mostPrices is how many bytes a file of prices may have.
const mostPrices = 1 << 20

// Prices are the listed prices, with the user's own before them: those of a file, or, without one,
// of entire-plumb/prices.toml in the directory of the user's configuration. Nothing in a repository
// changes what its user pays.
func Prices(file string) (prices.Table, error) {
	listed, given := prices.Listed(), file != ""
	if !given {
		dir, err := os.UserConfigDir()
		if err != nil {
			return listed, nil
		}
		file = filepath.Join(dir, "entire-plumb", "prices.toml")
	}
	text, err := safefile.Read(file, mostPrices)
	if !given && outOfReach(err) {
		return listed, nil
	}
	var own prices.Table
	if err == nil {
		own, err = prices.Parse(text)
	}
	if err != nil {
		return listed, fmt.Errorf("the prices in %s cannot be read: %w\nhint: entire-plumb stats --help shows what a price looks like", file, err)
	}
	return listed.Over(own), nil
}

// outOfReach reports whether there is no file as far as can be seen: as in git's configuration, a
// directory that belongs to another user has none.
func outOfReach(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR)
}
