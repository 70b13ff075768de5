package redact

import "strings"

// morePatterns are of what devices, files of state and people have around a secret.
func morePatterns() []pattern {
	// A word of the settings of a network device, and the secret that ends its line, perhaps behind
	// the number of its encoding.
	const device = `\b(?:enable|username\s\S{1,40}(?:\s(?:privilege|role)\s\S{1,20})?|tacacs(?:-server)?|radius(?:-server)?|crypto\sisakmp|snmp-server|neighbor\s\S{1,40}|ntp|server-private|key-chain|ppp|standby\s\d+)\b`
	return []pattern{
		near([]string{"enable ", "username ", "tacacs", "radius", "isakmp", "neighbor ", "ntp "},
			compiled(`(?:^|[^\w.])`+device+`[^\n]{0,60}?\s(?:password|secret|key|key-string|authentication-key\s\d{1,5}\smd5)\s(?:\d\s)?\\{0,3}"?([^\s"'\\<>]{6,})`), chosenOrCoded),
		near([]string{"community "}, compiled(`\b(?:snmp-server\s|r[ow]|trap)community6?\s{1,4}([^\s"'\\<>]{4,})`), device4),
		near([]string{"com2sec"}, compiled(`\bcom2sec6?\s+(?:-Cn\s\S{1,40}\s+)?\S{1,40}\s+\S{1,60}\s+([^\s"'\\<>]{4,})`), device4),
		near([]string{"createuser "}, compiled(`\bcreateUser\s+(?:-e\s\S{1,60}\s+)?\S{1,40}\s+(?:MD5|SHA\S{0,4})\s+\\{0,3}"?([^\s"'\\]{8,})`), argued),
		near([]string{"createuser "}, compiled(`\bcreateUser\s+(?:-e\s\S{1,60}\s+)?\S{1,40}\s+(?:MD5|SHA\S{0,4})\s+\S{1,80}\s+(?:AES|DES)\S{0,4}\s+\\{0,3}"?([^\s"'\\]{8,})`), argued),
		near([]string{" on >"}, compiled(`\suser\s\S{1,40}\s(?:\S{1,20}\s){0,3}>([^\s"'\\]{6,})`), filledOrMixed),

		// State of Terraform, and what it prints
		needing("alue", near([]string{"sensitive"}, compiled(sensitiveFirst), filledOrMixed)),
		needing("sensitive", near([]string{"value\""}, compiled(sensitiveLast), filledOrMixed)),
		near([]string{"random_password", "random_string"}, compiled(madeByRandom), given),
		near([]string{"output -raw"}, compiled(`\boutput\s-raw\s\S{0,60}(?:pass|secret|token|key|pw)\S{0,40}\s*\n\s*([^\s"'\\]{6,400})`), filledOrMixed),

		// Other files, and calls
		near([]string{"client(", "twilio"}, compiled(`\bAC[0-9a-f]{32}\\{0,7}["'],\s{0,3}\\{0,7}["']([0-9a-f]{32})`), given),
		near([]string{"accounts"}, compiled(`\baccounts\b\W{1,12}(0x[0-9a-fA-F]{64})\b`), given),
		near([]string{"password>", "pass>"}, compiled(`(?i)\b\w{0,40}(?:password|pass)>\s{0,60}(?:[./\w-]{0,40}[:\d-]{1,8})?[^<>\n]{0,100}<value>([^<>\s][^<>\n]{2,200})</`), given),
		near([]string{"<pass "}, compiled(`(?i)<pass(?:word)?\s[^<>]{0,80}>([^<>\s][^<>\n]{2,200})</`), given),
		near([]string{"chpasswd"}, compiled(`\bchpasswd\b[^@]{0,120}?\n[^\n:]{0,80}?\b[a-z_][\w-]{0,30}:([^\s"'\\]{6,80})`), strong),
		near([]string{"recovery code", "backup code"}, compiled(`(?i)\b(?:recovery|backup)\scodes?\b[^\n]{0,40}\n((?:[^\n]{0,40}?\b[a-z0-9]{4,6}-[a-z0-9]{4,6}\b[^\n]{0,8}(?:\n|$)){2,10})`), given),
		near([]string{"[client", "[mysql", "[mariadb"}, compiled(`\[(?:client|mysql|mariadb)[\w-]{0,20}\][^@\[]{0,240}?\n[^\n=]{0,80}?\bpassword\s{0,3}=\s{0,3}\\{0,3}"?([^\s"'\\]{5,80})`), argued),
		near([]string{"kty:", "kty :"}, compiled(`\bkty\s{0,2}:[^@]{0,400}?\s(?:d|k|p|q|dp|dq|qi)\s{0,2}:\s{0,3}\\{0,3}["']?([A-Za-z0-9_-]{16,})`), given),
		near([]string{"xprv", "yprv", "zprv", "tprv"}, compiled(`\b([xyzt]prv[0-9A-Za-z]{90,120})`), given),
		near([]string{"nsec1"}, compiled(`\b(nsec1[a-z0-9]{50,64})\b`), given),
		near([]string{"age-secret-key-1"}, compiled(`\b(AGE-SECRET-KEY-1[A-Z0-9]{50,64})\b`), given),

		// What people write
		near([]string{"mot de passe"}, compiled(`(?i)\bmot de passe\b[^\n:=(){};"']{0,30}?(?:\sest:?|\s?:)\s{1,3}[\x60"']?([^\s"'\x60\\<>]{6,})`), saidSecret),
		near([]string{"passwort", "kennwort", "contrase", "wachtwoord", "senha "}, compiled(`(?i)\b(?:passwort|kennwort|contraseña|contrasena|wachtwoord|senha|parola)\b[^\n:=(){};"']{0,30}?\s(?:ist|lautet|es|é|is|è)\s[\x60"']?([^\s"'\x60\\<>]{6,})`), saidSecret),
	}
}

