package testserver

import (
	"errors"
	"syscall"
)

// smallBuffers has the system hold little of what a client sends: on the loopback it would take
// megabytes at once, however slowly they are read.
func smallBuffers(_, _ string, raw syscall.RawConn) error {
	var err error
	return errors.Join(raw.Control(func(fd uintptr) {
		err = errors.Join(syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 16<<10),
			syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_MAXSEG, 1400))
	}), err)
}
