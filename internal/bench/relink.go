package main

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/lineage"
	"entire-plumb/shadow"
)

// mostInPull is how many commits a pull request has at most, to be looked at.
const mostInPull = 100

// relink measures how well squashed and rebased commits are matched with the commits that they
// replace, in a real history: each merge of it is a pull request. It is squashed, as a server
// squashes it, and searched for among the commits of all of them, as if each were linked to a
// checkpoint of its own, by content alone. As markdown it is one row of the table in docs/links.md.
func relink(w *world, dir string, markdown bool, stdout, progress io.Writer) error {
	h := &relinkHistory{world: w, dir: dir}
	began := time.Now()
	if err := h.read(progress); err != nil {
		return err
	}
	if !markdown {
		fmt.Fprintf(stdout, "\n%s at %s: %d merged pull requests of %d commits, read in %.1f s\n\n", dir, h.head, len(h.pulls), h.commits(),
			time.Since(began).Seconds())
		fmt.Fprintln(stdout, "what the server does                    commits  links  found  wrong  precision  recall  ms per commit")
	}
	head := []string{"history", "pull requests, commits"}
	row := []string{filepath.Base(filepath.Dir(dir)) + "/" + filepath.Base(dir) + " " + h.head, fmt.Sprintf("%d, %d", len(h.pulls), h.commits())}
	for _, kind := range relinkKinds {
		r := kind.make(h, rand.New(rand.NewPCG(1, 2)))
		began := time.Now()
		found := lineage.Relink(r.checkpoints, r.commits)
		took := time.Since(began)
		true, wrong := r.judge(found)
		precision, recall := float64(true)/float64(max(1, true+wrong)), float64(true)/float64(max(1, r.links()))
		head, row = append(head, kind.name), append(row, fmt.Sprintf("%.1f, %.1f", 100*precision, 100*recall))
		if markdown {
			continue
		}
		fmt.Fprintf(stdout, "%-38s %8d %6d %6d %6d  %9.4f  %6.4f  %13.2f\n", kind.name, len(r.commits), r.links(), true, wrong,
			precision, recall, 1000*took.Seconds()/float64(max(1, len(r.commits))))
	}
	if markdown {
		printMarkdown(stdout, [][]string{head, row})
	}
	return nil
}

// relinkHistory is the pull requests of a history.
type relinkHistory struct {
	world *world
	dir   string
	head  string
	pulls []pull
}

// pull is one pull request.
type pull struct {
	merge   lineage.Unlinked
	commits []pulled
}

// pulled is one of its commits.
type pulled struct {
	lineage.Unlinked
	before string // the one before it
}

func (h *relinkHistory) commits() (n int) {
	for _, p := range h.pulls {
		n += len(p.commits)
	}
	return n
}

func (h *relinkHistory) read(progress io.Writer) error {
	repo := gitexec.Here(h.dir, nil)
	db := repo.ODB(h.world.ctx)
	defer db.Close()
	git := func(args ...string) (string, error) {
		out, _, err := h.world.run(process{dir: h.dir, args: append([]string{"git", "-c", "safe.directory=*"}, args...)})
		return out, err
	}
	format, err := git("rev-parse", "--show-object-format")
	if err != nil {
		return err
	}
	repo.Format = gitexec.Format(format)
	if h.head, err = git("rev-parse", "--short=7", "HEAD"); err != nil {
		return err
	}
	merges, err := git("rev-list", "--first-parent", "--merges", "--min-parents=2", "--max-parents=2", "--reverse", "HEAD")
	if err != nil {
		return err
	}
	all, seen := strings.Fields(merges), map[string]bool{}
	for i, merge := range all {
		if i%100 == 0 {
			fmt.Fprintf(progress, "bench: reading pull request %d of %d\n", i, len(all))
		}
		list, err := git("rev-list", "--no-merges", "--reverse", "--topo-order", merge+"^1.."+merge+"^2")
		if err != nil {
			return err
		}
		ids := slices.DeleteFunc(strings.Fields(list), func(id string) bool { return seen[id] }) // it is in a merge of two branches
		for _, id := range ids {
			seen[id] = true
		}
		if len(ids) == 0 || len(ids) > mostInPull {
			continue
		}
		p, err := readPull(db, merge, ids)
		if gitexec.IsMissing(err) {
			continue
		}
		if err != nil {
			return err
		}
		if len(p.commits) > 0 && len(p.merge.Files) > 0 {
			h.pulls = append(h.pulls, p)
		}
	}
	return nil
}

