package redact

import (
	"slices"
	"strings"
)

// inTable reports whether a name is in a table's row: the row begins as one, or has more columns.
func (a *assignments) inTable(name span) bool {
	line := a.text[lineStart(a.text, name.from, 300):lineEnd(a.text, name.to, 400)]
	// Code has | and || as well: a row has several, or ends with one.
	return strings.Count(line, "|") > 2 || strings.Count(line, "│") > 1 || strings.HasSuffix(strings.TrimSpace(line), "|")
}

// open reports whether a quote that stands behind a name ends a string that the name is in.
func (a *assignments) open(name span, quote byte) bool {
	return strings.Count(a.text[lineStart(a.text, name.from, 400):name.from], string(quote))%2 == 1
}

// closing is the length of what closes a name's quotes, brackets and emphasis.
func closing(rest string) int {
	at := 0
	for range 4 {
		n := at
		for n < len(rest) && rest[n] == '\\' && n-at < 8 {
			n++
		}
		if n < len(rest) && strings.IndexByte("\"'`", rest[n]) >= 0 || n == at && n < len(rest) && strings.IndexByte("])*", rest[n]) >= 0 {
			at = n + 1
			continue
		}
		break
	}
	return at
}

// annotated is the length of a type between a name and a literal, and of what gives the one to the
// other.
func annotated(rest string) int {
	i := strings.IndexByte(rest[:min(len(rest), 60)], '=')
	if i < 1 {
		// Directly behind the name it is an assignment without a type.
		return 0
	}
	n := i + 1 + blanks(rest[i+1:], len(rest))
	if n < len(rest) && strings.IndexByte("\"'`\\", rest[n]) >= 0 && annotation().MatchString(rest) {
		return n
	}
	return 0
}

// mayBePair is quick: most names are followed by nothing of the kind.
func mayBePair(rest string) bool {
	rest = rest[:min(len(rest), 100)]
	return containsAny(rest, "alue", "default", "ontent", "val", "plaintext", "string")
}

// containsAny reports whether any of some words is in a text.
func containsAny(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// join is what stands between a name and its value.
type join int

const (
	none   join = iota
	equals      // =
	colon       // :
	other       // := => == != ?? ||
	comma
	call // (
	tag  // >
	cell // |
	verb // is, to
	gap  // several spaces, a tab
)

// operators are the signs that join a name and its value, the longer ones first.
var operators = []struct {
	sign string
	join join
}{
	{"===", other}, {"!==", other}, {"||=", other}, {"??=", other}, {"::=", other}, {"=>", other}, {"==", other}, {":=", other}, {"!=", other}, {"??", other},
	{"||", other}, {"?=", other}, {"?:", other}, {"+=", other}, {"<-", other}, {"│", cell}, {"=", equals}, {"::", none}, {":", colon}, {"|", cell}, {",", comma},
	{"(", call}, {">", tag},
}

// verbs are the words that do.
var verbs = []string{"is ", "was ", "to ", "as ", "equals ", "is: "}

// operator reads what joins a name and its value, and the spaces around it.
func operator(rest string) (join, int) {
	at := blanks(rest, 20)
	if at == len(rest) {
		return none, 0
	}
	for _, o := range operators {
		switch {
		case !strings.HasPrefix(rest[at:], o.sign):
		case o.join == none || o.join == tag && at > 0:
			return none, 0
		case o.join == tag:
			return tag, 1
		default:
			n := at + len(o.sign)
			return o.join, n + blanks(rest[n:], 24)
		}
	}
	if at == 0 {
		return none, 0
	}
	return spaced(rest, at)
}

// spaced reads what joins them where blanks are first and no sign follows.
func spaced(rest string, at int) (join, int) {
	for _, word := range verbs {
		if strings.HasPrefix(rest[at:], word) {
			n := at + len(word)
			return verb, n + blanks(rest[n:], 24)
		}
	}
	if at > 1 || rest[0] == '\t' {
		return gap, at
	}
	return none, 1
}

// blanks is how many blanks begin a text, at most so many.
func blanks(text string, most int) int {
	n := 0
	for n < len(text) && n < most && (text[n] == ' ' || text[n] == '\t') {
		n++
	}
	return n
}

// indented returns the lines below a name that YAML makes its value.
func (a *assignments) indented(at int) []value {
	line, rest, ok := strings.Cut(a.text[at:min(len(a.text), at+4096)], "\n")
	if !ok || !blockScalar().MatchString(line) {
		return nil
	}
	var all []value
	indent := ""
	at += len(line) + 1
	for range 20 {
		line, more, ok := strings.Cut(rest, "\n")
		body := strings.TrimLeft(line, " \t")
		// The value ends with the first line that is not indented, or less than its first one.
		if body == "" || len(line) == len(body) || indent != "" && !strings.HasPrefix(line, indent) {
			break
		}
		indent = line[:len(line)-len(body)]
		all = append(all, value{span{from: at + len(indent), to: at + len(strings.TrimRight(line, " \r"))}, settled})
		if !ok {
			break
		}
		at, rest = at+len(line)+1, more
	}
	return all
}

var blockScalar = compiled(`^[|>][-+]?\d?\s*$`)

// element is what an XML element holds.
func (a *assignments) element(at int) []value {
	end := strings.IndexAny(a.text[at:min(len(a.text), at+4096)], "<\n")
	// An element of several lines holds others, or a text.
	if end <= 0 || a.text[at+end] != '<' {
		return nil
	}
	return []value{{span{from: at, to: at + end}, quoted}}
}

func upperCase(name string) bool { return strings.ToUpper(name) == name }

// first reports whether a name is the first thing on its line, but for what tools put before it.
func (a *assignments) first(name span) bool {
	start := max(0, name.from-200)
	if i := strings.LastIndexByte(a.text[start:name.from], '\n'); i >= 0 {
		start += i + 1
	} else if start > 0 {
		return false
	}
	head := a.text[start:name.from]
	head = head[linePrefix(head):]
	return firstHead().MatchString(head)
}

// outcome reports whether a name is a test's outcome: --- PASS: TestName.
func (a *assignments) outcome(name span, rest string) bool {
	return a.text[name.from:name.to] == "PASS" && (strings.HasSuffix(a.text[:name.from], "--- ") || len(rest) > 4 && strings.EqualFold(rest[:4], "test"))
}

// declared reports whether a name is one that a file or a shell is told to keep: ENV NAME value.
func (a *assignments) declared(name span) bool {
	start := max(0, name.from-20)
	return declaration().MatchString(a.text[start:name.from]) && a.first(name)
}

var declaration = compiled(`(?i)\b(?:env|setenv|set|setx|fastcgi_param|uwsgi_param)\s{1,4}(?:-\w{1,3}\s)?$`)

var firstHead = compiled(`^\s*(?:[-+*#/;>|?]{1,3}\s*)?(?:(?i:export|set|setenv|env|arg|local|declare|readonly|setx|default|fastcgi_param|uwsgi_param)\s+(?:-\w+\s+)?)?["']?$`)
