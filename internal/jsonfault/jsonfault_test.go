package jsonfault

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestExplain(t *testing.T) {
	type settings struct {
		On    bool
		Name  string
		Count int
		List  []string
		Inner struct{ Deep string }
		Real  float64
	}
	for text, want := range map[string]string{
		`[]`:                    "the top level is an array, not an object",
		`"x"`:                   "the top level is a string, not an object",
		`{"On": 1}`:             `"On" is a number, not true or false`,
		`{"Name": true}`:        `"Name" is a bool, not a string`,
		`{"Name": {}}`:          `"Name" is an object, not a string`,
		`{"Count": 1.5}`:        `"Count" is a number 1.5, not a whole number within bounds`,
		`{"List": "x"}`:         `"List" is a string, not an array`,
		`{"Inner": {"Deep":1}}`: `"Inner.Deep" is a number, not a string`,
		`{"Real": "x"}`:         `"Real" is a string, not what belongs there`,
		`{`:                     "unexpected end of JSON input",
	} {
		err := json.Unmarshal([]byte(text), &settings{})
		if got := Explain(err); got == nil || got.Error() != want || strings.Contains(got.Error(), "Go") {
			t.Errorf("Explain(error of %s) = %v, want %s", text, got, want)
		}
	}
	if Explain(nil) != nil {
		t.Error("Explain(nil) is an error")
	}
}
