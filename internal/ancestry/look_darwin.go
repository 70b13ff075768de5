package ancestry

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// look asks the kernel for a process and its parent.
func look(pid int) (p Process, parent int, err error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return p, 0, err
	}
	if int(info.Proc.P_pid) != pid {
		return p, 0, fmt.Errorf("there is no process %d", pid)
	}
	began := info.Proc.P_starttime
	p = Process{ID: pid, Started: fmt.Sprintf("%d.%06d", began.Sec, began.Usec), Name: unix.ByteSliceToString(info.Proc.P_comm[:])}
	if p.git() {
		text, err := unix.SysctlRaw("kern.procargs2", pid)
		if err != nil {
			return p, 0, err
		}
		if p.Args, err = arguments(text); err != nil {
			return p, 0, err
		}
	}
	return p, int(info.Eproc.Ppid), nil
}

// Began is when the process began; known is false where that is not understood.
func (p Process) Began() (at time.Time, known bool) {
	var seconds, micro int64
	if _, err := fmt.Sscanf(p.Started, "%d.%d", &seconds, &micro); err != nil {
		return at, false
	}
	return time.Unix(seconds, micro*1000), true
}
