package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"entire-plumb/internal/testdir"
)

// schemas is docs/json-schema.json.
var schemas = sync.OnceValues(func() (map[string]any, error) {
	text, err := os.ReadFile("docs/json-schema.json")
	var file map[string]any
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err != nil {
		return nil, err
	}
	return file["$defs"].(map[string]any), nil
})

// checkedJSON is the verb plumb; where it has the program print JSON, that is held against the schema.
func checkedJSON(plumb func(*testscript.TestScript, bool, []string)) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		plumb(ts, neg, args)
		if i := slices.Index(args, "--"); i >= 0 {
			args = args[:i]
		}
		if out := ts.ReadFile("stdout"); slices.Contains(args, "--json") && out != "" {
			ts.Check(checkJSON(args, []byte(out)))
		}
	}
}

// checkJSON reports what a call printed that the schema has not, or has otherwise.
func checkJSON(args []string, out []byte) error {
	defs, err := schemas()
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal(out, &value); err != nil {
		return err
	}
	var faults []string
	calls := callsOf(args, defs)
	if len(calls) == 0 {
		return fmt.Errorf("docs/json-schema.json has no schema for %v", args)
	}
	for _, call := range calls {
		c := checker{defs: defs}
		c.value(call, map[string]any{"$ref": "#/$defs/" + call}, value)
		if c.faults == nil {
			return nil
		}
		faults = append(faults, c.faults...)
	}
	return fmt.Errorf("not as docs/json-schema.json says:\n%s", strings.Join(faults, "\n"))
}

// callsOf are the schemas that may be those of a call: a command prints one thing or another by what
// it is given.
func callsOf(args []string, defs map[string]any) (calls []string) {
	words := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return strings.HasPrefix(arg, "-") })
	if len(words) == 0 {
		return nil
	}
	name := "entire-plumb " + words[0]
	for call := range defs {
		if call == name || strings.HasPrefix(call, name+" ") {
			calls = append(calls, call)
		}
	}
	slices.Sort(calls)
	return calls
}

// checker compares a value with a schema: with the words of JSON Schema that our own schema has, and
// more strictly in one respect, that a key must be in it.
type checker struct {
	defs   map[string]any
	faults []string
}

func (c *checker) fault(at, format string, args ...any) {
	c.faults = append(c.faults, at+": "+fmt.Sprintf(format, args...))
}

func (c *checker) value(at string, schema map[string]any, value any) {
	if ref, ok := schema["$ref"].(string); ok {
		of, ok := c.defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
		if !ok {
			c.fault(at, "no schema %s", ref)
			return
		}
		schema = of
	}
	if all, ok := schema["allOf"].([]any); ok { // the version and an object
		c.versioned(at, all[1].(map[string]any), value)
		return
	}
	if either, ok := schema["anyOf"].([]any); ok {
		if value != nil {
			c.value(at, either[0].(map[string]any), value)
		}
		return
	}
	kind := kindOf(value)
	if want := schema["type"]; want != nil && want != kind && !(want == "number" && kind == "integer") {
		if list, ok := want.([]any); !ok || !slices.Contains(list, any(kind)) {
			c.fault(at, "%s, and not %v", kind, want)
			return
		}
	}
	switch value := value.(type) {
	case map[string]any:
		c.object(at, schema, value)
	case []any:
		items, _ := schema["items"].(map[string]any) // none: any value
		for i, one := range value {
			c.value(fmt.Sprintf("%s[%d]", at, i), items, one)
		}
	}
}

func (c *checker) versioned(at string, schema map[string]any, value any) {
	object, ok := value.(map[string]any)
	if !ok || object["version"] != float64(1) {
		c.fault(at, "no object with a version")
		return
	}
	delete(object, "version")
	c.value(at, schema, object)
	object["version"] = float64(1) // it may be compared with another schema
}

func (c *checker) object(at string, schema, object map[string]any) {
	properties, _ := schema["properties"].(map[string]any)
	others, open := schema["additionalProperties"].(map[string]any)
	for key, value := range object {
		switch of, ok := properties[key].(map[string]any); {
		case ok:
			c.value(at+"."+key, of, value)
		case open:
			c.value(at+"."+key, others, value)
		case properties != nil:
			c.fault(at, "the key %q is unknown", key)
		}
	}
	required, _ := schema["required"].([]any)
	for _, key := range required {
		if _, ok := object[key.(string)]; !ok {
			c.fault(at, "the key %q is missing", key)
		}
	}
}

// kindOf is the type of a value, as JSON Schema names it.
func kindOf(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		if value == float64(int64(value)) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

// TestJSONIsChecked: what is not as the schema says is noticed.
func TestJSONIsChecked(t *testing.T) {
	good := `{"version": 1, "cli_version": "v", "go_version": "g", "os": "o", "arch": "a"}`
	testdir.Must(t, checkJSON([]string{"version", "--json"}, []byte(good)))
	for name, change := range map[string][2]string{
		"no JSON":               {"}", ""},
		"no version":            {`"version": 1, `, ""},
		"another version":       {`"version": 1`, `"version": 2`},
		"a key is missing":      {`"os": "o", `, ""},
		"a key is unknown":      {`"os": "o"`, `"os": "o", "system": "s"`},
		"a value of another":    {`"o"`, `1`},
		"a list and no object":  {good, "[" + good + "]"},
		"null":                  {`"o"`, `null`},
		"an object, no version": {good, `{}`},
	} {
		if err := checkJSON([]string{"version", "--json"}, []byte(strings.Replace(good, change[0], change[1], 1))); err == nil {
			t.Errorf("%s: not noticed", name)
		}
	}
	if err := checkJSON([]string{"demo", "--json"}, []byte(good)); err == nil {
		t.Error("a command without a schema is not noticed")
	}
}

// TestJSONPlayed: a script has each command that prints JSON do so.
func TestJSONPlayed(t *testing.T) {
	defs, err := schemas()
	testdir.Must(t, err)
	files, err := filepath.Glob("testdata/scripts/*.txtar")
	testdir.Must(t, err)
	played := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		testdir.Must(t, err)
		for _, call := range regexp.MustCompile(`(?m)^plumb (\S+).* --json`).FindAllStringSubmatch(string(text), -1) {
			played[call[1]] = true
		}
	}
	for call := range defs {
		if words := strings.Fields(call); words[0] == "entire-plumb" && !played[words[1]] {
			t.Errorf("no script plays plumb %s --json", words[1])
		}
	}
}
