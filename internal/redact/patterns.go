package redact

import (
	"regexp"
	"strings"
	"sync"
)

// pattern is a kind of secret that its surroundings tell of.
type pattern struct {
	signs   []string // lower-case; one of them is within each match: the expression is tried around them alone
	re      func() *regexp.Regexp
	more    func() *regexp.Regexp   // finds further ones behind the first
	is      func(value string) bool // whether what the first group with a match found is a secret
	text    string                  // the expression
	need    string                  // what must be near the sign, too
	command bool                    // the sign is a command's name, and the expression tells of the rest of its line
	words   bool                    // each word of what was found is tried by itself
}

// quote is one that may be escaped, literal what stands in such quotes, argument what a shell takes
// for one word.
const (
	quote    = `\\{0,7}["'\x60]`
	literal  = `\\{0,7}(?:"([^"\n\\]{3,200})\\{0,7}"|'([^'\n\\]{3,200}?)\\{0,7}')`
	argument = `(?:\\{0,7}"([^"\n\\]{2,200})|\\{0,7}'([^'\n\\]{2,200})|([^\s"'\x60\\|;&<>()]{3,}))`
	// An argument of a call: a literal, or a name.
	parameter = `(?:\\{0,7}["'\x60][^"'\x60\n\\]{0,160}\\{0,7}["'\x60]|[\w$.>\[\]-]{1,80}(?:\(\))?)\s{0,4}`
	// What may stand between a command and a flag of its: no other command.
	options = `(?:[^|;&]{0,240}?\s)?`
)

