package redact

import (
	"encoding/json"
	"slices"
	"strings"
)

// deepest is how many texts within texts are looked at: JSON in a string of JSON, and so on.
const deepest = 8

// effort bounds what is looked at of a text, in bytes: the texts within it, and within those, count
// as well. A text that was made to hold itself over and over is looked at to that end and no
// further, so time is linear whatever the text.
type effort int

func budget(size int) effort { return effort(8*size + 4096) }

func (e *effort) spend(n int) bool {
	*e -= effort(n)
	return *e > 0
}

// within finds the secrets of a text that stands behind a key; the key is "" where there is none.
func (r *Redactor) within(key, text string, left *effort, depth int) []span {
	// What was purged is taken out wherever it is.
	if text == "" || plainKey(key) && !strings.ContainsAny(text, " \n") {
		return r.purgedIn(text)
	}
	if secretString(key, text) {
		if r.allowed(text) {
			return nil
		}
		return []span{{to: len(text), rule: "key " + key}}
	}
	// The text itself is looked at in any case: what is within it is bounded.
	if !left.spend(len(text)) && depth > 0 {
		return nil
	}
	if isJSON(text) && depth < deepest {
		return r.json(text, left, depth, nil)
	}
	found := append(r.secrets(text), r.named(key, text)...)
	if depth == deepest {
		return found
	}
	found = append(found, r.embedded(text, left, depth)...)
	if v := escapedLines(text); v != nil {
		found = append(found, nested(v.source(r.within("", string(v.text), left, depth+1)))...)
	}
	if v := uncoloured(text); v != nil {
		found = append(found, v.source(r.within("", string(v.text), left, depth+1))...)
	}
	if v := stripped(text); v != nil && left.spend(len(v.text)) {
		found = append(found, v.source(r.secrets(string(v.text)))...)
	}
	return found
}

// named finds what is a secret because of the key: as if the text said so itself.
func (r *Redactor) named(key, text string) []span {
	const longestValue = 512
	if key == "" || len(key) > 100 || len(text) > longestValue || strings.ContainsAny(text, " \n") || !telling(key) {
		return nil
	}
	head := key + ` = "`
	var found []span
	for _, s := range r.secrets(head + text + `"`) {
		// What is found in the key, or reaches into the quotes, is none of the text's.
		if s.from >= len(head) && s.to <= len(head)+len(text) {
			found = append(found, span{from: s.from - len(head), to: s.to - len(head), rule: s.rule})
		}
	}
	return found
}

// telling reports whether a key has a word of the rules in it.
func telling(key string) bool {
	any := false
	rules().words.each(key, func(int, int, int) { any = true })
	return any
}

func isJSON(text string) bool {
	start := strings.TrimLeft(text, " \t\r\n")
	return start != "" && (start[0] == '{' || start[0] == '[') && json.Valid([]byte(text))
}

// json finds the secrets of a text that is JSON, but for those of the strings that are skipped.
func (r *Redactor) json(text string, left *effort, depth int, skip func(key string, s span) bool) []span {
	found := append(ofRule("json-web-key", webKeys(text)), r.kept(text, ofRule("state", stateSecrets(text)))...)
	var seeds seedRun
	walk(text, func(key string, s span) {
		literal := text[s.from:s.to]
		if literal[0] == '"' {
			// The words of a seed may be strings of an array, or of fields one after the other.
			seeds.add(text, span{from: s.from + 1, to: s.to - 1})
		}
		switch {
		case literal[0] != '"':
			if secretNumber(key, literal) && !r.allowed(literal) {
				found = append(found, span{from: s.from, to: s.to, mark: `"` + Mark + `"`, rule: "key " + key})
			}
		case len(literal) <= 2 || skip != nil && skip(key, s):
		case strings.IndexByte(literal, '\\') < 0:
			for _, in := range nested(r.within(key, literal[1:len(literal)-1], left, depth+1)) {
				found = append(found, in.moved(s.from+1))
			}
		default:
			v := literalView(literal, s.from)
			found = append(found, nested(v.source(r.within(key, string(v.text), left, depth+1)))...)
		}
	}, func(s span) {
		found = append(found, r.key(text[s.from:s.to], s.from)...)
	}, func(list []span) {
		found = append(unwrapped(text, list, found), r.list(text, list, left)...)
	})
	seeds.finish()
	return append(found, ofRule("seed-phrase", seeds.found(text, func(words []span) []span { return words }))...)
}

// shortestKey is the length of a key that is looked at, with its quotes: tokens are longer. What
// the user asks for, as mail addresses, may be shorter.
const shortestKey = 20

