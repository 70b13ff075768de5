package redact

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// What texts hold: a table of texts, each with the mark where its secret is. "@" stands for text
// that stays as it is.
const same = "@"

func TestSecretsInURLs(t *testing.T) {
	token := strings.ToLower(mixed(40))
	texts(t, map[string]string{
		"mongodb+srv://u:q%40zzW0rd1@h/db":                         "mongodb+srv://u:REDACTED@h/db",
		"git clone https://me:pa%40ss1word@h":                      "git clone https://me:REDACTED@h",
		"https://me:pa$sw0rd@h/":                                   "https://me:REDACTED@h/",
		"https://me:p@ss1@h/":                                      "https://me:REDACTED@h/",
		"mysql://u:abc/def@h/db":                                   "mysql://u:REDACTED@h/db",
		"https://u:correcthorsebattery@example.com":                "https://u:REDACTED@example.com",
		"https://" + token + "@github.com/a/b":                     "https://REDACTED@github.com/a/b",
		"https://" + token + ":x-oauth-basic@github.com/a/b":       "https://REDACTED:x-oauth-basic@github.com/a/b",
		"jdbc:mysql://h/db?user=u&password=hunter22&ssl=true":      "jdbc:mysql://h/db?user=u&password=REDACTED&ssl=true",
		`jdbc:mysql://h/db?user=u\u0026password=hunter22`:          `jdbc:mysql://h/db?user=u\u0026password=REDACTED`,
		"jdbc:sqlserver://h;user=sa;password=hunter22;x=y":         "jdbc:sqlserver://h;user=sa;password=REDACTED;x=y",
		"https://b/o?X-Amz-Date=2&X-Amz-Signature=" + hexes(64):    "https://b/o?X-Amz-Date=2&X-Amz-Signature=REDACTED",
		"https://b/o?sv=2&sig=a1B2%2Fc3D4e5%3D&se=3":               "https://b/o?sv=2&sig=REDACTED&se=3",
		"https://h/?token=" + hexes(32) + " x":                     "https://h/?token=REDACTED x",
		"https://user:password@host/ or https://user:pass@host":    same,
		"https://<user>:<password>@h ${USER}:${PASS}@h":            same,
		"https://${USER}:${PASS}@h https://$USER:$PASS@h":          same,
		"https://%s:%s@h http://{user}:{pw}@h":                     same,
		"postgres://postgres:postgres@localhost:5432/db":           same,
		"http://localhost:3000/@vite/client":                       same,
		"ssh://my-service-account-number-12@host/x":                same,
		"https://registry.npmjs.org:443/@scope/name":               same,
		"git+ssh://git@github.com:someone/repo.git@v1":             same,
		"https://h/?token=${TOKEN}&password=<password>":            same,
		"https://h/search?q=signature&sort=desc&page_token_size=1": same,
	})
}

func TestAssignedLiterals(t *testing.T) {
	texts(t, map[string]string{
		`db_password: "my secret pass 1"`:              `db_password: "REDACTED"`,
		`PASSWORD="two words 12"`:                      `PASSWORD="REDACTED"`,
		"PASSWORD=hunter22!":                           "PASSWORD=REDACTED",
		`SECRET_KEY = 'django-insecure-4$k(2#x%{)z&q'`: `SECRET_KEY = 'REDACTED'`,
		`os.environ['API_KEY'] = 'Zq8kLm2vT9xabCD'`:    `os.environ['API_KEY'] = 'REDACTED'`,
		`password => 'Zq8kLm2vT9x'`:                    `password => 'REDACTED'`,
		`{\"password\": \"hunter22\"}`:                 `{\"password\": \"REDACTED\"}`,
		`password: "must have 8 characters"`:           same,
		`"password": "$PASSWORD1"`:                     same,
		`password = "pass-%d"`:                         same,
		`apiKey: "{{ .Values.key1 }}"`:                 same,
	})
}

