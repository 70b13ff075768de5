package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// extension is that of the archive.
func (p program) extension() string {
	if p.system == "windows" {
		return ".zip"
	}
	return ".tar.gz"
}

// archive is all that is installed, in one directory.
func (r release) archive(p program) ([]byte, error) {
	all := []file{{name: p.name(), mode: executable, data: p.data}, gitLink(p)}
	all = append(all, r.doc...)
	all = append(append(all, under("man/man1", r.man)...), under("completions", r.complete)...)
	all = under(r.base(p), all)
	if p.system == "windows" {
		return zipped(all, r.date)
	}
	return tarGz(all, r.date)
}

// gitLink is what makes `git entire-plumb log` work. A zip archive has no links on Windows; git for
// Windows runs the script.
func gitLink(p program) file {
	if p.system == "windows" {
		return file{name: "git-entire-plumb", mode: executable, data: []byte("#!/bin/sh\nexec \"${0%git-entire-plumb}entire-plumb.exe\" \"$@\"\n")}
	}
	return file{name: "git-entire-plumb", mode: executable, link: "entire-plumb"}
}

// under puts files into a directory.
func under(dir string, files []file) []file {
	moved := slices.Clone(files)
	for i := range moved {
		moved[i].name = path.Join(dir, moved[i].name)
	}
	return moved
}

// tarGz is an archive of files that root owns, with their directories.
func tarGz(files []file, date time.Time) ([]byte, error) {
	var packed bytes.Buffer
	gz := gzip.NewWriter(&packed)
	w := tar.NewWriter(gz)
	for _, dir := range directories(files) {
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: executable, ModTime: date, Uname: "root", Gname: "root"}); err != nil {
			return nil, err
		}
	}
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: date, Uname: "root", Gname: "root"}
		if f.link != "" {
			h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, f.link, 0o777
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	err := gz.Close()
	return packed.Bytes(), err
}

// directories are those of files, each after the one above it.
func directories(files []file) (all []string) {
	for _, f := range files {
		for dir := path.Dir(f.name); dir != "."; dir = path.Dir(dir) {
			all = append(all, dir)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func zipped(files []file, date time.Time) ([]byte, error) {
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: date}
		h.SetMode(fs.FileMode(f.mode))
		to, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := to.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return packed.Bytes(), err
}

// gzipped is a file as distributions keep manual pages.
func gzipped(data []byte) []byte {
	var packed bytes.Buffer
	gz := gzip.NewWriter(&packed)
	gz.Write(data) // into memory
	gz.Close()
	return packed.Bytes()
}

// installed is what a package of a distribution has, by path below the root. Where zsh looks for
// functions differs.
func (r release) installed(p program, zsh string) []file {
	all := under("usr/bin", []file{{name: p.name(), mode: executable, data: p.data}, gitLink(p)})
	all = append(all, under("usr/share/doc/entire-plumb", r.doc)...)
	for _, f := range r.man {
		all = append(all, file{name: "usr/share/man/man1/" + f.name + ".gz", mode: plain, data: gzipped(f.data)})
	}
	places := map[string]string{".bash": "usr/share/bash-completion/completions/entire-plumb", "": zsh + "/_entire-plumb",
		".fish": "usr/share/fish/vendor_completions.d/entire-plumb.fish"}
	for _, f := range r.complete {
		if place, ok := places[path.Ext(f.name)]; ok {
			all = append(all, file{name: place, mode: plain, data: f.data})
		}
	}
	slices.SortFunc(all, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return all
}
