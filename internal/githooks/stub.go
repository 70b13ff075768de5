package githooks

import (
	"strconv"
	"strings"

	"entire-plumb/internal/idle"
)

// marker is in every stub of ours, of whatever form. Never change it: it is how
// later programs know the file.
const marker = "# entire-plumb stub"

// TemplateFile is a file in our directory inside the git directory. While it is
// there commit-msg has something to do; else its stub doesn't start the program.
// It holds what that hook needs to know.
const TemplateFile = "template"

// form is one form of the stub's text; @NAME@ stands for the hook's name, @EXE@ for the program's
// path as a quoted shell word, @NEEDLESS@ and @IDLE@ for what ends the hook where it has nothing to
// do, @FAILED@ for what follows a kept hook's failure, @ANSWER@ for what follows ours.
type form struct {
	plain   string // where no other hook is kept
	chained string // where one is
	shared  string // where one is, and both read standard input; "": chained
}

// forms are the forms we have ever written, the present one first. A new form
// goes in front and the old ones stay, so that they are upgraded in place.
//
// A stub costs a shell and one fork: only builtins, no other subshell than the one that becomes the
// program. The program's own path comes first, because a graphical client's PATH may lack it; PATH
// comes second, because a program may be moved. With neither, the commit goes through, and the stub
// says so once a day, where recording is enabled: disable removes hooks.json. It is looked for in
// the git directory, never in the worktree, whose files others write.
//
// Whatever becomes of the program (killed, cut off, built for another machine, out of memory), git
// sees a hook that succeeded; the one exception is RefusePush. So the shell stays, which costs a
// fork more than exec did. What the shell itself says of a program that died is not shown, a line
// of ours is: the program writes to the hook's stderr by way of 3. It has to be put there in the
// subshell, since dash applies a command's own redirections to itself. The trap is for a shell that
// gives up, as when it can't fork.
//
// The kept hook is found beside the stub by its full name rather than as "$0.pre-entire", so that
// it still runs when another tool renames the stub. That tool may be the very one whose hook is
// kept, installed again: then it has run that hook already, or will, and to run it from here would
// call this stub once more. Where its text has changed meanwhile, a count stops the loop. A git
// command that a hook runs has hooks in their own right, so being called below the same hook is no
// sign of a loop by itself; being called below three of them is.
//
// Hooks that read standard input are given it one after the other. No pipe is needed where there is
// no kept hook. Not to read it is no failure: what printf says of that is not shown. Where standard
// input is closed, 3<&0 fails, and cat is not started: it would read from the pipe that it writes
// to.
var forms = []form{answers(header4, "@NEEDLESS@", "@IDLE@"), answers(header3, "@NEEDLESS@", ""), {
	plain:   header2 + "@NEEDLESS@" + finds + runs + "@ANSWER@",
	chained: header2 + keeps + `[ -x "$old" ] && { ` + counted + `"$old" "$@" || @FAILED@; }` + "\n@NEEDLESS@" + finds + runs + "@ANSWER@",
	shared: header2 + keeps + "{ in=$(cat; echo .); } 2>/dev/null 3<&0; in=${in%.}\n" +
		`[ -x "$old" ] && { printf %s "$in" 2>/dev/null | ` + counted + `"$old" "$@" || @FAILED@; }` + "\n" +
		finds + pipes + "@ANSWER@",
}, {
	plain:   header + "@NEEDLESS@" + starts,
	chained: header + chains + "@NEEDLESS@" + starts,
	shared:  header + sharedChains + sharedStarts,
}, {
	plain:   header + starts,
	chained: header + chains + starts,
}}

// answers is the form of the two latest stubs. before ends the hook before the program is looked
// for, after before it is started.
func answers(header, before, after string) form {
	kept, rest := header+keeps, before+findsOrSays+after+runs+"@ANSWER@"
	return form{
		plain:   header + rest,
		chained: kept + `[ -x "$old" ] && { ` + counted + `"$old" "$@" || @FAILED@; }` + "\n" + rest,
		shared: kept + "{ in=$(cat; echo .); } 2>/dev/null 3<&0; in=${in%.}\n" +
			`[ -x "$old" ] && { printf %s "$in" 2>/dev/null | ` + counted + `"$old" "$@" || @FAILED@; }` + "\n" +
			findsOrSays + pipes + "@ANSWER@",
	}
}

// goneFile, in the program's directory inside the common git directory, holds the day on which a
// stub said last that the program is gone.
const goneFile = "gone"

// The parts of the present form.
const (
	header4 = "#!/bin/sh\n" + marker + " 4: `entire-plumb disable` takes it out; once edited it is left alone\n"
	keeps   = `old="${0%/*}/@NAME@` + keptSuffix + `"; [ "${0##*/}" = @NAME@ ] || ! cmp -s "$old" "${0%/*}/@NAME@" || old=` + "\n" +
		`case $ENTIRE_PLUMB_KEPT in *.@NAME@*.@NAME@*.@NAME@*) exit 0; esac` + "\n"
	counted = `ENTIRE_PLUMB_KEPT=$ENTIRE_PLUMB_KEPT.@NAME@ `
	picks   = `exe=@EXE@; [ -f "$exe" ] && [ -x "$exe" ] || exe=entire-plumb; `
	gone    = `command -v "$exe" >/dev/null 2>&1 || { d=${GIT_DIR:-.git}; [ ! -f "$d/commondir" ] || d=$d/../..; d=$d/entire-plumb` + "\n" +
		`[ ! -f "$d/` + recordFile + `" ] || { day=; read -r day <"$d/` + goneFile + `"; now=$(date +%F); [ "$day" = "$now" ] || { echo "$now" >"$d/` + goneFile + `" &&` + "\n" +
		`echo "entire-plumb: the program is gone, so commits get no links and pushes are not checked; install it again" >&3; }; } 3>&2 2>/dev/null` + "\n" +
		"exit 0; }\n"
	findsOrSays = "trap 'exit 0' 0\n" + picks + gone
	program     = `(GOTRACEBACK=${GOTRACEBACK-none} exec "$exe" hooks git @NAME@ "$@" 2>&3 3>&-)`
	runs        = `{ ` + program + `; code=$?; } 3>&2 2>/dev/null` + "\n"
	pipes       = `{ printf %s "$in" | ` + program + `; code=$?; } 3>&2 2>/dev/null` + "\n"
)

