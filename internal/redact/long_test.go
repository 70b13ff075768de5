package redact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// A line that is redacted in pieces has no secret left, wherever it stands, and every other byte as
// it was.
func TestLongLines(t *testing.T) {
	r, err := New(Options{})
	testdir.Must(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	words := []string{"plain words of a long text, ", "\"quoted\" ", "\n", "café ", "😀", "\\", "0x1f ", "<b>&amp; ", "\x00\x1b[1m ", "\u2028 "}
	for _, kind := range []string{"record", "text"} {
		for _, round := range eachOf([]int{0, 1}, 2, 1) {
			var text, want strings.Builder
			for next := 0; text.Len() < 3*longLine; {
				word := words[random.IntN(len(words))]
				if kind == "text" {
					word = strings.ReplaceAll(word, "\n", " ")
				}
				text.WriteString(word)
				want.WriteString(word)
				near := text.Len() % unit
				if text.Len() > next && (near < 64 || near > unit-64 || random.IntN(2000) == 0) {
					next = text.Len() + 300
					text.WriteString(" password = 'hunter2-x!" + fmt.Sprint(round, text.Len())[2:] + "' ")
					want.WriteString(" password = '" + Mark + "' ")
				}
			}
			line, wanted := []byte(text.String()), []byte(want.String())
			if kind == "record" {
				for value, into := range map[string]*[]byte{text.String(): &line, want.String(): &wanted} {
					var b bytes.Buffer
					enc := json.NewEncoder(&b)
					enc.SetEscapeHTML(false)
					testdir.Must(t, enc.Encode(map[string]any{"a": "short", "message": value, "z": 1}))
					*into = bytes.TrimSuffix(b.Bytes(), []byte("\n"))
				}
			}
			before := []byte("{\"first\":1}\n")
			got := r.Records(bytes.Join([][]byte{before, line, []byte("\n{}")}, nil))
			wanted = bytes.Join([][]byte{before, wanted, []byte("\n{}")}, nil)
			if !bytes.Equal(got, wanted) {
				at := 0
				for at < min(len(got), len(wanted)) && got[at] == wanted[at] {
					at++
				}
				t.Fatalf("%s, round %d, at %d of %d: %.120q, want %.120q", kind, round, at, len(line), got[max(0, at-40):], wanted[max(0, at-40):])
			}
		}
	}
}

// Escapes without an end, and values that their keys tell of.
func TestLongValues(t *testing.T) {
	r, _ := New(Options{})
	long := strings.Repeat("ab12CD34", longLine/4)
	for _, test := range []struct{ line, want string }{
		{`{"x":"` + strings.Repeat(`\u0000\\\"`, longLine/4) + `"}`, ""},
		{`{"x":"` + strings.Repeat(`\ud83d\ude00`, longLine/6) + `"}`, ""},
		{`{"x":"` + strings.Repeat("\x80", 2*longLine) + `"}`, ""},
		{strings.Repeat("\x80\x00", longLine), ""},
		{`{"data":"` + long + `"}`, ""},
		{`{"signature": "` + long + `", "password" : "` + long + `!"}`, `{"signature": "` + long + `", "password" : "` + Mark + `"}`},
	} {
		if test.want == "" {
			test.want = test.line
		}
		if got := string(r.Records([]byte(test.line))); got != test.want {
			t.Errorf("%.40q… came out as %.40q… of %d bytes, want %d", test.line, got, len(got), len(test.want))
		}
	}
}

// What is found is the same whether a record stands alone or among others.
func TestRecordsOneByOne(t *testing.T) {
	r, _ := New(Options{})
	var all, want bytes.Buffer
	for i := range 3000 {
		line := fmt.Appendf(nil, "{\"n\":%d,\"text\":\"%s password = 'hunter2-%d!'\"}\n", i, strings.Repeat("x ", i%700), i)
		all.Write(line)
		want.Write(r.Records(line))
	}
	if !bytes.Equal(r.Records(all.Bytes()), want.Bytes()) {
		t.Error("records come out otherwise together")
	}
}