func readPull(db *gitexec.ODB, merge string, ids []string) (p pull, err error) {
	if p.merge, err = unlinked(db, gitexec.OID(merge)); err != nil {
		return p, err
	}
	for _, id := range ids {
		c, err := unlinked(db, gitexec.OID(id))
		if err != nil {
			return p, err
		}
		before := ""
		line, err := db.Ancestors(gitexec.OID(id), lineage.MostBefore)
		if err != nil {
			return p, err
		}
		if i := slices.IndexFunc(line[1:], func(c gitexec.Commit) bool { return slices.Contains(ids, string(c.ID)) }); i >= 0 {
			before = string(line[1:][i].ID)
		}
		if len(c.Files) > 0 {
			p.commits = append(p.commits, pulled{c, before})
		}
	}
	return p, nil
}

func unlinked(db *gitexec.ODB, id gitexec.OID) (c lineage.Unlinked, err error) {
	commit, err := db.Commit(id)
	if err != nil {
		return c, err
	}
	tree, err := db.ParentTree(commit)
	if err != nil {
		return c, err
	}
	changes, err := db.DiffTrees(tree, commit.Tree)
	if err != nil {
		return c, err
	}
	c = lineage.Unlinked{Commit: id, When: commit.When.Unix()}
	c.Files, c.Had, err = lineage.FilesOf(changes, &shadow.Texts{DB: db})
	return c, err
}

// relinked is what a server made of pull requests, and the truth about it.
type relinked struct {
	checkpoints []lineage.Checkpoint
	commits     []lineage.Unlinked
	truth       []map[string]bool // by commit: the checkpoints in it; false: it cannot be said
}

func (r *relinked) links() (n int) {
	for _, of := range r.truth {
		for _, sure := range of {
			if sure {
				n++
			}
		}
	}
	return n
}

func (r *relinked) judge(all [][]lineage.Found) (right, wrong int) {
	for i, found := range all {
		for _, f := range found {
			switch sure, in := r.truth[i][f.ID]; {
			case sure:
				right++
			case !in:
				wrong++
			}
		}
	}
	return right, wrong
}

func (r *relinked) checkpoint(c pulled) {
	r.checkpoints = append(r.checkpoints, lineage.Checkpoint{ID: string(c.Commit), Made: c.When, Files: c.Files, Changed: len(c.Files)})
	if c.before != "" {
		r.checkpoints[len(r.checkpoints)-1].Before = []string{c.before}
	}
}

func (r *relinked) commit(c lineage.Unlinked, of map[string]bool) {
	r.commits, r.truth = append(r.commits, c), append(r.truth, of)
}

// in lists the commits of a pull request that have anything in one that is made of it: a line that
// weighs something, a file of the same version, or one that both delete. What later commits of the
// pull request replaced is not in it, and its link would be wrong. The link is asked for where at
// least half of its lines, and of its files without lines, are left.
func (p pull) in(made lineage.Unlinked) map[string]bool {
	lines, versions := map[lineage.Line]bool{}, map[gitexec.OID]bool{}
	deleted := map[gitexec.Path]bool{}
	for _, f := range made.Files {
		versions[f.Blob] = f.Blob != ""
		deleted[f.Path] = f.Blob == ""
		for _, line := range f.Lines {
			lines[line] = !line.Light()
		}
	}
	of := map[string]bool{}
	for _, c := range p.commits {
		left, all := 0, 0
		for _, f := range c.Files {
			same := versions[f.Blob] || f.Blob == "" && deleted[f.Path]
			if len(f.Lines) == 0 {
				if all++; same {
					left++
				}
			}
			for _, line := range f.Lines {
				if line.Light() {
					continue
				}
				if all++; lines[line] || same {
					left++
				}
			}
		}
		if left > 0 {
			of[string(c.Commit)] = 2*left >= all
		}
	}
	return of
}

