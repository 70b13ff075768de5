package redact

import (
	"slices"
	"strings"
	"sync"

	"entire-plumb/internal/sets"
)

// kind is what a name says of its value.
type kind int

const (
	nothing  kind = iota
	weak          // it may be a secret: a key, a session
	token         // it is one, made by a program
	secret        // it is one, made by a program more likely than by anybody
	password      // it is one, made by anybody
)

// nameStems are parts of names that say so. What stands around one is looked at only then.
var nameStems = []string{"pass", "pwd", "pw", "psw", "psk", "secret", "token", "key", "auth", "cred", "bearer", "cookie", "session", "sess", "sid", "salt", "seed",
	"phrase", "mnemonic", "jwt", "licen", "signature", "sig", "dsn", "webhook", "contrase", "kennwort", "senha", "wif", "pat", "connectionstring", "connection_string",
	"pin", "otp", "rootpw", "community", "encrypt", "credential", "saml"}

func set(list string) map[string]bool { return sets.Of(strings.Fields(list)) }

// vocabulary is the words of names, by what they say.
type vocabulary struct {
	passwordWords map[string]bool
	passers       map[string]bool // what stands before "pass" in one word
	tokenWords    map[string]bool
	weakWords     map[string]bool
	ofKeys        map[string]bool // what keys are called
	ofPhrases     map[string]bool
	neutral       map[string]bool // what stands at the end of a name and says no more
	notKeys       map[string]bool
	about         map[string]bool // what is about a secret, and none
}

// vocabularyOf is made when it is first asked for, lest it cost programs that redact nothing.
var vocabularyOf = sync.OnceValue(func() *vocabulary {
	return &vocabulary{
		passwordWords: set(`password passwords passwd passphrase passcode passwort kennwort contraseña senha pwd pw pass psw pswd psk userpw rootpw bindpw requirepass
		masterauth storepass keypass sshpass dbpass passkey pin otp`),
		passers: set(`db user my smtp mail admin root store key ssh ftp bind auth login vnc wifi http proxy sudo become ldap mysql pg redis mongo rabbit mq api web net sa su keystore
		truststore test app dev prod cert zip pdf sql svn git repo nexus imap pop socks rpc master`),
		tokenWords: set(`token apikey authtoken credential credentials jwt bearer mnemonic wif accesskey secretkey privatekey authkey cryptkey seedphrase
		authtok community rocommunity rwcommunity trapcommunity clientsecret apisecret apitoken accesstoken refreshtoken pkey passkeys`),
		weakWords: set(`key keys auth authorization sid session sessid sessionid cookie salt seed cred creds signature sig dsn license licence webhook hmac jsessionid phpsessid pat
		encryption`),
		ofKeys: set(`api access secret private auth encryption signing signature account shared master license admin service app application server client session webhook ssh
		deploy storage subscription write hmac jwt crypto cipher aes rsa ecdsa ed25519 preshared user project integration consumer primary secondary authentication host
		machine sdk rest live prod production staging test sandbox dev account base root wif data decryption sas salt ingest personal publish upload management`),
		ofPhrases: set(`seed pass recovery secret mnemonic backup wallet`),
		neutral: set(`value str string text raw b64 base64 plain prod dev test staging stage env default current old new main live local production primary secondary
		development qa ci sandbox backup base hex encoded`),
		notKeys: set("monkey donkey turkey hockey jockey whiskey smokey lackey hotkey"),
		about: set(`id ids name names length len size type types count field fields file files filename path paths dir url uri urls endpoint arn ref policy hint label
		placeholder prefix suffix regex regexp pattern format header headers param params prompt expired expires expiry expiration ttl age reset strength min max error
		err errors version rotation manager store provider service services handler validator generator func fn enabled required valid exists changed input form page
		index idx pos position kind column col map list ring board word words space by for of in at usage limit limits budget cost source class algorithm alg mode
		bits encoding var variable reader writer stream parser info data meta metadata table status state date time timestamp created updated scope scopes owner
		hash hashes digest fingerprint checksum spec event events request response result method methods check checks checker test tests bucket group groups room
		prefix public pub pubkey selector matcher code codes number num not is has use uses used missing invalid example sample docs doc required
		timeout timeouts interval delay window period duration lifetime life days day hours hour minutes minute seconds second secs ms weeks months bytes kb mb hasher
		hashers validators validation validate mode modes history attempts attempt retries retry tries lock lockout template templates view views redirect success
		failure failed subject email emails message messages title confirmation confirm enable disable disabled allow allowed complexity criteria rule rules rounds
		iterations cost entropy threshold link links button btn dialog modal icon toggle visibility visible mask masked change changes changer recovery recover resets`),
	}
})

// identifierAt returns the place of the name around a stem, with the letters, digits and signs that
// names are made of.
func identifierAt(text string, at int) span {
	to := at
	for to < len(text) && to-at < 100 && (wordChar(text[to]) || to > at && to+1 < len(text) && strings.IndexByte("-.", text[to]) >= 0 && wordChar(text[to+1])) {
		to++
	}
	return span{from: nameStart(text, at), to: to}
}

