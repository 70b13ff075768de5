package corpus

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
)

// Plain is a text of a kind that holds no secret.
type Plain struct{ Name, Text string }

// Plains are texts without secrets that look as if they had some: files in base64, public keys,
// hashes, lists of versions.
func Plains(seed uint64) []Plain {
	var all []Plain
	for i, kind := range []struct {
		name string
		text func(*rand.Rand) string
	}{
		{"picture in base64", func(rng *rand.Rand) string { return wrappedFile(rng, picture(rng, 30000), 76) }},
		{"archive in base64", func(rng *rand.Rand) string { return wrappedFile(rng, archive(rng, 40000), 76) }},
		{"picture in base64, 64 wide", func(rng *rand.Rand) string { return wrappedFile(rng, picture(rng, 30000), 64) }},
		{"archive in a string of a program", func(rng *rand.Rand) string {
			return "var data = \"\" +\n\t\"" + strings.ReplaceAll(strings.TrimSuffix(wrappedFile(rng, archive(rng, 20000), 100), "\n"), "\n", "\" +\n\t\"") + "\"\n"
		}},
		{"mail with an attachment", func(rng *rand.Rand) string {
			return "Content-Type: image/png; name=\"a.png\"\nContent-Transfer-Encoding: base64\n\n" + wrappedFile(rng, picture(rng, 20000), 72) + "--" + pick(rng, alphabets["alnum"], 24) + "--\n"
		}},
		{"data URLs", func(rng *rand.Rand) string {
			return lines(rng, 40, func(int) string {
				return `.a { background: url("data:image/png;base64,` + base64.StdEncoding.EncodeToString(picture(rng, 300)) + `") }`
			})
		}},
		{"public ssh keys", func(rng *rand.Rand) string {
			return lines(rng, 200, func(i int) string {
				if i%2 == 0 {
					return "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + pick(rng, alphabets["base"], 43) + " " + word(rng) + "@host"
				}
				return "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ" + pick(rng, alphabets["base"], 510) + "= " + word(rng) + "@host"
			})
		}},
		{"known hosts", func(rng *rand.Rand) string {
			return lines(rng, 100, func(int) string {
				return "|1|" + pick(rng, alphabets["base"], 27) + "=|" + pick(rng, alphabets["base"], 27) + "= ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABB" + pick(rng, alphabets["base"], 86) + "="
			})
		}},
		{"certificates", func(rng *rand.Rand) string {
			return lines(rng, 20, func(int) string {
				return "-----BEGIN CERTIFICATE-----\n" + wrappedFile(rng, append([]byte("\x30\x82\x03\x5d\x30\x82\x02\x45\xa0\x03\x02\x01\x02"), random(rng, 850)...), 64) + "-----END CERTIFICATE-----"
			})
		}},
		{"package-lock.json", func(rng *rand.Rand) string {
			return "{\n  \"lockfileVersion\": 3,\n  \"packages\": {\n" + strings.TrimSuffix(lines(rng, 150, func(i int) string {
				name := word(rng) + "-" + word(rng)
				return fmt.Sprintf("    \"node_modules/%s%d\": {\n      \"version\": \"%d.%d.%d\",\n      \"resolved\": \"https://registry.example.com/%s/-/%s-1.0.0.tgz\",\n      \"integrity\": \"sha512-%s==\",\n      \"license\": \"MIT\"\n    },",
					name, i, rng.IntN(9), rng.IntN(30), rng.IntN(30), name, name, pick(rng, alphabets["base"], 86))
			}), ",\n") + "\n  }\n}\n"
		}},
		{"yarn.lock", func(rng *rand.Rand) string {
			return lines(rng, 150, func(int) string {
				name := word(rng) + "-" + word(rng)
				return name + "@^1.0.0:\n  version \"1.2.3\"\n  resolved \"https://registry.example.com/" + name + "/-/" + name + "-1.2.3.tgz#" + pick(rng, alphabets["hex"], 40) + "\"\n  integrity sha512-" + pick(rng, alphabets["base"], 86) + "==\n"
			})
		}},
		{"go.sum", func(rng *rand.Rand) string {
			return lines(rng, 400, func(int) string {
				return "example.com/" + word(rng) + "/" + word(rng) + " v1." + pick(rng, digits, 2) + ".0/go.mod h1:" + pick(rng, alphabets["base"], 43) + "="
			})
		}},
		{"Cargo.lock", func(rng *rand.Rand) string {
			return lines(rng, 150, func(int) string {
				return "[[package]]\nname = \"" + word(rng) + "\"\nversion = \"1.0." + pick(rng, digits, 2) + "\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"" + pick(rng, alphabets["hex"], 64) + "\"\n"
			})
		}},
		{"requirements with hashes", func(rng *rand.Rand) string {
			return lines(rng, 200, func(int) string {
				return word(rng) + "==1.2.3 \\\n    --hash=sha256:" + pick(rng, alphabets["hex"], 64)
			})
		}},
		{"minified JavaScript", minified},
		{"hex dump", func(rng *rand.Rand) string {
			return lines(rng, 500, func(i int) string {
				text := fmt.Sprintf("%08x  ", 16*i)
				for range 16 {
					text += pick(rng, alphabets["hex"], 2) + " "
				}
				return text + " |................|"
			})
		}},
		{"xxd", func(rng *rand.Rand) string {
			return lines(rng, 500, func(i int) string {
				text := fmt.Sprintf("%08x:", 16*i)
				for range 8 {
					text += " " + pick(rng, alphabets["hex"], 4)
				}
				return text + "  " + pick(rng, alphabets["alnum"]+"....", 16)
			})
		}},
		{"UUIDs", func(rng *rand.Rand) string {
			return lines(rng, 400, func(i int) string {
				return []string{"", "id: ", "  \"request_id\": \"", "trace="}[i%4] + generate(rng, "uuid") + []string{"", "", "\",", " ok"}[i%4]
			})
		}},
		{"git log", func(rng *rand.Rand) string {
			return lines(rng, 200, func(int) string {
				return "commit " + pick(rng, alphabets["hex"], 40) + "\nAuthor: Ann Example <ann@example.com>\nDate:   Sat Nov 21 20:26:53 2026 +0100\n\n    Add " + word(rng) + " to " + word(rng) + " with a key and a token\n"
			})
		}},
		{"git ls-tree", func(rng *rand.Rand) string {
			return lines(rng, 400, func(int) string {
				return "100644 blob " + pick(rng, alphabets["hex"], 40) + "\tsrc/" + word(rng) + "/password_" + word(rng) + ".go"
			})
		}},
		{"sha256sum", func(rng *rand.Rand) string {
			return lines(rng, 300, func(int) string { return pick(rng, alphabets["hex"], 64) + "  keys/" + word(rng) + ".tar.gz" })
		}},
		{"docker images", func(rng *rand.Rand) string {
			return lines(rng, 200, func(int) string {
				return "registry.example.com/" + word(rng) + "@sha256:" + pick(rng, alphabets["hex"], 64) + "   " + pick(rng, alphabets["hex"], 12) + "   2 weeks ago   1.2GB"
			})
		}},
		{"code about secrets", func(rng *rand.Rand) string {
			return lines(rng, 60, func(int) string { return strings.ReplaceAll(aboutSecrets, "NAME", word(rng)) })
		}},
		{"prose about secrets", func(rng *rand.Rand) string {
			return lines(rng, 100, func(int) string {
				return "The password must have 12 characters, one digit and a sign; the token expires in 3600 seconds.\nSet API_KEY to your key, or `export TOKEN=<your token>`. The secret is stored in the " + word(rng) + ", and the key is called " + word(rng) + "2.\nA private key is never printed: see step 3 of the guide (page 12)."
			})
		}},
		{"SRI and CSP", func(rng *rand.Rand) string {
			return lines(rng, 100, func(int) string {
				return `<script src="https://cdn.example.com/a.js" integrity="sha384-` + pick(rng, alphabets["base"], 64) + `" crossorigin="anonymous"></script>`
			})
		}},
		{"source map", func(rng *rand.Rand) string {
			return lines(rng, 40, func(int) string {
				return `{"version":3,"sources":["a.ts"],"names":[],"mappings":"` + strings.Repeat("AAA"+pick(rng, "ACEGIK", 1)+",SAAS"+pick(rng, "ABCD", 1)+",GAAG;", 20) + `"}`
			})
		}},
	} {
		all = append(all, Plain{kind.name, kind.text(rand.New(rand.NewPCG(seed, uint64(i))))})
	}
	return all
}

