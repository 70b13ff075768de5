//go:build !darwin

package ancestry

import (
	"os"
	"strconv"
	"strings"
	"time"
)

// look reads a process and its parent from /proc.
func look(pid int) (p Process, parent int, err error) { return read("/proc", pid) }

// tick is the unit of times in /proc: USER_HZ is 100.
const tick = 10 * time.Millisecond

// Began is when the process began; known is false where the system doesn't tell. A suspended
// machine's time passes, too.
func (p Process) Began() (at time.Time, known bool) {
	text, err := os.ReadFile("/proc/uptime")
	up, _, _ := strings.Cut(string(text), " ")
	seconds, err2 := strconv.ParseFloat(up, 64)
	ticks, err3 := strconv.ParseInt(p.Started, 10, 64)
	if err != nil || err2 != nil || err3 != nil {
		return at, false
	}
	return time.Now().Add(time.Duration(ticks)*tick - time.Duration(seconds*float64(time.Second))), true
}
