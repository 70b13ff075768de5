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

// here is shortly after this process began.
var here = time.Now()

// Began is when the process began, or up to two ticks before; known is false where the system
// doesn't tell. It is counted from this process; on a busy machine, where that takes its time to
// start, from the machine's start: /proc/uptime may be a container's, and times of processes the
// machine's.
func (p Process) Began() (at time.Time, known bool) {
	this, _, err := look(os.Getpid())
	ticks, err2 := strconv.ParseInt(p.Started, 10, 64)
	from, err3 := strconv.ParseInt(this.Started, 10, 64)
	if err != nil || err2 != nil || err3 != nil {
		return at, false
	}
	at = here.Add(time.Duration(ticks-from-2) * tick)
	text, err := os.ReadFile("/proc/uptime")
	up, _, _ := strings.Cut(string(text), " ")
	seconds, err2 := strconv.ParseFloat(up, 64)
	late := at.Sub(time.Now().Add(time.Duration(ticks-2)*tick - time.Duration(seconds*float64(time.Second))))
	if err == nil && err2 == nil && late > 0 && late < 10*time.Second {
		at = at.Add(-late)
	}
	return at, true
}
