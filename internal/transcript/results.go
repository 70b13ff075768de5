package transcript

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// results is how an agent writes down the results of tools.
type results struct {
	// each is in a line once for each result; empty: a line has one.
	each string
	// in is the path of keys to the results, with dots; where a list is, each of its items is one.
	// id is the key of a use's ID in a result. says is the path in a result to what says that the
	// use failed or was refused: its JSON begins as one of failed. Without failed, nothing does.
	in, id, says string
	failed       []string
	// detached are keys, or values, of a result of a command that goes on; nil: it says so in
	// words.
	detached []string
	// had is the path in a line to the text that a file had before a tool wrote it; empty: none.
	had string
}

var (
	isTrue       = []string{"true"}
	failedStatus = []string{`"error"`, `"cancelled"`}
)

// count is how many results a line has.
func (r results) count(line []byte) int {
	if r.each == "" {
		return 1
	}
	return max(1, bytes.Count(line, []byte(r.each)))
}

// failures are the IDs of the uses that failed or were refused, by a line.
func (r results) failures(line []byte) (ids []string) {
	within := func(text []byte, has func(a, b []byte) bool) bool {
		return slices.ContainsFunc(r.failed, func(value string) bool { return has(text, []byte(value)) })
	}
	if !names(line, r.says[strings.LastIndexByte(r.says, '.')+1:]) || !within(line, bytes.Contains) {
		return nil // without parsing it: it may be long
	}
	for _, result := range valuesAt(line, r.in) {
		for _, said := range valuesAt(result, r.says) {
			if within(said, bytes.HasPrefix) {
				ids = append(ids, textsAt(result, r.id)...)
			}
		}
	}
	return ids
}

// usedFor is the ID of the use of a tool whose result a line has, where that says what the file was
// before; empty: it doesn't.
func (r results) usedFor(line []byte) string {
	if r.had == "" || !names(line, r.had[strings.LastIndexByte(r.had, '.')+1:]) {
		return ""
	}
	_, rest, _ := bytes.Cut(line, []byte(`"`+r.id+`":"`))
	id, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(id)
}

// before is the text that a file had before a tool wrote it, by a line with its result; known is
// false where that doesn't tell. A file that wasn't there is empty.
func (r results) before(line []byte) (text string, known bool) {
	for _, value := range valuesAt(line, r.had) {
		var said *string
		if json.Unmarshal(value, &said) != nil {
			return "", false
		}
		if known = true; said != nil {
			text += *said
		}
	}
	return text, known
}

// valuesAt are the values at a path of keys in JSON, of all items where a list is.
func valuesAt(data json.RawMessage, path string) (found []json.RawMessage) {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) == nil && list != nil { // null is no list
		for _, item := range list {
			found = append(found, valuesAt(item, path)...)
		}
		return found
	}
	if path == "" {
		return []json.RawMessage{data}
	}
	var object map[string]json.RawMessage
	key, rest, _ := strings.Cut(path, ".")
	if json.Unmarshal(data, &object) != nil || object[key] == nil {
		return nil
	}
	return valuesAt(object[key], rest)
}

// textsAt are the texts at a path that are not empty.
func textsAt(data json.RawMessage, path string) (texts []string) {
	for _, value := range valuesAt(data, path) {
		var text loose
		if _ = json.Unmarshal(value, &text); text != "" { // another shape is empty
			texts = append(texts, string(text))
		}
	}
	return texts
}