// TestBehindPrefixes: what tools put before a line hides nothing.
func TestBehindPrefixes(t *testing.T) {
	texts(t, map[string]string{
		"+DB_PASSWORD=Zq8kLm2vT9x":                                              "+DB_PASSWORD=REDACTED",
		"./app.env:7:DB_PASSWORD=Zq8kLm2vT9x":                                   "./app.env:7:DB_PASSWORD=REDACTED",
		"src/app.env-7-DB_PASSWORD=Zq8kLm2vT9x":                                 "src/app.env-7-DB_PASSWORD=REDACTED",
		"    12→  password: Zq8[Lm2&vT9x":                                       "    12→  password: REDACTED",
		"> password: Zq8kLm2vT9x":                                               "> password: REDACTED",
		"web-1  | 2026-11-21T20:26:53.000000007Z DB_PASSWORD=Zq8kLm2vT9x":       "web-1  | 2026-11-21T20:26:53.000000007Z DB_PASSWORD=REDACTED",
		"+        - name: DB_PASSWORD\n+          value: Zq8kLm2vT9x":           "+        - name: DB_PASSWORD\n+          value: REDACTED",
		"a1b2c3d4 (Ann Example 2026-11-21 20:26:53 +0100 7) TOKEN=Zq8kLm2vT9xa": "a1b2c3d4 (Ann Example 2026-11-21 20:26:53 +0100 7) TOKEN=REDACTED",
		"define('DB_PASSWORD', 'Zq8kLm2vT9x');":                                 "define('DB_PASSWORD', 'REDACTED');",
		`<add key="ApiKey" value="Zq8kLm2vT9xPq3sW7dF" />`:                      `<add key="ApiKey" value="REDACTED" />`,
		`Result: {"a":"{\"password\":\"letters\",\"port\":1}"} ok`:              `Result: {"a":"{\"password\":\"REDACTED\",\"port\":1}"} ok`,
		"password: |\n  Zq8kLm2vT9x\nport: 1":                                   "password: |\n  REDACTED\nport: 1",
		"POSTGRES_PASSWORD=correcthorsebattery":                                 "POSTGRES_PASSWORD=REDACTED",
		"CREATE USER me IDENTIFIED BY Zq8kLm2vT9x;":                             "CREATE USER me IDENTIFIED BY REDACTED;",
	})
	key := mixed(64)
	record := `{"lines":["+-----BEGIN RSA PRIVATE KEY-----","+` + key + `","+` + key[1:] + `a","+-----END RSA PRIVATE KEY-----"," \u00e9 last"]}`
	r, _ := New(Options{})
	if got, want := string(r.Records([]byte(record))), `{"lines":["+REDACTED","+REDACTED","+REDACTED","+REDACTED"," \u00e9 last"]}`; got != want {
		t.Errorf("a key in the lines of a patch became %s", got)
	}
}

