// Command faults lets tests break the program from outside, at a point that is counted.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Called as git, by a PATH on which it stands first, it counts the git processes that the program
// starts, and spoils one of them. Otherwise it runs a command and counts the system calls by which
// the program, and the git processes that it starts, change files.

// fault is what is to go wrong, and where.
type fault struct {
	word  string // an argument of the program's runs that are meant
	way   string // how it goes wrong
	at    int    // which of the points; 0: none
	count string // a file that has a byte for each point afterwards
}

// Variable asks for a fault of a git process: WORD WAY NUMBER FILE.
const variable = "ENTIRE_TEST_FAULT"

func main() {
	args, spec := os.Args[1:], strings.Fields(os.Getenv(variable))
	wrapper := filepath.Base(os.Args[0]) == "git"
	if !wrapper {
		if len(args) < 5 {
			fail("usage: faults WORD WAY NUMBER FILE PROGRAM [ARG]...")
		}
		spec, args = args[:4], args[4:]
	}
	f := fault{}
	if len(spec) == 4 {
		at, err := strconv.Atoi(spec[2])
		check(err)
		f = fault{spec[0], spec[1], at, spec[3]}
	}
	if wrapper {
		os.Exit(f.git(args))
	}
	os.Exit(f.trace(args))
}

// point counts one, and reports whether it is the one at which something goes wrong.
func (f fault) point() bool {
	file, err := os.OpenFile(f.count, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	check(err)
	defer file.Close()
	_, err = file.Write([]byte{'.'})
	check(err)
	number, err := file.Seek(0, 1) // where this one's byte ends, whoever else counts
	check(err)
	return int(number) == f.at
}

// concerns reports whether a process is a run of the program that is meant.
func (f fault) concerns(pid int) bool {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	words := strings.Split(string(data), "\x00")
	return filepath.Base(words[0]) == "entire-plumb" && slices.Contains(words, f.word)
}

func check(err error) {
	if err != nil {
		fail(err)
	}
}

func fail(why any) {
	fmt.Fprintln(os.Stderr, "faults:", why)
	os.Exit(125)
}
