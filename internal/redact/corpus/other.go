package corpus

import (
	"encoding/base64"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// otherKinds are kinds that gitleaks has no rule for, or knows in other places.
func otherKinds() []Kind {
	var kinds []Kind
	for _, table := range []map[string]string{languages, files, commands, headers, services, signs, tables} {
		for _, name := range slices.Sorted(maps.Keys(table)) {
			kinds = append(kinds, kindOf(name, Other, table[name]))
		}
	}
	for name, key := range map[string]struct {
		label, begins string
		size          int
	}{
		"pem-ec":        {"EC PRIVATE KEY", "MHcCAQEEI", 164},
		"pem-pkcs8":     {"PRIVATE KEY", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBK", 1624},
		"pem-openssh":   {"OPENSSH PRIVATE KEY", "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAAB", 380},
		"pem-encrypted": {"ENCRYPTED PRIVATE KEY", "MIIFHDBOBgkqhkiG9w0BBQ0wQTApBgkqhkiG9w0BBQwwHAQI", 1700},
		"pgp":           {"PGP PRIVATE KEY BLOCK", "lQOYBGUbq2MBCAD", 900},
	} {
		kinds = append(kinds, Kind{name, Other, pemKind(key.label, key.begins, key.size)})
	}
	kinds = append(kinds,
		Kind{"pem-cut", Other, func(rng *rand.Rand) Sample {
			text, lines := privateKey(rng, "RSA PRIVATE KEY", "MIIEpAIBAAKCAQEA", 1592)
			return Sample{Text: strings.Join(strings.Split(text, "\n")[:8], "\n"), Secrets: lines[:7]}
		}},
		Kind{"pem-on-one-line", Other, func(rng *rand.Rand) Sample {
			text, lines := privateKey(rng, "PRIVATE KEY", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBK", 1624)
			return Sample{Text: `FIREBASE_PRIVATE_KEY="` + strings.ReplaceAll(text, "\n", `\n`) + `\n"`, Secrets: lines}
		}},
		Kind{"pem-in-base64", Other, func(rng *rand.Rand) Sample {
			text, _ := privateKey(rng, "EC PRIVATE KEY", "MHcCAQEEI", 164)
			return assigned(rng, "SIGNING_KEY_B64", base64.StdEncoding.EncodeToString([]byte(text)))
		}})
	kinds = append(kinds, Kind{"mnemonic-json", Other, func(rng *rand.Rand) Sample { return seedList(rng, 12, "[%s]", ",") }},
		Kind{"mnemonic-json-spaced", Other, func(rng *rand.Rand) Sample { return seedList(rng, 24, `{"seed": [%s]}`, ", ") }},
		Kind{"mnemonic-json-lines", Other, func(rng *rand.Rand) Sample {
			return seedList(rng, 12, "{\n  \"mnemonic\": [\n    %s\n  ]\n}", ",\n    ")
		}},
		Kind{"mnemonic-numbered", Other, func(rng *rand.Rand) Sample {
			list := strings.Fields(words(rng, 12))
			var text []string
			for i, w := range list {
				text = append(text, strconv.Itoa(i+1)+". "+w)
			}
			return Sample{Text: strings.Join(text, "\n"), Secrets: []string{strings.Join(text, "\n"), strings.Join(text[3:6], "\n")}}
		}})
	slices.SortFunc(kinds, func(a, b Kind) int { return strings.Compare(a.Name, b.Name) })
	return kinds
}

// seedList is a seed as a list in JSON. Three words of it are a secret, since any one alone is in
// most texts.
func seedList(rng *rand.Rand, n int, form, between string) Sample {
	list := strings.Fields(words(rng, n))
	for i := range list {
		list[i] = `"` + list[i] + `"`
	}
	secrets := []string{list[0] + between + list[1] + between + list[2], list[n-3] + between + list[n-2] + between + list[n-1]}
	for _, s := range secrets {
		secrets = append(secrets, strings.Join(strings.Fields(s), "\n"))
	}
	return Sample{Text: fmt.Sprintf(form, strings.Join(list, between)), Secrets: secrets}
}

var assignment = regexp.MustCompile(`^([A-Za-z_]\w*)=«([^!»][^»]*)»$`)

// kindOf makes a kind of a template. NAME=«value» is written in many ways, all others as they are.
func kindOf(name string, origin Origin, template string) Kind {
	if m := assignment.FindStringSubmatch(template); m != nil {
		return Kind{name, origin, func(rng *rand.Rand) Sample {
			value, _ := fill(rng, "«!"+m[2]+"»")
			return assigned(rng, m[1], value)
		}}
	}
	return Kind{name, origin, func(rng *rand.Rand) Sample {
		text, secrets := fill(rng, template)
		return Sample{Text: text, Secrets: secrets}
	}}
}

// assigned is a value that is given to a name, in one of the languages that do so.
func assigned(rng *rand.Rand, name, value string) Sample {
	camel := ""
	for i, part := range strings.Split(strings.ToLower(name), "_") {
		if i > 0 && part != "" {
			part = strings.ToUpper(part[:1]) + part[1:]
		}
		camel += part
	}
	forms := []string{
		name + "=" + value,
		"export " + name + `="` + value + `"`,
		strings.ToLower(name) + ` = "` + value + `"`,
		"const " + camel + " = '" + value + "';",
		strings.ToLower(name) + ": " + value,
	}
	return Sample{Text: forms[rng.IntN(len(forms))], Secrets: []string{value}, Name: name, Value: value}
}
