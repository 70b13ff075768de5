package redact

import "strings"

// lettersAlone reports whether a value is of small letters: in an environment, that is a password
// more likely than an expression.
func lettersAlone(s string) bool { return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == "" }

// secret reports whether a value is one, as far as its name and its own look tell.
func (a *assignments) secret(k kind, v value, text string) bool {
	// Shorter ones are words, numbers and flags of code nearly always.
	if len(text) < 4 || noValue(text) {
		return false
	}
	switch v.form {
	case quoted:
		return quotedSecret(k, text)
	case exported:
		if lettersAlone(text) {
			return k >= token && len(text) >= 10 && !common().MatchString(text)
		}
		if k == password && joined(text) {
			return true
		}
	}
	// The name says that anybody may have made it: a sign as passwords have them is enough.
	if k >= secret && a.signed(v, text) {
		return true
	}
	how := v.form
	if how == exported {
		how = settled
	}
	return !how.code(text) && how.secret(k, text)
}

// code reports whether a value that is written so is an expression.
func (f form) code(text string) bool {
	return codeLike(text) || f != settled && index().MatchString(text)
}

// secret reports whether a value that is written so is a secret, by what its name says.
func (f form) secret(k kind, text string) bool {
	switch k {
	case password:
		return f.password(text)
	case secret, token:
		return f.token(text)
	}
	return f.random(text)
}

// alone reports whether a value stands for itself, so that little is needed to believe it.
func (f form) alone() bool { return f == settled || f == flagged }

// password reports whether a value that is written so is a password.
func (f form) password(text string) bool {
	number := strings.ContainsAny(text, digits)
	switch {
	case f.alone():
		return lonePassword(text)
	case len(text) < 6:
		return false
	case f == said:
		return number && strings.Trim(text, digits+".,-") != "" && filled(text)
	case !plainIdentifier(text):
		return strings.ContainsAny(text, digits+"!@#$%^*+=")
	}
	return number && len(text) >= 12 && strings.Count(text, "-") > 1 && !common().MatchString(text)
}

func lonePassword(text string) bool {
	if plainIdentifier(text) && common().MatchString(text) {
		return false
	}
	return len(text) >= 12 && mixedLetters(text) || filled(text) && (len(text) >= 6 || strings.Trim(text, digits) != "")
}

// token reports whether a value that is written so is one that a program made.
func (f form) token(text string) bool {
	if f.alone() {
		return mixedNumbers(text) || generated(text) || len(text) >= 12 && mixedLetters(text)
	}
	return !wordlike(text) && len(text) >= 10 && (mixedCase(text) || tokenLike(text) || len(text) >= 16 && generated(text)) || len(text) >= 16 && mixedLetters(text)
}

// mixedNumbers reports whether a value has letters and numbers as no word has.
func mixedNumbers(text string) bool {
	n := numbers(text)
	return len(text) >= 6 && (n >= 2 || n == 1 && len(text) >= 12) && letters(text) >= 2 && filled(text) && !wordlike(text)
}

// random reports whether a value that is written so is random, where the name says little.
func (f form) random(text string) bool {
	if f == said && len(text) < 20 || strings.HasPrefix(text, "S-1-") || strings.Contains(strings.TrimRight(text, "="), "=") {
		return false
	}
	// A key or a session of hex is mostly the hash of something.
	return len(text) >= 16 && generated(text) && (f.alone() || !hashLike(text))
}

// noValue reports whether a text stands for something else, whatever its name.
func noValue(text string) bool {
	return charsets().MatchString(text) || !given(text) || strings.Contains(text, "://") || strings.Contains(text, "REDACTED")
}

// quotedSecret reports whether a literal is a secret.
func quotedSecret(k kind, text string) bool {
	if betweenLiterals(text) || sentence(text) {
		return false
	}
	switch k {
	case password:
		return len(text) >= 5 && filled(text) || signed(text)
	case secret, token:
		return k == secret && signed(text) || len(text) >= 16 && mixedLetters(text) || quotedToken(text)
	}
	return len(text) >= 16 && !strings.Contains(text, " ") && generated(text) && !hashLike(text)
}

// betweenLiterals reports whether a text is code that stands between two literals.
func betweenLiterals(text string) bool {
	return text[0] == ' ' || strings.Contains(text, " + ") || strings.ContainsAny(text, "();{}") && codeInside().MatchString(text)
}

func quotedToken(text string) bool {
	n := numbers(text)
	return len(text) >= 6 && filled(text) && letters(text) >= 2 && (n >= 2 || n == 1 && strings.ContainsAny(text, strongSigns)) && (text[0] != '/' || generated(text)) && !plainIdentifier(text)
}

