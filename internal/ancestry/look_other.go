//go:build !darwin

package ancestry

// look reads a process and its parent from /proc.
func look(pid int) (p Process, parent int, err error) { return read("/proc", pid) }