func TestSecretsOfTools(t *testing.T) {
	texts(t, map[string]string{
		"Authorization: Basic dXNlcjpodW50ZXI=":                "Authorization: Basic REDACTED",
		"Bearer " + hexes(40):                                  "Bearer REDACTED",
		`-H "Authorization: token ` + hexes(40) + `"`:          `-H "Authorization: token REDACTED"`,
		"machine h login me password plainword\n":              "machine h login me password REDACTED\n",
		"machine h\n  login me\n  password plainword\n":        "machine h\n  login me\n  password REDACTED\n",
		"tool --password hunter22 x":                           "tool --password REDACTED x",
		"tool --db-password=hunter22 x":                        "tool --db-password=REDACTED x",
		`tool --password "two words 12"`:                       `tool --password "REDACTED"`,
		"sshpass -p plainword ssh h":                           "sshpass -p REDACTED ssh h",
		"sshpass -p 'two words' ssh h":                         "sshpass -p 'REDACTED' ssh h",
		"mysql -u root -pplainword db":                         "mysql -u root -pREDACTED db",
		"mysqldump -p'two words' db":                           "mysqldump -p'REDACTED' db",
		"curl -s -u me:hunter22 https://h":                     "curl -s -u REDACTED https://h",
		"Server=h;Uid=me;Pwd=hunter22;":                        "Server=h;Uid=me;Pwd=REDACTED;",
		"pwd=hunter22 tool":                                    "pwd=REDACTED tool",
		"ALTER ROLE me PASSWORD 'hunter22';":                   "ALTER ROLE me PASSWORD 'REDACTED';",
		"CREATE USER me IDENTIFIED BY 'plainword'":             "CREATE USER me IDENTIFIED BY 'REDACTED'",
		"me:$apr1$abcdefgh$" + mixed(22):                       "me:REDACTED",
		"me:$2y$10$" + mixed(53):                               "me:REDACTED",
		"me:{SHA}" + mixed(27) + "=":                           "me:REDACTED",
		"root:$6$abcdefgh$" + mixed(86) + ":1":                 "root:REDACTED:1",
		"Set-Cookie: sid=" + hexes(32) + "; Path=/":            "Set-Cookie: sid=REDACTED",
		"Cookie: a=1; sid=" + hexes(32):                        "Cookie: a=1; sid=REDACTED",
		"<password>hunter22</password>":                        "<password>REDACTED</password>",
		"    client-key-data: " + mixed(900) + "==\n":          "    client-key-data: REDACTED\n",
		"f(x, password=self.password, pwd=pwd)":                same,
		"the password is required":                             same,
		"--password is required, --max-token 4096":             same,
		"Authorization: Basic realm":                           same,
		"a basic understanding1 of it":                         same,
		"--password $PASSWORD --token=${TOKEN} --pass <pass1>": same,
		"cd /x; PWD=/home/me pwd=$(pwd)":                       same,
		"mysql -p db; mysql -P 3306":                           same,
		"docker run -u 1000:1000 x":                            same,
		"<password>secret</password><token>string</token>":     same,
		"login requires password protection":                   same,
		"IDENTIFIED BY '${PASSWORD}'":                          same,
		"Cookie: theme=dark; lang=en":                          same,
	})
}

// TestTruncatedKeys: a private key without its end is redacted as far as it goes, and as a whole one is.
func TestTruncatedKeys(t *testing.T) {
	const begin = "-----BEGIN RSA PRIVATE KEY-----"
	var lines []string
	for i := range 8 {
		lines = append(lines, mixed(64 + i)[i:])
	}
	key := strings.Join(lines, "\n")
	numbered := ""
	for i, line := range lines {
		numbered += "\n     " + string(rune('2'+i)) + "→" + line
	}
	texts(t, map[string]string{
		"a\n" + begin + "\n" + key:                                     "a\nREDACTED",
		begin + "\n" + key + "\nplain words":                           "REDACTED\nplain words",
		begin + "\n" + key + "\nAbc1\n":                                "REDACTED\n",
		begin + "\nProc-Type: 4,ENCRYPTED\nDEK-Info: A,B\n\n" + key:    "REDACTED",
		"k = \"" + begin + `\n` + strings.Join(lines, `\n`) + "\" + x": "k = \"REDACTED\" + x",
		"     1→" + begin + numbered:                                   "     1→REDACTED",
		"+" + begin + "\n+" + strings.Join(lines, "\n+") + "\n+words":  "+REDACTED\n+words",
		begin + "\n" + lines[0] + "\n" + lines[1][:40] + "... (cut)":   "REDACTED... (cut)",
		begin + " " + strings.Join(lines, " ") + " words":              "REDACTED words",
		"a key begins with " + begin + " and then lines":               same,
		`strings.Contains(x, "` + begin + `") {` + "\n\treturn nil\n}": same,
		"-----BEGIN CERTIFICATE-----\n" + key:                          same,
	})
	r, _ := New(Options{})
	for n := 20; n <= len(key); n++ {
		if got := r.Text(begin + "\n" + key[:n]); !strings.HasPrefix(got, Mark) || strings.Contains(got, lines[0][:20]) {
			t.Fatalf("%d bytes of a key became %q", n, got)
		}
	}
}

