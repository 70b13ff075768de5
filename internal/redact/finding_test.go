package redact

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// What Find lists is what is redacted, and nothing else: with marks in those places a text comes out
// as Records has it.
func TestFindIsWhatRecordsDo(t *testing.T) {
	r, err := New(Options{Rules: []Rule{{ID: "ticket", Regex: `TICKET-(\d+)`}}, Optional: slices.Sorted(maps.Keys(optionalRules()))})
	testdir.Must(t, err)
	kinds := secretsOfAllKinds()
	long := strings.Repeat("lorem ipsum dolor\\n", 80_000)
	for _, text := range []string{
		"",
		"nothing to see\nhere\n",
		"a\nkey: " + kinds["github"] + "\nTICKET-12 ann@corp.io\n",
		`{"a":"` + kinds["stripe"] + `","b":"one\ntoken: ` + kinds["npm"] + `"}` + "\n\n" + `{"password":"hunter22","pin":12,"token":12345678}` + "\n",
		`{"a":"{\"b\":\"postgres://me:hunter22@db/x\",\"c\":[\"--password\",\"hunter2x!\"]}"}` + "\n",
		`{"a":"` + long + kinds["aws"] + " " + long + `password = \"hunter22!\""}` + "\n" + `{"b":"` + kinds["random"] + `"}`,
	} {
		want := []byte(r.Text(text))
		if IsRecords([]byte(text)) {
			want = r.Records([]byte(text))
		}
		found := r.Find([]byte(text))
		starts := []int{0}
		for i := range len(text) {
			if text[i] == '\n' {
				starts = append(starts, i+1)
			}
		}
		got := []byte(text)
		for _, f := range slices.Backward(found) {
			at := starts[f.Line-1] + f.Column - 1
			if len(f.Hint) > 16 || f.Rule == "" {
				t.Errorf("%+v", f)
			}
			mark := Mark
			if c := text[at]; c >= '0' && c <= '9' && text[at-1] == ':' && !strings.HasPrefix(f.Rule, "phone") {
				mark = `"` + Mark + `"`
			}
			got = slices.Replace(got, at, at+f.Bytes, []byte(mark)...)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%.300q\nfound %+v\ngot  %.300q\nwant %.300q", text, found, got, want)
		}
	}
}

func TestOptional(t *testing.T) {
	if _, err := New(Options{Optional: []string{"none"}}); err == nil || !strings.Contains(err.Error(), "card, email, iban, ip, phone") {
		t.Error(err)
	}
	for rule, texts := range map[string][2][]string{
		"email": {{"ann@corp.io", "a.b+c@x-y.co.uk"}, {"git@github.com", "noreply@corp.io", "you@example.com", "me@host", "@decorator"}},
		"phone": {{"+1 555 010 9999", "+49 (0)30 123456", "555-010-9999"}, {"2024-01-02", "1.2.3.4", "10:20:30", "123456789"}},
		"card":  {{"4111 1111 1111 1111", "5500-0000-0000-0004"}, {"4111 1111 1111 1112", "0000000000000000", "1234567890123456"}},
		"iban":  {{"DE89370400440532013000", "GB29 NWBK 6016 1331 9268 19"}, {"DE89370400440532013001", "AB12"}},
		"ip":    {{"203.0.113.7"}, {"127.0.0.1", "0.0.0.0", "1.2.3", "300.1.1.1"}},
	} {
		r, err := New(Options{Optional: []string{rule}})
		testdir.Must(t, err)
		for i, some := range texts {
			for _, text := range some {
				if got := r.personal("see " + text + ", please"); (len(got) > 0) != (i == 0) {
					t.Errorf("%s: %q: %v", rule, text, got)
				}
			}
		}
	}
}

// TestShortKeys: what the user asks to have taken out is found in a key of JSON, however short;
// nothing else is.
func TestShortKeys(t *testing.T) {
	plain, err := New(Options{})
	testdir.Must(t, err)
	mails, err := New(Options{Optional: []string{"email"}})
	testdir.Must(t, err)
	purged, err := plain.Without([]Purged{{Regex: "ann@[a-z.]+"}})
	testdir.Must(t, err)
	const record = `{"ann@corp.io":1}`
	for name, c := range map[string]struct {
		of   *Redactor
		want string
	}{"plain": {plain, record}, "optional": {mails, `{"REDACTED":1}`}, "purged": {purged, `{"REDACTED":1}`}} {
		if got := string(c.of.Records([]byte(record))); strings.TrimSpace(got) != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
