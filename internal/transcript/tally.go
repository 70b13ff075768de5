package transcript

import "slices"

// keptMessages is how many messages a Position remembers. A message whose
// records are farther apart than that, with a reading between, counts twice.
const keptMessages = 8

// countedMessages is how many messages are remembered within a reading, at
// least: a long transcript has more of them than need be in memory.
const countedMessages = 4096

// Message is what has been counted of one message of the model.
type Message struct {
	ID    string `json:"id"`
	Usage Usage  `json:"usage"`
}

// tally counts tokens once per message, from the record of it that has the
// most output tokens, the first of equals.
type tally struct {
	total Usage            // beyond what earlier readings counted
	best  map[string]Usage // by message ID, earlier readings' included
	last  []string         // IDs of the last messages seen, oldest first
	older map[string]Usage // those before best's, which go when best is full

	before []Message // counted before a restart
	again  bool      // one of them is there once more
}

func newTally(recent []Message) *tally {
	t := &tally{best: make(map[string]Usage, len(recent))}
	for _, m := range recent {
		t.best[m.ID] = m.Usage
		t.seen(m.ID)
	}
	return t
}

func (t *tally) note(rec record) {
	if rec.usage == nil {
		return
	}
	id, usage := rec.message, *rec.usage
	t.seen(id)
	t.again = t.again || slices.ContainsFunc(t.before, func(m Message) bool { return m.ID == id })
	before, known := t.counted(id)
	// A message's records repeat its usage while it comes in: the last one has most output, but
	// need not be read last.
	if known && usage.output() <= before.output() {
		return
	}
	if len(t.best) >= countedMessages {
		// Two generations: what was seen lately is in best or older, whatever the length of the
		// transcript.
		t.older, t.best = t.best, make(map[string]Usage, len(t.last))
		for _, id := range t.last {
			if u, ok := t.older[id]; ok {
				t.best[id] = u
			}
		}
	}
	t.best[id] = usage
	t.total = t.total.Add(usage.sub(before))
}

// known notes a message that was counted elsewhere.
func (t *tally) known(rec record) {
	total := t.total
	t.note(rec)
	t.total = total
}

// counted is what was counted of a message so far.
func (t *tally) counted(id string) (Usage, bool) {
	if usage, ok := t.best[id]; ok {
		return usage, true
	}
	usage, ok := t.older[id]
	return usage, ok
}

func (t *tally) seen(id string) {
	// The last seen goes to the end.
	if i := slices.Index(t.last, id); i >= 0 {
		t.last = slices.Delete(t.last, i, i+1)
	}
	t.last = append(t.last, id)
	if len(t.last) > keptMessages {
		t.last = slices.Delete(t.last, 0, 1)
	}
}

func (t *tally) recent() []Message {
	var recent []Message
	for _, id := range t.last {
		usage, _ := t.counted(id)
		recent = append(recent, Message{ID: id, Usage: usage})
	}
	return recent
}
