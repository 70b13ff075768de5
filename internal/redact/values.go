package redact

import (
	"encoding/base64"
	"slices"
	"strings"
)

const digits = "0123456789"

// placeholders are what examples and code have in the place of a value: names of variables,
// formats, fields of templates.
var placeholders = compiled(`^\$\w+$|\$\{|\$\(|\$\$|\{\{|\{\w*\}|<[\w -]+>|^%\w+%$|(?:^|[^A-Za-z0-9])%[+#-]?\d*[dsvqxXwTt](?:$|[^A-Za-z0-9])|%\(\w+\)s|process\.env|os\.environ|getenv`)

// given reports whether a value is one at all, and neither an example nor a placeholder.
func given(value string) bool {
	lower := strings.ToLower(value)
	return !example(lower) && !strings.Contains(lower, "your") && !strings.Contains(lower, "...") && !placeholders().MatchString(value)
}

// filled reports whether a value has a digit or a sign in it as well: one of letters alone is more
// likely a word.
func filled(value string) bool {
	return strings.ContainsAny(value, digits+"!#$%&*+^~@") && given(value)
}

// example reports whether a value says itself that it is none.
func example(value string) bool {
	return containsAny(strings.ToLower(value), "example", "changeme", "placeholder", "xxxx", "***", "redacted")
}

var prose = compiled(`(?i)\b(?:must|should|cannot|can't|invalid|incorrect|wrong|required|at least|characters|chars|enter|is|are|not)\b`)

// sentence reports whether a literal is one, as on secrets.
func sentence(value string) bool {
	spaces := strings.Count(value, " ")
	return spaces > 4 || spaces > 0 && prose().MatchString(value)
}

// literalSecret reports whether a literal is no sentence on secrets.
func literalSecret(value string) bool {
	return !sentence(value) && (filled(value) || signed(value))
}

// lettersToo reports whether a value isn't a mere number.
func lettersToo(value string) bool { return strings.Trim(value, digits) != "" && filled(value) }

// mixedCase reports whether a value has letters of both cases and digits in it, as few words and
// names have.
func mixedCase(value string) bool {
	return strings.ContainsAny(value, digits) && mixedLetterCase(value) && filled(value)
}

// carried reports whether a value is what headers carry.
func carried(value string) bool {
	return mixedCase(value) || given(value) && (tokenLike(value) || mixedLetters(value) || hashLike(value) && len(value) >= 32)
}

// basic reports whether a value is a user and a password, as HTTP's Basic has them. Aladdin is the
// user in the examples of RFC 7617.
func basic(value string) bool {
	text, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	return err == nil && strings.IndexByte(string(text), ':') > 0 && printableASCII(text) && !strings.HasPrefix(strings.ToLower(string(text)), "aladdin:")
}

func printableASCII(text []byte) bool {
	return !slices.ContainsFunc(text, func(c byte) bool { return c < ' ' || c > '~' })
}

var (
	percent = compiled(`%[0-9A-Fa-f]{2}`)
	// What passwords are called where none is meant, and those that everybody knows.
	common = compiled(`(?i)pass(?:wor|wd|$)|^pass|pwd|secret|token|oauth|username|^(?:user|admin|name|word|key|test|foobar|string|postgres|guest|docker|rabbitmq|elastic|default|minioadmin)$`)
)

// everybodys are passwords that many have, and users whose name is theirs.
var everybodys = compiled(`(?i)^(?:user|username|admin|name|test|foobar|string|postgres|guest|docker|rabbitmq|elastic|default|minioadmin)$|oauth`)

// urlPassword reports whether a value is a password as URLs have it: with escapes and any sign, or
// of letters alone.
func urlPassword(value string) bool {
	// An escape stands for a sign.
	plain := percent().ReplaceAllString(value, "@")
	if !given(plain) {
		return false
	}
	return filled(plain) || strings.ContainsAny(plain, "$/()=:,;?|") || len(plain) >= 6 && !placeholder(plain) && !everybodys().MatchString(plain)
}

// tokenLike reports whether letters and digits change as in a token, hex among them. Names have
// their digits at the end.
func tokenLike(s string) bool {
	if len(s) < 20 || identifier(s) || sequence(s) {
		return false
	}
	var n [kindCount]int
	changes, last := 0, uint8(kindSign)
	for i := range len(s) {
		kind := kindOf[s[i]]
		if kind == kindSign { // what joins words
			continue
		}
		n[kind]++
		if kind != last {
			changes++
		}
		last = kind
	}
	return n[kindDigit] >= 2 && n[kindUpper]+n[kindLower] >= 2 && 4*changes >= len(s) && entropy(s) >= 3
}

// argued reports whether an argument may be a password: no flag, no path, no variable, no port.
func argued(value string) bool {
	value = strings.TrimRight(value, `"'`)
	return value != "" && given(value) && !placeholder(value) && !strings.ContainsAny(value[:1], "-$/<{") && strings.Trim(value, digits+":.") != "" && !strings.Contains(value, "://")
}

// chosen reports whether an argument is one that somebody chose for a password, and no word of a
// sentence.
func chosen(value string) bool {
	return argued(value) && (filled(value) || signed(value) || mixedLetters(value) || gibberish(value) || len(value) >= 6 && mixedLetterCase(value[1:]))
}

// scrambled reports whether letters are as random as those that a program gives for a password.
func scrambled(value string) bool {
	pairs, common := pairsOf(value)
	return !strings.Contains(value, "aaaa") && !sequence(strings.ReplaceAll(value, " ", "")) && float64(common) < 0.6*float64(pairs)
}

// strong reports whether a value has what passwords have and words have not: digits among letters,
// and a sign or both cases.
func strong(value string) bool {
	if !given(value) || !strings.ContainsAny(value, digits) || strings.Contains(value, "://") || codeLike(value) || plainIdentifier(value) {
		return false
	}
	if pairsInside().MatchString(value) || datesAndPaths().MatchString(value) {
		return false
	}
	return strings.Trim(value, digits+".,:-_/") != "" && (strings.ContainsAny(value, strongSigns+"=") || mixedLetterCase(value))
}

var datesAndPaths = compiled(`^\d+[-:./]\d+|^[\w.-]*/[\w./-]*$|^v?\d+\.\d+|^[A-Z][a-z]+\d{1,4}$|^#?\d+$|\(|^[A-Z]{1,6}-\d+$`)

// veryStrong is for places that say little: a sign, a digit and both cases.
func veryStrong(value string) bool {
	return strong(value) && (strings.ContainsAny(value, "!#$%&*+^~@=") || !wordlike(value)) && mixedCase(value) && !option().MatchString(value) && strings.Count(value, "@") <= 1
}

var pairsInside = compiled(`[&;][\w.-]+=`)

var option = compiled(`^-|^[A-Za-z][a-z_-]{4,}=|^[A-Z_]{2,}=`)

func tokenOnly(value string) bool { return generated(value) && !hashLike(value) }
