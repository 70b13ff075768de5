//go:build !darwin

package ancestry

import (
	"os"
	"strconv"
	"time"
)

// look reads a process and its parent from /proc.
func look(pid int) (p Process, parent int, err error) { return read("/proc", pid) }

// tick is the unit of times in /proc: USER_HZ is 100.
const tick = 10 * time.Millisecond

// here is about when this process began.
var here = time.Now()

// Began is when the process began; known is false where the system doesn't tell. It is counted from
// this one: /proc/uptime may be a container's, and times of processes the machine's.
func (p Process) Began() (at time.Time, known bool) {
	this, _, err := look(os.Getpid())
	ticks, err2 := strconv.ParseInt(p.Started, 10, 64)
	from, err3 := strconv.ParseInt(this.Started, 10, 64)
	return here.Add(time.Duration(ticks-from) * tick), err == nil && err2 == nil && err3 == nil
}
