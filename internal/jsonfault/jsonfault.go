// Package jsonfault says in plain words what is wrong with JSON that a person wrote, where
// encoding/json speaks of Go's types.
package jsonfault

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// Explain gives a decoder's error in plain words; other errors as they are.
func Explain(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	what := "the top level"
	if wrong.Field != "" {
		what = fmt.Sprintf("%q", wrong.Field)
	}
	return fmt.Errorf("%s is %s, not %s", what, found(wrong.Value), wanted(wrong.Type))
}

// found puts an article before the decoder's word for a value: "array", "number 1e30".
func found(value string) string {
	switch value[:1] {
	case "a", "o":
		return "an " + value
	}
	return "a " + value
}

func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Map, reflect.Struct:
		return "an object"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Int, reflect.Int64:
		return "a whole number within bounds"
	}
	return "what belongs there"
}
