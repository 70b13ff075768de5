package redact

import "strings"

// Signs of passwords: strong ones hardly ever stand within a word, weak ones join words and names
// as well.
const (
	strongSigns = "!#$%&*+^~@"
	weakSigns   = "-./:=?_"
)

// stated are values that only say what stands there: "password", "my-secret", "user_name".
var stated = compiled(`(?i)^(?:my|your|the|some|an?|db|database|users?|name|pass|words?|passwd|pwd|pw|secrets?|token|oauth2?|basic|api|key|test|testing|admin|root|foo|bar|baz|string|value|here|` +
	`goes|super|very|strong|new|old|current|default|guest|postgres|docker|rabbitmq|elastic|minio|x|client|access|auth|login|account|service|app|email|field|input|type|text|[-_. ])+$`)

// placeholder reports whether a value only says that a password is meant: "password", "my-secret".
func placeholder(value string) bool {
	return stated().MatchString(value) && hasSuffix(asciiLower(value), "pass", "password", "passwd", "word", "passphrase", "pwd", "pw", "secret", "token", "key")
}

// code are words that names of code begin with, and that no password does.
var code = compiled(`^(?:os|sys|self|this|that|cfg|conf|config|settings?|env|process|req|request|res|props|params|opts|options|args?|ctx|context|app|data|module|local|var|vars|secrets|faker|` +
	`com|org|net|io|java|javax|std|form|state|body|user|row|obj|input|values?|inputs|each|item|event|form|model|types?|schema|Schema|Types?|DataTypes|Joi|Yup|Prisma|String|Field|Fields|` +
	`Config|Settings|Constants?|Keys|Options|Env|System|Forms?|Widgets?|Validators?)(?:[.:]|->)`)

// signed reports whether a value is one as people make passwords: letters, and a sign that makes it
// more than a word. What joins words or names counts where capitals say that it is neither.
func signed(text string) bool {
	if len(text) < 6 || letters(text) < 5 || strings.ContainsAny(text, " ()[]{}<>\"'`\\,;") || !given(text) || notSigned(text) {
		return false
	}
	if i := strings.IndexAny(text, strongSigns); i > 0 || i == 0 && strings.IndexByte("$&*@%+", text[0]) < 0 {
		return i < len(text)-1 && mixedLetterCase(text) || turns(text)
	}
	return len(text) >= 8 && weaklySigned(text)
}

// weaklySigned is signed for signs that join words as well.
func weaklySigned(text string) bool {
	inner := strings.TrimRight(text, weakSigns)
	if inner != text && turns(inner) {
		return true
	}
	switch n := signsIn(inner); {
	case n == 0 || n > 3:
		return false
	case !mixedLetterCase(inner):
		return gibberish(inner) || n == 1 && strings.ContainsAny(inner, "?=")
	case n > 1 && strings.ContainsAny(inner, "/:"):
		return gibberish(inner)
	}
	return true
}

// notSigned reports whether a value with a sign in it is a path, a name of code, a placeholder.
func notSigned(text string) bool {
	return strings.ContainsAny(text[:1], "/.-:=?") || strings.Contains(text, ":/") || strings.Contains(text, "::") || strings.Contains(text, "->") || strings.Contains(text, "==") ||
		stated().MatchString(text) || code().MatchString(text) || common().MatchString(text) || emailForm().MatchString(text) || pairsInside().MatchString(text)
}

var emailForm = compiled(`^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$`)

// joined reports whether a value is of small letters with what joins words between them; in an
// environment, that is a password as well.
func joined(text string) bool {
	return len(text) >= 10 && !strings.ContainsAny(text[:1], "/.-:=?_") && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz"+weakSigns) == "" && strings.Count(text, "/") < 2 &&
		given(text) && !notSigned(text)
}

func signsIn(s string) int {
	n := 0
	for i := range len(s) {
		if strings.IndexByte(weakSigns, s[i]) >= 0 {
			n++
		}
	}
	return n
}

// turns reports whether a capital follows a small letter.
func turns(s string) bool {
	for i := 1; i < len(s); i++ {
		if small(s[i-1]) && capital(s[i]) {
			return true
		}
	}
	return false
}

func mixedLetterCase(s string) bool {
	return strings.ToLower(s) != s && strings.ToUpper(s) != s
}

// strongOrSigned is for what only a space parts from its name.
func strongOrSigned(text string) bool {
	return strong(text) || strings.ContainsAny(strings.TrimRight(text, strongSigns), strongSigns) && mixedLetterCase(text) && signed(text)
}
