package transcript

import "slices"

// keptMessages is how many messages a Position remembers. A message whose
// records are farther apart than that, with a reading between, counts twice.
const keptMessages = 8

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
	usage, ok := rec.usage()
	if !ok {
		return
	}
	id := rec.Message.ID
	t.seen(id)
	before, known := t.best[id]
	if known && usage.output() <= before.output() {
		return
	}
	t.best[id] = usage
	t.total = t.total.Add(usage.sub(before))
}

func (t *tally) seen(id string) {
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
		recent = append(recent, Message{ID: id, Usage: t.best[id]})
	}
	return recent
}
