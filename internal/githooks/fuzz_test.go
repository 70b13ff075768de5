package githooks

import "testing"

// FuzzParseStub: a hook is taken for a stub of ours only if it is one to the letter.
func FuzzParseStub(f *testing.F) {
	for i := range forms {
		f.Add(forms[i].render("post-commit", quote("/usr/bin/entire-plumb"), i%2 == 0))
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, name := range []string{"post-commit", "pre-push"} {
			exe, ok := parseStub(name, body)
			if !ok {
				continue
			}
			found := false
			for _, form := range forms {
				for _, chained := range []bool{false, true} {
					text := form.render(name, quote(exe), chained)
					found = found || text == body || len(text)+len(replaceable) == len(body)
				}
			}
			if !found {
				t.Errorf("%s: %q is taken for a stub", name, body)
			}
		}
	})
}
