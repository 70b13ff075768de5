package redact

import (
	"strings"
	"testing"
)

// TestPasswordsOfLettersAndASign: where the name says that it is a secret, one sign is enough.
func TestPasswordsOfLettersAndASign(t *testing.T) {
	texts(t, map[string]string{
		"define('DB_PASSWORD','Winter*SkyDog');":            "define('DB_PASSWORD','REDACTED');",
		"define( 'DB_PASSWORD', 'Winter-SkyDog' );":         "define( 'DB_PASSWORD', 'REDACTED' );",
		`os.Setenv("DB_PASSWORD", "Winter_SkyDog")`:         `os.Setenv("DB_PASSWORD", "REDACTED")`,
		"ENV DB_PASSWORD Winter!Sky":                        "ENV DB_PASSWORD REDACTED",
		"setenv DB_PASSWORD Winter.SkyDog":                  "setenv DB_PASSWORD REDACTED",
		"API_SECRET=winterSky#Qz":                           "API_SECRET=REDACTED",
		"+API_SECRET=winterSky#Qz\n-API_SECRET=winterSky*Q": "+API_SECRET=REDACTED\n-API_SECRET=REDACTED",
		"DB_PASSWORD=Hunter.Wolfie":                         "DB_PASSWORD=REDACTED",
		"DB_PASSWORD=hunter.wolfie":                         "DB_PASSWORD=REDACTED",
		"DB_PASSWORD=winter-sky-dog":                        "DB_PASSWORD=REDACTED",
		"DB_PASSWORD=Hunter/Wolfie":                         "DB_PASSWORD=REDACTED",
		"DB_PASSWORD=Hunter:Wolfie":                         "DB_PASSWORD=REDACTED",
		"DB_PASSWORD=Hunter=Wolfie":                         "DB_PASSWORD=REDACTED",
		"DB_PASSWORD=HunterWolfie?":                         "DB_PASSWORD=REDACTED",
		"password: Hunter_Wolfie":                           "password: REDACTED",
		"password: Hunter-Wolfie":                           "password: REDACTED",
		"  password: Hunter.Wolfie":                         "  password: REDACTED",
		"spring.datasource.password=Hunter/Wolfie":          "spring.datasource.password=REDACTED",
		"const dbPassword = 'Hunter_Wolfie';":               "const dbPassword = 'REDACTED';",
		`password: "Hunter.Wolfie"`:                         `password: "REDACTED"`,
		`{ user: "app", password: "Hunter=Wolfie" }`:        `{ user: "app", password: "REDACTED" }`,
		"Server=h;Uid=me;Password=Hunter.Wolfie;Encrypt=1":  "Server=h;Uid=me;Password=REDACTED;Encrypt=1",
		`cs = "Server=h;Uid=me;Password=Hunter-Wolfie;"`:    `cs = "Server=h;Uid=me;Password=REDACTED;"`,
		"log in with password: Winter!Sky please":           "log in with password: REDACTED please",
		"the password is Winter!Sky, and that is all":       "the password is REDACTED, and that is all",
		"password: required-field":                          same,
		"secret: my-secret-name":                            same,
		"        secretName: my-app-tls":                    same,
		"PASSWORD=$OTHER":                                   same,
		"PASSWORD=${OTHER:-none}":                           same,
		"password_reset.timeout = 3600":                     same,
		"password: DataTypes.STRING,":                       same,
		"	Password: cfg.Database.Password,":                 same,
		"password=self.password, secret=settings.SECRET":    same,
		"PASSWORD_RESET_TIMEOUT = 259200":                   same,
		"PASSWORD_MIN_LENGTH=12":                            same,
		"PASSWORD_RESET_TIMEOUT_DAYS: 3":                    same,
		"PWD=/home/me/My-Project":                           same,
		"PASSWORD_FILE=/run/secrets/Db-Password":            same,
		"password: Optional":                                same,
		"password: Required.":                               same,
		`"forgotPassword": "Forgot?"`:                       `"forgotPassword": "Forgot?"`,
		"curl -u user:password https://h":                   same,
		"curl -u username:PASSWORD https://h":               same,
		"curl -u USER:PASS https://h":                       same,
	})
}

