package githooks

import (
	"path"
	"strings"
)

// marker is in every stub of ours, of whatever form. Never change it: it is how
// later programs know the file.
const marker = "# entire-plumb stub"

// TemplateFile is a file in our directory inside the git directory. While it is
// there commit-msg has something to do; else its stub doesn't start the program.
// It holds what that hook needs to know.
const TemplateFile = "template"

// form is one form of the stub's text; @NAME@ stands for the hook's name, @EXE@
// for the program's path as a quoted shell word, and @NEEDLESS@ for the line that
// ends the hook where it is known to have nothing to do.
type form struct {
	plain   string // where no other hook is kept
	chained string // where one is
	shared  string // where one is, and both read standard input; "": chained
}

// forms are the forms we have ever written, the present one first. A new form
// goes in front and the old ones stay, so that they are upgraded in place.
//
// A stub costs a shell and nothing else: only builtins, no subshell. The
// program's own path comes first, because a graphical client's PATH may lack
// it; PATH comes second, because a program may be moved. With neither, the
// commit goes through in silence. The program takes the shell's place by exec,
// so its exit status is the hook's: it has to end with 0 by itself. What exec
// can't start though it is executable (another machine's binary), or what dies
// by a signal, fails prepare-commit-msg and commit-msg, and git stops there.
//
// The kept hook is found beside the stub by its full name rather than as
// "$0.pre-entire", so that it still runs when another tool renames the stub.
//
// Hooks that read standard input are given it one after the other. No pipe is
// needed where there is no kept hook.
var forms = []form{{
	plain:   header + "@NEEDLESS@" + starts,
	chained: header + chains + "@NEEDLESS@" + starts,
	shared:  header + sharedChains + sharedStarts,
}, {
	plain:   header + starts,
	chained: header + chains + starts,
}}

const (
	header = "#!/bin/sh\n" + marker + " 1: `entire-plumb disable` takes it out; once edited it is left alone\n"
	chains = `old="${0%/*}/@NAME@` + keptSuffix + `"; [ -x "$old" ] && { "$old" "$@" || @FAILED@; }` + "\n"
	starts = `[ -f @EXE@ ] && [ -x @EXE@ ] && exec @EXE@ hooks git @NAME@ "$@"` + "\n" +
		`command -v entire-plumb >/dev/null 2>&1 && exec entire-plumb hooks git @NAME@ "$@"` + "\n" +
		"exit 0\n"

	sharedChains = `in=$(cat; echo .); in=${in%.}` + "\n" +
		`old="${0%/*}/@NAME@` + keptSuffix + `"; [ -x "$old" ] && { printf %s "$in" | "$old" "$@" || @FAILED@; }` + "\n"
	sharedStarts = `[ -f @EXE@ ] && [ -x @EXE@ ] && { printf %s "$in" | @EXE@ hooks git @NAME@ "$@"; exit; }` + "\n" +
		`command -v entire-plumb >/dev/null 2>&1 && { printf %s "$in" | entire-plumb hooks git @NAME@ "$@"; exit; }` + "\n" +
		"exit 0\n"
)

// ReadsInput reports whether git gives a hook something on standard input.
func ReadsInput(name string) bool { return name == "post-rewrite" || name == "pre-push" }

// render gives the stub's text for a hook; word is the quoted program path.
func (f form) render(name, word string, chained bool) string {
	text := f.plain
	if chained {
		text = f.chained
		if f.shared != "" && ReadsInput(name) {
			text = f.shared
		}
	}
	return strings.NewReplacer("@NAME@", name, "@EXE@", word, "@FAILED@", onFailure(name), "@NEEDLESS@", needless(name)).Replace(text)
}

// needless is a line of builtins only: starting the program costs four times
// what the shell does. git gives the message file by its path in the git directory.
func needless(name string) string {
	if name != "commit-msg" {
		return ""
	}
	return `[ -e "${1%/*}/entire-plumb/` + TemplateFile + `" ] || exit 0` + "\n"
}

// onFailure is what happens after a kept hook failed. git ignores how
// post-commit ends, so there ours runs all the same; elsewhere the failure is
// git's to see and the commit won't be made.
func onFailure(name string) string {
	if strings.HasPrefix(name, "post-") {
		return ":"
	}
	return "exit"
}

// stub gives the text that Install writes.
func stub(name, exe string, chained bool) string {
	return forms[0].render(name, quote(exe), chained)
}

// parseStub finds the program path in body if body is byte for byte a stub of
// ours for this hook, of any form.
func parseStub(name, body string) (exe string, ok bool) {
	for _, f := range forms {
		for _, chained := range []bool{false, true} {
			if exe, ok := f.parse(name, body, chained); ok {
				return exe, true
			}
		}
	}
	return "", false
}

func (f form) parse(name, body string, chained bool) (exe string, ok bool) {
	// NUL can't be part of a path, so it marks the gaps.
	parts := strings.Split(f.render(name, "\x00", chained), "\x00")
	gaps := len(parts) - 1
	rest := len(body) - len(strings.Join(parts, ""))
	if gaps == 0 || rest <= 0 || rest%gaps != 0 || len(parts[0])+rest/gaps > len(body) {
		return "", false
	}
	word := body[len(parts[0]) : len(parts[0])+rest/gaps]
	exe, ok = unquote(word)
	return exe, ok && strings.Join(parts, word) == body
}

// quote makes one POSIX shell word of s.
func quote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// unquote is the inverse of quote; ok is false for what quote doesn't make.
func unquote(word string) (s string, ok bool) {
	if len(word) < 2 {
		return "", false
	}
	s = strings.ReplaceAll(word[1:len(word)-1], `'\''`, "'")
	return s, quote(s) == word
}

// callsUs reports whether a hook's text starts our program for this hook by
// itself: the program's name and then "hooks git <name>", outside a comment.
func callsUs(name, body string) bool {
	for line := range strings.Lines(body) {
		words := strings.Fields(line)
		for i := 0; i+3 < len(words) && !strings.HasPrefix(words[i], "#"); i++ {
			prog := path.Base(strings.Trim(words[i], `"'`))
			if prog == "entire-plumb" && words[i+1] == "hooks" && words[i+2] == "git" && strings.TrimRight(words[i+3], `;&|)"'`) == name {
				return true
			}
		}
	}
	return false
}

// namedBySelf reports whether a hook's text is known to choose its work by its
// own file name: husky 9 and overcommit. Renamed, they would do nothing.
func namedBySelf(body string) bool {
	return strings.Contains(body, `. "$(dirname "$0")/h"`) || strings.Contains(body, "File.basename($0)")
}
