package redact

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"entire-plumb/internal/redact/corpus"
	"entire-plumb/internal/testdir"
)

// TestMutatedRecords: texts that were cut, doubled and mixed break nothing: JSON stays JSON, and
// what was redacted comes out the same again.
func TestMutatedRecords(t *testing.T) {
	kinds, err := corpus.Kinds(gitleaksRules)
	testdir.Must(t, err)
	r, _ := New(Options{})
	rng := rand.New(rand.NewPCG(5, 6))
	records := corpus.Records(eachOf(kinds, 4, 1), 3)
	for range eachOf(make([]bool, 150), 3, 1) {
		a, b := records[rng.IntN(len(records))].JSON, records[rng.IntN(len(records))].JSON
		mixed := string(a[:rng.IntN(len(a))]) + string(b[rng.IntN(len(b)):])
		for range 3 {
			at := rng.IntN(len(mixed))
			mixed = mixed[:at] + string("\"\\\n'`{}[]=:,| -+\x00\xff<>$"[rng.IntN(21)]) + mixed[min(len(mixed), at+rng.IntN(4)):]
		}
		line := append(append([]byte(`{"content":`), encoded(mixed)...), '}')
		got := r.Records(line)
		if !json.Valid(got) {
			t.Fatalf("%q became %q", line, got)
		}
		if again := r.Records(got); string(again) != string(got) {
			t.Errorf("%q became %q, and then %q", line, got, again)
		}
		if text := r.Text(mixed); r.Text(text) != text {
			t.Errorf("%q became %q, and then %q", mixed, text, r.Text(text))
		}
	}
}
