package settings

import (
	"encoding/json"
	"testing"
)

// FuzzCheck: what is taken for settings is read again as the same ones, and what guards take out is
// gone, however it is spelled.
func FuzzCheck(f *testing.F) {
	f.Add([]byte(`{"enabled":true,"STRATEGY":"auto-commit","redaction":{"rules":[{"id":"a","regex":"x+"}]},"strategy_options":{"push_timeout_seconds":9}}`))
	f.Add([]byte(`{"encrypt_to":["age1"],"strategy_options":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		keys, err := check(data)
		if err != nil {
			return
		}
		limitRules(keys)
		for _, g := range guards {
			remove(keys, g.path)
			if left, _ := lookUp(keys, g.path); left != nil {
				t.Errorf("%s: %q keeps %v", g.key(), data, left)
			}
		}
		text, err := json.Marshal(keys)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := check(text); err != nil {
			t.Errorf("%q is no settings: %v", text, err)
		}
	})
}
