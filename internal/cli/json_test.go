package cli

import (
	"bytes"
	"encoding/json"
	"testing"

	"entire-plumb/internal/testdir"
)

// TestPrintJSON: each object at the top has a version, and no text is changed.
func TestPrintJSON(t *testing.T) {
	text := "{\n  {\n\x7f\u202e<&>"
	type one struct {
		Text  string `json:"text"`
		Inner []one  `json:"inner"`
	}
	deep := one{text, []one{{text, nil}}}
	for _, v := range []any{deep, []one{deep, deep}, []one{}, map[string]any{"text": text}, []string{"a"}} {
		var out bytes.Buffer
		testdir.Must(t, printJSON(&out, v))
		if bytes.ContainsAny(out.Bytes(), "\x7f\u202e") {
			t.Errorf("not escaped: %q", out.String())
		}
		var all []any
		if err := json.Unmarshal(out.Bytes(), &all); err != nil {
			var object any
			testdir.Must(t, json.Unmarshal(out.Bytes(), &object))
			all = []any{object}
		}
		for _, one := range all {
			object, ok := one.(map[string]any)
			if !ok {
				continue
			}
			if object["version"] != 1.0 || object["text"] != text {
				t.Errorf("%v", object)
			}
			if inner, _ := object["inner"].([]any); len(inner) > 0 && inner[0].(map[string]any)["version"] != nil {
				t.Errorf("an inner object has a version: %v", object)
			}
		}
	}
}
