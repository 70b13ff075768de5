package agentsettings

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"

	"entire-plumb/internal/agent"
)

// document is a parsed settings file with the bytes its offsets point into.
type document struct {
	data  []byte
	root  list   // of no items when the file is empty
	hooks list   // the value of the key; not present: open is 0
	flat  string // see agent.Agent
	key   string // of the hooks
}

// list is an object or array with what splicing needs: offsets into the
// document and the blanks and comments between the items. hujson calls these
// extras.
type list struct {
	open, close int // offset of the bracket that opens; of the one that closes
	items       []item
	tail        []byte // extra before the bracket that closes
}

// item is a member of an object or an element of an array.
type item struct {
	key        string // empty in an array
	before     []byte // extra before it
	start, end int    // of its text, a member's key included
	after      []byte // extra between it and its comma; nil when no comma follows the last item
	value      hujson.Value
}

// entry is a command hook, which calls us or not.
type entry struct {
	event   string
	matcher string // of its group
	verb    string
	kind    kind
	hook    list         // the object that has the command
	text    hujson.Value // the command's string

	// Where it is: the event among the hooks, the group in the event's array,
	// the command in the group's.
	eventAt, groupAt, at int
	groups, commands     list
	bare                 bool // the group has nothing but the commands and perhaps a matcher
}

func (e entry) command() string { return e.text.Value.(hujson.Literal).String() }

// isFor reports whether an entry is what Enable installs for an event. Its matcher counts only
// where it tells two such events from one another: elsewhere the user may have changed it.
func (e entry) isFor(a agent.Agent, event agent.Event) bool {
	if e.event != event.Name || e.verb != event.Verb {
		return false
	}
	alike := 0
	for _, other := range a.Events {
		if other.Name == event.Name && other.Verb == event.Verb {
			alike++
		}
	}
	return alike < 2 || covers(e.matcher, event.Matcher)
}

// covers reports whether a matcher is for all the tools of another, which are separated by |.
func covers(matcher, tools string) bool {
	if matcher == "" || matcher == "*" {
		return true
	}
	has := strings.Split(matcher, "|")
	return !slices.ContainsFunc(strings.Split(tools, "|"), func(tool string) bool { return !slices.Contains(has, tool) })
}

// load parses settings; blank data is a document without a root.
func load(data []byte, a agent.Agent) (document, error) {
	doc := document{data: data, flat: a.Flat, key: cmp.Or(a.Key, "hooks")}
	if len(bytes.Trim(data, blanks)) == 0 {
		return doc, nil
	}
	v, err := hujson.Parse(data)
	if err != nil {
		return doc, fmt.Errorf("the settings are not valid JSON: %w\nhint: correct the file by hand, then try again", err)
	}
	if doc.root, err = object(v, "the top level of the settings"); err != nil {
		return doc, err
	}
	m, ok := doc.root.member(doc.key)
	if !ok {
		return doc, nil
	}
	if doc.hooks, err = object(m.value, strconv.Quote(doc.key)); err != nil {
		return doc, err
	}
	for _, e := range a.Events {
		if m, ok := doc.hooks.member(e.Name); ok && m.value.Value.Kind() != '[' {
			return doc, wrongKind(strconv.Quote(doc.key+"."+e.Name), m.value, "an array")
		}
	}
	return doc, nil
}

func object(v hujson.Value, what string) (list, error) {
	if v.Value.Kind() != '{' {
		return list{}, wrongKind(what, v, "an object")
	}
	return listOf(v), nil
}

func wrongKind(what string, v hujson.Value, want string) error {
	is := map[hujson.Kind]string{'n': "null", 't': "a boolean", 'f': "a boolean", '"': "a string", '0': "a number", '{': "an object",
		'[': "an array"}
	return fmt.Errorf("%s is %s, not %s\nhint: correct the file by hand, then try again", what, is[v.Value.Kind()], want)
}

// listOf returns an object's or array's items; of anything else an empty list
// that is nowhere.
func listOf(v hujson.Value) list {
	l := list{open: v.StartOffset, close: v.EndOffset - 1}
	switch c := v.Value.(type) {
	case *hujson.Object:
		for _, m := range c.Members {
			l.items = append(l.items, item{key: m.Name.Value.(hujson.Literal).String(), before: m.Name.BeforeExtra,
				start: m.Name.StartOffset, end: m.Value.EndOffset, after: m.Value.AfterExtra, value: m.Value})
		}
		l.tail = c.AfterExtra
	case *hujson.Array:
		for _, e := range c.Elements {
			l.items = append(l.items, item{before: e.BeforeExtra, start: e.StartOffset, end: e.EndOffset, after: e.AfterExtra, value: e})
		}
		l.tail = c.AfterExtra
	}
	return l
}

// index finds a member; of two with one name the last counts, as in JavaScript.
// It is -1 when there is none.
func (l list) index(key string) int {
	for i, it := range slices.Backward(l.items) {
		if it.key == key {
			return i
		}
	}
	return -1
}

func (l list) member(key string) (item, bool) {
	if i := l.index(key); i >= 0 {
		return l.items[i], true
	}
	return item{}, false
}

// hasHooks reports whether the document has an object of hooks.
func (d document) hasHooks() bool { return d.root.index(d.key) >= 0 }

// entries returns the hooks that call us, in the order of the file.
func (d document) entries() []entry {
	return slices.DeleteFunc(d.all(), func(e entry) bool { return e.kind == foreign })
}

// all returns all command hooks, in the order of the file. What isn't shaped as agents want it is
// nobody's hook and skipped.
func (d document) all() []entry {
	var found []entry
	for i, event := range d.hooks.items {
		if event.value.Value.Kind() != '[' {
			continue
		}
		groups := listOf(event.value)
		if d.flat != "" {
			found = append(found, entry{event: event.key, eventAt: i, groups: groups, commands: groups, bare: true}.withCommands(d.flat)...)
			continue
		}
		for j, g := range groups.items {
			if g.value.Value.Kind() == '{' {
				found = append(found, groupEntries(entry{event: event.key, eventAt: i, groupAt: j, groups: groups}, listOf(g.value))...)
			}
		}
	}
	return found
}

// groupEntries returns the command hooks of one group; e is filled in from the levels above.
func groupEntries(e entry, group list) []entry {
	m, ok := group.member("hooks")
	if !ok || m.value.Value.Kind() != '[' {
		return nil
	}
	e.bare = true
	for _, m := range group.items {
		e.bare = e.bare && (m.key == "hooks" || m.key == "matcher")
	}
	if m, ok := group.member("matcher"); ok && m.value.Value.Kind() == '"' {
		e.matcher = m.value.Value.(hujson.Literal).String()
	}
	e.commands = listOf(m.value)
	return e.withCommands("command")
}

// withCommands returns an entry for each of its commands that has one under a key.
func (e entry) withCommands(key string) (found []entry) {
	for i, c := range e.commands.items {
		e.hook = listOf(c.value)
		cmd, ok := e.hook.member(key)
		if !ok || c.value.Value.Kind() != '{' || cmd.value.Value.Kind() != '"' {
			continue
		}
		e.at, e.text = i, cmd.value
		e.verb, e.kind = recognise(e.command())
		found = append(found, e)
	}
	return found
}