// key finds the secrets of a key of JSON, as in a list of tokens and their owners. What only looks
// random is an identifier there.
func (r *Redactor) key(literal string, at int) []span {
	if len(literal) < shortestKey && len(r.own)+len(r.optional)+len(r.purgedRegex) == 0 {
		return nil
	}
	v := literalView(literal, at)
	found := slices.DeleteFunc(r.secrets(string(v.text)), func(s span) bool { return s.random })
	return nested(v.source(found))
}

// moved is a place in a text that the present one is a part of.
func (s span) moved(by int) span {
	s.from, s.to = s.from+by, s.to+by
	return s
}

// unwrapped leaves out what are lines of a file in base64, where the lines are an array.
func unwrapped(text string, list []span, found []span) []span {
	return slices.DeleteFunc(found, func(s span) bool {
		if !s.random || s.from < list[0].from || s.to-s.from < shortestLine {
			return false
		}
		i, _ := slices.BinarySearchFunc(list, s.from, func(in span, at int) int { return in.to - at })
		inner := func(n int) string { return text[list[n].from+1 : list[n].to-1] }
		return i > 0 && base64Line(inner(i-1), s.to-s.from, false) || i+1 < len(list) && base64Line(inner(i+1), s.to-s.from, true)
	})
}

// list finds the secrets that go over several strings of an array: a key that is cut into the lines
// of a patch, a flag and its value.
func (r *Redactor) list(text string, list []span, left *effort) []span {
	size, flags := 0, false
	for _, s := range list {
		size += s.to - s.from
		flags = flags || s.to-s.from > 2 && text[s.from+1] == '-'
	}
	// A file may be an array of its lines: longer ones are not joined.
	if size > longLine || !left.spend(size) {
		return nil
	}
	join := func(between string) *view {
		v := &view{}
		for _, s := range list {
			unescaped(text[s.from+1:s.to-1], s.from+1, v)
			v.add(between, s.to, 0)
		}
		return v
	}
	var found []span
	lines := join("\n")
	if v := stripped(string(lines.text)); v != nil {
		found = append(found, lines.source(v.source(r.secrets(string(v.text))))...)
	} else if strings.Contains(string(lines.text), "PRIVATE KEY") {
		found = lines.source(ofRule("private-key", truncated(string(lines.text))))
	}
	found = append(found, lines.source(r.kept(string(lines.text), append(ofRule("table", tables(string(lines.text))), ofRule("manifest", manifests(string(lines.text)))...)))...)
	// A command, as a list of words.
	if flags {
		v := join(" ")
		found = append(found, v.source(r.secrets(string(v.text)))...)
	}
	return nested(found)
}

// literalView is a view of what a JSON string stands for.
func literalView(literal string, at int) *view {
	v := &view{}
	unescaped(literal[1:len(literal)-1], at+1, v)
	return v
}

// nested writes the marks of secrets as the string has them that they stand in.
func nested(found []span) []span {
	for i := range found {
		if strings.Contains(found[i].mark, `"`) {
			found[i].mark = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(found[i].mark)
		}
	}
	return found
}

// embedded finds the secrets of JSON that stands in a text among other things.
func (r *Redactor) embedded(text string, left *effort, depth int) []span {
	if !strings.Contains(text, `":`) && !strings.Contains(text, `" :`) {
		return nil
	}
	var found []span
	for at := 0; at < len(text); {
		i := strings.IndexAny(text[at:], "{[")
		if i < 0 {
			break
		}
		at += i
		end, seen := jsonEnd(text[at:])
		if !left.spend(seen) {
			break
		}
		// It may begin further on, within what only looked like JSON.
		if end == 0 || !json.Valid([]byte(text[at:at+end])) {
			at++
			continue
		}
		for _, s := range r.json(text[at:at+end], left, depth, nil) {
			found = append(found, s.moved(at))
		}
		at += end
	}
	return found
}

// jsonEnd returns the length of an object or an array that begins a text, as far as its brackets
// tell; 0 if it can be none, or has no end. seen is how far it looked.
func jsonEnd(text string) (length, seen int) {
	first := strings.TrimLeft(text[1:min(len(text), 200)], " \t\r\n")
	if first == "" || strings.IndexByte(`"{[`, first[0]) < 0 || text[0] == '{' && first[0] != '"' {
		return 0, 1
	}
	open := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			open++
		case '}', ']':
			if open--; open == 0 {
				return i + 1, i + 1
			}
		case '"':
			i = stringEnd(text, i) - 1
		}
	}
	return 0, len(text)
}
