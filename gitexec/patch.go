package gitexec

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// FilePatch is the change of one file between two trees.
type FilePatch struct {
	Pair     int  // the index of the pair of trees
	Old, New Path // differ after a rename; Old is empty for an added file, New for a deleted one
	Mode     string
	// The old version; zero where there is none, empty where git doesn't say, as of a change of
	// mode.
	OldBlob OID
	Binary  bool
	Hunks   []Hunk
}

// Hunk is one change without context: Old lines from OldStart on became New lines from NewStart on.
// Lines count from 1; if a side has no line, Start is the line before the change.
type Hunk struct {
	OldStart, OldLines int
	NewStart, NewLines int
}

// ParsePatch parses the patch between two trees, without context lines, as git prints it.
func ParsePatch(in io.Reader, each func(FilePatch) error) error {
	p := patchParser{in: bufio.NewReaderSize(in, 64<<10), each: each}
	return p.all()
}

// PatchTrees streams the patches of several pairs of trees, file by file, without context lines and
// with git's default detection of renames, in one process: without paths, the one that
// WarmPatchTrees started, if there is one. .entire/metadata is excluded. Paths, if any, limit it.
// The hunks have no text.
func (r *Repo) PatchTrees(ctx context.Context, pairs [][2]OID, paths []Path, each func(FilePatch) error) error {
	r.bringChanged(ctx, pairs)
	proc, err := r.patches.take(func() (*process, error) { return r.startPatches(ctx, paths) })
	if err != nil {
		return err
	}
	p := patchParser{in: bufio.NewReaderSize(proc.out, 64<<10), each: each, id: r.Format.HexLen(), pair: -1}
	return r.diffPairs(proc, pairs, p.all)
}

// PatchTrees is that of the repository, for all paths.
func (db *ODB) PatchTrees(pairs [][2]OID, each func(FilePatch) error) error {
	return db.repo.PatchTrees(db.ctx, pairs, nil, each)
}

// WarmPatchTrees starts the process of the next PatchTrees, of all paths, in the background. The
// caller must call discard, which ends an unused process.
func (r *Repo) WarmPatchTrees(ctx context.Context) (discard func() error) {
	return r.patches.warm(func() (*process, error) { return r.startPatches(ctx, nil) }, (*process).wait)
}

func (r *Repo) startPatches(ctx context.Context, paths []Path) (*process, error) {
	limit := []string{":(top)", ":(top,exclude).entire/metadata"}
	if len(paths) > 0 {
		limit = nil
		for _, p := range paths {
			limit = append(limit, ":(top,literal)"+string(p))
		}
	}
	// diff-tree reads the index first, without needing it: in a large repository that is most of
	// its time.
	args := append([]string{"-c", "core.quotePath=false", "-c", "diff.algorithm=myers",
		"diff-tree", "--stdin", "-r", "-p", "-U0", "-M", "-l1000", "--indent-heuristic", "--no-color", "--no-ext-diff", "--no-textconv", "--inter-hunk-context=0",
		"--submodule=short", "--src-prefix=a/", "--dst-prefix=b/", "--full-index", "--ignore-submodules=dirty", "--"}, limit...)
	return r.start(ctx, command{env: []string{"GIT_INDEX_FILE=" + filepath.Join(r.PrivateDir(), "no-index")}, args: args, later: true})
}

// all parses to the end.
func (p *patchParser) all() error {
	for {
		if err := p.skip(); err != nil {
			return err
		}
		line, err := p.in.ReadString('\n')
		if line != "" {
			if err := p.line(line); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return p.flush()
		}
		if err != nil {
			return err
		}
	}
}

// skip skips a hunk's lines.
func (p *patchParser) skip() error {
	for p.old+p.new > 0 {
		line, err := p.in.ReadSlice('\n')
		switch {
		case len(line) == 0:
			return io.ErrUnexpectedEOF
		case line[0] == '-':
			p.old--
		case line[0] == '+':
			p.new--
		// "\ No newline at end of file" counts as no line.
		case line[0] != '\\':
			return fmt.Errorf("git answered %q in a hunk", line)
		}
		// A line may be longer than the buffer: only its first byte counts.
		for err == bufio.ErrBufferFull {
			_, err = p.in.ReadSlice('\n')
		}
		if err != nil {
			return err
		}
	}
	return nil
}

