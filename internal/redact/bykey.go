package redact

import "strings"

// Keys of JSON that tell what stands behind them. Tokens are other things as well, where they are
// counted or of a language.
var (
	keySigns   = []string{"pass", "pw", "secret", "key", "token", "bearer", "auth", "connection"}
	named      = compiled(`(?i)^(?:.*[_.-])?(?:password|passwd|passphrase|pass|pwd|pw|secret|client_?secret|private[_-]?key|api[_-]?key|access[_-]?key|secret[_-]?key|auth[_-]?token|access[_-]?token|refresh[_-]?token|session[_-]?token|token|bearer|authorization|connection_?string)$|^(?-i:[a-z].*[a-z0-9](?:Token|Secret|Password|Passwd|ApiKey|PrivateKey))$`)
	otherToken = compiled(`(?i)(?:^|[_.-])(?:next|prev|previous|page|continuation|cancellation|sync|stop|start|end|bos|eos|sep|pad|unk|cls|mask|special|max|min|input|output|total|prompt|completion|cached|per|last|first)[_.-]?(?:page[_.-]?)?token$|(?-i:(?:Page|Cancellation|Continuation)Token$)`)
	passes     = compiled(`(?i)(?:^|[_.-])(?:pass|pw)$`)
)

// secretKey reports whether what stands behind a key is a secret.
func secretKey(key string) bool {
	return containsAny(strings.ToLower(key), keySigns...) && named().MatchString(key) && !otherToken().MatchString(key)
}

// secretString reports whether a string is one: whatever stands behind such a key, but for
// placeholders.
func secretString(key, text string) bool {
	const fewest = 4 // of a mere token; parts of a language are shorter
	return secretKey(key) && text != Mark && (len(text) >= fewest || !strings.EqualFold(key, "token")) && given(text)
}

// secretNumber reports whether a number is one. A token of few digits is a count, or a number that
// a language's part has.
func secretNumber(key, literal string) bool {
	const fewest = 7
	return secretKey(key) && !passes().MatchString(key) && (len(literal) >= fewest || !strings.HasSuffix(strings.ToLower(key), "token"))
}