var patterns = sync.OnceValue(func() []pattern {
	return append(morePatterns(), []pattern{
		// URLs, and what has parameters as they have
		needing("@", near([]string{"://"}, compiled(`[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s/:@"'<>\x60]*:([^\s/"'<>\x60]{3,})@`), urlPassword)),
		needing("@", near([]string{"://"}, compiled(`(?:[a-gi-zA-GI-Z][a-z0-9+]{2,20})://[^\s/:@"'<>\x60]*:([^\s/:@"'<>\x60]*[^\s/:@"'<>\x600-9](?:/[^\s/@"'<>\x60]*){1,3})@[\w.\[]`), urlPassword)),
		needing("@", near([]string{"://"}, compiled(`://([A-Za-z0-9_.~+-]{20,})(?::[^\s/@"'<>]*)?@[A-Za-z0-9]`), tokenLike)),
		near([]string{"token=", "key=", "auth=", "secret=", "password=", "passwd=", "pwd=", "sig=", "signature=", "credential="},
			compiled(`(?i)(?:[?&;]|\\u0026)(?:access_token|api_key|apikey|auth|auth_token|client_secret|key|secret|sig|signature|token|x-(?:amz|goog)-(?:signature|security-token))=([^&;\s"'\x60#<>\\]{8,})`), urlPassword),
		near([]string{"password=", "passwd=", "pwd="}, compiled(`(?i)(?:[?&;]|\\u0026)\s?(?:password|passwd|pwd)=([^&;\s"'\x60#<>\\/.][^&;\s"'\x60#<>\\]{3,})`), urlPassword),

		near([]string{"password '", "password \"", "password n'", "password e'"}, compiled(`(?i)\bpassword\s[NE]?(?:'([^'\n]{3,80})'|"([^"\n]{3,80})")`), literalSecret),
		near([]string{"identified"}, compiled(`(?i)\bidentified\s+(?:with\s+\S{1,40}\s+(?:by|as)|by)\s+(?:password\s+)?'([^'\n]+)'`), given),
		near([]string{"identified by "}, compiled(`(?i)\bidentified\s+by\s+"([^"\n]+)"`), literalSecret),
		near([]string{"identified by "}, compiled(`(?i)\bidentified\s+by\s+([^\s"'\x60;,]{6,80})`), strong),
		near([]string{"</"}, compiled(`(?i)<(?:[\w:.-]*(?:password|passwd|passphrase|secret|token|api-?key|private-?key))>([^<>\s][^<>\n]{2,200})</`), filledOrMixed),
		near([]string{"client-key-data"}, compiled(`client-key-data(?:`+quote+`)?\s{0,3}:\s{0,3}(?:`+quote+`)?([A-Za-z0-9+/]{16,}=*)`), given),

		// Headers
		near([]string{"bearer "}, compiled(`(?i)\bbearer\s{1,3}([A-Za-z0-9._~+/-]{16,}=*)`), carried),
		near([]string{"basic "}, compiled(`(?i)\bbasic\s{1,3}([A-Za-z0-9+/_-]{4,}=*)`), basic),
		near([]string{"authorization"}, compiled(`(?i)authorization(?:`+quote+`)?\s{0,2}[:=,]\s{0,2}(?:`+quote+`)?(?:[ac-z][a-z]{1,11}\s{1,3})?([A-Za-z0-9._~+/:-]{12,}=*)`), carried),
		// From the first long value on: which of the others tell who someone is nobody knows.
		near([]string{"cookie"}, compiled(`(?i)cookie(?:`+quote+`)?\s{0,2}[:=,]\s{0,2}(?:`+quote+`)?(?:[^=;\s"'\\]+=[^;\s"'\\]{0,15};\s?){0,12}[^=;\s"'\\]+=([^;\s"'\\]{16,}(?:;\s?[^;\s"'\\]+)*)`), filled),

		// What tools are called with, and read
		near([]string{"--pass", "-pass", "-secret", "--secret", "api-key", "--apikey"}, compiled(`(?i)\s--(?:[a-z0-9]+-){0,3}(?:password|passwd|passphrase|pass|secret|api-?key)(?:=|\s{1,3})(?:\\{0,3}"([^"\n\\]{4,80})\\{0,3}"|\\{0,3}'([^'\n\\]{4,80})\\{0,3}'|([^\s"'\x60\\()<>-][^\s"'\x60\\()<>]{3,}))`), literalSecret),
		near([]string{"token"}, compiled(`(?i)\s--(?:[a-z0-9]+-){0,3}token(?:=|\s{1,3})(?:`+quote+`)?([^\s"'\x60\\()<>-][^\s"'\x60\\()<>]{7,})`), lettersToo),
		near([]string{"sshpass"}, compiled(`\bsshpass\s+-p\s{0,3}(?:\\{0,3}"([^"\n\\]+)|\\{0,3}'([^'\n\\]+)|([^\s"'\x60\\]+))`), given),
		flag([]string{"mysql", "mysqldump", "mysqladmin", "mysqlimport", "mysqlsh", "mysqlcheck", "mariadb", "mariadb-dump", "mytop", "mycli"}, `-p`),
		flag([]string{"docker login", "podman login", "nerdctl login", "buildah login", "skopeo login", "helm registry", "helm repo", "crane auth", "oras login", "az login", "az acr", "mongosh", "mongo", "mongodump", "mongorestore",
			"mongoexport", "mongoimport", "mongostat", "mongotop", "mongofiles", "cqlsh", "psexec", "rabbitmqadmin", "twine", "evil-winrm", "crackmapexec", "netexec", "rdesktop", "ncftp", "ncftpput",
			"vncdotool", "arangosh", "cypher-shell", "oc login", "cf login", "ibmcloud login", "argocd login", "jfrog", "pscp", "plink", "vault-cli", "jupyter", "hdbsql", "impala-shell", "beeline", "trino",
			"ejabberdctl", "sqoop", "nuxeo", "winrs", "putty", "kcadm.sh", "kcadm", "opensearch-cli", "ghcr", "exaplus", "gsql", "snowsql", "duplicacy", "pg_activity"}, `(?-i:-p|-pw|-w)(?:=|\s{1,3})`),
		flag([]string{"7z", "7za", "7zr", "7zz", "rar", "unrar"}, `-h?p`),
		flag([]string{"zip", "unzip", "zipcloak", "zipnote", "sqlcmd", "bcp", "osql", "isql", "tsql", "mosquitto_pub", "mosquitto_sub", "mosquitto_rr", "ipmitool", "fcrackzip", "ikescan", "isqlplus", "freebcp", "bsqldb", "nsenter-none"}, `-P\s{0,3}`),
		flag([]string{"redis-cli", "redis-benchmark", "valkey-cli", "keydb-cli"}, `-a\s{1,3}`),
		flag([]string{"ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami", "ldappasswd", "ldapcompare", "ldapmodrdn", "kadmin", "ldapvi"}, `-[wsa]\s{0,3}`),
		flag([]string{"ssh-keygen"}, `-[NP]\s{0,3}`),
		flag([]string{"keytool", "jarsigner", "apksigner", "keystore"}, `-(?:(?:dest|src)?(?:store|key)pass(?:wd)?|new|ks-pass|key-pass)(?:\s{1,3}|=)(?:pass:)?`),
		near([]string{"storepass", "keypass"}, compiled(`\s-(?:dest|src)?(?:store|key)pass\s{1,3}`+argument), chosen),
		flag([]string{"openssl"}, `-k\s{1,3}|-(?:pass|passin|passout|password)\s{1,3}(?:pass:)?`),
		flag([]string{"xfreerdp", "wfreerdp", "cmdkey", "wmic", "runas", "schtasks", "net user", "sc.exe", "msiexec", "mstsc"}, `/p(?:ass|assword|w)?:|/pass:`),
		flag([]string{"net use", "net user"}, `/user:\S{1,60}\s{1,3}|\w:\s\S{1,80}\s{1,3}`),
		flag([]string{"pdftotext", "pdftoppm", "pdfinfo", "pdfimages", "pdfunite", "qpdf"}, `-[uo]pw\s{1,3}|--(?:password|encrypt)=`),
		flag([]string{"snmpwalk", "snmpget", "snmpset", "snmpbulkwalk", "snmptrap", "snmpgetnext"}, `-[cAX]\s{0,3}`),
		flag([]string{"htpasswd"}, `-\w*b\w*\s+\S{1,80}\s+\S{1,60}\s+|-\w*nb\w*\s+\S{1,60}\s+`),
		positional("vault login", "snyk auth", "cargo login", "fly auth", "doctl auth", "wandb login", "ngrok config", "ngrok authtoken", "tailscale up", "railway login", "huggingface-cli login", "sentry-cli login", "pulumi login", "infracost configure", "codecov", "gh auth", "glab auth", "heroku auth", "rabbitmqctl add_user", "rabbitmqctl change_password", "rabbitmqctl authenticate_user", "influx auth", "grafana-cli admin", "grafana admin", "gitlab-rake", "mc alias", "mc config", "aws configure set", "npm config set", "yarn config set", "pnpm config set", "poetry config", "pip config set", "composer config", "bundle config", "gem push", "nuget setapikey", "git config", "rclone config", "drush user", "wp user", "stripe config", "circleci setup", "vercel login", "netlify login"),
		flag([]string{"smbclient", "rpcclient", "smbmap", "smbget", "mount.cifs", "net ads", "net rpc", "winexe", "wbinfo", "pth-winexe", "ntlm_auth"}, `(?:-U\s{0,3}|--user(?:=|\s))(?:\\{0,7}["'])?[^\s%"']{1,60}%`),
		command([]string{"curl", "wget", "http", "https", "xh", "aria2c", "lftp", "ab", "ncat"}, compiled(`^(?:curl|wget|https?|xh|aria2c|lftp|ab|ncat)(?:\.exe)?\s`+options+`(?:-[a-zA-Z]{0,6}[uUaA]|--(?:proxy-|http-)?(?:user|auth|creds)(?:=|\s))\s{0,3}(?:\\{0,7}["'])?[\w.@%+\\/-]{0,80}[:,]([^\s"'\x60\\]{3,}|[^"'\n\\]{3,80}["'])`), argued),
		command([]string{"sqlplus", "expdp", "impdp", "rman", "sqlldr", "exp", "imp"}, compiled(`^(?:sqlplus|expdp|impdp|rman|sqlldr|exp|imp)\s(?:-\w+\s+)*(?:userid=)?["']?\w{1,40}/(?:\\{0,7}")?([^\s@"'\x60\\]{3,})@`), given),
		command([]string{"echo", "printf"}, compiled(`^(?:echo|printf)\s+(?:-\w+\s+)?(?:\\{0,7}["'])?(?:[\w.-]{1,40}:)?([^\s"'\x60\\|]{4,})(?:\\n)?(?:\\{0,7}["'])?\s*\|\s*(?:sudo\s+)?(?:-S|[\w./-]+\s[^\n|;]{0,120}(?:-S\b|--stdin|-stdin|with-token|--passphrase-fd|-passphrase)|sudo\s[^\n|;]{0,40}-S|-S|chpasswd|passwd|kinit|cryptsetup|smbpasswd|ssh-add|vault|base64|gpg|docker|podman|su\b|openssl|gh\s+secret|flyctl|fly\s)`), argued),
		near([]string{"<<<"}, compiled(`(?:-S|--stdin|--password-stdin|--with-token|passwd|chpasswd|login|kinit)[^\n<]{0,60}<<<\s*(?:`+argument+`)`), argued),
		command([]string{"send", "sendline", "send_line"}, compiled(`^send(?:line|_line)?\s*(?:--\s+|\(\s*)?\\{0,7}["']([^"'\n\\\s]{5,80})\\{1,7}[rn]`), strong),

		// Calls that take a user and a password, and what goes by place elsewhere.
		{signs: []string{"auth(", "auth=(", "auth = (", "auth: (", "auth=[", "auth: [", "authenticate(", "credentials(", "credential(", "connect(", "mysqli", "getconnection", "login(", "pdo(", "signin", "sign_in", "->connect", "createconnection", "basic(", "dsn("},
			re: compiled(`(?i)(?:auth\w*|credentials?|connect\w*|login|mysqli|getConnection|PDO|sign_?in|basic\w*)["']?\s{0,2}[=:]?\s{0,2}[(\[]\s{0,4}((?:` + quote + `[^"'\x60\n]{0,120}` + quote + `\s{0,2},?\s{0,4}){2,5})`), is: veryStrong, words: true},
		near([]string{"sequelize(", "mysql_connect(", "mysqli_connect(", "mysql_pconnect(", "mysqli(", "pdo(", "getconnection(", "dbi->connect(", "ftp_login(", "imap_open(", "ldap_bind(", "odbc_connect(", "mssql_connect(", "sqlsrv_connect(", "real_connect(", "mysqldb.connect(", "pymysql.connect("},
			compiled(`(?i)(?:sequelize|mysqli?_p?connect|mysqli|pdo|getconnection|dbi->connect|ftp_login|imap_open|ldap_bind|odbc_connect|mssql_connect|sqlsrv_connect|real_connect|mysqldb\.connect|pymysql\.connect)\(\s{0,20}`+parameter+`,\s{0,20}`+parameter+`,\s{0,20}`+literal), argued),
		near([]string{"login(", "oci_connect(", "cx_oracle.connect(", "oracledb.connect(", "networkcredential(", "httpbasicauth(", "basicauth(", "passwordauthentication(", "usernamepasswordcredential", "basicawscredentials("},
			compiled(`(?i)(?:\blogin|oci_connect|cx_oracle\.connect|oracledb\.connect|networkcredential|basicauth|passwordauthentication|usernamepasswordcredentials?|basicawscredentials)\(\s{0,20}`+parameter+`,\s{0,20}`+literal), argued),
		near([]string{"requirepass", "masterauth"}, compiled(`(?i)\b(?:requirepass|masterauth)\s{1,8}([^\s"'\x60\\]{4,})`), chosen),
		near([]string{"requirepass", "masterauth"}, compiled(`(?i)\b(?:requirepass|masterauth)\s{1,8}`+literal), argued),
		near([]string{"]:25", "]:46", "]:58"}, compiled(`\[[\w.-]{1,100}\]:\d{2,5}\s{1,20}[^\s:"'\x60]{1,80}:([^\s"'\x60\\]{3,})`), argued),
		near([]string{"smtp", "mail.", "relay"}, compiled(`(?:^|[\s:>+|→-])\[?(?:[\w-]+\.)*(?:smtp|mail|relay)[\w.-]*\]?(?::\d{2,5})?[ \t]{1,20}[\w.+-]{1,60}(?:@[\w.-]{1,60})?:([^\s"'\x60\\]{5,})(?:\s|\\n|["'\x60]|$)`), argued),
		near([]string{"mail", "smtp", "app pass", "app-pass", "app_pass", "apppass", "google", "imap"}, compiled(`(?:^|[^\w ]|[^a-z] |[^a-z]|\b(?:is|it|as|use|to|pass|password|with) )([a-z]{4} [a-z]{4} [a-z]{4} [a-z]{4})(?:[^\w@ ]|[ .][^a-z]| [a-z]|$)`), scrambled),
		near([]string{"mail", "smtp", "app pass", "app-pass", "app_pass", "apppass", "google", "imap"}, compiled(`(?i:pass\w*|pwd|pw)["']?(?:\s?[:=]{1,2}\s?| is )["'\x60]?([a-z]{16})(?:[\s,;"'\x60]|$)`), scrambled),
		near([]string{"securestring"}, compiled(`(?i)ConvertTo-SecureString\s+(?:-\w+\s+){0,4}`+literal), argued),
		near([]string{"passw", "passphrase", "passcode", "pwd", "creds", "credentials", "pass for"}, compiled(`(?i)\b(?:passw(?:or)?d|passphrase|passcode|pwd|creds|credentials|pass)\b[^\n.:=]{0,60}?(?:\bis\b|\bwas\b|\bto\b|[:=]|\bas\b|->|→)\s{0,3}(?:[\w.@-]{1,40}\s?/\s?)?["'\x60]?([^\s"'\x60<>(){},;]{6,80})`), strong),
		near([]string{"token", "key", "secret"}, compiled(`(?i)\b(?:token|api[ _-]?key|key|secret)\b[^\n.:=]{0,40}?(?:\bis\b|\bwas\b|\bto\b|[:=])\s{0,3}["'\x60]?([A-Za-z0-9_.~+/=-]{20,400})`), tokenOnly),
		near([]string{"log in", "login", "sign in", "creds", "credential", "account", "username", "user ", "admin"}, compiled(`(?i)\b(?:log ?in|sign ?in|creds|credentials?|account|username|user|admin)\b[^\n]{0,40}?\b[\w.@-]{2,60}\s?[/:|]\s{0,2}([^\s"'\x60<>(){},;]{6,80})`), veryStrong),
		near([]string{":5432:", ":5433:", ":6432:", "*:*:", ":*:"}, compiled(`(?:[\w.-]+|\*):(?:\d{2,5}|\*):[^:\s]{1,60}:[^:\s]{1,60}:([^\s"'\x60\\]{3,})`), given),
		near([]string{"stats auth", "http-auth", "basic-auth", "basic_auth", "auth_basic", "authuser"}, compiled(`(?i)(?:stats auth|http-auth|basic[-_]auth|auth_basic)\s+["']?[\w.@-]+:([^\s"'\x60\\]{3,})`), given),
		near([]string{"auth "}, compiled(`(?m)(?:^|[>\s:|+"'\x60→-])AUTH\s+(?:\w{1,30}\s+)?([^\s"'\x60\\]{6,})`), strong),
		near([]string{"password 0", "password 5", "password 7", "secret 0", "secret 4", "secret 5", "secret 8", "secret 9"}, compiled(`\b(?:password|secret)\s+\d\s+([^\s"'\x60\\]{5,})`), given),
		near([]string{"createuser"}, compiled(`(?i)createUser\s+\S+\s+(?:MD5|SHA\S*)\s+["']?([^\s"'\x60\\]{5,})`), given),
		near([]string{"community"}, compiled(`(?i)\b(?:r[ow]community6?|snmp-server\s+community)\s+([^\s"'\x60\\]{5,})`), strong),
		near([]string{"nmcli", "wifi connect"}, compiled(`(?i)\bconnect\s+\S{1,80}\s+(?:password|psk)\s+([^\s"'\x60\\]{5,})`), given),
		near([]string{"@"}, compiled(`(?:^|[\s"'\x60=])(?:[\w.-]{1,40}/)?[\w.-]{1,40}:([^\s"'\x60\\/:]{5,60}[^\s"'\x60\\/:@])@(?:\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|localhost|tcp\(|[a-z0-9-]+(?:\.[a-z0-9-]+)+)`), strong),
		near([]string{"signature="}, compiled(`(?i)\bSignature=([A-Za-z0-9+/_%-]{32,}=*)`), carried),
		near([]string{"digest "}, compiled(`(?i)\bdigest\s[^\n]{0,300}?\bresponse=\\{0,7}"([0-9a-f]{32,64})`), given),
		near([]string{"x-hub-signature", "signature-256", "hmac"}, compiled(`(?i)(?:signature(?:-\d+)?|hmac)["']?\s{0,2}[:=]\s{0,2}["']?(?:sha\d+=|v\d=)?([0-9a-f]{40,128})`), given),
		near([]string{"samlresponse", "samlassertion", "saml_response"}, compiled(`(?i)saml_?(?:response|assertion)["']?\s{0,2}[:=]\s{0,2}["']?([A-Za-z0-9+/%_-]{40,}=*)`), given),
		near([]string{"<d>", "<p>", "<q>", "<dp>", "<dq>", "<inverseq>"}, compiled(`<(?:D|P|Q|DP|DQ|InverseQ)>\s{0,20}([A-Za-z0-9+/\s]{20,}={0,2})\s{0,20}<`), given),
		{signs: []string{"insert into"}, re: compiled(`(?i)insert\s+into\s[^\n]{0,200}?(?:passw|secret|token|pwd|api_?key)[^\n]{0,200}?values\s*\(([^\n]{4,300})`), is: strong, words: true},
		near([]string{"akia", "asia"}, compiled(`(?:AKIA|ASIA)[A-Z0-9]{16}[^\n]{0,100}?[^A-Za-z0-9+/]([A-Za-z0-9+/]{40})(?:[^A-Za-z0-9+/=]|$)`), given),
		near([]string{"true\t", "false\t"}, compiled(`(?i)(?:TRUE|FALSE)\t\d{1,12}\t[^\t\n]{1,80}\t([^\s]{8,})`), filled),
		near([]string{"machine "}, compiled(`\bmachine\s+\S+\s+login\s+\S+\s+password\s+(\S{2,})`), urlPassword),
		near([]string{"login "}, compiled(`\blogin\s+\S+\s+password\s+(\S{4,})`), filled),
		near([]string{"$apr1$", "$1$", "$2a$", "$2b$", "$2y$", "$5$", "$6$", "$y$", "$argon2", "{sha}", "{ssha}"},
			compiled(`(\$(?:apr1|1)\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}|\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}|\$[56]\$(?:rounds=\d+\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43,86}|\$y\$[./A-Za-z0-9]+\$[./A-Za-z0-9]+\$[./A-Za-z0-9]{43}|\$argon2id?\$[\w=,$+/]{40,}|\{S?SHA\}[A-Za-z0-9+/]{27,}=*)`),
			func(string) bool { return true }),
	}...)
})