// saidSecret is for places in prose: what no word, path or name looks like.
func saidSecret(value string) bool {
	return given(value) && !codeLike(value) && (veryStrong(value) || strong(value) && len(value) < 40 && mixedCase(value) || generated(value) && !hashLike(value) || hashLike(value) && len(value) >= 32 && numbers(value) < len(value))
}

// told looks at what follows a name in prose: "my api key 8f3a…", "the key for production: 8f3a…",
// "the secret is below", and then a line with it.
func (a *assignments) told(name span, k kind) {
	if !a.inProse(name) {
		return
	}
	at := name.to + later(a.text[name.to:min(len(a.text), name.to+80)])
	if at == name.to {
		// Nothing but a space parts the two: the name has to tell of a secret by itself.
		if at++; k < token || !a.besideWord(name) {
			return
		}
	}
	for _, v := range a.value(at, said) {
		a.read += v.to - v.from
		if text := a.text[v.from:v.to]; len(text) >= 8 && (saidSecret(text) || saidPhrase(k, text)) {
			a.found = append(a.found, v.span)
		}
	}
}

// inProse reports whether a name stands behind a space, as a word does, and more follows.
func (a *assignments) inProse(name span) bool {
	return name.to+8 <= len(a.text) && name.from >= 2 && a.text[name.from-1] == ' ' && strings.IndexByte(" :\n", a.text[name.to]) >= 0
}

// saidPhrase reports whether a password is words and a number.
func saidPhrase(k kind, text string) bool { return k == password && wordsAndNumber().MatchString(text) }

// besideWord reports whether a name in prose stands behind a word, and before a space.
func (a *assignments) besideWord(name span) bool {
	before := a.text[name.from-2]
	return a.text[name.to] == ' ' && (wordChar(before) || before == ',' || before == ':')
}

// later is the length of the words between a name and what is given to it further on, on the same
// line or the next; 0: there is no such.
func later(rest string) int {
	line := strings.IndexByte(rest, '\n')
	switch {
	case line >= 0 && line <= 40 && strings.Trim(rest[:line], "abcdefghijklmnopqrstuvwxyz :.,") == "":
		n := line + 1
		for n < len(rest) && strings.IndexByte(" \t\n`", rest[n]) >= 0 {
			n++
		}
		return n
	case rest[0] != ' ' || !preposition().MatchString(rest):
		return 0
	}
	for _, sign := range []string{": ", " is "} {
		if i := strings.Index(rest, sign); i > 0 && !strings.ContainsAny(rest[:i], "\n=(){};\"'") {
			return i + len(sign)
		}
	}
	return 0
}

var preposition = compiled(`^ (?:for|of|to|on|in|from|at|that|which)\s`)

var wordsAndNumber = compiled(`^[a-z]{3,}(?:-[a-z]{3,}){2,}-\d{1,4}$`)

// chosenOrCoded is a secret as a device prints it, as it was chosen or encoded.
func chosenOrCoded(value string) bool {
	return argued(value) && (chosen(value) || filled(value)) && letters(value) > 0
}

func device4(value string) bool {
	return argued(value) && !common().MatchString(value) && value != "public" && value != "private"
}

func filledOrMixed(value string) bool {
	return given(value) && (filled(value) || signed(value) || len(value) >= 10 && mixedLetters(value))
}