type patchParser struct {
	in       *bufio.Reader
	each     func(FilePatch) error
	id       int // the length of an object ID, if a line with two IDs begins each pair of trees
	pair     int
	file     *FilePatch
	old, new int // remaining lines of the current hunk
}

func (p *patchParser) line(line string) error {
	text := strings.TrimSuffix(line, "\n")
	switch {
	case p.beginsPair(text):
		p.pair++
		return p.flush()
	case strings.HasPrefix(text, "diff --git "):
		return p.beginFile(strings.TrimPrefix(text, "diff --git "))
	case p.file == nil:
	case strings.HasPrefix(text, "@@ "):
		return p.hunk(text)
	default:
		p.header(text)
	}
	return nil
}

func (p *patchParser) beginsPair(text string) bool {
	// Only between hunks can such a line come: what is in a hunk is skipped by its count.
	return p.id > 0 && len(text) == 2*p.id+1 && text[p.id] == ' ' && strings.Trim(text, "0123456789abcdef ") == ""
}

func (p *patchParser) beginFile(names string) error {
	if err := p.flush(); err != nil {
		return err
	}
	p.file = &FilePatch{Pair: p.pair}
	p.file.Old, p.file.New = sameName(names)
	return nil
}

// headers are the beginnings of the lines before a file's hunks that say something of it.
var headers = []struct {
	start string
	read  func(f *FilePatch, rest string)
}{
	{"new file mode ", func(f *FilePatch, mode string) { f.Old, f.Mode = "", mode }},
	{"deleted file mode ", func(f *FilePatch, mode string) { f.New, f.Mode = "", mode }},
	{"new mode ", func(f *FilePatch, mode string) { f.Mode = mode }},
	{"rename from ", func(f *FilePatch, name string) { f.Old = unquoted(name) }},
	{"rename to ", func(f *FilePatch, name string) { f.New = unquoted(name) }},
	{"index ", (*FilePatch).readIndex},
	{"Binary files ", func(f *FilePatch, _ string) { f.Binary = true }},
}

func (p *patchParser) header(text string) {
	// Others say nothing that is used, as the similarity of a rename.
	for _, h := range headers {
		if rest, ok := strings.CutPrefix(text, h.start); ok {
			h.read(p.file, rest)
			return
		}
	}
}

// readIndex reads "old..new mode"; the mode is there if both versions have it.
func (f *FilePatch) readIndex(rest string) {
	ids, mode, same := strings.Cut(rest, " ")
	if same {
		f.Mode = mode
	}
	old, _, _ := strings.Cut(ids, "..")
	f.OldBlob = OID(old)
}

func (p *patchParser) hunk(text string) error {
	h := Hunk{}
	f := strings.Fields(text) // @@ -a,b +c,d @@
	// What a function's heading adds after the second @@ is left out.
	if len(f) < 4 || !span(f[1], "-", &h.OldStart, &p.old) || !span(f[2], "+", &h.NewStart, &p.new) {
		return fmt.Errorf("git answered %q", text)
	}
	h.OldLines, h.NewLines = p.old, p.new
	p.file.Hunks = append(p.file.Hunks, h)
	return nil
}

func (p *patchParser) flush() error {
	file := p.file
	p.file = nil
	if file == nil {
		return nil
	}
	return p.each(*file)
}

// span parses "-12,3" or "+12": first line and number of lines of a hunk's side.
func span(s, sign string, start, count *int) bool {
	s, ok := strings.CutPrefix(s, sign)
	if !ok {
		return false
	}
	*count = 1
	if n, _ := fmt.Sscanf(s, "%d,%d", start, count); n == 2 {
		return true
	}
	n, _ := fmt.Sscanf(s, "%d", start)
	return n == 1
}

// unquoted parses a name that is alone on its line.
func unquoted(s string) Path {
	if plain, err := cUnquote(s); err == nil && strings.HasPrefix(s, `"`) {
		return Path(plain)
	}
	return Path(s)
}

// sameName parses a "diff --git" line. Without renames its two names are equal; names with special
// bytes are quoted.
func sameName(s string) (Path, Path) {
	if strings.HasPrefix(s, `"`) {
		half := s[:len(s)/2]
		if plain, err := cUnquote(half); err == nil {
			return Path(strings.TrimPrefix(plain, "a/")), Path(strings.TrimPrefix(plain, "a/"))
		}
	}
	// Half of "a/x b/x" is "a/x". A name may have blanks: there is no other divider.
	half := strings.TrimPrefix(s[:len(s)/2], "a/")
	return Path(half), Path(half)
}
