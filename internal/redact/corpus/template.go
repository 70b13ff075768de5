package corpus

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Characters of generated texts.
const (
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
)

var alphabets = map[string]string{
	"hex": digits + "abcdef", "HEX": digits + "ABCDEF", "dig": digits, "low": lower + digits, "up": upper + digits,
	"alnum": lower + upper + digits, "let": lower + upper, "url": lower + upper + digits + "_-", "base": lower + upper + digits + "+/",
}

// fill fills a template: «a|b|c» is a secret, «!a|b|c» a text that is none, each of pieces that are
// generated or stand for themselves.
func fill(rng *rand.Rand, template string) (text string, secrets []string) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(template, "«")
		out.WriteString(before)
		if !found {
			return out.String(), secrets
		}
		body, after, _ := strings.Cut(rest, "»")
		template = after
		body, public := strings.CutPrefix(body, "!")
		value := ""
		for piece := range strings.SplitSeq(body, "|") {
			value += generate(rng, piece)
		}
		if !public {
			secrets = append(secrets, value)
		}
		out.WriteString(value)
	}
}

// generate makes a piece: the name of an alphabet and a length, or of something else; all others
// stand for themselves.
func generate(rng *rand.Rand, piece string) string {
	letters := strings.TrimRight(piece, digits)
	n, _ := strconv.Atoi(piece[len(letters):])
	if chars, ok := alphabets[letters]; ok && n > 0 {
		return pick(rng, chars, n)
	}
	switch piece {
	case "pw": // a password that needs no quotes
		return password(rng, "!@%^*+-_=.")
	case "pwz": // one that does, in most languages
		return password(rng, "!#$%&*+:;<=>?@^~{}[]|")
	case "pwa": // of letters and digits alone
		return password(rng, upper+digits)
	case "pws": // of letters and a sign that words have not
		return lettersAndSign(rng, "!#$%&*+^~@")
	case "pwj": // of letters and a sign that joins words
		return lettersAndSign(rng, "-./:=?_")
	case "pwl": // of letters
		return word(rng) + word(rng)
	case "botid":
		return base64.RawStdEncoding.EncodeToString([]byte(pick(rng, "123456789", 1) + pick(rng, digits, 17)))
	case "pw64":
		return base64.StdEncoding.EncodeToString([]byte(word(rng) + word(rng)))
	case "app16":
		return pick(rng, lower, 4) + " " + pick(rng, lower, 4) + " " + pick(rng, lower, 4) + " " + pick(rng, lower, 4)
	case "pwq": // percent-encoded, as in URLs
		return pick(rng, lower, 4) + "%40" + pick(rng, upper, 3) + pick(rng, digits, 2) + "%21"
	case "phrase":
		return word(rng) + "-" + word(rng) + "-" + word(rng) + "-" + pick(rng, digits, 2)
	case "words12":
		return words(rng, 12)
	case "words24":
		return words(rng, 24)
	case "uuid":
		return fmt.Sprintf("%s-%s-4%s-a%s-%s", pick(rng, alphabets["hex"], 8), pick(rng, alphabets["hex"], 4), pick(rng, alphabets["hex"], 3), pick(rng, alphabets["hex"], 3), pick(rng, alphabets["hex"], 12))
	case "basic":
		return base64.StdEncoding.EncodeToString([]byte("svc-" + word(rng) + ":" + password(rng, "!@%^*+-_=.")))
	case "dockerauth":
		return base64.StdEncoding.EncodeToString([]byte("ci-" + word(rng) + ":" + pick(rng, alphabets["alnum"], 24)))
	case "jwt":
		claims := fmt.Sprintf(`{"sub":"%s","iat":17%s,"role":"%s"}`, pick(rng, digits, 10), pick(rng, digits, 8), word(rng))
		return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + "." + pick(rng, alphabets["url"], 43)
	case "word":
		return word(rng)
	}
	return piece
}