// relinkKinds are the things that servers, and people on them, do.
var relinkKinds = []struct {
	name string
	make func(h *relinkHistory, random *rand.Rand) *relinked
}{
	{"squash", func(h *relinkHistory, random *rand.Rand) *relinked { return h.squashed(whole) }},
	{"squash, a fifth of the lines edited", func(h *relinkHistory, random *rand.Rand) *relinked {
		return h.squashed(func(p pull) (lineage.Unlinked, map[string]bool) {
			c := edited(p.merge, 0.2, random)
			return c, p.in(c)
		})
	}},
	{"squash of part of the files", func(h *relinkHistory, random *rand.Rand) *relinked {
		return h.squashed(func(p pull) (lineage.Unlinked, map[string]bool) { return partial(p, random) })
	}},
	{"squash beside abandoned twins (60 %)", func(h *relinkHistory, random *rand.Rand) *relinked {
		r := h.squashed(whole)
		for _, p := range h.pulls {
			for _, c := range p.commits {
				twin := pulled{edited(c.Unlinked, 0.4, random), ""}
				twin.Commit = "twin-" + c.Commit
				if c.before != "" {
					twin.before = "twin-" + c.before
				}
				if len(twin.Files) > 0 && slices.ContainsFunc(twin.Files, func(f lineage.File) bool { return len(f.Lines) > 5 }) {
					r.checkpoint(twin)
				}
			}
		}
		return r
	}},
	{"rebase-merge, half of it a human's", func(h *relinkHistory, random *rand.Rand) *relinked {
		r := &relinked{}
		for _, p := range h.pulls {
			for i, c := range p.commits {
				of := map[string]bool{}
				if i%2 == 0 {
					r.checkpoint(c)
					of[string(c.Commit)] = true
				}
				rebased := c.Unlinked
				rebased.Commit, rebased.When = "rebased-"+c.Commit, max(p.merge.When, c.When)+int64(i)
				rebased.Files = slices.Clone(c.Files)
				for i := range rebased.Files {
					rebased.Files[i].Blob += "-rebased"
				}
				r.commit(rebased, of)
			}
		}
		return r
	}},
	{"squash, revert, revert of the revert", func(h *relinkHistory, random *rand.Rand) *relinked {
		r := h.squashed(whole)
		for _, p := range h.pulls {
			again := p.merge
			again.Commit, again.When = "again-"+again.Commit, again.When+3600
			maybe := map[string]bool{}
			for _, c := range p.commits { // what its later commits replaced isn't in it
				maybe[string(c.Commit)] = len(p.commits) == 1 && heavyLines(c.Files) >= 3
			}
			r.commit(again, maybe)
		}
		return r
	}},
}

func heavyLines(files []lineage.File) (n int) {
	for _, f := range files {
		for _, line := range f.Lines {
			if !line.Light() {
				n++
			}
		}
	}
	return n
}

// squashed makes a checkpoint of each commit, and one commit of each pull request.
func (h *relinkHistory) squashed(merge func(pull) (lineage.Unlinked, map[string]bool)) *relinked {
	r := &relinked{}
	for _, p := range h.pulls {
		for _, c := range p.commits {
			r.checkpoint(c)
		}
		r.commit(merge(p))
	}
	slices.SortFunc(r.checkpoints, func(a, b lineage.Checkpoint) int { return cmp.Compare(a.ID, b.ID) })
	return r
}

// whole is the squash of a pull request as it is.
func whole(p pull) (lineage.Unlinked, map[string]bool) { return p.merge, p.in(p.merge) }

// edited replaces a share of a commit's lines by others.
func edited(c lineage.Unlinked, share float64, random *rand.Rand) lineage.Unlinked {
	files := slices.Clone(c.Files)
	for i := range files {
		files[i].Lines, files[i].Blob = slices.Clone(files[i].Lines), "edited-"+files[i].Blob
		for j := range files[i].Lines {
			if random.Float64() < share {
				files[i].Lines[j] = lineage.Line(random.Uint32()) &^ 1
			}
		}
	}
	c.Files = files
	return c
}

// partial leaves a third of the files out. Of a checkpoint that changed some of both, it cannot be
// said whether it is in the commit.
func partial(p pull, random *rand.Rand) (lineage.Unlinked, map[string]bool) {
	c, out := p.merge, map[gitexec.Path]bool{}
	c.Files = slices.DeleteFunc(slices.Clone(c.Files), func(f lineage.File) bool {
		out[f.Path] = len(p.merge.Files) > 1 && random.IntN(3) == 0
		return out[f.Path]
	})
	of := p.in(c)
	for _, k := range p.commits {
		in, gone := 0, 0
		for _, f := range k.Files {
			if out[f.Path] {
				gone++
			} else {
				in++
			}
		}
		if of[string(k.Commit)] && in > 0 && gone > 0 {
			of[string(k.Commit)] = false
		}
	}
	return c, of
}