// TestSeedWordsInArrays: a seed phrase is one however its words are listed.
func TestSeedWordsInArrays(t *testing.T) {
	r, _ := New(Options{})
	list := `"ask","another","zebra","velvet","orbit","maple","tunnel","galaxy","ribbon","cactus","hobby","pigeon"`
	marks := `"REDACTED","REDACTED","REDACTED","REDACTED","REDACTED","REDACTED","REDACTED","REDACTED","REDACTED","REDACTED","REDACTED","REDACTED"`
	for text, want := range map[string]string{
		`[` + list + `]`:                           `[` + marks + `]`,
		`{"mnemonic":[` + list + `]}`:              `{"mnemonic":[` + marks + `]}`,
		`{"n":1,"seed":[` + list + `],"x":"y"}`:    `{"n":1,"seed":[` + marks + `],"x":"y"}`,
		`{"tags":["ask","another","zebra"]}`:       `{"tags":["ask","another","zebra"]}`,
		`{"mnemonic":[` + list + "," + list + `]}`: `{"mnemonic":[` + marks + "," + marks + `]}`,
	} {
		if got := string(r.Records([]byte(text))); got != want {
			t.Errorf("%s became %s", text, got)
		}
	}
	for _, text := range []string{
		"words = ['ask', 'another', 'zebra', 'velvet', 'orbit', 'maple', 'tunnel', 'galaxy', 'ribbon', 'cactus', 'hobby', 'pigeon']",
		"{\n  \"mnemonic\": [\n    \"ask\",\n    \"another\",\n    \"zebra\",\n    \"velvet\",\n    \"orbit\",\n    \"maple\",\n    \"tunnel\",\n    \"galaxy\",\n    \"ribbon\",\n    \"cactus\",\n    \"hobby\",\n    \"pigeon\"\n  ]\n}",
		"     7→  \"ask\",\n     8→  \"another\",\n     9→  \"zebra\",\n    10→  \"velvet\",\n    11→  \"orbit\",\n    12→  \"maple\",\n    13→  \"tunnel\",\n    14→  \"galaxy\",\n    15→  \"ribbon\",\n    16→  \"cactus\",\n    17→  \"hobby\",\n    18→  \"pigeon\"",
		"+  \"ask\",\n+  \"another\",\n+  \"zebra\",\n+  \"velvet\",\n+  \"orbit\",\n+  \"maple\",\n+  \"tunnel\",\n+  \"galaxy\",\n+  \"ribbon\",\n+  \"cactus\",\n+  \"hobby\",\n+  \"pigeon\"",
		"./conf/a.json:7:  \"ask\",\n./conf/a.json:8:  \"another\",\n./conf/a.json:9:  \"zebra\",\n./conf/a.json:10:  \"velvet\",\n./conf/a.json:11:  \"orbit\",\n./conf/a.json:12:  \"maple\",\n./conf/a.json:13:  \"tunnel\",\n./conf/a.json:14:  \"galaxy\",\n./conf/a.json:15:  \"ribbon\",\n./conf/a.json:16:  \"cactus\",\n./conf/a.json:17:  \"hobby\",\n./conf/a.json:18:  \"pigeon\"",
		`[\"ask\",\"another\",\"zebra\",\"velvet\",\"orbit\",\"maple\",\"tunnel\",\"galaxy\",\"ribbon\",\"cactus\",\"hobby\",\"pigeon\"]`,
		"- ask\n- another\n- zebra\n- velvet\n- orbit\n- maple\n- tunnel\n- galaxy\n- ribbon\n- cactus\n- hobby\n- pigeon",
		"1. ask\n2. another\n3. zebra\n4. velvet\n5. orbit\n6. maple\n7. tunnel\n8. galaxy\n9. ribbon\n10. cactus\n11. hobby\n12. pigeon",
		"1: ask\n2: another\n3: zebra\n4: velvet\n5: orbit\n6: maple\n7: tunnel\n8: galaxy\n9: ribbon\n10: cactus\n11: hobby\n12: pigeon",
		"ask | another | zebra | velvet\norbit | maple | tunnel | galaxy\nribbon | cactus | hobby | pigeon",
		`{"1":"ask","2":"another","3":"zebra","4":"velvet","5":"orbit","6":"maple","7":"tunnel","8":"galaxy","9":"ribbon","10":"cactus","11":"hobby","12":"pigeon"}`,
		`[{"i":1,"word":"ask"},{"i":2,"word":"another"},{"i":3,"word":"zebra"},{"i":4,"word":"velvet"},{"i":5,"word":"orbit"},{"i":6,"word":"maple"},{"i":7,"word":"tunnel"},{"i":8,"word":"galaxy"},{"i":9,"word":"ribbon"},{"i":10,"word":"cactus"},{"i":11,"word":"hobby"},{"i":12,"word":"pigeon"}]`,
	} {
		hidden(t, text, "ask", "another", "zebra", "velvet", "pigeon")
	}
}

