package query

import (
	"bytes"
	"slices"
	"time"

	"entire-plumb/gitexec"
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
	return talkIn(bytes.Clone(value))
}

// units are those of all parts, in their order, each once.
func (k talk) units() (all []unit) {
	seen := map[unit]bool{}
	for _, p := range k.parts {
		for _, u := range p.units {
			if !seen[u] {
				seen[u] = true
				all = append(all, u)
			}
		}
	}
	return all
}

// put adds a part, or replaces it.
func (k *talk) put(p textPart) {
	k.remove(p)
	at, _ := slices.BinarySearchFunc(k.parts, p, func(a, b textPart) int { return bytes.Compare([]byte(a.order), []byte(b.order)) })
	k.parts = slices.Insert(k.parts, at, p)
}

func (k *talk) remove(p textPart) { k.parts = slices.DeleteFunc(k.parts, p.is) }

func (k talk) pack() []byte {
	var b packer
	units := k.units()
	place := map[unit]int{}
	b.num(len(units))
	for i, u := range units {
		place[u] = i
		b.str(string(u))
	}
	b.num(len(k.parts))
	for _, p := range k.parts {
		for _, text := range []string{p.order, p.checkpoint, p.stream, string(p.tree), p.agent, p.turn} {
			b.str(text)
		}
		b.time(p.when)
		b.num(len(p.units))
		for _, u := range p.units {
			b.num(place[u])
		}
	}
	return b
}

func talkIn(value []byte) (k talk, err error) {
	from := unpacker{rest: value}
	units := from.strs()
	for range from.num() {
		p := textPart{order: from.str(), checkpoint: from.str(), stream: from.str(), tree: gitexec.OID(from.str()), agent: from.str(),
			turn: from.str(), when: from.time()}
		for range from.num() {
			n := from.num()
			if from.err != nil || n < 0 || n >= len(units) {
				return k, errShort
			}
			p.units = append(p.units, unit(units[n]))
		}
		if from.err != nil {
			return k, from.err
		}
		k.parts = append(k.parts, p)
	}
	return k, from.err
}