func TestSecretsByKey(t *testing.T) {
	r, _ := New(Options{})
	for text, want := range map[string]string{
		`{"client_secret":"foo bar"}`:                 `{"client_secret":"REDACTED"}`,
		`{"token":12345678,"n":1}`:                    `{"token":"REDACTED","n":1}`,
		`{"password" : -1.5e3 }`:                      `{"password" : "REDACTED" }`,
		`{"secret":["aaa", "bbb"],"x":["aaa"]}`:       `{"secret":["REDACTED", "REDACTED"],"x":["aaa"]}`,
		`{"GITHUB_TOKEN":"plain"}`:                    `{"GITHUB_TOKEN":"REDACTED"}`,
		`{"githubToken":"plain"}`:                     `{"githubToken":"REDACTED"}`,
		`{"passwd":"x"}`:                              `{"passwd":"REDACTED"}`,
		`{"pass":"pw123"}`:                            `{"pass":"REDACTED"}`,
		`{"password":"a%b$c{d<e"}`:                    `{"password":"REDACTED"}`,
		`{"authorization":"Basic Zm9vOmJhcg=="}`:      `{"authorization":"REDACTED"}`,
		`{"x-api-key":"shortone"}`:                    `{"x-api-key":"REDACTED"}`,
		`{"a":[{"password":"x"},"plain text"],"b":2}`: `{"a":[{"password":"REDACTED"},"plain text"],"b":2}`,
		`{"usage":{"input_tokens":1234567,"total_tokens":1,"max_tokens":2}}`:             same,
		`{"token":42,"next_token":"abcd","pageToken":"abcd","eos_token":"</s>"}`:         same,
		`{"password":true,"secret":null,"pass":12,"token":"ab"}`:                         same,
		`{"password":"${DB_PASSWORD}","secret":"<your secret>","token":"{{ token }}"}`:   same,
		`{"content":"{\"client_secret\": \"foo bar\", \"n\":[1], \"token\": 12345678}"}`: `{"content":"{\"client_secret\": \"REDACTED\", \"n\":[1], \"token\": \"REDACTED\"}"}`,
		`{"password":{"type":"string","description":"a word"}}`:                          same,
	} {
		if want == same {
			want = text
		}
		if got := string(r.Records([]byte(text))); got != want || !json.Valid([]byte(got)) {
			t.Errorf("%s became %s", text, got)
		}
	}
	long := strings.Repeat("two words ", longLine/8)
	if got := string(r.Records([]byte(`{"secret":"` + long + `","token":12345678}`))); got != `{"secret":"REDACTED","token":"REDACTED"}` {
		t.Errorf("a long record became %.80s", got)
	}
}

// hexes is hexadecimal digits, as good as random.
func hexes(n int) string {
	return strings.Map(func(c rune) rune { return rune("0123456789abcdef"[c*7%16]) }, mixed(n))
}

// encoded writes a string as JSON, HTML as it is.
func encoded(text string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(text) // a string always can be
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// texts checks what becomes of texts, alone and within a record.
func texts(t *testing.T, table map[string]string) {
	t.Helper()
	r, err := New(Options{})
	testdir.Must(t, err)
	for text, want := range table {
		if want == same {
			want = text
		}
		got := r.Text(text)
		if got != want {
			t.Errorf("%q became %q", text, got)
		}
		if again := r.Text(got); again != got {
			t.Errorf("%q became %q, and then %q", text, got, again)
		}
		record, wanted := encoded(text), string(encoded(want))
		if got := string(r.Records(record)); got != wanted {
			t.Errorf("within a record, %q became %q", record, got)
		}
	}
}
