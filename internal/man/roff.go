package main

import (
	"fmt"
	"regexp"
	"strings"
)

// roff is the page in the language of man(7). The date is a day, 2006-01-02; the version may be
// empty.
func (p page) roff(date, version string) string {
	var w strings.Builder
	fmt.Fprintf(&w, ".TH %s 1 %s \"%s\" \"entire-plumb\"\n", escape(strings.ToUpper(name(p.call))), date,
		escape(strings.TrimSpace("entire-plumb "+version)))
	w.WriteString(".nh\n.ad l\n") // no hyphenation, which would break what is to be pasted
	fmt.Fprintf(&w, ".SH NAME\n%s \\-\n%s\n", escape(name(p.call)), text(p.about))
	fmt.Fprintf(&w, ".SH SYNOPSIS\n\\fB%s\\fR\n%s\n", escape(p.call), text(p.synopsis))
	if p.description != "" {
		w.WriteString(".SH DESCRIPTION\n" + paragraphs(p.description))
	}
	list(&w, "COMMANDS", p.commands)
	list(&w, "OPTIONS", p.options)
	if p.examples != "" {
		w.WriteString(".SH EXAMPLES\n" + literal(p.examples))
	}
	w.WriteString(".SH SEE ALSO\n" + strings.Join(p.related(), ",\n") + "\n")
	return w.String()
}

// related are the pages to read on at.
func (p page) related() (all []string) {
	for _, c := range p.commands {
		if command, _, _ := strings.Cut(c.name, ","); command != "help" && p.above != "entire-plumb hooks" {
			all = append(all, reference(name(p.call+" "+command), 1))
		}
	}
	if p.above == "" {
		return append(all, reference("git", 1), reference("githooks", 5))
	}
	return append(all, reference(name(p.above), 1))
}

func reference(page string, section int) string {
	return fmt.Sprintf("\\fB%s\\fR(%d)", escape(page), section)
}

func list(w *strings.Builder, title string, items []item) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(w, ".SH %s\n", title)
	for _, i := range items {
		fmt.Fprintf(w, ".TP\n\\fB%s\\fR\n%s\n", escape(i.name), text(i.about))
	}
}

// paragraphs are set as the help has them: one with an indented line is literal.
func paragraphs(description string) string {
	var w strings.Builder
	after := ""
	for p := range strings.SplitSeq(description, "\n\n") {
		w.WriteString(after)
		if strings.HasPrefix(p, " ") || strings.Contains(p, "\n ") {
			w.WriteString(literal(p))
		} else {
			w.WriteString(text(p) + "\n")
		}
		after = ".PP\n"
	}
	return w.String()
}

// literal are lines that stay as they are, indented.
func literal(lines string) string {
	var w strings.Builder
	w.WriteString(".RS 4\n.nf\n")
	for line := range strings.SplitSeq(lines, "\n") {
		w.WriteString(escape(strings.TrimPrefix(line, "  ")) + "\n")
	}
	w.WriteString(".fi\n.RE\n")
	return w.String()
}

var quoted = regexp.MustCompile("`([^`]+)`")

// text is prose, which is filled, with what is typed in bold. No line of it has more than 80 bytes
// but such as have one word.
func text(prose string) string {
	var w strings.Builder
	column := 0
	for _, word := range strings.Fields(quoted.ReplaceAllStringFunc(prose, bold)) {
		word = strings.NewReplacer("\x00", `\fB`, "\x01", `\fR`).Replace(escape(word))
		switch {
		case column > 0 && column+1+len(word) > 80:
			w.WriteByte('\n')
			column = 0
		case column > 0:
			w.WriteByte(' ')
			column++
		}
		w.WriteString(word)
		column += len(word)
	}
	return w.String()
}

func bold(quoted string) string { return "\x00" + strings.Trim(quoted, "`") + "\x01" }

var escaped = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "^", `\(ha`, "~", `\(ti`, `"`, `\(dq`, "\n.", "\n\\&.")

// escape spells a text so that it is set as it is: quotes and hyphens can be pasted, and no line of
// it is a request.
func escape(s string) string {
	var w strings.Builder
	for _, r := range escaped.Replace("\n" + s)[1:] {
		if r > 126 {
			fmt.Fprintf(&w, `\[u%04X]`, r)
		} else {
			w.WriteRune(r)
		}
	}
	return w.String()
}
