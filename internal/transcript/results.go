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

// before is the text that a file had before the use of a tool that gave all of it, by a line with
// its result; empty: it doesn't tell. whole says which uses did: such a line has all of a file.
func (r results) before(line []byte, whole func(use string) bool) (use, text string) {
	if r.had == "" || !names(line, r.had[strings.LastIndexByte(r.had, '.')+1:]) {
		return "", ""
	}
	_, rest, _ := bytes.Cut(line, []byte(`"`+r.id+`":"`))
	id, _, _ := bytes.Cut(rest, []byte(`"`))
	if use = string(id); !whole(use) {
		return "", ""
	}
	return use, strings.Join(textsAt(line, r.had), "")
}

// valuesAt are the values at a path of keys in JSON, of all items where a list is.
func valuesAt(data json.RawMessage, path string) (found []json.RawMessage) {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) == nil {
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
