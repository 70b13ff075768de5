package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	"entire-plumb/internal/brief"
)

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "",
		"plain\n\ttext":             "plain\n\ttext",
		"a\r\nb\rc":                 "a\nb␍c",
		"\x1b[31m\x00\x7f":          "␛[31m␀␡",
		"\u009b\u202e\u2066\ufeff":  "⟨U+009B⟩⟨U+202E⟩⟨U+2066⟩⟨U+FEFF⟩",
		"\xff\xfea":                 "\uFFFD\uFFFDa",
		"שלום 👩\u200d💻 e\u0301 <b>": "שלום 👩\u200d💻 e\u0301 <b>",
	} {
		if got := clean(text); got != want {
			t.Errorf("clean(%q) = %q, not %q", text, got, want)
		}
	}
	if got := oneLine("  a\r\n\tb  c\n"); got != "a b c" {
		t.Errorf("%q", got)
	}
}

func FuzzClean(f *testing.F) {
	for _, text := range nasty {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := clean(text)
		if !utf8.ValidString(got) || clean(got) != got {
			t.Errorf("clean(%q) = %q", text, got)
		}
		if i := strings.IndexFunc(got, func(r rune) bool {
			return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || turning(r)
		}); i >= 0 {
			t.Errorf("clean(%q) has %q", text, got[i:])
		}
		if cut, left := brief.Truncate(got, 5); len(cut)+left != len(got) || len(cut) > 5 || !utf8.ValidString(cut) {
			t.Errorf("brief.Truncate(%q) = %q, %d", got, cut, left)
		}
	})
}

func TestShares(t *testing.T) {
	l := Lines{Agent: 2, Human: 1, Unknown: 1}
	all := shares(l)
	if len(all) != 3 || all[1].From != 50 || all[1].Width != 25 || all[2].From != 75 || percent(l) != "67 %, 1 unknown" {
		t.Errorf("%+v, %s", all, percent(l))
	}
	if got := words(l); got != "New lines: agent 67 %, human 33 %, unknown 1 line" {
		t.Error(got)
	}
	if seconds(75) != "1m15s" || seconds(4.4) != "4s" {
		t.Error(seconds(75), seconds(4.4))
	}
}
