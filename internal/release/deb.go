package main

import (
	"bytes"
	"crypto/md5"
	"fmt"
	"time"
)

const (
	// about is what the program is, in packages.
	about = "record what AI coding agents do, in your own git repository"
	// leastGit is the version of git that is needed.
	leastGit = "2.38"
)

const aboutAtLength = `Every turn of an agent becomes a checkpoint on a shadow branch. A commit that
holds an agent's work gets a link to the conversation behind it. Everything is
kept in the repository, by git's own plumbing.`

// deb is a package for dpkg: see deb(5).
func (r release) deb(p program) ([]byte, error) {
	files := r.installed(p, "usr/share/zsh/vendor-completions")
	size, sums := 0, ""
	for _, f := range files {
		if size += len(f.data); f.link == "" {
			sums += fmt.Sprintf("%x  %s\n", md5.Sum(f.data), f.name)
		}
	}
	control := fmt.Sprintf("Package: entire-plumb\nVersion: %s\nArchitecture: %s\nMaintainer: The entire-plumb authors\nInstalled-Size: %d\n"+
		"Depends: git (>= 1:%s)\nSection: vcs\nPriority: optional\nHomepage: %s\nDescription: %s\n%s",
		r.packageVersion(), p.machine, (size+1023)/1024, leastGit, r.home, about, indented(aboutAtLength+"\n"))
	meta, err := tarGz([]file{{name: "control", mode: plain, data: []byte(control)}, {name: "md5sums", mode: plain, data: []byte(sums)}}, r.date)
	if err != nil {
		return nil, err
	}
	data, err := tarGz(files, r.date)
	return ar([]file{{name: "debian-binary", data: []byte("2.0\n")}, {name: "control.tar.gz", data: meta}, {name: "data.tar.gz", data: data}}, r.date), err
}

func indented(text string) string {
	var w bytes.Buffer
	for line := range bytes.Lines([]byte(text)) {
		fmt.Fprintf(&w, " %s", line)
	}
	return w.String()
}

// ar is an archive as ar(5) describes it.
func ar(files []file, date time.Time) []byte {
	var w bytes.Buffer
	w.WriteString("!<arch>\n")
	for _, f := range files {
		fmt.Fprintf(&w, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", f.name, date.Unix(), 0, 0, "100644", len(f.data))
		w.Write(f.data)
		if len(f.data)%2 != 0 {
			w.WriteByte('\n')
		}
	}
	return w.Bytes()
}
