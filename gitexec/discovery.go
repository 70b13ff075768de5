package gitexec

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// Discovery is what Discover found, to be kept with the stat data of all the files that it follows from. As long as those are the same, git would
// find the same again and need not be asked: what its index does for the worktree's files, done for a repository's refs. Nothing is read in
// git's place; whenever anything differs, or could, git is asked.
type Discovery struct {
	Repo  *Repo  `json:"repo"`
	Stats []Stat `json:"stats"`
}

// Stat is the stat data of a file or directory.
type Stat struct {
	Path string `json:"path"` // absolute
	Data string `json:"data"` // inode, size, and the time of the last change in nanoseconds; empty: it isn't there
}

// settled is for how long a file must have been left alone until its stat data tells of each change to come: two changes within one tick of the
// clock that stamps them look like one. Some file systems count in seconds.
const settled = 2 * time.Second

// mostStats is of how many files and directories stat data is kept. With more of them git is hardly slower.
const mostStats = 100

// unsettling are variables that can make git find another repository in the same directory, or another one's parts.
var unsettling = append([]string{
	"GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE",
}, located...)

// Discovery gives what was found here with the stat data that vouches for it, for HEAD, and for the refs below prefix (full, as refs/heads/x/). It
// is nil where stat data cannot: something has changed since, or just before, begun, when the first question was asked; a ref is a symbolic one, refs are
// not kept in files, variables say where the repository is.
func (r *Repo) Discovery(prefix string, begun time.Time) *Discovery {
	return r.discovery(prefix, begun.Add(-settled))
}

func (r *Repo) discovery(prefix string, settled time.Time) *Discovery {
	if top, gitDir := nearest(r.Top); top != r.Top || gitDir != r.GitDir || !r.plainHead() {
		return nil
	}
	files := []string{
		filepath.Join(r.GitDir, "HEAD"), filepath.Join(r.GitDir, "commondir"), filepath.Join(r.GitDir, "config.worktree"),
		filepath.Join(r.CommonDir, "config"), filepath.Join(r.CommonDir, "packed-refs"),
		filepath.Join(r.CommonDir, "shallow"), filepath.Join(r.CommonDir, "info", "grafts"),
	}
	if dotGit := filepath.Join(r.Top, ".git"); dotGit != r.GitDir {
		files = append(files, dotGit) // a file that leads there
	}
	files = append(files, r.around(strings.TrimSuffix(prefix, "/"))...)
	if r.Branch != "" {
		files = append(append(files, r.around(r.Branch)...), filepath.Join(r.CommonDir, r.Branch))
	}
	d := &Discovery{Repo: r}
	keep := func(file string) bool {
		data, changed := statData(file)
		d.Stats = append(d.Stats, Stat{file, data})
		return len(d.Stats) <= mostStats && utf8.ValidString(file) && (data == "" || changed.Before(settled))
	}
	for _, file := range files {
		if !keep(file) {
			return nil
		}
	}
	// A directory's data is taken before it is listed: what comes later changes it.
	err := filepath.WalkDir(filepath.Join(r.CommonDir, prefix), func(file string, entry fs.DirEntry, err error) error {
		switch {
		case entry == nil && errors.Is(err, fs.ErrNotExist):
			if keep(file) {
				return nil
			}
		case err == nil && keep(file) && (entry.IsDir() || plainRef(file)):
			return nil
		}
		return errUnsettled
	})
	if err != nil {
		return nil
	}
	return d
}

// around gives the directories of a ref below refs, from there down. They tell when it, or the last one in its directory, has gone since git was asked.
func (r *Repo) around(ref string) []string {
	var dirs []string
	for dir := path.Dir(ref); dir != "." && dir != "refs"; dir = path.Dir(dir) {
		dirs = append([]string{filepath.Join(r.CommonDir, dir)}, dirs...)
	}
	return dirs
}

var errUnsettled = errors.New("stat data cannot vouch for this")

// Again gives the repository, if it would be found in the same state again from the directory dir, which needs no process; else nil.
func (d *Discovery) Again(dir string, tracer *Tracer) *Repo {
	if d == nil || d.Repo == nil || len(d.Stats) == 0 {
		return nil
	}
	if top, gitDir := nearest(dir); top != d.Repo.Top || gitDir != d.Repo.GitDir {
		return nil
	}
	for _, s := range d.Stats {
		if data, _ := statData(s.Path); data != s.Data {
			return nil
		}
	}
	r := *d.Repo
	r.settle(tracer)
	return &r
}

