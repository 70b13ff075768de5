package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// machine tells in a line what figures were taken on.
func machine(w *world) string {
	git, _, err := w.run(process{args: []string{"git", "--version"}})
	if err != nil {
		git = "git of an unknown version"
	}
	return fmt.Sprintf("%s, %d cores; %s; %s; %s", cpu(w), runtime.NumCPU(), strings.Replace(git, "git version", "git", 1),
		runtime.Version(), system(w))
}

func cpu(w *world) string {
	if name := value("/proc/cpuinfo", "model name", ":"); name != "" {
		return name
	}
	if name, _, err := w.run(process{args: []string{"sysctl", "-n", "machdep.cpu.brand_string"}}); err == nil {
		return name
	}
	return runtime.GOARCH
}

func system(w *world) string {
	name := value("/etc/os-release", "PRETTY_NAME", "=")
	kernel, _, err := w.run(process{args: []string{"uname", "-sr"}})
	if err != nil {
		kernel = runtime.GOOS
	}
	if name == "" {
		return kernel
	}
	return name + ", " + kernel
}

// value finds the first line "key separator value" of a file.
func value(file, key, separator string) string {
	data, _ := os.ReadFile(file) // not every system has it
	for line := range strings.Lines(string(data)) {
		k, v, ok := strings.Cut(line, separator)
		if ok && strings.TrimSpace(k) == key {
			return strings.Trim(strings.TrimSpace(v), `"`)
		}
	}
	return ""
}
