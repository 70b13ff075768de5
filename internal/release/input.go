package main

import (
	"bytes"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"entire-plumb/internal/safefile"
)

// release is what is packed.
type release struct {
	version  string    // without the v
	commit   string    // may be unknown
	date     time.Time // of the commit; of all files
	home     string    // the address of the repository, without a slash at the end
	programs []program
	man      []file // by their names alone
	complete []file
	doc      []file
}

// program is that for one system.
type program struct {
	system, machine string // as Go names them
	data            []byte
	info            *debug.BuildInfo
}

// file is one in an archive or a package.
type file struct {
	name string // with slashes
	mode int64  // permissions
	data []byte
	link string // what it links to; empty: it is no link
}

const (
	plain      = 0o644
	executable = 0o755
)

// read takes everything from a directory.
func read(dir string) (release, error) {
	var r release
	var errs [4]error
	r.man, errs[0] = files(filepath.Join(dir, "man"))
	r.complete, errs[1] = files(filepath.Join(dir, "completions"))
	r.doc, errs[2] = files(filepath.Join(dir, "doc"))
	r.programs, errs[3] = programs(dir)
	if err := errors.Join(errs[:]...); err != nil {
		return r, err
	}
	return r, r.identify()
}

// files are those of a directory, by name.
func files(dir string) ([]file, error) {
	entries, err := os.ReadDir(dir)
	var all []file
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, file{name: e.Name(), mode: plain, data: data})
	}
	return all, err
}

func programs(dir string) ([]program, error) {
	dirs := safefile.Glob(dir, "*-*")
	if len(dirs) == 0 {
		return nil, fmt.Errorf("%s has no program: %w", dir, os.ErrNotExist)
	}
	var all []program
	for _, d := range dirs {
		found, err := files(d)
		if err != nil {
			return nil, err
		}
		if len(found) != 1 {
			return nil, fmt.Errorf("%s has %d files, and not the program alone", d, len(found))
		}
		p := program{data: found[0].data}
		p.system, p.machine, _ = strings.Cut(filepath.Base(d), "-")
		if p.info, err = buildinfo.Read(bytes.NewReader(p.data)); err != nil {
			return nil, fmt.Errorf("%s: %w", d, err)
		}
		if setting(p.info, "GOOS") != p.system || setting(p.info, "GOARCH") != p.machine {
			return nil, fmt.Errorf("%s: the program is one for %s-%s", d, setting(p.info, "GOOS"), setting(p.info, "GOARCH"))
		}
		all = append(all, p)
	}
	return all, nil
}

// identify takes version, commit and date from the programs, which must agree.
func (r *release) identify() error {
	r.date = time.Unix(0, 0).UTC()
	for i, p := range r.programs {
		version, commit := strings.TrimPrefix(p.info.Main.Version, "v"), setting(p.info, "vcs.revision")
		if version == "" || version == "(devel)" { // built without git
			version = "0.0.0-devel"
		}
		if i > 0 && (version != r.version || commit != r.commit) {
			return fmt.Errorf("the programs are of several versions: %s (%s), %s (%s)", r.version, r.commit, version, commit)
		}
		r.version, r.commit, r.home = version, commit, home(p.info.Main.Path)
		if date, err := time.Parse(time.RFC3339, setting(p.info, "vcs.time")); err == nil {
			r.date = date.UTC()
		}
	}
	return nil
}

func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// home is where a module is: its path is its address, once it has one.
func home(path string) string {
	if host, _, ok := strings.Cut(path, "/"); ok && strings.Contains(host, ".") {
		return "https://" + path
	}
	return "https://example.com/" + path
}

// base is the beginning of the names of files for a system.
func (r release) base(p program) string {
	return "entire-plumb_" + r.version + "_" + p.system + "_" + p.machine
}

// packageVersion is the version as dpkg and rpm order it: a pre-release, which Go writes behind a
// hyphen, comes before the release.
func (r release) packageVersion() string { return strings.ReplaceAll(r.version, "-", "~") }

func (p program) name() string {
	if p.system == "windows" {
		return "entire-plumb.exe"
	}
	return "entire-plumb"
}