// signed reports whether a value without quotes has a sign in it as a password has, and not as code
// has where it stands.
func (a *assignments) signed(v value, text string) bool {
	if !signed(text) {
		return false
	}
	rest := a.text[v.to:min(len(a.text), v.to+3)]
	names := codeLike(text) || plainIdentifier(text) && strings.IndexByte(text, '-') < 0
	switch {
	case strings.ContainsAny(text, strongSigns):
		return !codeLike(text)
	case v.form == said:
		return gibberish(text)
	case v.form == inline && names:
		return len(rest) > 1 && rest[0] == ';' && rest[1] > ' '
	}
	if !names || rest == "" {
		return true
	}
	if v.form == exported {
		return strings.IndexByte(",;)", rest[0]) < 0
	}
	return v.form == flagged || strings.IndexByte("\r\n\"'", rest[0]) >= 0 || strings.HasPrefix(rest, " #")
}

var codeInside = compiled(`\w\([^()]*\)[;,.{]|\)\s?[{;]`)

func letters(s string) int {
	n, _ := countKinds(s)
	return n[kindUpper] + n[kindLower]
}

func numbers(s string) int {
	n, _ := countKinds(s)
	return n[kindDigit]
}

// index is the beginning of an index or a slice; values among other text end at its bracket.
var index = compiled(`^[A-Za-z_][\w.]*\[`)

// charsets and their like have digits and are no secrets.
var charsets = compiled(`(?i)^(?:utf-?\d+(?:-?[lb]e)?|utf8mb4|iso-?8859-\d+|latin-?\d|cp\d+|windows-\d+|sha-?\d+|md5|base64|base32|x509|oauth2?|aes-?\d+(?:-\w+)*|rs256|hs256|es256|ed25519|x25519|p-?256|pbkdf2|argon2\w*|http2?|ipv[46]|urllib[23]|python[23])$`)

// codeLike reports whether a value without quotes is an expression: a call, a path of names, an
// index.
var expressionForm = compiled(`^[&*!]?[A-Za-z_$]+\d{0,2}(?:(?:\.|->|::)[A-Za-z_$]+\d{0,2})+[,;)\]]*$|^[\w$.:>-]*[A-Za-z_]\w*(?:\(|\[[\w"':+*.-]*\])|^[(\[{]|^<[%\w]|^\$[\w({]|^@?[A-Za-z_]+[,;)]*$`)

func codeLike(text string) bool {
	return expressionForm().MatchString(text) && (strings.IndexByte(text, '(') >= 0 || !tokenLike(text)) && !(len(text) >= 16 && mixedLetters(text))
}

// mixedLetters reports whether letters of both cases stand side by side as in no name.
func mixedLetters(s string) bool {
	changes, last := 0, 0
	for i := range len(s) {
		kind := 0
		switch {
		case capital(s[i]):
			kind = 1
		case small(s[i]):
			kind = 2
		case wordChar(s[i]):
			kind = 3
		default:
			return false
		}
		if kind != last {
			changes++
		}
		last = kind
	}
	// Camel case changes at the beginnings of words alone.
	return 3*changes >= len(s) && gibberish(s)
}

// plainIdentifier reports whether a value is a name as code has them, with a number at its end at
// most.
func plainIdentifier(text string) bool {
	trimmed := strings.TrimRight(text, digits)
	if len(text)-len(trimmed) > 3 {
		return false
	}
	for i := range len(trimmed) {
		if !wordChar(trimmed[i]) && trimmed[i] != '.' && trimmed[i] != '-' || trimmed[i] >= '0' && trimmed[i] <= '9' {
			return false
		}
	}
	return true
}

// generated reports whether a value looks like one that a program made.
func generated(s string) bool {
	if len(s) >= 16 && mixedLetters(s) {
		return true
	}
	if numbers(s) < 2 || wordlike(s) || identifier(s) || sequence(s) || strings.ContainsAny(s, " ()[]{}<>") {
		return false
	}
	return entropy(s) >= 3 && tokenLike(s) || len(s) < 20 && entropy(s) >= 3.2 && mixedCase(s)
}

var hashForm = compiled(`^(?:0x)?[0-9a-fA-F]+$|^[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}$|^(?:sha\d+|md5)[-:]|^h1:`)

// hashLike reports whether a value is hex or a UUID, as what is no secret mostly is.
func hashLike(s string) bool { return hashForm().MatchString(s) }
