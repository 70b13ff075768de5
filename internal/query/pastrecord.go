package query

import (
	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/survival"
)

// past is what the index of lines has of a commit, whatever checkpoints say: it never changes.
type past struct {
	parents  []gitexec.OID // as git walks them: a shallow clone's oldest commits have none
	cut      bool          // its parents are missing
	when     int64
	author   string
	trailers []byte // the lines of its message that link checkpoints
	changes  []survival.Change
	others   [][]survival.Change
}

func (h past) pack() []byte {
	var p packer
	p.num(len(h.parents))
	for _, id := range h.parents {
		p.str(string(id))
	}
	p.flag(h.cut)
	p.num(int(h.when))
	p.str(h.author)
	p.str(string(h.trailers))
	p.changes(h.changes)
	p.num(len(h.others))
	for _, changes := range h.others {
		p.changes(changes)
	}
	return p
}

func (p *packer) changes(all []survival.Change) {
	p.num(len(all))
	for _, c := range all {
		p.str(string(c.Old))
		if p.flag(c.New == c.Old); c.New != c.Old {
			p.str(string(c.New))
		}
		p.flag(c.NoText)
		p.num(c.Fresh)
		p.num(c.From)
		p.num(len(c.Hunks))
		for _, h := range c.Hunks {
			p.num(h.OldStart)
			p.num(h.OldLines)
			p.num(h.NewStart)
			p.num(h.NewLines)
		}
	}
}

func pastIn(value []byte) (past, error) {
	u := unpacker{rest: value}
	var h past
	for range u.count() {
		h.parents = append(h.parents, gitexec.OID(u.str()))
	}
	h.cut, h.when, h.author, h.trailers = u.flag(), int64(u.num()), u.str(), []byte(u.str())
	h.changes = u.changes()
	for range u.count() {
		h.others = append(h.others, u.changes())
	}
	return h, u.err
}

func (u *unpacker) changes() (all []survival.Change) {
	n := u.count()
	if n > 0 {
		all = make([]survival.Change, 0, n)
	}
	for range n {
		c := survival.Change{Old: gitexec.Path(u.str())}
		if c.New = c.Old; !u.flag() {
			c.New = gitexec.Path(u.str())
		}
		c.NoText, c.Fresh, c.From = u.flag(), u.num(), u.num()
		hunks := u.count()
		if hunks > 0 {
			c.Hunks = make([]gitexec.Hunk, 0, hunks)
		}
		for range hunks {
			c.Hunks = append(c.Hunks, gitexec.Hunk{OldStart: u.num(), OldLines: u.num(), NewStart: u.num(), NewLines: u.num()})
		}
		all = append(all, c)
	}
	return all
}

// count reads how many values follow: each has a byte at least.
func (u *unpacker) count() int {
	n := u.num()
	if n < 0 || n > len(u.rest) {
		u.rest, u.err = nil, errShort
		return 0
	}
	return n
}

// named is a checkpoint with what it was when lines were counted by it; empty: it was not here.
type named struct {
	checkpoint string
	dir        gitexec.OID
}

// lineOwner is the author of lines: a session's turn by a checkpoint, the human, or unknown.
type lineOwner struct {
	kind                      attribution.Kind
	checkpoint, session, turn string
}

// owned are lines of a version, and their owner's place in the list.
type owned struct {
	survival.Span
	owner int
}

// ownedFile is the lines that a commit brings to a file.
type ownedFile struct {
	path  gitexec.Path
	fresh bool // git compares it with no older version: attribution counts no lines
	runs  []owned
}

// lineOwners is what the index has of a commit's lines: their owners, as checkpoints name them.
type lineOwners struct {
	links      []named       // that the commit links
	kept       []named       // others that its lines are by
	follows    []gitexec.OID // other commits that were asked for the authors of lines
	missing    bool          // a checkpoint that is not here may be one of these
	notCounted bool          // its parent is missing
	owners     []lineOwner
	files      []ownedFile
}

func (o lineOwners) pack() []byte {
	var p packer
	for _, list := range [][]named{o.links, o.kept} {
		p.num(len(list))
		for _, n := range list {
			p.str(n.checkpoint)
			p.str(string(n.dir))
		}
	}
	p.num(len(o.follows))
	for _, id := range o.follows {
		p.str(string(id))
	}
	p.flag(o.missing)
	p.flag(o.notCounted)
	p.num(len(o.owners))
	for _, one := range o.owners {
		p.strs([]string{string(one.kind), one.checkpoint, one.session, one.turn})
	}
	p.num(len(o.files))
	for _, f := range o.files {
		p.str(string(f.path))
		p.flag(f.fresh)
		p.num(len(f.runs))
		for _, r := range f.runs {
			p.num(r.Start)
			p.num(r.N)
			p.num(r.owner)
		}
	}
	return p
}

func lineOwnersIn(value []byte) (o lineOwners, err error) {
	u := unpacker{rest: value}
	for _, list := range []*[]named{&o.links, &o.kept} {
		for range u.count() {
			*list = append(*list, named{u.str(), gitexec.OID(u.str())})
		}
	}
	for range u.count() {
		o.follows = append(o.follows, gitexec.OID(u.str()))
	}
	o.missing, o.notCounted = u.flag(), u.flag()
	for range u.count() {
		if all := u.strs(); len(all) == 4 {
			o.owners = append(o.owners, lineOwner{attribution.Kind(all[0]), all[1], all[2], all[3]})
		} else {
			u.err = errShort
		}
	}
	for range u.count() {
		f := ownedFile{path: gitexec.Path(u.str()), fresh: u.flag()}
		for range u.count() {
			r := owned{survival.Span{Start: u.num(), N: u.num()}, u.num()}
			if r.owner < 0 || r.owner >= len(o.owners) {
				u.err = errShort
				r.owner = 0
			}
			f.runs = append(f.runs, r)
		}
		o.files = append(o.files, f)
	}
	return o, u.err
}
