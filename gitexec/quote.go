package gitexec

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Path is a file's path relative to the top level, with slashes, as bytes: git demands no encoding.
// In JSON a path that isn't valid UTF-8, or looks like a quoted one, is in git's C-style quotes.
type Path string

// Display is the path as one printable line: in quotes where a reader might take it for another
// one. It is not called String, because formatting a command would then quote it.
func (p Path) Display() string {
	misleads := func(r rune) bool { return ControlsTerminal(r) || joins(r) || unicode.Is(unicode.Variation_Selector, r) }
	if !utf8.ValidString(string(p)) || strings.ContainsFunc(string(p), misleads) {
		return cQuote(string(p))
	}
	return string(p)
}

// ControlsTerminal reports whether a rune controls a terminal, or changes what is seen beside it
// without being seen: C0 and C1 controls, line separators, marks that change the direction of text,
// and what has no shape. The joiners of emoji and of some scripts are none.
func ControlsTerminal(r rune) bool {
	switch {
	case r < 0x7f:
		return r < ' '
	case r < 0xa0, r >= 0xe0000 && r <= 0xe0fff:
		return true
	case joins(r), unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point)
}

// joins reports whether a rune only says whether its neighbours are joined.
func joins(r rune) bool { return r == 0x200c || r == 0x200d }

// Harmless replaces runes that control a terminal, except tabs and newlines.
func Harmless(s string) string {
	return strings.Map(func(r rune) rune {
		if ControlsTerminal(r) && r != '\t' && r != '\n' {
			return utf8.RuneError
		}
		return r
	}, s)
}

// text is the path in JSON, which keeps every byte.
func (p Path) text() string {
	if !utf8.ValidString(string(p)) || strings.HasPrefix(string(p), `"`) {
		return cQuote(string(p))
	}
	return string(p)
}

// MarshalJSON writes the path as a value.
func (p Path) MarshalJSON() ([]byte, error) { return json.Marshal(p.text()) }

// UnmarshalJSON reads what MarshalJSON wrote, and plain strings.
func (p *Path) UnmarshalJSON(data []byte) error {
	var s string
	err := json.Unmarshal(data, &s)
	*p = unquoted(s)
	return err
}

// MarshalText is the path as a map's key in JSON, by the same rule. encoding/json reads such keys,
// but writes a key that is a string as it is: the map to write has this text for its keys.
func (p Path) MarshalText() ([]byte, error) { return []byte(p.text()), nil }

// UnmarshalText reads what MarshalText wrote.
func (p *Path) UnmarshalText(text []byte) error {
	*p = unquoted(string(text))
	return nil
}

// cQuote quotes a path in the C style of git's line-based input, if necessary.
func cQuote(s string) string {
	if escape(s, '"', `\%03o`) == s {
		return s
	}
	return alwaysQuoted(s)
}

func alwaysQuoted(s string) string { return `"` + escape(s, '"', `\%03o`) + `"` }

// lettered are the control characters that have a letter in git's quotes, and in those of C.
const lettered = "\a\b\t\n\v\f\r"

// escape puts a backslash before quotes and backslashes, and writes what is no printable ASCII
// character as a letter or in a format.
func escape(s string, quote byte, format string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == quote || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case strings.IndexByte(lettered, c) >= 0:
			b.WriteByte('\\')
			b.WriteByte("abtnvfr"[c-'\a'])
		case c < 0x20 || c >= 0x7f:
			fmt.Fprintf(&b, format, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// cUnquote reads git's C-style quoting.
func cUnquote(s string) (string, error) {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return s, nil
	}
	var b strings.Builder
	rest := s[1 : len(s)-1]
	for rest != "" {
		if rest[0] != '\\' {
			b.WriteByte(rest[0])
			rest = rest[1:]
			continue
		}
		c, _, tail, err := strconv.UnquoteChar(rest, '"')
		// Git quotes bytes: a rune above that is no escape of its.
		if err != nil || c > 0xff {
			return "", fmt.Errorf("not a quoted path: %s", s)
		}
		b.WriteByte(byte(c))
		rest = tail
	}
	return b.String(), nil
}

// DisplayFew displays the first few paths, and the number of others.
func DisplayFew(paths []Path) []string {
	const most = 5
	var names []string
	for _, p := range paths[:min(most, len(paths))] {
		names = append(names, p.Display())
	}
	if len(paths) > most {
		names = append(names, fmt.Sprintf("%d more", len(paths)-most))
	}
	return names
}
