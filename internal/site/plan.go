package site

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/query"
)

// The pages that every site has.
const (
	indexPage  = "index.html"
	searchPage = "search.html"
)

// The kinds of other pages begin their names.
const (
	ofSession = "session"
	ofCommit  = "commit"
)

// item is a session or a commit that has a page.
type item struct {
	id   string
	name string // of its files
	from string // changes when the page has to
	// began and ended are when a session began, and when its last checkpoint was made.
	began, ended time.Time
	added        bool // a session that others added: it is in no sum
}

func (i item) page() string { return i.name + ".html" }

// data is the file with what the first page says of it.
func (i item) data() string { return i.name + ".json" }

// plan is what has a page.
type plan struct {
	sessions []item
	commits  []item
	pages    map[string]string // by the full ID

	checkpoints []string         // that the pages show
	linking     []gitexec.Commit // that link these
}

// known is what a plan is made from.
type known struct {
	form        string
	sessions    map[string]*query.SessionInfo
	directories map[string]gitexec.OID
	commits     []gitexec.Commit
	links       map[gitexec.OID][]string
}

// planned reads what is recorded, and decides which pages there are.
func planned(ctx context.Context, r *query.Reader, form string) (plan, error) {
	k := known{form: form, links: map[gitexec.OID][]string{}}
	var err error
	if k.sessions, _, err = r.CommittedSessions(ctx, ""); err != nil {
		return plan{}, err
	}
	if k.directories, err = query.Directories(ctx, r); err != nil {
		return plan{}, err
	}
	if k.commits, err = r.Linking(ctx, slices.Sorted(maps.Keys(k.directories))...); err != nil {
		return plan{}, err
	}
	for _, c := range k.commits {
		k.links[c.ID] = r.Branch.Links(r.DB, c)
	}
	return k.plan(), nil
}

// plan names the pages, and what each depends on: the checkpoints, and the commits that link them.
func (k known) plan() plan {
	p := plan{pages: map[string]string{}, checkpoints: slices.Sorted(maps.Keys(k.directories)), linking: k.commits}
	linking := map[string][]string{}
	for _, c := range k.commits {
		for _, id := range k.links[c.ID] {
			linking[id] = append(linking[id], string(c.ID))
		}
	}
	state := func(id string) string {
		commits := slices.Sorted(slices.Values(linking[id]))
		return fmt.Sprintf("%s %s %s", id, k.directories[id], strings.Join(commits, " "))
	}
	for _, id := range slices.Sorted(maps.Keys(k.sessions)) {
		s := k.sessions[id]
		one := item{id: id, name: ofSession + "-" + fileName(id), began: s.Started, ended: s.Last, added: s.Added}
		parts := []string{k.form, id, fmt.Sprint(s.Added)}
		for _, checkpoint := range s.Checkpoints {
			parts = append(parts, state(checkpoint))
		}
		one.from = digest(parts...)
		p.sessions = append(p.sessions, one)
	}
	for _, c := range k.commits {
		one := item{id: string(c.ID), name: ofCommit + "-" + string(c.ID)}
		parts := []string{k.form, one.id}
		for _, checkpoint := range k.links[c.ID] {
			parts = append(parts, state(checkpoint))
		}
		one.from = digest(parts...)
		p.commits = append(p.commits, one)
	}
	slices.SortFunc(p.commits, func(a, b item) int { return cmp.Compare(a.id, b.id) })
	for _, one := range slices.Concat(p.sessions, p.commits) {
		p.pages[one.id] = one.page()
	}
	return p
}

// harmless reports whether an ID can be a part of a file's name on every system.
func harmless(id string) bool {
	const longest = 80
	other := func(r rune) bool { return r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') }
	return id != "" && len(id) <= longest && id[0] != '-' && !strings.ContainsFunc(id, other)
}

// fileName is a session's part of a file's name. Of an ID that is no such name it is a hash: names
// that differ only in case are one file on some systems.
func fileName(id string) string {
	if harmless(id) {
		return id
	}
	return "x" + digest(id)[:24]
}

// digest is a hash of texts.
func digest(texts ...string) string {
	sum := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(sum, "%d %s", len(text), text)
	}
	return hex.EncodeToString(sum.Sum(nil))
}
