//go:build unix

package safefile

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// StatData returns the stat data of a file, by which it can be told from one that has replaced it;
// not ok where there is none.
func StatData(path string) (data string, ok bool) {
	var s unix.Stat_t
	if err := unix.Stat(path, &s); err != nil {
		return "", false
	}
	return fmt.Sprintf("%d %d %d", s.Ino, s.Size, time.Unix(s.Ctim.Unix()).UnixNano()), true
}
