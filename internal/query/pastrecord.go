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

func pastFields(c *coder, h *past) {
	list(c, &h.parents, str)
	c.flag(&h.cut)
	num(c, &h.when)
	str(c, &h.author)
	str(c, &h.trailers)
	list(c, &h.changes, changeFields)
	list(c, &h.others, func(c *coder, changes *[]survival.Change) { list(c, changes, changeFields) })
}

func changeFields(c *coder, x *survival.Change) {
	str(c, &x.Old)
	// Most files keep their names: a flag takes less than the name once more.
	same := x.New == x.Old
	if c.flag(&same); same {
		x.New = x.Old
	} else {
		str(c, &x.New)
	}
	c.flag(&x.NoText)
	num(c, &x.Fresh)
	num(c, &x.From)
	list(c, &x.Hunks, func(c *coder, h *gitexec.Hunk) {
		for _, n := range []*int{&h.OldStart, &h.OldLines, &h.NewStart, &h.NewLines} {
			num(c, n)
		}
	})
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
	again                     bool // an older commit that is counted brings them, too; the index has no such
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

func ownerFields(c *coder, o *lineOwners) {
	for _, some := range []*[]named{&o.links, &o.kept} {
		list(c, some, func(c *coder, n *named) {
			str(c, &n.checkpoint)
			str(c, &n.dir)
		})
	}
	list(c, &o.follows, str)
	c.flag(&o.missing)
	c.flag(&o.notCounted)
	// Before the files, whose runs name owners by their place in this list.
	list(c, &o.owners, func(c *coder, one *lineOwner) {
		kind := string(one.kind)
		c.texts(&kind, &one.checkpoint, &one.session, &one.turn)
		one.kind = attribution.Kind(kind)
	})
	list(c, &o.files, func(c *coder, f *ownedFile) {
		str(c, &f.path)
		c.flag(&f.fresh)
		list(c, &f.runs, func(c *coder, r *owned) {
			num(c, &r.Start)
			num(c, &r.N)
			// The place is used as an index of the list: a damaged one must not reach beyond it.
			if num(c, &r.owner); r.owner < 0 || r.owner >= len(o.owners) {
				c.damaged()
				r.owner = 0
			}
		})
	})
}
