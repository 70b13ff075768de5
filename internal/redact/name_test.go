package redact

import (
	"strings"
	"testing"

	"entire-plumb/internal/redact/corpus"
	"entire-plumb/internal/testdir"
)

func TestName(t *testing.T) {
	for name, want := range map[string]string{
		"main": "main", "feature/JIRA-1234_add-parser": "feature/JIRA-1234_add-parser", "claude-opus-4-1-20250805": "claude-opus-4-1-20250805",
		"internationalization-of-everything":                "internationalization-of-everything", // long, and looked at
		"fix/" + "ghp_n0t4secretbutl00kslik3on3x9y8z7w6v5u": "fix/REDACTED",
	} {
		if got := (*Redactor)(nil).Name(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	own, err := New(Options{Rules: []Rule{{ID: "ticket", Regex: `TICKET-\d+`}}})
	testdir.Must(t, err)
	if got := own.Name("fix/TICKET-12"); got != "fix/REDACTED" {
		t.Errorf("the user's own rule: %q", got)
	}
}

// Few keys that the rules know, and that can be in a branch's name, pass for plain names.
func TestPlainNamesAreNoKeys(t *testing.T) {
	kinds, err := corpus.Kinds(gitleaksRules)
	testdir.Must(t, err)
	passed, all := 0, 0
	seen := map[string]bool{}
	for _, record := range corpus.Records(kinds, 1) {
		name := record.Secrets[0]
		if record.Kind.Origin != corpus.Gitleaks || seen[record.Kind.Name] || strings.ContainsAny(name, " ~^:?*[\\=@{\n") {
			continue
		}
		seen[record.Kind.Name] = true
		all++
		if plain := "fix/" + name; plainName(plain) && (*Redactor)(nil).Text(plain) != plain {
			passed++
			t.Logf("%s: %s", record.Kind.Name, name)
		}
	}
	if all < 50 || passed > all/50 {
		t.Errorf("%d of %d pass", passed, all)
	}
}