const aboutSecrets = `password := os.Getenv("NAME_PASSWORD")
if token == "" { return errors.New("no token for NAME") }
const passwordField = "password"
key, err := readKey(ctx, NAME.SecretName)
    password: ${NAME_PASSWORD}
    secretKeyRef: {name: NAME-secret, key: password}
token = request.headers["Authorization"].split(" ")[1]
api_key = config.get("NAME", "api_key")
export NAME_TOKEN="$(vault read -field=token secret/NAME)"
password = getpass.getpass("Password for NAME: ")
def test_password_length_at_least_8(self): assert len(self.password) >= 8
"token": "string", "password": { "type": "string", "minLength": 8 },
tokens_used: 123456, max_tokens: 4096, token_count = 17
curl -u "$USER:$PASS" -H "Authorization: Bearer $TOKEN" https://example.com
docker login -u NAME --password-stdin < token.txt
mysql -u root -p NAME < dump.sql
PASSWORD_RESET_TIMEOUT = 259200
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
password_reset.timeout = 3600
    password: required-field
    secretName: my-NAME-tls
    secret: default/my-secret-name
    imagePullSecrets: registry-credentials
PASSWORD=$OTHER
PASSWORD_FILE=/run/secrets/Db-Password
PWD=/home/me/My-Project
    password: DataTypes.STRING,
    password: Joi.string(),
	Password: cfg.Database.Password,
  password: {type: String, required: true},
  password: credentials.dbPassword
connect(password=self.password, secret=settings.SECRET)
log.Info("password", "user.Name", x)
app.post("/api/secret", "Some/Handler")
<input type="password" name="password" placeholder="Enter-Password"/>
fetch(url, {credentials: "same-origin"})
curl -u user:password https://example.com
curl -u username:PASSWORD https://example.com
new Sequelize("database", "username", "password", {
$link = mysqli_connect($host, $user, $password);
smtp.login(user, password)
--- PASS: TestPassword/Sub_Test (0.00s)
ssh-keygen -t ed25519 -N "" -f NAME
# requirepass yourpassword
http://user:pass@host and https://user:my-password@host
| Field | Password | Description |
|---|---|---|
| name | required | the Name |
| Token | Meaning |
|---|---|
| INT64 | a number |
NAME                    TYPE                                  DATA   AGE
default-token-8x7kq     kubernetes.io/service-account-token   3      12d
NAMESPACE   NAME       SECRET        READY
default     db-cert    db-tls-k8s2   True`