// nameStart is where the name begins that a stem is in.
func nameStart(text string, at int) int {
	from := at
	for from > 0 && at-from < 100 && partOfName(text[from-1]) {
		from--
	}
	if from > 0 && text[from-1] == '\\' && from < at && strings.IndexByte("nrt", text[from]) >= 0 {
		from++ // a newline, as strings have it
	}
	// Most names have no dash before their stem: the expression is not tried on them.
	if i := strings.LastIndexByte(text[from:at], '-'); i > 1 {
		if m := grepNumber().FindStringIndex(text[from : from+i+1]); m != nil {
			from += m[1] // a file's name and a line's number, as grep -C writes them
		}
	}
	return from
}

// partOfName reports whether a byte may be of a name; the first and the last one of → are not.
func partOfName(c byte) bool { return nameChar(c) || c >= 0x80 && c != 0x92 && c != 0xe2 }

var grepNumber = compiled(`[\w)]-\d{1,7}-$`)

func wordChar(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

func nameChar(c byte) bool { return wordChar(c) || c == '-' || c == '.' || c == '$' }

// split takes a name apart into its words, in lower case.
func split(name string) []string {
	out := make([]string, 0, 8)
	start := 0
	for i := 0; i <= len(name); i++ {
		cut := i == len(name) || !wordChar(name[i]) || name[i] == '_'
		if !cut && i > start && capital(name[i]) && (!capital(name[i-1]) || i+1 < len(name) && small(name[i+1])) {
			out = append(out, asciiLower(name[start:i]))
			start = i
			continue
		}
		if cut {
			if i > start {
				out = append(out, asciiLower(name[start:i]))
			}
			start = i + 1
		}
	}
	return out
}

func capital(c byte) bool { return c >= 'A' && c <= 'Z' }
func small(c byte) bool   { return c >= 'a' && c <= 'z' }

// nameKind reports what a name says of its value.
func nameKind(name string) kind {
	v, words := vocabularyOf(), split(name)
	if i := strings.LastIndexByte(name, '.'); i > 0 && v.neutral[asciiLower(name[i+1:])] {
		return nothing // a method, as Token.String
	}
	words = v.meaning(words)
	if len(words) == 0 {
		return nothing
	}
	last := strings.TrimRight(words[len(words)-1], digits)
	before := ""
	if len(words) > 1 {
		before = words[len(words)-2]
	}
	switch {
	case v.isPassword(last):
		// A pin may be a chip's, or a tab's.
		if (last == "pin" || last == "otp") && !slices.Contains(words, "code") {
			return weak
		}
		return password
	case strings.HasSuffix(last, "token"):
		// Page tokens, and tokens that are counted.
		if otherToken().MatchString(name) {
			return nothing
		}
		return token
	case last == "secrets", strings.HasSuffix(last, "secret"):
		return secret
	case v.isToken(last, before):
		return token
	case v.about[last]:
		return nothing
	}
	// Only where the last word says nothing against it, as PASSWORD_LENGTH does.
	if k := inside(name, words); k != nothing {
		return k
	}
	if v.weakWords[last] || strings.HasSuffix(last, "key") && !v.notKeys[last] {
		return weak
	}
	return nothing
}

// meaning are the words of a name up to the last one that says something.
func (v *vocabulary) meaning(words []string) []string {
	for len(words) > 0 {
		if trimmed := strings.TrimRight(words[len(words)-1], digits); trimmed != "" && (len(words) == 1 || !v.neutral[trimmed]) {
			break
		}
		words = words[:len(words)-1]
	}
	return words
}

func (v *vocabulary) isPassword(last string) bool {
	return v.passwordWords[last] || hasSuffix(last, "password", "passwd", "passphrase", "passwort", "pwd", "passwords") ||
		strings.HasSuffix(last, "pass") && v.passers[strings.TrimSuffix(last, "pass")]
}

// isToken reports whether the last word of a name and the one before it are those of a token.
func (v *vocabulary) isToken(last, before string) bool {
	switch last {
	case "key":
		return v.ofKeys[before] || strings.HasSuffix(before, "secret")
	case "phrase":
		return v.ofPhrases[before]
	case "string":
		return before == "connection"
	case "response", "assertion":
		return before == "saml"
	}
	return v.tokenWords[last] || last == "connectionstring" || hasSuffix(last, "apikey", "secretkey", "privatekey", "accesskey")
}

// inside reports what a word within a name with underscores says.
func inside(name string, words []string) kind {
	switch {
	// In camel case, and in a chain of names, such a word is mostly a class's or a module's.
	case strings.Contains(name, "."), strings.IndexByte(name, '_') < 0:
	case slices.Contains(words, "password"), slices.Contains(words, "passwd"):
		return password
	case slices.Contains(words, "secret"):
		return secret
	case slices.Contains(words, "token") && name == strings.ToUpper(name):
		return token
	}
	return nothing
}

func hasSuffix(s string, suffixes ...string) bool {
	return slices.ContainsFunc(suffixes, func(x string) bool { return strings.HasSuffix(s, x) })
}
