package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// kind is whose a process is.
type kind int

const (
	other kind = iota
	ours       // a run of the program that is meant
	gits       // started by it
)

// tracer follows a command and all that it starts.
type tracer struct {
	fault
	groups  map[int]int  // processes, by thread
	kinds   map[int]kind // by process
	inside  map[int]bool // threads in a system call
	answers map[int]int  // errors to be returned at its end, by thread
	broken  bool         // the point is over
}

const (
	exitKill = 0x100000
	anyChild = 0x40000000 // __WALL
)

// trace runs a command, and has a system call go wrong by which the program or its git changes a
// file.
func (f fault) trace(args []string) int {
	runtime.LockOSThread()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	check(cmd.Start())
	root := cmd.Process.Pid
	t := &tracer{fault: f, groups: map[int]int{root: root}, kinds: map[int]kind{}, inside: map[int]bool{}, answers: map[int]int{}}
	var status syscall.WaitStatus
	_, err := syscall.Wait4(root, &status, anyChild, nil)
	check(err)
	check(syscall.PtraceSetOptions(root, syscall.PTRACE_O_TRACESYSGOOD|syscall.PTRACE_O_TRACECLONE|syscall.PTRACE_O_TRACEFORK|
		syscall.PTRACE_O_TRACEVFORK|syscall.PTRACE_O_TRACEEXEC|exitKill))
	t.executed(root)
	check(syscall.PtraceSyscall(root, 0))
	code := 0
	for {
		pid, err := syscall.Wait4(-1, &status, anyChild, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return code // all have ended
		}
		if status.Exited() || status.Signaled() {
			delete(t.inside, pid)
			if pid == root {
				if code = status.ExitStatus(); status.Signaled() {
					code = 128 + int(status.Signal())
				}
			}
			continue
		}
		_ = syscall.PtraceSyscall(pid, t.stopped(pid, status)) // it may have been killed meanwhile
	}
}

// stopped looks at a thread that has stopped, and returns the signal that it is to get.
func (t *tracer) stopped(pid int, status syscall.WaitStatus) int {
	known := t.groups[pid] != 0
	if !known {
		t.begun(pid)
	}
	switch signal := status.StopSignal(); {
	case signal == syscall.SIGTRAP|0x80:
		if t.inside[pid] = !t.inside[pid]; t.inside[pid] {
			t.entered(pid)
		} else if answer := t.answers[pid]; answer != 0 {
			delete(t.answers, pid)
			t.answer(pid, answer)
		}
		return 0
	case status.TrapCause() == syscall.PTRACE_EVENT_EXEC:
		t.executed(pid)
		return 0
	case signal == syscall.SIGTRAP, !known && signal == syscall.SIGSTOP:
		return 0
	default:
		return int(signal)
	}
}

// begun notes a new thread or process.
func (t *tracer) begun(pid int) {
	group, parent := family(pid)
	t.groups[pid] = group
	if _, ok := t.kinds[group]; !ok && t.kinds[parent] != other {
		t.kinds[group] = gits
	}
}

// executed notes that a process runs another program.
func (t *tracer) executed(pid int) {
	if t.concerns(pid) {
		t.kinds[pid] = ours
	}
}

func family(pid int) (group, parent int) {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	group = pid
	for line := range strings.Lines(string(data)) {
		name, value, _ := strings.Cut(line, ":")
		switch number, _ := strconv.Atoi(strings.TrimSpace(value)); name {
		case "Tgid":
			group = number
		case "PPid":
			parent = number
		}
	}
	return group, parent
}

// entered has the system call go wrong that a thread begins, if it is the one.
func (t *tracer) entered(pid int) {
	whose := t.kinds[t.groups[pid]]
	if whose == other {
		return
	}
	var regs syscall.PtraceRegs
	if syscall.PtraceGetRegs(pid, &regs) != nil || !changes(pid, &regs) {
		return
	}
	if t.broken {
		if t.way == "full" && grows(&regs) {
			t.refuse(pid, &regs, syscall.ENOSPC)
		}
		return
	}
	if !grows(&regs) && (t.way == "full" || t.way == "fail" && whose == gits) {
		return // a full disk refuses no removal, and what git can't remove it leaves
	}
	if t.broken = t.point(); !t.broken {
		return
	}
	switch t.way {
	case "kill":
		t.kill(syscall.SIGKILL, ours, gits)
	case "alone":
		t.kill(syscall.SIGKILL, ours)
	case "term":
		t.kill(syscall.SIGTERM, ours)
	case "full":
		t.refuse(pid, &regs, syscall.ENOSPC)
	case "fail":
		t.refuse(pid, &regs, syscall.EIO)
	default:
		fail("unknown way " + t.way)
	}
}

func (t *tracer) kill(signal syscall.Signal, whose ...kind) {
	for group, kind := range t.kinds {
		for _, w := range whose {
			if kind == w {
				_ = syscall.Kill(group, signal)
			}
		}
	}
}

// refuse has a system call do nothing, and return an error.
func (t *tracer) refuse(pid int, regs *syscall.PtraceRegs, why syscall.Errno) {
	regs.Orig_rax = ^uint64(0)
	if syscall.PtraceSetRegs(pid, regs) == nil {
		t.answers[pid] = int(why)
	}
}

func (t *tracer) answer(pid, why int) {
	var regs syscall.PtraceRegs
	if syscall.PtraceGetRegs(pid, &regs) == nil {
		regs.Rax = uint64(-why)
		_ = syscall.PtraceSetRegs(pid, &regs)
	}
}

// renameat2 has no name in package syscall.
const renameat2 = 316

// changes reports whether a system call changes a file or a directory.
func changes(pid int, regs *syscall.PtraceRegs) bool {
	switch regs.Orig_rax {
	case syscall.SYS_OPEN:
		return regs.Rsi&syscall.O_CREAT != 0
	case syscall.SYS_OPENAT:
		return regs.Rdx&syscall.O_CREAT != 0
	case syscall.SYS_WRITE, syscall.SYS_PWRITE64:
		return onDisk(pid, regs.Rdi)
	case syscall.SYS_RENAME, syscall.SYS_RENAMEAT, renameat2, syscall.SYS_UNLINK, syscall.SYS_UNLINKAT, syscall.SYS_LINK, syscall.SYS_LINKAT,
		syscall.SYS_SYMLINK, syscall.SYS_SYMLINKAT, syscall.SYS_MKDIR, syscall.SYS_MKDIRAT, syscall.SYS_RMDIR,
		syscall.SYS_FSYNC, syscall.SYS_FDATASYNC, syscall.SYS_FTRUNCATE, syscall.SYS_TRUNCATE:
		return true
	}
	return false
}

// grows reports whether it needs room on the disk.
func grows(regs *syscall.PtraceRegs) bool {
	switch regs.Orig_rax {
	case syscall.SYS_UNLINK, syscall.SYS_UNLINKAT, syscall.SYS_RMDIR, syscall.SYS_FTRUNCATE, syscall.SYS_TRUNCATE:
		return false
	}
	return true
}

// onDisk reports whether a descriptor is that of a file.
func onDisk(pid int, fd uint64) bool {
	name, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, fd))
	return strings.HasPrefix(name, "/") && !strings.HasPrefix(name, "/dev/null") && !strings.HasPrefix(name, "/proc/")
}