func lines(rng *rand.Rand, n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i) + "\n")
	}
	return b.String()
}

func random(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.IntN(256))
	}
	return b
}

func picture(rng *rand.Rand, n int) []byte {
	return append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00\x00\x00\x01\x00\x08\x06\x00\x00\x00"), random(rng, n)...)
}

func archive(rng *rand.Rand, n int) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	for b.Len() < n {
		fmt.Fprintf(w, "%s %s\n%s", word(rng), pick(rng, alphabets["alnum"], 200), random(rng, 400))
		w.Flush()
	}
	w.Close()
	return b.Bytes()
}

func wrappedFile(rng *rand.Rand, data []byte, width int) string {
	text := base64.StdEncoding.EncodeToString(data)
	var b strings.Builder
	for at := 0; at < len(text); at += width {
		b.WriteString(text[at:min(len(text), at+width)] + "\n")
	}
	return b.String()
}

// minified is code as a bundler writes it: short names, no white space, lines of thousands of
// characters.
func minified(rng *rand.Rand) string {
	parts := []string{"function(e,t){return e.key===t?n(e,t.token):", `"use strict";`, "var a=r(1234),o=r.n(a);", "if(!e||!t)throw Error(\"token \"+e+\" is not valid\");",
		"Object.defineProperty(t,\"__esModule\",{value:!0}),", "t.default=void 0;", "case 13:e.password=t.password,e.next=5;break;", "},e.exports={key:\"value\",secret:s.secret}",
		"for(var i=0,u=Object.keys(e);i<u.length;i++){", "var c=e.apiKey||t.apiKey;", "\"auth/token\":function(e){", "this.state={token:null,password:\"\"};", "key:\"render\",value:function(){",
		"const{password:e,token:t}=this.props;", "e.headers.Authorization=\"Bearer \".concat(t),"}
	return lines(rng, 30, func(int) string {
		var b strings.Builder
		for b.Len() < 3000 {
			b.WriteString(parts[rng.IntN(len(parts))])
			if rng.IntN(5) == 0 {
				b.WriteString("\"" + pick(rng, alphabets["hex"], 8) + "\",")
			}
		}
		return b.String()
	})
}

// Records gives records of transcripts that hold the text: as a file, with numbers of lines, and as
// a patch.
func (p Plain) Records() [][]byte {
	rng := rand.New(rand.NewPCG(1, 1))
	s := Sample{Text: p.Text}
	return [][]byte{
		encode(object{"type": "user", "message": object{"content": []any{object{"type": "tool_result", "content": p.Text}}}}),
		toolResult(rng, numbered(s, func(n int, text string) string { return fmt.Sprintf("%6d→%s", n, text) }), "ok"),
		toolResult(rng, "@@ -0,0 +1,9 @@\n"+plus(s)+"\n", object{"structuredPatch": []any{object{"lines": strings.Split(plus(s), "\n")}}}),
	}
}

// Lines is how many lines the records have.
func (p Plain) Lines() int { return 4 * strings.Count(p.Text, "\n") }