// near is the pattern for what an expression finds around one of the signs.
func near(signs []string, re func() *regexp.Regexp, is func(string) bool) pattern {
	return pattern{signs: signs, re: re, is: is}
}

// needing is a pattern that is tried only where there is a text, too.
func needing(text string, p pattern) pattern {
	p.need = text
	return p
}

// command is the pattern for what an expression finds from a command's name on, to the end of the
// line.
func command(signs []string, re func() *regexp.Regexp, is func(string) bool) pattern {
	return pattern{signs: signs, re: re, is: is, command: true}
}

// isCommand reports whether a word may be a command's name: it stands alone.
func isCommand(text string, from, to int) bool {
	return !goesOn(text[:from]) && to < len(text) && strings.IndexByte(" \t(.", text[to]) >= 0
}

// goesOn reports whether a name begins earlier than there. A dash that a patch deletes a line with,
// or that grep -C writes behind the number of a line, is of no name.
func goesOn(before string) bool {
	n := len(before)
	if n == 0 {
		return false
	}
	if before[n-1] == '-' {
		return n > 1 && strings.IndexByte("\n"+digits, before[n-2]) < 0
	}
	return wordChar(before[n-1]) || before[n-1] == '.'
}

// commandEnd is the end of a command's line, which backslashes may carry on.
func commandEnd(text string, at int) int {
	const longest = 600
	end := min(len(text), at+longest)
	for i := at; i < end; i++ {
		if text[i] == '\n' && text[i-1] != '\\' {
			return i
		}
	}
	return end
}