// TestColumns: a name that heads a column tells of what stands below it, whatever parts the
// columns.
func TestColumns(t *testing.T) {
	texts(t, map[string]string{
		"| host | user | password |\n|---|---|---|\n| db1 | root | Tr0ub4dor#9x!Lq |\n| db2 | app | Winter*Sky |": "| host | user | password |\n|---|---|---|\n| db1 | root | REDACTED |\n| db2 | app | REDACTED |",
		"host | user | password\n--- | --- | ---\ndb1 | root | `Tr0ub4dor#9x!Lq`":                                 "host | user | password\n--- | --- | ---\ndb1 | root | `REDACTED`",
		"| password | host |\n|:---:|---|\n| Tr0ub4dor9xLq | db1 |":                                               "| password | host |\n|:---:|---|\n| REDACTED | db1 |",
		"| Host | DB password | Note |\n|---|---|---|\n| db1 | Tr0ub\\|dor#9x | a word |":                         "| Host | DB password | Note |\n|---|---|---|\n| db1 | REDACTED | a word |",
		"HOST  USER  PASSWORD\ndb1   root  Tr0ub4dor#9x!Lq\ndb2   app   Zq8kLm2vT9x":                              "HOST  USER  PASSWORD\ndb1   root  REDACTED\ndb2   app   REDACTED",
		"  7→HOST  USER  PASSWORD  PORT\n  8→db1   root  Tr0ub4dor#9x!Lq 5432":                                    "  7→HOST  USER  PASSWORD  PORT\n  8→db1   root  REDACTED 5432",
		"+----+------+----------+\n| id | name | password |\n+----+------+----------+\n| 1  | root | Zq8kLm2vT |": "+----+------+----------+\n| id | name | password |\n+----+------+----------+\n| 1  | root | REDACTED |",
		"+| host | token |\n+|---|---|\n+| db1 | Zq8kLm2vT9xabCD |":                                               "+| host | token |\n+|---|---|\n+| db1 | REDACTED |",
		"name;user;password\nprod;app;Zq8kLm2vT9x":                                                                "name;user;password\nprod;app;REDACTED",
		"name\tuser\tpassword\nprod\tapp\tZq8kLm2vT9x":                                                            "name\tuser\tpassword\nprod\tapp\tREDACTED",
		"name,password,user\nprod,\"Zq8,kLm2vT9x\",app":                                                           "name,password,user\nprod,\"REDACTED\",app",
		"| field | password | type |\n|---|---|---|\n| name | required | string |\n| b | at least 8 | int |":      same,
		"| Token | Meaning |\n|---|---|\n| `+` | plus |\n| IDENT | a name |\n| INT64 | a number |":                same,
		"User      password  string\nToken     string    json1":                                                   same,
	})
	r, _ := New(Options{})
	for line, want := range map[string]string{
		`{"lines":[" a","+| host | password |","+|---|---|","+| db1 | Tr0ub4dor#9x!Lq |"," b"]}`: `{"lines":[" a","+| host | password |","+|---|---|","+| db1 | REDACTED |"," b"]}`,
		`{"lines":["+HOST  PASSWORD","+db1   Tr0ub4dor#9x!Lq"," b"]}`:                            `{"lines":["+HOST  PASSWORD","+db1   REDACTED"," b"]}`,
	} {
		if got := string(r.Records([]byte(line))); got != want {
			t.Errorf("%s became %s", line, got)
		}
	}
}

