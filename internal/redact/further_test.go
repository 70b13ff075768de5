package redact

import (
	"os"
	"strings"
	"testing"

	"entire-plumb/internal/redact/corpus"
	"entire-plumb/internal/testdir"
)

// TestFurtherRecall redacts kinds and contexts that were written down before anybody looked whether
// the rules find them.
func TestFurtherRecall(t *testing.T) {
	kinds, err := corpus.Kinds(gitleaksRules)
	testdir.Must(t, err)
	r, _ := New(Options{})
	records := eachOf(corpus.Further(kinds, 5), 20, 1)
	all := corpus.Measure(records, r.Records, func(corpus.Record) bool { return true })
	t.Log(all.Summary())
	if dir := os.Getenv("REDACT_LEAKS"); dir != "" {
		var b strings.Builder
		all.Write(&b)
		for _, leak := range all.Leaks {
			b.WriteString(strings.Join([]string{leak.Kind.Name, leak.Context.Name, leak.Secrets[0], string(r.Records(leak.JSON))}, "\t") + "\n")
		}
		testdir.Must(t, os.WriteFile(dir+"/further.txt", []byte(b.String()), 0o600))
	}
	documented(t, "since then %.1f %% and %.1f %%", all.Origins[corpus.Gitleaks].Percent(), all.Origins[corpus.Other].Percent())
	if got := all.Origins[corpus.Gitleaks].Percent(); got < 99 {
		t.Errorf("%.1f %% of the records of gitleaks' kinds", got)
	}
	if got := all.Origins[corpus.Other].Percent(); got < 98.5 {
		t.Errorf("%.1f %% of the records of other kinds", got)
	}
}

// TestSaidPlain: what people write about secrets, and code that resembles it, stays as it is.
func TestSaidPlain(t *testing.T) {
	table := map[string]string{}
	for _, text := range []string{
		"the token for the parser is IDENT, and the key for the map is userName",
		"the secret of the cache is that the key is a path: internal/redact/said.go",
		"the key for 3f786850e387550fdab836ed7e6dc881de23001b is missing",
		"commit 3f786850e387550fdab836ed7e6dc881de23001b adds a token",
		"my session 0cf26c09-76de-4463-acd9-7f686dd266aa was lost",
		"the password for the tests is changeme",
		"reads the password from $HOME/.pgpass, or asks",
		"the token:\nwe read it from the environment",
		"Here is the secret handshake that everybody knows",
		"the password is below the fold",
		"enable secret management for the cluster",
		"community guidelines and the community of users",
		"createUser takes a name and a SHA of the password",
		`{"properties":{"password":{"type":"string","default":"optional"},"token":{"value":"IDENT"}}}`,
		`{"sensitive":true,"value":"none"}`,
		"-token = lexer.next()\n-key = map.first()",
		"| key | value |\n|---|---|\n| sha | 3f786850e387550fdab836ed7e6dc881de23001b |",
		"kty: EC is the type of a key, and d: is its private part",
		"the accounts are listed, the client(a, b) too",
		"for (const key of Object.keys(tokens)) { token(key, 1) }",
		"[client]\nuser = me\npassword = ${DB_PASSWORD}",
		"recovery codes are printed once\nand never again",
	} {
		table[text] = same
	}
	texts(t, table)
}
