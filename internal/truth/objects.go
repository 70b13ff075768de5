package main

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// objects is a git process that reads objects for the checks, for as long as the workflow lasts.
type objects struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func openObjects(dir string, env []string) *objects {
	cmd := exec.Command("git", "cat-file", "--batch")
	cmd.Dir, cmd.Env = dir, env
	in, err := cmd.StdinPipe()
	must(err)
	out, err := cmd.StdoutPipe()
	must(err)
	must(cmd.Start())
	return &objects{cmd, in, bufio.NewReader(out)}
}

// read returns an object that git knows by a name, and whether there is one.
func (o *objects) read(name string) (string, bool) {
	_, err := fmt.Fprintln(o.in, name)
	must(err)
	head, err := o.out.ReadString('\n')
	must(err)
	fields := strings.Fields(head)
	if len(fields) < 3 || strings.HasSuffix(head, " missing\n") {
		return "", false
	}
	size, err := strconv.Atoi(fields[2])
	must(err)
	data := make([]byte, size+1)
	_, err = io.ReadFull(o.out, data)
	must(err)
	return string(data[:size]), true
}

func (o *objects) close() {
	o.in.Close()
	o.cmd.Wait()
}