// LikelyPrivateDir is the PrivateDir of the repository in which a directory seems to be, empty if none does. Only Discover tells for sure.
func LikelyPrivateDir(dir string) string {
	_, gitDir := nearest(dir)
	if gitDir == "" {
		return ""
	}
	return (&Repo{GitDir: gitDir}).PrivateDir()
}

// nearest finds the worktree around a directory and its git directory where that is beyond doubt: no variable tells git to look elsewhere, nothing on the
// way up could be another repository or is on another file system, and both belong to the user, as git wants it.
func nearest(dir string) (top, gitDir string) {
	for _, name := range unsettling {
		if _, set := os.LookupEnv(name); set {
			return "", ""
		}
	}
	dir, err := filepath.EvalSymlinks(dir)
	var here unix.Stat_t
	if err != nil || unix.Stat(dir, &here) != nil {
		return "", ""
	}
	for top = dir; ; top = filepath.Dir(top) {
		gitDir = filepath.Join(top, ".git")
		info, err := os.Lstat(gitDir)
		if err == nil {
			if !info.IsDir() {
				gitDir = linkedGitDir(gitDir)
			}
			break
		}
		_, bare := os.Lstat(filepath.Join(top, "HEAD"))
		if !errors.Is(err, fs.ErrNotExist) || !errors.Is(bare, fs.ErrNotExist) || filepath.Dir(top) == top {
			return "", ""
		}
	}
	if ceiled(top) {
		return "", ""
	}
	for _, path := range []string{top, gitDir} {
		var found unix.Stat_t
		if unix.Stat(path, &found) != nil || int(found.Uid) != os.Geteuid() || path == top && found.Dev != here.Dev {
			return "", ""
		}
	}
	return top, gitDir
}

// ceiled reports whether GIT_CEILING_DIRECTORIES can keep git from looking into a directory from one below.
func ceiled(top string) bool {
	for _, ceiling := range filepath.SplitList(os.Getenv("GIT_CEILING_DIRECTORIES")) {
		real, _ := filepath.EvalSymlinks(ceiling)
		for _, dir := range []string{ceiling, real} {
			if dir == top || strings.HasPrefix(dir, top+"/") {
				return true
			}
		}
	}
	return false
}

// linkedGitDir is where a file called .git leads, as gitrepository-layout(5) describes it; empty if it isn't one.
func linkedGitDir(file string) string {
	text, err := os.ReadFile(file)
	dir, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
	if err != nil || !ok {
		return ""
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(filepath.Dir(file), dir)
	}
	return dir
}

// plainHead reports whether HEAD, as a file, says what git said of it, with no other symbolic ref between. Where refs are kept otherwise it doesn't.
func (r *Repo) plainHead() bool {
	text, err := os.ReadFile(filepath.Join(r.GitDir, "HEAD"))
	if r.Branch == "" {
		return err == nil && strings.TrimSpace(string(text)) == string(r.Head)
	}
	branch := filepath.Join(r.CommonDir, r.Branch)
	_, missing := os.Lstat(branch)
	return err == nil && strings.TrimSpace(string(text)) == "ref: "+r.Branch && (errors.Is(missing, fs.ErrNotExist) || plainRef(branch))
}

// plainRef reports whether a file holds an object ID, and not another ref's name.
func plainRef(file string) bool {
	text, err := os.ReadFile(file)
	return err == nil && ValidOID(strings.TrimSpace(string(text)))
}

// statData gives the stat data of a file, and when it was changed last.
func statData(path string) (string, time.Time) {
	var s unix.Stat_t
	if err := unix.Stat(path, &s); err == unix.ENOENT || err == unix.ENOTDIR {
		return "", time.Time{}
	} else if err != nil {
		return err.Error(), time.Now()
	}
	changed := time.Unix(s.Ctim.Unix())
	return fmt.Sprintf("%d %d %d", s.Ino, s.Size, changed.UnixNano()), changed
}
