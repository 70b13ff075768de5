package query

import (
	"bytes"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/sets"
)

// textPart is a session's part of a checkpoint, or on a stream, in the index of texts.
type textPart struct {
	order      string // among the session's parts, the earliest first
	checkpoint string
	stream     string // its key; empty: it is a checkpoint's
	tree       gitexec.OID
	agent      string
	turn       string // the last one in it
	when       time.Time
	units      []unit
}

// is reports whether it is the part of the same checkpoint or stream.
func (p textPart) is(o textPart) bool { return p.checkpoint == o.checkpoint && p.stream == o.stream }

// talk is what the index of texts has of a session: its parts, in their order.
type talk struct{ parts []textPart }

func (t *texts) talk(session string) (talk, error) {
	value := t.Get(keyConversation + escaped(session))
	if value == nil {
		return talk{}, nil
	}
	return unpack(value, talkFields)
}

// units are those of all parts, in their order, each once.
func (k talk) units() (all []unit) {
	for _, p := range k.parts {
		all = append(all, p.units...)
	}
	return sets.Once(all)
}

// addedLast are some parts, those at the end that are of checkpoints in which others added them.
func addedLast(parts []textPart, added map[string]bool) (all []textPart) {
	for _, last := range []bool{false, true} {
		for _, p := range parts {
			if added[p.checkpoint] == last {
				all = append(all, p)
			}
		}
	}
	return all
}

// put adds a part, or replaces it.
func (k *talk) put(p textPart) {
	// Its order may have changed, too, as where a checkpoint was written anew.
	k.remove(p)
	at, _ := slices.BinarySearchFunc(k.parts, p, func(a, b textPart) int { return bytes.Compare([]byte(a.order), []byte(b.order)) })
	k.parts = slices.Insert(k.parts, at, p)
}

func (k *talk) remove(p textPart) { k.parts = slices.DeleteFunc(k.parts, p.is) }

func talkFields(c *coder, k *talk) {
	units := k.units()
	list(c, &units, str)
	place := map[unit]int{}
	for i, u := range units {
		place[u] = i
	}
	list(c, &k.parts, func(c *coder, p *textPart) {
		for _, s := range []*string{&p.order, &p.checkpoint, &p.stream} {
			str(c, s)
		}
		str(c, &p.tree)
		str(c, &p.agent)
		str(c, &p.turn)
		c.time(&p.when)
		list(c, &p.units, func(c *coder, u *unit) {
			// Units are long, and each part repeats those of the one before: only their places are
			// written.
			n := place[*u]
			if num(c, &n); n < 0 || n >= len(units) {
				c.damaged()
				return
			}
			*u = units[n]
		})
	})
}