func pick(rng *rand.Rand, chars string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = chars[rng.IntN(len(chars))]
	}
	return string(b)
}

// password is 12 characters: letters of both cases, two digits and a sign at least.
func password(rng *rand.Rand, signs string) string {
	b := []byte(pick(rng, upper, 2) + pick(rng, lower, 5) + pick(rng, digits, 2) + pick(rng, signs, 1) + pick(rng, lower, 2))
	rng.Shuffle(len(b)-2, func(i, j int) { b[i+1], b[j+1] = b[j+1], b[i+1] })
	return string(b)
}

// lettersAndSign is a password of two words with capitals and a sign between them, or of random
// letters around it.
func lettersAndSign(rng *rand.Rand, signs string) string {
	title := func(w string) string { return strings.ToUpper(w[:1]) + w[1:] }
	if rng.IntN(2) == 0 {
		return title(word(rng)) + pick(rng, signs, 1) + title(word(rng))
	}
	return pick(rng, lower, 3) + pick(rng, upper, 2) + pick(rng, signs, 1) + pick(rng, upper, 1) + pick(rng, lower, 4)
}

var plainWords = strings.Fields(`amber bridge canyon delta ember forest garden harbor island jungle kernel lantern meadow nectar orbit
	pepper quartz river saddle timber umbrella valley walnut yellow zebra anchor basket copper dragon engine`)

func word(rng *rand.Rand) string { return plainWords[rng.IntN(len(plainWords))] }

// mnemonicWords are some of those that BIP 39 has.
var mnemonicWords = strings.Fields(`abandon ability absorb acoustic adjust agent almost amateur anchor ancient apology arrange artist aspect athlete auction august
	avocado balance banner barrel basket benefit betray bicycle blanket border bounce bracket breeze broccoli buffalo cabbage cactus
	canal canvas captain carbon casual caution cereal champion cherry chronic cinnamon citizen clarify climb clutch coconut coffee
	column concert copper coral cousin cradle cricket cruise crystal curious cushion damage debris decade deliver dentist diamond
	diesel dilemma display divert dolphin donkey dragon drastic earth echo elbow elegant embark endless enrich episode erosion
	evidence exhaust expire fabric faculty famous fatigue fiction filter flavor flight fortune fragile frozen galaxy garbage garlic
	genius ginger giraffe gorilla gravity habit hamster harvest hazard helmet hobby hockey humble hybrid illness impulse inhale insect
	island jacket jaguar journey jungle kangaroo kitchen ladder laptop lawsuit leopard liberty lobster lottery lunar magnet mammal
	mango maple marine mention midnight mimic miracle monkey mosquito muffin mystery nephew noodle nuclear obscure october olive
	orphan ostrich oxygen palace panther parrot pelican penalty pigeon planet plunge pottery prosper pumpkin pyramid quantum rabbit
	raccoon reflect rhythm ribbon rival robot rocket saddle salmon sausage scorpion shadow silver slender sphere squirrel stadium
	sunset surge symptom tattoo tenant thunder tobacco tornado travel trophy tunnel turtle twelve umbrella upgrade urban vacuum velvet
	venture village violin volcano walnut warrior whisper wisdom wrestle yellow zebra`)

func words(rng *rand.Rand, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = mnemonicWords[rng.IntN(len(mnemonicWords))]
	}
	return strings.Join(list, " ")
}

// privateKey is a PEM file, with the base64 that begins such keys, and its lines.
func privateKey(rng *rand.Rand, label, begins string, size int) (text string, lines []string) {
	body := begins + pick(rng, alphabets["base"], size-len(begins)-1) + "="
	for at := 0; at < len(body); at += 64 {
		lines = append(lines, body[at:min(len(body), at+64)])
	}
	return "-----BEGIN " + label + "-----\n" + strings.Join(lines, "\n") + "\n-----END " + label + "-----", lines
}
