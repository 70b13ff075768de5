package transcript

import (
	"path"
	"slices"
	"strings"
)

// shellWrite is a text that a command of a shell puts into a file: `cat >f <<E`, `echo x >>f`.
type shellWrite struct {
	file string // relative to where the shell began, or absolute
	text string
	adds bool // at the file's end
}

// Limits of a command that is read for what it writes: bytes, writes, bytes of all that these
// write, and bytes of a directory's name.
const mostShell, mostShellWrites, mostShellText, mostDirectory = 256 << 10, 1000, 1 << 20, 4096

// shellWrites are the texts that a command puts into files, as far as its words tell: without
// variables, patterns, and other programs than those that only print what they are given. That it
// also does other things, or that the shell may not come to a part of it, doesn't matter: the text
// is sought in the file.
// Source: POSIX.1-2024, Shell Command Language, 2.2, 2.3, 2.7.
func shellWrites(command string) []shellWrite {
	mayWrite := func(word string) bool { return strings.Contains(command, word) }
	if len(command) > mostShell || !slices.ContainsFunc([]string{">", "tee", patches}, mayWrite) {
		return nil
	}
	r := shellReader{rest: command, known: true, behindCD: len(command) - strings.LastIndex(command, "cd ")}
	for r.rest != "" && len(r.all) < mostShellWrites {
		r.step()
	}
	r.endLine()
	return r.all
}

// shellReader reads a command of a shell, word by word.
type shellReader struct {
	rest  string
	dir   string // in which it is, from where it began; as far as it is known
	known bool   // where it is
	line  []*simpleCommand
	now   *simpleCommand // nil: none has begun
	all   []shellWrite
	size  int // bytes that these write
	// behindCD is how many bytes are left where the last `cd` begins; more than all: there is none.
	behindCD int
}

// simpleCommand is a program with its words, and what the shell gives it and takes from it.
type simpleCommand struct {
	words  []shellWord
	out    shellWord // the file of its output; zero: none
	adds   bool
	piped  bool   // from the one before
	in     string // a here-document
	hasIn  bool
	end    string // that of the here-document; it is not read yet
	tabs   bool   // are taken out of it
	quoted bool   // it is taken as it is
}

// shellWord is a word; plain is false where the shell may put another text in its place.
type shellWord struct {
	text  string
	plain bool
}

// moves reports whether it is a program that may leave the directory.
func (w shellWord) moves() bool {
	return slices.Contains([]string{"cd", "pushd", "popd", "eval", "source"}, w.text)
}

func (r *shellReader) step() {
	switch c := r.rest[0]; c {
	case ' ', '\t', '\r':
		r.rest = r.rest[1:]
	case '\\':
		if after, continues := strings.CutPrefix(r.rest, "\\\n"); continues {
			r.rest = after
			return
		}
		r.command().words = append(r.command().words, r.word())
	case '\n':
		r.rest = r.rest[1:]
		r.readDocuments()
		r.endLine()
	case ';', '(', ')', '&', '|':
		r.separator()
	case '#':
		r.rest = strings.TrimLeftFunc(r.rest, func(c rune) bool { return c != '\n' })
	case '<', '>':
		r.redirect("")
	default:
		word := r.word()
		// `2>f`: the digits before a redirection say what is redirected.
		if number := word.plain && word.text != "" && strings.Trim(word.text, "0123456789") == ""; number && r.rest != "" && strings.ContainsRune("<>", rune(r.rest[0])) {
			r.redirect(word.text)
			return
		}
		r.command().words = append(r.command().words, word)
	}
}

// command is the command that is read.
func (r *shellReader) command() *simpleCommand {
	if r.now == nil {
		r.now = &simpleCommand{}
		r.line = append(r.line, r.now)
	}
	return r.now
}

