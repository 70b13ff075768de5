package gitexec

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"entire-plumb/internal/safefile"
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

// Discovery gives what git found since then, with the stat data that vouches for it, for HEAD, and for the refs below prefix (full, as refs/heads/x/). It
// is nil where stat data cannot: something has changed since, or just before; a ref is a symbolic one, refs are not kept in files, git found something else.
func (s *Sight) Discovery(r *Repo, prefix string) *Discovery { return s.discovery(r, prefix, settled) }

func (s *Sight) discovery(r *Repo, prefix string, settled time.Duration) *Discovery {
	if s == nil || r.Top != s.top || r.GitDir != s.gitDir || r.CommonDir != s.commonDir || !r.plainHead() {
		return nil
	}
	files := r.around(strings.TrimSuffix(prefix, "/"))
	if r.Branch != "" {
		files = append(append(files, r.around(r.Branch)...), filepath.Join(r.CommonDir, r.Branch))
	}
	d := &Discovery{Repo: r}
	keep := func(file string) bool {
		data, changed := statData(file)
		d.Stats = append(d.Stats, Stat{file, data})
		return len(d.Stats) <= mostStats && utf8.ValidString(file) && (data == "" || changed.Before(s.when.Add(-settled)))
	}
	for i, before := range s.stats { // nothing else tells when one of these has gone
		if !keep(before.Path) || d.Stats[i] != before {
			return nil
		}
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

// Again gives the repository, if it would be found in the same state again where it was seen now, which needs no process; else nil.
func (d *Discovery) Again(s *Sight, tracer *Tracer) *Repo {
	if s == nil || d == nil || d.Repo == nil || len(d.Stats) == 0 || s.top != d.Repo.Top || s.gitDir != d.Repo.GitDir {
		return nil
	}
	for _, s := range d.Stats {
		if data, _ := statData(s.Path); data != s.Data {
			return nil
		}
	}
	if _, err := os.Stat(filepath.Join(d.Repo.CommonDir, "objects")); err != nil {
		return nil
	}
	r := *d.Repo
	r.own = map[string][]string{} // what is vouched for is what was printed, in which configuration of ours has no part
	r.settle(tracer)
	return &r
}

// plainHead reports whether HEAD, as a file, says what git said of it, with no other symbolic ref between. Where refs are kept otherwise it doesn't.
func (r *Repo) plainHead() bool {
	text, err := safefile.Read(filepath.Join(r.GitDir, "HEAD"), mostName)
	if r.Branch != "" && !strings.HasPrefix(r.Branch, "refs/heads/") {
		return false // it may be this worktree's own, as refs/bisect/… are
	}
	if r.Branch == "" {
		return err == nil && strings.TrimSpace(string(text)) == string(r.Head)
	}
	branch := filepath.Join(r.CommonDir, r.Branch)
	_, missing := os.Lstat(branch)
	return err == nil && strings.TrimSpace(string(text)) == "ref: "+r.Branch && (errors.Is(missing, fs.ErrNotExist) || plainRef(branch))
}

// plainRef reports whether a file holds an object ID, and not another ref's name.
func plainRef(file string) bool {
	text, err := safefile.Read(file, mostName)
	return err == nil && ValidOID(strings.TrimSpace(string(text)))
}