func TestBotTokens(t *testing.T) {
	token := "OTk4NzI2NzU0MjM4NTQ5Nzk2" + ".G-_Z1a." + "Zb9Qk2Lr7Tn4Vw8Xs1Yp6Ua3Dc5"
	long := "MTE4NzI2NzU0MjM4NTQ5Nzk2MA" + ".GZ_1aq." + "Zb9Qk2Lr7Tn4-w8Xs1Yp6Ua3Dc5Lr7Tn4Vw8_s"
	texts(t, map[string]string{
		`client.login("` + token + `")`:     `client.login("REDACTED")`,
		"bot.run('" + long + "')":           "bot.run('REDACTED')",
		"Authorization: Bot " + token:       "Authorization: Bot REDACTED",
		"I pasted " + token + ".":           "I pasted REDACTED.",
		"com.example.SomethingVeryLongName": same,
	})
}

func TestSmallerKinds(t *testing.T) {
	texts(t, map[string]string{
		"ssh-keygen -t ed25519 -f k -N hunterwolfie":                             "ssh-keygen -t ed25519 -f k -N REDACTED",
		"ssh-keygen -t ed25519 -N 'two words' -f k":                              "ssh-keygen -t ed25519 -N 'REDACTED' -f k",
		`ssh-keygen -t ed25519 -N "" -f k`:                                       same,
		`new Sequelize("db","user","Hunter.Wolfie", {`:                           `new Sequelize("db","user","REDACTED", {`,
		"new Sequelize('db', 'user', 'hunterwolfie');":                           "new Sequelize('db', 'user', 'REDACTED');",
		"mysql_connect($host, $user, 'Hunter.Wolfie');":                          "mysql_connect($host, $user, 'REDACTED');",
		`mysqli_connect("db", "app", "hunterwolfie", "shop")`:                    `mysqli_connect("db", "app", "REDACTED", "shop")`,
		`new PDO("mysql:host=db;dbname=a", "app", "Hunter.Wolf")`:                `new PDO("mysql:host=db;dbname=a", "app", "REDACTED")`,
		`DriverManager.getConnection(url, "app", "hunterwolfie")`:                `DriverManager.getConnection(url, "app", "REDACTED")`,
		`server.login("bob@h.example.org", "hunterwolfie")`:                      `server.login("bob@h.example.org", "REDACTED")`,
		`mysqli_connect($host, $user, $password)`:                                same,
		`new Sequelize("db", "user", process.env.PW, {dialect: 1})`:              same,
		`new Sequelize("database", "username", "password")`:                      same,
		"6379:*:* requirepass Zq8kLm2vT9x":                                       "6379:*:* requirepass REDACTED",
		"6379:M 21 Nov 2026 20:26:54.124 # requirepass Winter!Sky":               "6379:M 21 Nov 2026 20:26:54.124 # requirepass REDACTED",
		"redis:12:requirepass Zq8kLm2vT9x":                                       "redis:12:requirepass REDACTED",
		"CONFIG SET requirepass Hunter-Wolfie":                                   "CONFIG SET requirepass REDACTED",
		"# requirepass is set below, see requirepass in the docs":                same,
		"[smtp.x.example.org]:587 bob:Hunter.Wolfie":                             "[smtp.x.example.org]:587 bob:REDACTED",
		"[smtp.x]:587 bob@x.org:Tr0ub4dor#9x":                                    "[smtp.x]:587 bob@x.org:REDACTED",
		"smtp.gmail.com:587    bob@gmail.com:hunterwolfie":                       "smtp.gmail.com:587    bob@gmail.com:REDACTED",
		"ftp://bob:Hunter.Wolfie@host":                                           "ftp://bob:REDACTED@host",
		"https://bob:MySecretGarden@host":                                        "https://bob:REDACTED@host",
		"https://bob:Hunter~Wolfie@host/x":                                       "https://bob:REDACTED@host/x",
		"https://user:my-password@host https://u:your_token@host":                same,
		"keytool -genkey -keypass hunterwolfie -storepass winterskydog -alias a": "keytool -genkey -keypass REDACTED -storepass REDACTED -alias a",
		"tool -storepass Hunter.Wolfie x":                                        "tool -storepass REDACTED x",
		"here is the password: Zq8kLm2vT9x, deploy it":                           "here is the password: REDACTED, deploy it",
		"user: bob, password: Zq8kLm2vT9x":                                       "user: bob, password: REDACTED",
		"the gmail app password is qzkw vbxt hjpl rmcd, use it":                  "the gmail app password is REDACTED, use it",
		"SMTP_PASS=\"qzkw vbxt hjpl rmcd\"":                                      "SMTP_PASS=\"REDACTED\"",
		"EMAIL_HOST_PASSWORD = 'qzkwvbxthjplrmcd'":                               "EMAIL_HOST_PASSWORD = 'REDACTED'",
		"send a mail that will also show this once more to them":                 same,
		"smtp that must have been sent with your help from home.":                same,
	})
}