// The parts of older forms.
const (
	header3 = "#!/bin/sh\n" + marker + " 3: `entire-plumb disable` takes it out; once edited it is left alone\n"

	header2 = "#!/bin/sh\n" + marker + " 2: `entire-plumb disable` takes it out; once edited it is left alone\n"
	finds   = picks + `command -v "$exe" >/dev/null 2>&1 || exit 0` + "\n" + "trap 'exit 0' 0\n"

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

// readsInput reports whether git gives a hook something on standard input.
func readsInput(name string) bool { return name == "post-rewrite" || name == "pre-push" }

// render returns the stub's text for a hook; word is the quoted program path.
func (f form) render(name, word string, chained bool) string {
	text := f.plain
	if chained {
		text = f.chained
		if f.shared != "" && readsInput(name) {
			text = f.shared
		}
	}
	return strings.NewReplacer("@NAME@", name, "@EXE@", word, "@FAILED@", onFailure(name), "@NEEDLESS@", needless(name),
		"@IDLE@", whileIdle(name), "@ANSWER@", answer(name)).Replace(text)
}

// needless is a line of builtins only: starting the program costs four times what the shell does.
// git gives the message file by its path in the git directory.
func needless(name string) string {
	if name != "commit-msg" {
		return ""
	}
	return `[ -e "${1%/*}/entire-plumb/` + TemplateFile + `" ] || exit 0` + "\n"
}

// whileIdle does so while no session has work: see package idle.
func whileIdle(name string) string {
	text := map[string]string{"prepare-commit-msg": prepareIdle, "post-commit": commitIdle}[name]
	return strings.ReplaceAll(text, "@MOST@", strconv.Itoa(idle.MostCommits))
}

// What a stub asks while the repository is idle. The program starts where another one, such as the
// entire CLI, has written a session since; where HEAD's branch is not a file, as with reftables; or
// where git is about to record what it merged, picked or reverted. In last the list's last line is
// left, in head what HEAD is at.
const (
	readsIdle = `! [ "$d/entire-sessions" -nt "$d/entire-plumb/` + idle.File + `" ] && read -r word <"$d/entire-plumb/` + idle.File + `" && read -r head <"$d/HEAD" && case $head in "ref: refs/heads/"*) read -r head <"$d/${head#ref: }";; *) ! :;; esac && ` +
		`{ read -r last && [ "$last" = "$word" ] && n= && while read -r line; do last=$line n=$n.; done; } <"$d/entire-plumb/` + idle.CommitsFile + `" && [ "${#n}" -lt @MOST@ ] && `
	prepareIdle = `d=${1%/*}; case $2 in ""|message|template) { [ ! -e "$d/MERGE_MSG" ] && [ ! -e "$d/SQUASH_MSG" ] && ` + readsIdle +
		`[ "$last" = "$head" ] && echo "$head" >"$d/entire-plumb/` + idle.PreparedAt + `"; } 2>/dev/null && exit 0;; esac` + "\n"
	commitIdle = `d=${GIT_DIR:-.git}; { read -r at <"$d/entire-plumb/` + idle.PreparedAt + `" && printf "" >"$d/entire-plumb/` + idle.PreparedAt + `" && ` + readsIdle +
		`[ "$last" = "$at" ] && echo "$head" >>"$d/entire-plumb/` + idle.CommitsFile + `"; } 2>/dev/null && exit 0` + "\n"
)

// answer is how the stub ends after the program.
func answer(name string) string {
	refuse, goesOn := "", "the commit is not affected"
	if name == "pre-push" {
		refuse = `[ "$code" != ` + strconv.Itoa(RefusePush) + " ] || { trap - 0; exit 1; }\n"
		goesOn = "the push goes on unchecked"
	}
	return refuse + `[ "$code" = 0 ] || echo "entire-plumb: ` + name + ` could not run (exit $code); ` + goesOn + `" >&2` + "\nexit 0\n"
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

// stub returns the text that Install writes.
func stub(name, exe string, chained bool) string {
	return forms[0].render(name, quote(exe), chained)
}

// stub returns the text that Install writes for a hook: with another one behind it if there is one.
func (h Hook) stub(exe string) string {
	text := stub(h.Name, exe, h.Kept != "")
	if h.Kept != "" && h.lefthook {
		text = strings.Replace(text, header4, header4+replaceable, 1)
	}
	return text
}

// parseStub finds the program path in body if body is byte for byte a stub of
// ours for this hook, of any form.
func parseStub(name, body string) (exe string, ok bool) {
	if !strings.Contains(body, marker) {
		return "", false
	}
	for _, header := range []string{header2, header3, header4} {
		body = strings.Replace(body, header+replaceable, header, 1)
	}
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
