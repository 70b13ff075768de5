package redact

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"slices"
)

// Purged is something that was purged, and must not be recorded again: an agent's own transcript
// may hold it still. Of a text only its length and hashes are kept, of a regular expression the
// expression.
type Purged struct {
	Length int    `json:"length,omitempty"` // in bytes
	Roll   uint64 `json:"roll,omitempty"`   // a hash that can be taken of every place of a text
	Salt   string `json:"salt,omitempty"`
	Sum    string `json:"sum,omitempty"` // HMAC-SHA256 of the text with the salt, both in hex
	Regex  string `json:"regex,omitempty"`
}

// PurgedText is that of a text.
func PurgedText(text string) Purged {
	salt := make([]byte, 32)
	rand.Read(salt)
	p := Purged{Length: len(text), Salt: hex.EncodeToString(salt)}
	p.Roll, p.Sum = rollOf(text), p.sum(text)
	return p
}

func (p Purged) sum(text string) string {
	salt, _ := hex.DecodeString(p.Salt)
	mac := hmac.New(sha256.New, salt)
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}

// Without returns the redactor with what was purged. A regular expression that cannot be parsed is
// an error.
func (r *Redactor) Without(all []Purged) (*Redactor, error) {
	if len(all) == 0 {
		return r, nil
	}
	of := Redactor{}
	if r != nil {
		of = *r
	}
	of.purged, of.purgedRegex = slices.Clone(of.purged), slices.Clone(of.purgedRegex)
	for _, p := range all {
		if p.Regex == "" {
			of.purged = append(of.purged, p)
			continue
		}
		re, err := regexp.Compile(p.Regex)
		if err != nil {
			return nil, err
		}
		of.purgedRegex = append(of.purgedRegex, re)
	}
	return &of, nil
}

// factor is of the rolling hash: the hash of a text is the sum of its bytes, each times a power.
const factor = 1099511628211

func rollOf(text string) (roll uint64) {
	for i := range len(text) {
		roll = roll*factor + uint64(text[i]) + 1
	}
	return roll
}

// purgedIn finds what was purged, however it is encoded.
func (r *Redactor) purgedIn(text string) []span {
	if len(r.purged) == 0 && len(r.purgedRegex) == 0 {
		return nil
	}
	return decoding(text, func(text string) []span {
		found := r.hashed(text)
		for _, re := range r.purgedRegex {
			for _, m := range re.FindAllStringIndex(text, -1) {
				found = append(found, span{from: m[0], to: m[1], rule: "purged"})
			}
		}
		return found
	})
}

// purgedInRecord finds it in a whole record, where it may be a key or a number.
func (r *Redactor) purgedInRecord(record string) []span {
	if len(r.purged) == 0 {
		return nil
	}
	found := decoding(record, r.hashed)
	// A number or a word of JSON in which it is can't have a mark: such a record stays JSON.
	if len(found) > 0 && !json.Valid([]byte(replace(record, slices.Clone(found)))) {
		return nil
	}
	return found
}

func (r *Redactor) wasPurged(text string, roll uint64) bool {
	return slices.ContainsFunc(r.purged, func(p Purged) bool { return p.Length == len(text) && p.Roll == roll && p.sum(text) == p.Sum })
}

// hashed finds texts that were purged. Time is linear for each of the lengths.
func (r *Redactor) hashed(text string) []span {
	var found []span
	done := map[int]bool{}
	for _, of := range r.purged {
		n := of.Length
		// Several of one length are looked for together.
		if n <= 0 || n > len(text) || done[n] {
			continue
		}
		done[n] = true
		power := uint64(1)
		for range n {
			power *= factor
		}
		roll := rollOf(text[:n])
		for at := 0; ; at++ {
			// The rolling hash first: the HMAC takes as long as the text for each place.
			if r.wasPurged(text[at:at+n], roll) {
				found = append(found, span{from: at, to: at + n, rule: "purged"})
			}
			if at+n == len(text) {
				break
			}
			// One byte goes in, and one goes out, modulo 2^64.
			roll = roll*factor + uint64(text[at+n]) + 1 - power*(uint64(text[at])+1)
		}
	}
	return found
}
