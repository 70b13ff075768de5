package clients

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"unsafe"
)

// isolated says in the environment that this process has a network of its own.
const isolated = "ENTIRE_TEST_ISOLATED"

// isolate runs this test again in a network namespace that has nothing but loopback, and gives its
// exit code; done is false where it runs there already, or this system allows no namespaces.
func isolate() (code int, done bool, err error) {
	if os.Getenv(isolated) != "" {
		return 0, false, loopback()
	}
	self, err := os.Executable()
	if err != nil {
		return 0, false, err
	}
	cmd := exec.Command(self, os.Args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), isolated+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	if uid, gid := os.Getuid(), os.Getgid(); uid != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: gid, Size: 1}}
	}
	if err := cmd.Start(); err != nil {
		return 0, false, err
	}
	if err := cmd.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		return 0, false, err
	}
	return cmd.ProcessState.ExitCode(), true, nil
}

// loopback brings the interface up.
func loopback() error {
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(socket)
	var interfaceFlags struct {
		name  [syscall.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}
	copy(interfaceFlags.name[:], "lo")
	interfaceFlags.flags = syscall.IFF_UP | syscall.IFF_RUNNING
	if _, _, code := syscall.Syscall(syscall.SYS_IOCTL, uintptr(socket), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&interfaceFlags))); code != 0 {
		return code
	}
	return nil
}
