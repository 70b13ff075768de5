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

// mixed is a random text of a key's characters; it is made here, lest the file look like a leak.
func mixed(n int) string {
	const chars = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = chars[rng.IntN(len(chars))]
	}
	return string(b)
}

func secretsOfAllKinds() map[string]string {
	return map[string]string{
		"aws":         "AKIA" + "QYLPMN5HHHFPZAM2",
		"github":      "ghp_" + mixed(36),
		"github fine": "github_pat_" + mixed(82),
		"slack":       "xoxb-" + "123456789012-123456789012-" + mixed(24),
		"stripe":      "sk_live_" + mixed(24),
		"openai":      "sk-proj-" + mixed(74) + "T3BlbkFJ" + mixed(74),
		"anthropic":   "sk-ant-api03-" + mixed(93) + "AA",
		"npm":         "npm_" + strings.ToLower(mixed(36)),
		"random":      mixed(44),
	}
}

func TestText(t *testing.T) {
	r, err := New(Options{})
	testdir.Must(t, err)
	for name, secret := range secretsOfAllKinds() {
		for _, text := range []string{"%s", "token: %s", "export TOKEN=%s", "a line\nand\n\tkey := \"%s\"\nmore", "curl -H 'Authorization: Bearer %s' x"} {
			text = fmt.Sprintf(text, secret)
			got := r.Text(text)
			if strings.Contains(got, secret) || !strings.Contains(got, Mark) {
				t.Errorf("%s: %q became %q", name, text, got)
			}
			if again := r.Text(got); again != got {
				t.Errorf("%s: %q became %q, and then %q", name, text, got, again)
			}
		}
	}
	key := "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat(mixed(64)+"\n", 20) + "-----END RSA PRIVATE KEY-----"
	for text, want := range map[string]string{
		"postgres://me:hunter22@db/x":                 "postgres://me:REDACTED@db/x",
		"https://host/?a=b&access_token=abc12345&c=d": "https://host/?a=b&access_token=REDACTED&c=d",
		`"password": "hunter22"`:                      `"password": "REDACTED"`,
		"DB_PASSWORD=hunter22!":                       "DB_PASSWORD=REDACTED",
		"before " + key + " after":                    "before REDACTED after",
	} {
		if got := r.Text(text); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestPlainTexts(t *testing.T) {
	r, _ := New(Options{})
	for _, text := range []string{
		"", "a plain text", "key, err := readKey(token)", `password := os.Getenv("DB_PASSWORD")`, `"password": "${DB_PASSWORD}"`, `password = "changeme1"`,
		"postgres://user:password@localhost/db", "da39a3ee5e6b4b0d3255bfef95601890afd80709", "123e4567-e89b-12d3-a456-426614174000",
		"h1:" + mixed(43) + "=", `"integrity": "sha512-` + mixed(86) + `=="`, "dk.encryptionKey1024 = ek.encryptionKey1024", "func TestParseHTTP2FrameWithPaddingAndPriority(t *testing.T) {",
		`strings.Trim(key, "0123456789abcdef") == ""`, "data:image/png;base64," + mixed(150), "-----BEGIN CERTIFICATE-----\n" + mixed(64) + "\n" + mixed(64) + "\n-----END CERTIFICATE-----",
		"github.com/zricethezav/gitleaks/v8/internal/somewhere/VeryLongName2WithParts", "input_tokens: 12345678901", "entire/checkpoints/v1:a3/b2c4d5e6f7/0/metadata.json",
	} {
		if got := r.Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestOwnRulesAndAllowList(t *testing.T) {
	secret := "ghp_" + mixed(36)
	r, err := New(Options{Rules: []Rule{{"ticket", `TICKET-(\d+)`}, {"name", "Rumpelstilz"}}, Allow: []string{"ghp_.*"}})
	testdir.Must(t, err)
	if got := r.Text("TICKET-42 by Rumpelstilz: " + secret); got != "TICKET-REDACTED by REDACTED: "+secret {
		t.Error(got)
	}
	for _, bad := range []Options{{Rules: []Rule{{"x", "("}}}, {Allow: []string{"["}}} {
		if _, err := New(bad); err == nil || !strings.Contains(err.Error(), "hint: ") {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	var none *Redactor
	if got := none.Text(secret); got != Mark {
		t.Error("a nil redactor has no rules:", got)
	}
}

func TestRecords(t *testing.T) {
	r, _ := New(Options{})
	secret := "ghp_" + mixed(36)
	for text, want := range map[string]string{
		`{"a": "x  y", "n":1.50, "h":"<&>"}`:                         `{"a": "x  y", "n":1.50, "h":"<&>"}`,
		`{"a":"say \"` + secret + `\"", "b":"é"}`:                    `{"a":"say \"REDACTED\"", "b":"é"}`,
		`{"a":"` + secret + `\\"}`:                                   `{"a":"REDACTED\\"}`,
		`{"password":"hunter","user":"me"}`:                          `{"password":"REDACTED","user":"me"}`,
		`{"password":{"token":["abcdef"]},"x":"abcdef"}`:             `{"password":{"token":["abcdef"]},"x":"abcdef"}`,
		`{"signature":"` + mixed(44) + `","id":"` + mixed(40) + `"}`: `{"signature":"` + mixed(44) + `","id":"` + mixed(40) + `"}`,
		`{"` + secret + `":{"owner":"ada"}}`:                         `{"REDACTED":{"owner":"ada"}}`,
		`{"a":"{\"` + secret + `\":1}"}`:                             `{"a":"{\"REDACTED\":1}"}`,
		`{"` + mixed(44) + `":1}`:                                    `{"` + mixed(44) + `":1}`,
		`{"a":"\u001b[01;31m\u001b[KAKIAQ7LPMN5HGKZR3XWB\u001b[m"}`:  `{"a":"\u001b[01;31m\u001b[KREDACTED\u001b[m"}`,
		"\x1b[34mAKIA\x1b[0mQ7LPMN5HGKZR3XWB":                        "\x1b[34mREDACTED\x1b[0mREDACTED",
		"not JSON, " + secret:                                        "not JSON, REDACTED",
		"{\"half\": \"" + secret:                                     "{\"half\": \"REDACTED",
		"":                                                           "",
		"\r":                                                         "\r",
		"{\"a\":\"" + secret + "\"}\r":                               "{\"a\":\"REDACTED\"}\r",
	} {
		if got := string(r.Records([]byte(text))); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// TestRecordsAreApart: what is redacted doesn't depend on what stands before or after it, JSON
// stays JSON, and no secret is left, whatever surrounds it.
func TestRecordsAreApart(t *testing.T) {
	r, _ := New(Options{})
	var all []string
	for _, s := range secretsOfAllKinds() {
		all = append(all, s)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	pieces := []string{" ", "\n", "\t", `"`, `\`, "'", "=", ": ", "key", "token", "é", "\u2028", "<", "{", "}", "a", "password=", "https://x:", "@h/", "\x00"}
	var whole, apart []byte
	for range 400 {
		text := ""
		secret := all[rng.IntN(len(all))]
		for i := range 12 {
			if i == 6 {
				text += " " + secret + " "
			}
			text += pieces[rng.IntN(len(pieces))]
		}
		line, _ := json.Marshal(map[string]any{"content": []any{map[string]string{"text": text}}})
		line = append(line, '\n')
		got := r.Records(line)
		if !json.Valid(got) || bytes.Contains(got, []byte(secret)) {
			t.Fatalf("%s became %s", line, got)
		}
		whole, apart = append(whole, line...), append(apart, got...)
	}
	if got := r.Records(whole); !bytes.Equal(got, apart) {
		t.Error("records come out otherwise together")
	}
}

func TestRulesAreThere(t *testing.T) {
	set := rules()
	if len(set.rules) < 200 {
		t.Fatalf("only %d rules", len(set.rules))
	}
	for _, rule := range set.rules {
		rule.compiled()
		for i := range rule.Allowlists {
			rule.Allowlists[i].compiled()
		}
	}
	set.allow.compiled()
	for _, p := range patterns() {
		p.re()
	}
}

// TestSaid has secrets as people write them in prompts, and words that only sound like it.
func TestSaid(t *testing.T) {
	r, err := New(Options{})
	testdir.Must(t, err)
	for text, want := range map[string]string{
		"log in with password=Zq8kLm2vT9x please":                           "log in with password=REDACTED please",
		"the password: Zq8#kLm2vT9x.":                                       "the password: REDACTED.",
		"my api key is Zq8kLm2vT9x":                                         "my api key is REDACTED",
		"my api_key is Zq8kLm2vT9x":                                         "my api_key is REDACTED",
		"curl -H 'Authorization: Bearer R4nd0mZk9QwLx7VtB2sYc8NfHj3PdMg' x": "curl -H 'Authorization: Bearer REDACTED' x",
		"the password is required, and 12 characters long":                  "the password is required, and 12 characters long",
		"secret: loadSecretFromVault2(ctx)":                                 "secret: loadSecretFromVault2(ctx)",
		"the bearer of this letter":                                         "the bearer of this letter",
		"password = cfg.Password1":                                          "password = cfg.Password1",
	} {
		if got := r.Text(text); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
}