// hidden checks that words are not in what becomes of a text, alone and within a record.
func hidden(t *testing.T, text string, words ...string) {
	t.Helper()
	r, _ := New(Options{})
	for _, got := range []string{r.Text(text), string(r.Records(encoded(text))), string(r.Records(append(append([]byte(`{"content":`), encoded(text)...), '}')))} {
		for _, word := range words {
			if strings.Contains(got, word) {
				t.Errorf("%q became %q", text, got)
				break
			}
		}
	}
}

// TestManifests: what a secret of Kubernetes has is base64, which tells nothing.
func TestManifests(t *testing.T) {
	for _, text := range []string{
		"apiVersion: v1\nkind: Secret\nmetadata:\n  name: a-b\ntype: Opaque\ndata:\n  username: YWRtaW4=\n  password: aHVudGVyd29sZg==\n  db-pw: c29tZXRoaW5n",
		"apiVersion: v1\ndata:\n  db-pw: c29tZXRoaW5n\n  password: aHVudGVyd29sZg==\nkind: Secret\nmetadata:\n  name: a-b",
		"     1→kind: Secret\n     2→data:\n     3→  password: aHVudGVyd29sZg==\n     4→  db-pw: c29tZXRoaW5n",
		"+kind: Secret\n+stringData:\n+  password: \"aHVudGVyd29sZg==\"\n+  db-pw: |\n+    c29tZXRoaW5n\n+",
		"items:\n- apiVersion: v1\n  data:\n    password: aHVudGVyd29sZg==\n    db-pw: c29tZXRoaW5n\n  kind: Secret\n  metadata:\n    name: a",
	} {
		hidden(t, text, "c29tZXRoaW5n", "aHVudGVyd29sZg")
	}
	texts(t, map[string]string{
		"kind: Secret\ndata:\n  username: YWRtaW4=\n---\nkind: ConfigMap\ndata:\n  mode: fast-and-good": same,
		"kind: Deployment\nspec:\n  secretName: a-b\n  kind: SecretStore":                               same,
	})
}
