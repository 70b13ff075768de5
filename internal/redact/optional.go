package redact

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// optionalRule finds what tells of a person, and what most transcripts hold for good reason: an
// author's address, a number that looks like one of a phone.
type optionalRule struct {
	id string
	re *regexp.Regexp
	is func(text string) bool
}

// optionalRules are those by name.
var optionalRules = sync.OnceValue(func() map[string]optionalRule {
	all := map[string]optionalRule{}
	add := func(id, expression string, is func(string) bool) {
		all[id] = optionalRule{id, regexp.MustCompile(expression), is}
	}
	add("email", `[A-Za-z0-9.!#$%&*+=?^_{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,8}\.[A-Za-z]{2,24}`, isEmail)
	add("phone", `(?:\+|\b00)[1-9]\d{0,2}[ .\-/]?(?:\(0?\d{1,4}\)[ .\-/]?)?\d(?:[ .\-/]?\d){5,12}\b|\(\d{3}\) ?\d{3}[ .-]\d{4}\b|\b\d{3}[.-]\d{3}[.-]\d{4}\b`, isPhone)
	add("card", `\b\d(?:[ -]?\d){12,18}\b`, isCard)
	add("iban", `\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b`, isIBAN)
	add("ip", `\b(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)\b`, isAddress)
	return all
})

// personal finds what the optional rules tell of that the user chose. The expressions are tried
// where there may be something alone: they are slow.
func (r *Redactor) personal(text string) []span {
	if len(r.optional) == 0 {
		return nil
	}
	var found []span
	mails, numbers := mailPlaces(text), numberPlaces(text)
	for _, rule := range r.optional {
		places := numbers
		if rule.id == "email" {
			places = mails
		}
		for _, w := range places {
			for _, m := range rule.re.FindAllStringIndex(text[w.from:w.to], -1) {
				if s := (span{from: w.from + m[0], to: w.from + m[1], rule: rule.id}); rule.is(text[s.from:s.to]) {
					found = append(found, s)
				}
			}
		}
	}
	return found
}

// mailPlaces are the places around each @.
func mailPlaces(text string) windows {
	const user, domain = 64, 256
	var all windows
	for at := 0; ; at++ {
		i := strings.IndexByte(text[at:], '@')
		if i < 0 {
			return all
		}
		at += i
		all.add(text, max(0, at-user), min(len(text), at+domain))
	}
}

// numberPlaces are the runs of what numbers are written with that have some digits, each with the
// character before and after it.
func numberPlaces(text string) windows {
	const fewest = 4
	var all windows
	for at := 0; at < len(text); at++ {
		from, digits := at, 0
		for ; at < len(text) && numberChars[text[at]]; at++ {
			if text[at] >= '0' && text[at] <= '9' {
				digits++
			}
		}
		if digits >= fewest {
			all = append(all, span{from: max(0, from-1), to: min(len(text), at+1)})
		}
	}
	return all
}

var numberChars = func() (is [256]bool) {
	for _, c := range "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ +().-/" {
		is[c] = true
	}
	return is
}()

// isEmail leaves out what is nobody's address: reserved domains, and the user of a remote.
func isEmail(text string) bool {
	user, domain, _ := strings.Cut(strings.ToLower(text), "@")
	// git@github.com is no address of a person's.
	if user == "git" || user == "noreply" || user == "no-reply" {
		return false
	}
	reserved := []string{"example.com", "example.org", "example.net", ".example", ".invalid", ".test", ".localhost"}
	return !slices.ContainsFunc(reserved, func(name string) bool {
		return domain == name || strings.HasSuffix(domain, "."+strings.TrimPrefix(name, "."))
	})
}

// digitsOf are the digits of a text.
func digitsOf(text string) string {
	return strings.Map(func(c rune) rune {
		if c < '0' || c > '9' {
			return -1
		}
		return c
	}, text)
}

func isPhone(text string) bool {
	n := len(digitsOf(text))
	return n >= 8 && n <= 17
}

// isCard reports whether the check digit of a payment card is right.
func isCard(text string) bool {
	digits := digitsOf(text)
	// Cards begin with 2 to 6; sixteen equal digits pass the check, and are a test's.
	if digits == "" || strings.Count(digits, digits[:1]) == len(digits) || digits[0] < '2' || digits[0] > '6' {
		return false
	}
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			// Luhn's algorithm: each second digit from the right counts twice.
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// isIBAN reports whether the check digits of an account's number are right.
func isIBAN(text string) bool {
	text = strings.ReplaceAll(text, " ", "")
	if len(text) < 15 || len(text) > 34 {
		return false
	}
	var number strings.Builder
	// ISO 13616: the country and the check digits go to the end, letters become two digits, and the
	// remainder by 97 is 1.
	for _, c := range text[4:] + text[:4] {
		if c >= 'A' {
			number.WriteByte(byte('0' + (c-'A'+10)/10))
			c = '0' + (c-'A'+10)%10
		}
		number.WriteRune(c)
	}
	n, ok := new(big.Int).SetString(number.String(), 10)
	return ok && new(big.Int).Mod(n, big.NewInt(97)).Int64() == 1
}

// isAddress leaves out addresses that are the same on every machine, and what counts as a version.
func isAddress(text string) bool {
	return !strings.HasPrefix(text, "127.") && !strings.HasPrefix(text, "0.") && !strings.HasPrefix(text, "255.") &&
		!slices.Contains([]string{"10.0.0.0", "172.16.0.0", "192.168.0.0", "169.254.0.0"}, text)
}
