package redact

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	"entire-plumb/internal/testdir"
)

// A text is found however JSON has it: with any of the escapes, and as a string within strings.
// What is left is valid JSON.
func TestRemoveAll(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		secret := []string{"Käse/Brot", "tab\tand\nline", `quote"back\slash`, "smile 😀!", "plain words", "<a&b>"}[random.IntN(6)]
		text := "before " + secret + " behind"
		for depth := 1 + random.IntN(4); depth > 0; depth-- {
			text = fmt.Sprintf(`{"a":%s,"b":[1]}`, escapedAnyhow(random, text))
		}
		find := func(text string) (found [][]int) {
			if i := strings.Index(text, secret); i >= 0 {
				found = append(found, []int{i, i + len(secret)})
			}
			return found
		}
		out := string(RemoveAll([]byte(text), find))
		r, err := (*Redactor)(nil).Without([]Purged{PurgedText(secret)})
		testdir.Must(t, err)
		for _, out := range []string{out, string(r.Records([]byte(text)))} {
			inner := out
			for strings.HasPrefix(inner, "{") {
				var in struct{ A string }
				if err := json.Unmarshal([]byte(inner), &in); err != nil {
					t.Fatalf("%s\nbecame %s\n%v", text, out, err)
				}
				inner = in.A
			}
			if inner != "before REDACTED behind" {
				t.Fatalf("%s\nbecame %s", text, out)
			}
		}
	}
	for text, want := range map[string]string{
		`cut {"a":"K\u00e4`:      `cut {"a":"REDACTED`,
		`C:\new\table K\u00E4s`:  `C:\new\table REDACTEDs`,
		`\ud83d K\\u00e4 \`:      `\ud83d REDACTED \`,
		strings.Repeat(`\\`, 99): strings.Repeat(`\\`, 99),
	} {
		got := RemoveAll([]byte(text), func(text string) (found [][]int) {
			if i := strings.Index(text, "Kä"); i >= 0 {
				found = [][]int{{i, i + len("Kä")}}
			}
			return found
		})
		if string(got) != want {
			t.Errorf("%s became %s", text, got)
		}
	}
}

// escapedAnyhow is a JSON string with escapes where there need be none.
func escapedAnyhow(random *rand.Rand, text string) string {
	var b strings.Builder
	for _, c := range text {
		short := map[rune]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\t': `\t`, '/': `\/`}[c]
		switch how := random.IntN(4); {
		case how == 0 || short == "" && c < ' ':
			for _, unit := range utf16.Encode([]rune{c}) {
				fmt.Fprintf(&b, []string{`\u%04x`, `\u%04X`}[random.IntN(2)], unit)
			}
		case short != "" && (how == 1 || c != '/'):
			b.WriteString(short)
		default:
			b.WriteRune(c)
		}
	}
	return `"` + b.String() + `"`
}