// flag is the pattern of commands that take a password after a flag of theirs. The flags end in
// what may stand before it.
func flag(commands []string, flags string) pattern {
	names := make([]string, len(commands))
	for i, c := range commands {
		names[i] = strings.ReplaceAll(regexp.QuoteMeta(c), " ", `\s(?:[^\n|;&]{0,80}\s)?`)
	}
	signs := make([]string, len(commands))
	for i, c := range commands {
		signs[i], _, _ = strings.Cut(c, " ")
	}
	text := `^(?:` + strings.Join(names, "|") + `)(?:\.exe)?\s` + options + `(?:` + flags + `)` + argument
	return pattern{signs: signs, re: compiled(text), more: compiled(`\s(?:` + flags + `)` + argument), is: argued, text: text, command: true}
}

func compiled(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// patternLength is how far behind a sign a pattern may reach; it may begin that far before it.
const (
	patternLength = 320
	patternBack   = 64
)

// wordStart is the place before a sign that a pattern is tried from: behind white space, if there
// is some.
func wordStart(text string, at int) int {
	from := max(0, at-patternBack)
	start := max(0, from-patternBack+1)
	if space := strings.LastIndexAny(text[start:from], " \t\n"); space >= 0 {
		return start + space
	}
	return from
}

// name is the pattern's sign, for people.
func (p pattern) name() string { return strings.Trim(p.signs[0], " =\"'-:/<") }

// find finds what the pattern's expression finds in a place of a text.
func (p pattern) find(text string, w span) []span {
	if p.need != "" && !strings.Contains(text[w.from:w.to], p.need) {
		return nil
	}
	var found []span
	for _, m := range p.re().FindAllStringSubmatchIndex(text[w.from:w.to], -1) {
		s := group(m, 1)
		s = span{from: s.from + w.from, to: s.to + w.from, rule: p.name()}
		for s.to > s.from+1 && (text[s.to-1] == '.' || text[s.to-1] == ',') { // of the sentence
			s.to--
		}
		for _, one := range p.matched(text, s, w.to) {
			if p.is(text[one.from:one.to]) {
				found = append(found, one)
			}
		}
	}
	return found
}

// matched are the values of a match: its words, or itself, and what else stands up to there.
func (p pattern) matched(text string, s span, to int) []span {
	all := []span{s}
	switch {
	case p.words:
		all = all[:0]
		for _, in := range wordsOf().FindAllStringIndex(text[s.from:s.to], -1) {
			all = append(all, span{from: s.from + in[0], to: s.from + in[1], rule: s.rule})
		}
	// A command may have the flag twice, as keytool has for a store and a key.
	case p.more != nil:
		for _, m := range p.more().FindAllStringSubmatchIndex(text[s.to:to], -1) {
			next := group(m, 1).moved(s.to)
			next.rule = s.rule
			all = append(all, next)
		}
	}
	return all
}

var wordsOf = compiled("[^\\s\"'`,;()\\[\\]{}\\\\<>]{5,}")

// positional is the pattern of commands that take a secret for an argument, in whatever place.
func positional(commands ...string) pattern {
	p := flag(commands, "")
	text := p.text
	// The expression of flag ends with an empty flag and its argument: here any words of the line
	// may be it.
	p.re = compiled(strings.TrimSuffix(text, options+"(?:)"+argument) + `([^\n|;&]{4,280})`)
	p.more = nil
	p.is = func(value string) bool {
		return veryStrong(value) || generated(value) || hashLike(value) && len(value) >= 32
	}
	p.words = true
	return p
}
