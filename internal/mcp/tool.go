package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// mostText limits an argument, in bytes.
const mostText = 4096

// describe is a tool as a client lists it.
func (t Tool) describe() object {
	properties, required := object{}, []string{}
	for _, p := range t.Params {
		one := object{"type": "string", "description": p.Description}
		if p.Number {
			one = object{"type": "integer", "description": p.Description, "minimum": p.Least, "maximum": p.Most}
		}
		properties[p.Name] = one
		if !p.Optional {
			required = append(required, p.Name)
		}
	}
	return object{"name": t.Name, "description": t.Description, "annotations": object{"readOnlyHint": true, "openWorldHint": false},
		"inputSchema": object{"type": "object", "properties": properties, "required": required, "additionalProperties": false}}
}

// arguments checks what a client gives.
func (t Tool) arguments(given map[string]json.RawMessage) (Args, error) {
	args := Args{Texts: map[string]string{}, Numbers: map[string]int{}}
	for _, p := range t.Params {
		value, there := given[p.Name]
		if !there && !p.Optional {
			return args, fmt.Errorf("the argument %s is missing", p.Name)
		}
		if !there {
			continue
		}
		if err := p.read(value, args); err != nil {
			return args, err
		}
	}
	for name := range given {
		if !slices.ContainsFunc(t.Params, func(p Param) bool { return p.Name == name }) {
			return args, fmt.Errorf("the tool %s has no such argument", t.Name)
		}
	}
	return args, nil
}

// read reads an argument. A text is one that may be an argument of a command: not empty, without
// control characters, and no option.
func (p Param) read(value json.RawMessage, args Args) error {
	if p.Number {
		n := 0
		if err := json.Unmarshal(value, &n); err != nil || n < p.Least || n > p.Most {
			return fmt.Errorf("the argument %s must be a number from %d to %d", p.Name, p.Least, p.Most)
		}
		args.Numbers[p.Name] = n
		return nil
	}
	text := ""
	err := json.Unmarshal(value, &text)
	if err != nil || text == "" || len(text) > mostText || strings.HasPrefix(text, "-") || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fmt.Errorf("the argument %s must be a text in a line that doesn't begin with a dash", p.Name)
	}
	args.Texts[p.Name] = text
	return nil
}