// separator ends a command; after `|` the next one reads what it prints. `&>f` redirects.
func (r *shellReader) separator() {
	c := r.rest[0]
	r.rest = r.rest[1:]
	twice := r.rest != "" && r.rest[0] == c
	if c == '&' && strings.HasPrefix(r.rest, ">") {
		r.redirect("&")
		return
	}
	if twice {
		r.rest = r.rest[1:]
	}
	r.now = nil
	switch {
	case c == '|' && !twice:
		r.command().piped = true
	// What a subshell does with its directory ends with it.
	case c == '(':
		r.known = r.known && r.behindCD > len(r.rest)
	// What follows gets the output of all that is inside, which no single command has.
	case c == ')':
		r.line = append(r.line, &simpleCommand{})
	}
}

// redirect reads a redirection of a descriptor; empty: the one that is meant.
func (r *shellReader) redirect(of string) {
	operator := r.rest[:1]
	for _, long := range []string{"<<<", "<<-", "<<", "<&", "<>", ">>", ">&", ">|"} {
		if strings.HasPrefix(r.rest, long) {
			operator = long
			break
		}
	}
	r.rest = strings.TrimLeft(r.rest[len(operator):], " \t")
	begin, c := r.rest, r.command()
	word := r.word()
	switch {
	case operator == "<<" || operator == "<<-":
		quoted := strings.ContainsAny(begin[:len(begin)-len(r.rest)], `'"\`)
		c.end, c.tabs, c.quoted, c.hasIn = word.text, operator == "<<-", quoted, true
		if !quoted && !word.plain {
			c.end = "" // it ends at nothing that is known
		}
	case of != "" && of != "1":
	case operator == ">" || operator == ">|" || operator == ">>":
		c.out, c.adds = word, operator == ">>"
	}
}

// word reads a word.
func (r *shellReader) word() shellWord {
	var text strings.Builder
	word := shellWord{plain: true}
	for r.rest != "" {
		c := r.rest[0]
		if strings.ContainsRune(" \t\r\n;&|<>()", rune(c)) {
			break
		}
		r.rest = r.rest[1:]
		switch c {
		case '\'':
			inside, after, closed := strings.Cut(r.rest, "'")
			text.WriteString(inside)
			r.rest, word.plain = after, word.plain && closed
		case '"':
			word.plain = r.doubleQuoted(&text) && word.plain
		case '\\':
			if r.rest != "" && r.rest[0] != '\n' {
				text.WriteByte(r.rest[0])
			}
			r.rest = r.rest[min(1, len(r.rest)):]
		case '$', '`', '*', '?', '[', '{', '~':
			word.plain = false
			text.WriteByte(c)
		default:
			text.WriteByte(c)
		}
	}
	word.text = text.String()
	return word
}

// doubleQuoted reads to the closing quote; plain is false where the shell replaces something.
func (r *shellReader) doubleQuoted(text *strings.Builder) (plain bool) {
	plain = true
	for r.rest != "" {
		c := r.rest[0]
		r.rest = r.rest[1:]
		switch c {
		case '"':
			return plain
		case '$', '`':
			plain = false
		case '\\':
			if r.rest != "" && strings.ContainsRune("$`\"\\\n", rune(r.rest[0])) {
				c, r.rest = r.rest[0], r.rest[1:]
				if c == '\n' {
					continue
				}
			}
		}
		text.WriteByte(c)
	}
	return false
}

// readDocuments reads the here-documents of a line, which follow it.
func (r *shellReader) readDocuments() {
	for _, c := range r.line {
		if !c.hasIn {
			continue
		}
		var text strings.Builder
		closed := false
		for r.rest != "" && !closed {
			var line string
			line, r.rest, _ = strings.Cut(r.rest, "\n")
			if c.tabs {
				line = strings.TrimLeft(line, "\t")
			}
			if closed = c.end != "" && line == c.end; !closed {
				text.WriteString(line + "\n")
			}
		}
		c.in = text.String()
		c.hasIn = closed && (c.quoted || !strings.ContainsAny(c.in, "$`\\"))
	}
}

// endLine finds what the commands of a line write.
func (r *shellReader) endLine() {
	printed, known := "", false
	for _, c := range r.line {
		if !c.hasIn && c.piped {
			c.in, c.hasIn = printed, known
		}
		if printed, known = c.prints(); len(c.words) > 0 {
			r.ended(c, printed, known)
		}
	}
	r.line, r.now = nil, nil
}

// ended notes what a command writes, and where the shell is after it.
func (r *shellReader) ended(c *simpleCommand, printed string, known bool) {
	switch program := c.words[0].text; {
	case program == "cd" && r.known && len(c.words) == 2 && c.words[1].plain && c.words[1].text != "-":
		r.dir = within(r.dir, c.words[1].text)
		r.known = r.known && len(r.dir) <= mostDirectory
	// Behind `then`, `do`, `{`, or a variable; or in what a function or another file does.
	case program == ".", slices.ContainsFunc(c.words, shellWord.moves):
		r.known = false
	case program == patches:
		eachPatched(c.given(), func(file string, e Edit) { r.write(shellWord{file, true}, e.text(), true) })
	case program == "tee" && c.hasIn:
		files, adds := c.words[1:], false
		if len(files) > 0 && files[0].text == "-a" {
			files, adds = files[1:], true
		}
		for _, file := range files {
			r.write(file, c.in, adds)
		}
	}
	if known {
		r.write(c.out, printed, c.adds)
	}
}

// patches is the program that an agent has for patches. Some are given it as a tool, too.
const patches = "apply_patch"

// given is what a program is given that takes a text as its word, or reads it; empty: not known.
func (c *simpleCommand) given() string {
	if len(c.words) == 2 && c.words[1].plain {
		return c.words[1].text
	}
	if c.hasIn {
		return c.in
	}
	return ""
}

func (r *shellReader) write(file shellWord, text string, adds bool) {
	if !file.plain || file.text == "" || text == "" || strings.HasPrefix(file.text, "/dev/") || !r.known && !path.IsAbs(file.text) {
		return
	}
	if r.size += len(text); r.size <= mostShellText {
		r.all = append(r.all, shellWrite{within(r.dir, file.text), text, adds})
	}
}

// prints is what a command prints, of the programs that print what they are given; known is false
// of any other.
func (c *simpleCommand) prints() (text string, known bool) {
	if len(c.words) == 0 || !c.words[0].plain {
		return "", false
	}
	args := make([]string, len(c.words)-1)
	for i, word := range c.words[1:] {
		if args[i] = word.text; !word.plain {
			return "", false
		}
	}
	switch program := c.words[0].text; {
	case (program == "cat" && (len(args) == 0 || len(args) == 1 && args[0] == "-") || program == "tee") && c.hasIn:
		return c.in, true
	// A shell may replace what stands behind a backslash, or may not.
	case program == "echo" && !strings.Contains(strings.Join(args, " "), `\`):
		if len(args) > 0 && strings.HasPrefix(args[0], "-") {
			return strings.Join(args[1:], " "), args[0] == "-n"
		}
		return strings.Join(args, " ") + "\n", true
	case program == "printf" && len(args) > 0:
		return printfed(args[0], args[1:])
	}
	return "", false
}

// printfed is what printf prints: a format without conversions, or with a single %s.
func printfed(format string, args []string) (text string, known bool) {
	format = strings.ReplaceAll(format, `\n`, "\n")
	if before, after, found := strings.Cut(format, "%s"); found && !strings.ContainsAny(before+after, `%\`) && len(format)*len(args) <= mostShellText {
		var all strings.Builder
		for _, arg := range args {
			all.WriteString(before + arg + after)
		}
		return all.String(), len(args) > 0
	}
	return format, len(args) == 0 && !strings.ContainsAny(format, `%\`)
}
