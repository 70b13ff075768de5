package gitexec

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
)

// FilePatch is what one commit did to one file, in the order in which `git log -p` tells it.
type FilePatch struct {
	Commit   OID
	Parent   OID  // the first parent, empty for a root commit
	Old, New Path // equal but where a file came or went, then the other is empty
	Binary   bool
	Hunks    []Hunk
}

// Hunk is one change without context: Old lines from OldStart on became New lines from NewStart on. Lines count from 1;
// where a side has no line, Start is the line after which the change lies. Lines keep their ends, and the last line of a
// file without a final newline has none.
type Hunk struct {
	OldStart, NewStart int
	Old, New           []string
}

// PatchLog streams what the commits of a range did, oldest first, file by file, without context lines and without
// renames, in one process. each may stop it with an error, which is passed on. Paths, if any, limit it.
func (r *Repo) PatchLog(ctx context.Context, revs []string, paths []Path, each func(FilePatch) error) error {
	args := []string{"-c", "core.quotePath=false", "-c", "diff.suppressBlankEmpty=false", "-c", "diff.algorithm=myers",
		"log", "--reverse", "--topo-order", "-p", "-U0", "--format=" + logMark + "%H %P", "--root", "-m", "--first-parent",
		"--no-renames", "--no-color", "--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-notes", "--no-indent-heuristic",
		"--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/", "--full-index", "--ignore-submodules=dirty", "--end-of-options"}
	args = append(append(args, revs...), "--")
	for _, p := range paths {
		args = append(args, string(p))
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	proc, err := r.start(ctx, command{args: args, env: []string{"GIT_LITERAL_PATHSPECS=1"}})
	if err != nil {
		return err
	}
	if err := ParsePatchLog(proc.out, each); err != nil {
		stop()
		proc.wait()
		return err
	}
	return proc.wait()
}

// FindCommit gives a commit whose message holds the text, the latest one on a branch or at HEAD that isn't in the history
// of since; empty if there is none.
func (r *Repo) FindCommit(ctx context.Context, text string, since OID) (OID, error) {
	out, err := r.output(ctx, command{args: []string{"rev-list", "-1", "--ignore-missing", "--fixed-strings", "--grep=" + text,
		"HEAD", "--branches", "^" + string(since)}})
	return OID(strings.TrimSpace(string(out))), err
}

// InHistory reports whether a commit is in the history of another, or the same.
func (r *Repo) InHistory(ctx context.Context, id, of OID) (bool, error) {
	out, err := r.output(ctx, command{args: []string{"rev-list", "-1", string(id), "^" + string(of)}})
	return len(out) == 0, err
}

// logMark begins the line that names a commit. No line of a patch begins with it: those begin with a space, + - @ \ or a
// word of the extended header.
const logMark = "\x01commit "

// ParsePatchLog reads what PatchLog asks git for.
func ParsePatchLog(in io.Reader, each func(FilePatch) error) error {
	p := patchParser{in: bufio.NewReaderSize(in, 64<<10), each: each}
	for {
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

type patchParser struct {
	in       *bufio.Reader
	each     func(FilePatch) error
	commit   OID
	parent   OID
	file     *FilePatch
	old, new int // lines of the present hunk yet to come
	last     *[]string
}

func (p *patchParser) line(line string) error {
	if p.old > 0 || p.new > 0 || strings.HasPrefix(line, `\`) {
		return p.body(line)
	}
	text := strings.TrimSuffix(line, "\n")
	switch {
	case strings.HasPrefix(text, logMark):
		ids := strings.Fields(text[len(logMark):])
		if err := p.flush(); err != nil || len(ids) == 0 {
			return err
		}
		p.commit, p.parent = OID(ids[0]), ""
		if len(ids) > 1 {
			p.parent = OID(ids[1])
		}
	case strings.HasPrefix(text, "diff --git "):
		if err := p.flush(); err != nil {
			return err
		}
		p.file = &FilePatch{Commit: p.commit, Parent: p.parent}
		p.file.Old, p.file.New = sameName(strings.TrimPrefix(text, "diff --git "))
	case p.file == nil || text == "":
	case strings.HasPrefix(text, "new file mode"):
		p.file.Old = ""
	case strings.HasPrefix(text, "deleted file mode"):
		p.file.New = ""
	case strings.HasPrefix(text, "Binary files "):
		p.file.Binary = true
	case strings.HasPrefix(text, "@@ "):
		return p.hunk(text)
	}
	return nil
}

func (p *patchParser) hunk(text string) error {
	h := Hunk{}
	f := strings.Fields(text) // @@ -a,b +c,d @@
	if len(f) < 4 || !span(f[1], "-", &h.OldStart, &p.old) || !span(f[2], "+", &h.NewStart, &p.new) {
		return fmt.Errorf("git log -p answered %q", text)
	}
	p.file.Hunks = append(p.file.Hunks, h)
	return nil
}

func (p *patchParser) body(line string) error {
	if p.file == nil || len(p.file.Hunks) == 0 {
		return fmt.Errorf("git log -p answered %q outside a hunk", line)
	}
	h := &p.file.Hunks[len(p.file.Hunks)-1]
	switch line[0] {
	case '-':
		h.Old, p.last = append(h.Old, line[1:]), &h.Old
		p.old--
	case '+':
		h.New, p.last = append(h.New, line[1:]), &h.New
		p.new--
	case '\\': // "\ No newline at end of file", of the line before
		if p.last != nil && len(*p.last) > 0 {
			end := &(*p.last)[len(*p.last)-1]
			*end = strings.TrimSuffix(*end, "\n")
		}
	default:
		return fmt.Errorf("git log -p answered %q in a hunk", line)
	}
	return nil
}

func (p *patchParser) flush() error {
	file := p.file
	p.file, p.last = nil, nil
	if file == nil {
		return nil
	}
	return p.each(*file)
}

// span reads "-12,3" or "+12": where a hunk's side begins and how many lines it has.
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

// sameName reads the two names of a "diff --git" line. Without renames they are one name, twice; names with special
// bytes are in quotes.
func sameName(s string) (Path, Path) {
	if strings.HasPrefix(s, `"`) {
		half := s[:len(s)/2]
		if plain, err := cUnquote(half); err == nil {
			return Path(strings.TrimPrefix(plain, "a/")), Path(strings.TrimPrefix(plain, "a/"))
		}
	}
	half := strings.TrimPrefix(s[:len(s)/2], "a/")
	return Path(half), Path(half)
}
