package redact

import (
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// What was purged is found wherever it is, by its hashes alone.
func TestPurged(t *testing.T) {
	p := PurgedText("plain words")
	for _, hidden := range []string{p.Salt, p.Sum} {
		if strings.Contains(hidden, "plain") {
			t.Error(p)
		}
	}
	r, err := (*Redactor)(nil).Without([]Purged{p, PurgedText("plain"), PurgedText("x\"y"), PurgedText(`x\"y`), {Regex: `T-\d+`}})
	testdir.Must(t, err)
	for text, want := range map[string]string{
		"plain words":                       "REDACTED",
		"some plain words, plainly":         "some REDACTED, REDACTEDly",
		"lain words":                        "lain words",
		`x"y T-12`:                          "REDACTED REDACTED",
		strings.Repeat("a", 5000) + "plain": strings.Repeat("a", 5000) + "REDACTED",
	} {
		if got := r.Text(text); got != want {
			t.Errorf("%.60q: %.60q", text, got)
		}
	}
	record := `{"uuid":"plain","a":"x\"y","id":"aplainb","c":["plain words"]}`
	if got, want := string(r.Records([]byte(record))), `{"uuid":"REDACTED","a":"REDACTED","id":"aREDACTEDb","c":["REDACTED"]}`; got != want {
		t.Error(got)
	}
	if _, err := r.Without([]Purged{{Regex: "("}}); err == nil {
		t.Error("no error for a broken expression")
	}
}
