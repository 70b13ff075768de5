package corpus

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Leaks reports whether a record still shows something of its secrets. A secret counts as hidden if
// neither it nor a half of it is there, as it is or as JSON writes it.
func (r Record) Leaks(redacted []byte) bool {
	text := string(redacted)
	for _, secret := range r.Secrets {
		parts := []string{secret}
		if n := len(secret); n >= 16 && !strings.Contains(secret, " ") {
			parts = append(parts, secret[:n/2], secret[n/2:])
		}
		for _, part := range parts {
			for range 5 {
				if strings.Contains(text, part) {
					return true
				}
				part = escape(part)
			}
		}
	}
	return false
}

// escape writes a text as a JSON string has it, HTML as it is.
func escape(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(text) // a string always can be
	return strings.TrimSuffix(b.String(), "\n")[1 : b.Len()-2]
}
