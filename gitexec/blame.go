package gitexec

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// BlameLine is one line of a file and its origin.
type BlameLine struct {
	Commit  OID // the zero ID: not committed
	Author  string
	When    time.Time
	Path    Path // in that commit
	Line    int  // in that commit's file, from 1
	Final   int  // in the blamed file, from 1
	Content string
	Group   int    // how many lines of the same commit begin here, as git groups them; 0: none
	Info    string // what git prints of the commit before the line, in lines; empty: it has printed it before
}

// BlameOptions are those of git blame.
type BlameOptions struct {
	IgnoreBlanks    bool     // -w
	Moved           []string // -M, each with its number of letters or nothing; empty: none
	Copied          []string // -C, likewise; empty: none
	Since           string   // --since; empty: no limit
	EachLine        bool     // --line-porcelain: Info is of each line
	Ranges          []string // -L; empty: all lines
	IgnoreRevs      []string // --ignore-rev; empty: none
	IgnoreRevsFiles []string // --ignore-revs-file; empty: none
}

func (o BlameOptions) args() (args []string) {
	if o.IgnoreBlanks {
		args = append(args, "-w")
	}
	for _, letters := range o.Moved {
		args = append(args, "-M"+letters)
	}
	for _, letters := range o.Copied {
		args = append(args, "-C"+letters)
	}
	if o.Since != "" {
		args = append(args, "--since="+o.Since)
	}
	if o.EachLine {
		args = append(args, "--line-porcelain")
	}
	for _, l := range o.Ranges {
		args = append(args, "-L"+l)
	}
	for _, rev := range o.IgnoreRevs {
		args = append(args, "--ignore-rev="+rev)
	}
	for _, file := range o.IgnoreRevsFiles {
		args = append(args, "--ignore-revs-file="+file)
	}
	return args
}

// Blame runs git blame on a file of the worktree, or at a commit, if one is given. It compares as
// PatchTrees does, whatever the configuration, so that both find the same lines new, and without
// the programs of textconv. One process.
func (r *Repo) Blame(ctx context.Context, at OID, path string, o BlameOptions) ([]BlameLine, error) {
	args := []string{"-c", "diff.algorithm=myers", "-c", "diff.indentHeuristic=true", "blame", "--porcelain", "--no-textconv"}
	args = append(args, o.args()...)
	if at != "" {
		args = append(args, string(at))
	}
	r.bringVersions(ctx, at, path)
	// A line may come from a file of another name, whose versions only git finds: it may fetch
	// them, unless fetching has failed already.
	out, err := r.output(ctx, command{args: append(args, "--", path), online: !r.promised.failed()})
	if err != nil {
		return nil, err
	}
	return parseBlame(out)
}

// mostRanges is how many ranges git is given: beyond, it is asked for the whole file.
const mostRanges = 500

// Blame is [Repo.Blame] for lines of a file of a commit, counted from 1 and in order.
func (db *ODB) Blame(at OID, path Path, lines []int) ([]BlameLine, error) {
	asked := ranges(lines)
	if len(asked) > mostRanges {
		asked = nil
	}
	file := filepath.Join(db.repo.Top, filepath.FromSlash(string(path)))
	found, err := db.repo.Blame(db.ctx, at, file, BlameOptions{Ranges: asked})
	// Without ranges git has answered for all lines.
	return slices.DeleteFunc(found, func(l BlameLine) bool {
		_, sought := slices.BinarySearch(lines, l.Final)
		return !sought
	}), err
}

// ranges are those of git blame -L.
func ranges(lines []int) (all []string) {
	for i := 0; i < len(lines); {
		end := i + 1
		for end < len(lines) && lines[end] == lines[end-1]+1 {
			end++
		}
		all = append(all, fmt.Sprintf("%d,%d", lines[i], lines[end-1]))
		i = end
	}
	return all
}

// origin is what git says of a commit, and of the file in it, before the first of its lines.
type origin struct {
	author string
	when   time.Time
	path   Path
}

func (o *origin) read(key, value string) {
	switch key {
	case "author":
		o.author = value
	case "author-time":
		seconds, _ := strconv.ParseInt(value, 10, 64)
		o.when = time.Unix(seconds, 0).UTC()
	case "filename":
		o.path = unquoted(value)
	}
}

func parseBlame(out []byte) ([]BlameLine, error) {
	known := map[OID]*origin{}
	var lines []BlameLine
	var at BlameLine
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSuffix(line, "\n")
		key, value, _ := strings.Cut(line, " ")
		content, isContent := strings.CutPrefix(line, "\t")
		switch o := known[at.Commit]; {
		// No other line can be taken for this one: content is behind a tab, and other keys are
		// words.
		case len(key) >= 40 && strings.Trim(key, "0123456789abcdef") == "":
			at = BlameLine{Commit: OID(key)}
			// The number of lines of a group is in its first line alone.
			if n, err := fmt.Sscanf(value, "%d %d %d", &at.Line, &at.Final, &at.Group); n < 2 {
				return nil, fmt.Errorf("git blame answered %q: %w", line, err)
			}
			// Git says who made a commit before the first of its lines only.
			if known[at.Commit] == nil {
				known[at.Commit] = &origin{}
			}
		case o == nil:
			return nil, fmt.Errorf("git blame answered %q", line)
		case isContent:
			at.Author, at.When, at.Path, at.Content = o.author, o.when, o.path, content
			lines = append(lines, at)
		default:
			o.read(key, value)
			at.Info += line + "\n"
		}
	}
	return lines, nil
}
