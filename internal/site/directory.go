package site

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"entire-plumb/internal/safefile"
)

// manifestFile says which of a directory's files are the site's, and what each was made from.
const manifestFile = "entire-plumb-site.json"

// formOfManifest is the version of the manifest.
const formOfManifest = 1

// manifest is that file.
type manifest struct {
	Version int              `json:"version"`
	Pages   map[string]entry `json:"pages"`
}

// entry is a file of the site.
type entry struct {
	Sum    string   `json:"sha256"`
	From   string   `json:"from,omitempty"` // a hash of what it was made from
	Damage []string `json:"damage,omitempty"`
	Gaps   []string `json:"gaps,omitempty"`
}

// Limits of what is read from the directory, in bytes.
const (
	mostManifest = 64 << 20
	mostPage     = 64 << 20
)

// ours reports whether a file of a site may have a name. Others in the directory are left alone.
func ours(name string) bool {
	if name == indexPage || name == searchPage {
		return true
	}
	page, isPage := strings.CutSuffix(name, ".html")
	data, isData := strings.CutSuffix(name, ".json")
	if isData {
		page = data
	}
	kind, id, _ := strings.Cut(page, "-")
	return (isPage || isData) && (kind == ofSession || kind == ofCommit) && harmless(id)
}

// directory is the directory of a site.
type directory struct {
	path string
	was  manifest // as it was found
}

// open looks at a directory, which may not exist yet.
func open(path string) (*directory, error) {
	d := &directory{path: path}
	text, err := safefile.ReadOwn(filepath.Join(path, manifestFile), mostManifest)
	if err == nil {
		if json.Unmarshal(text, &d.was) != nil || d.was.Version != formOfManifest {
			d.was = manifest{} // of another version, or damaged: all is written again
		}
		return d, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the directory %s cannot be used: %w", path, err)
	}
	there, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && len(there) == 0:
		return d, nil
	case err != nil:
		return nil, fmt.Errorf("the directory %s cannot be used: %w", path, err)
	}
	return nil, fmt.Errorf("the directory %s has files, and is no site of entire-plumb\nhint: name an empty or a new one", path)
}

// begin makes the directory, and marks it as a site, so that one that is not finished is one, too.
func (d *directory) begin() error {
	if err := safefile.MkdirAll(d.path, 0o755); err != nil {
		return fmt.Errorf("the directory %s cannot be used: %w", d.path, err)
	}
	safefile.RemoveUnfinished(filepath.Join(d.path, manifestFile), time.Now().Add(-time.Hour))
	if d.was.Version == formOfManifest {
		return nil
	}
	return d.save(manifest{Version: formOfManifest, Pages: map[string]entry{}})
}

// kept reads the card of a page that was made from the same, if both files are as they were
// written.
func (d *directory) kept(one item, card any) (entry, bool) {
	page, data := d.was.Pages[one.page()], d.was.Pages[one.data()]
	if page.From != one.from || data.From != one.from || !d.has(one.page(), page.Sum) {
		return entry{}, false
	}
	text, err := d.read(one.data())
	if err != nil || digest(string(text)) != data.Sum || json.Unmarshal(text, card) != nil {
		return entry{}, false
	}
	return page, true
}

// has reports whether a file has a content.
func (d *directory) has(name, sum string) bool {
	text, err := d.read(name)
	return err == nil && digest(string(text)) == sum
}

// read reads a file of the site, and follows no symbolic link.
func (d *directory) read(name string) ([]byte, error) {
	return safefile.ReadOwn(filepath.Join(d.path, name), mostPage)
}

// write replaces a file at once. What is there under its name, such as a symbolic link, is not
// followed.
func (d *directory) write(name string, text []byte) error {
	if !ours(name) {
		return fmt.Errorf("%q is no name of a page", name)
	}
	return safefile.Write(filepath.Join(d.path, name), text, 0o644)
}

// finish removes the files that the site had and has no longer, and then writes the manifest.
func (d *directory) finish(now manifest) (removed []string, err error) {
	for name := range d.was.Pages {
		if _, stays := now.Pages[name]; stays || !ours(name) {
			continue
		}
		file := filepath.Join(d.path, name)
		info, err := os.Lstat(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && !info.Mode().IsRegular() {
			continue // not ours
		}
		if err == nil {
			err = os.Remove(file)
		}
		if err != nil {
			return removed, err
		}
		removed = append(removed, name)
	}
	return removed, d.save(now)
}

func (d *directory) save(m manifest) error {
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	file := filepath.Join(d.path, manifestFile)
	if before, err := safefile.ReadOwn(file, mostManifest); err == nil && string(before) == string(text) {
		return nil
	}
	return safefile.Write(file, text, 0o644)
}
