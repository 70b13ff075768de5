// Package ainote reads and writes notes in the format of the Git AI standard, version 3.0.0: which
// lines of a commit are whose.
package ainote

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"entire-plumb/gitexec"
)

// Ref is where the standard keeps notes.
const Ref = "refs/notes/ai"

// schema is the version of the format.
const schema = "authorship/3.0.0"

// Note is what is attached to one commit.
type Note struct {
	Files    []File
	Metadata Metadata
}

// File is a file of the commit, with the authors of its lines. Of entries that name the same line
// the last one counts.
type File struct {
	Path    gitexec.Path
	Entries []Entry
}

// Entry is an author's lines: the first, from 1, and how many, in ascending order.
type Entry struct {
	Key    string
	Ranges [][2]int
}

// Metadata says who the keys are.
type Metadata struct {
	Schema   string             `json:"schema_version"`
	Program  string             `json:"git_ai_version,omitempty"`
	Commit   string             `json:"base_commit_sha"`
	Prompts  map[string]Session `json:"prompts"`            // by the keys of versions before 1.4.0
	Humans   map[string]Human   `json:"humans,omitempty"`   // by HumanKey
	Sessions map[string]Session `json:"sessions,omitempty"` // by the first part of SessionKey
}

// Session is an agent's session.
type Session struct {
	Agent      Agent             `json:"agent_id"`
	Human      string            `json:"human_author,omitempty"` // who directed it: "Name <email>"
	Attributes map[string]string `json:"custom_attributes,omitempty"`
}

// Agent names a session in its agent's own words.
type Agent struct {
	Tool  string `json:"tool"`
	ID    string `json:"id"`
	Model string `json:"model"`
}

// Human is a human who is known to have written lines.
type Human struct {
	Author string `json:"author"` // "Name <email>"
}

// digits are the first hexadecimal digits of a text's hash.
func digits(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:14] }

// SessionKey is the key of a session, of all its turns.
func SessionKey(a Agent) string { return "s_" + digits(a.Tool+":"+a.ID) }

// TurnKey is the key of one turn of a session.
func TurnKey(session, turn string) string {
	return session + "::t_" + digits("entire-plumb:"+session+":"+turn)
}

// HumanKey is the key of a human: "Name <email>".
func HumanKey(author string) string { return "h_" + digits(author) }

// Named reports whether a note can name a file: the format has no escapes.
func Named(path gitexec.Path) bool {
	return path != "" && utf8.ValidString(string(path)) && !strings.ContainsAny(string(path), "\"\n\r")
}

// Text is the note as it is stored.
func (n Note) Text() ([]byte, error) {
	var b strings.Builder
	for _, f := range n.Files {
		name := string(f.Path)
		if strings.ContainsAny(name, " \t") || name == divider || strings.TrimSpace(name) != name {
			name = `"` + name + `"`
		}
		b.WriteString(name + "\n")
		for _, e := range f.Entries {
			b.WriteString("  " + e.Key + " " + spans(e.Ranges) + "\n")
		}
	}
	n.Metadata.Schema = schema
	if n.Metadata.Prompts == nil {
		n.Metadata.Prompts = map[string]Session{}
	}
	b.WriteString(divider + "\n")
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(n.Metadata)
	return []byte(b.String()), err
}

func spans(ranges [][2]int) string {
	var all []string
	for _, r := range ranges {
		if r[1] == 1 {
			all = append(all, strconv.Itoa(r[0]))
		} else {
			all = append(all, fmt.Sprintf("%d-%d", r[0], r[0]+r[1]-1))
		}
	}
	return strings.Join(all, ",")
}

// divider is the line between the lines and the metadata.
const divider = "---"

// Limits of a note that is read: files, sessions, ranges, and the last line's number.
const mostFiles, mostSessions, mostRanges, mostLine = 20_000, 1000, 500_000, 1 << 30

// Parse reads a note that others may have written. Its errors are for users.
func Parse(data []byte) (n Note, err error) {
	lines, metadata, found := strings.Cut("\n"+string(data), "\n"+divider+"\n")
	switch {
	case !utf8.Valid(data):
		return n, fmt.Errorf("it is not UTF-8")
	case !found:
		return n, fmt.Errorf("it has no line %s", divider)
	}
	if err := json.Unmarshal([]byte(metadata), &n.Metadata); err != nil {
		return n, fmt.Errorf("its metadata is no JSON of the format: %w", err)
	}
	if n.Metadata.Schema != schema {
		return n, fmt.Errorf("its version is %q, not %q", n.Metadata.Schema, schema)
	}
	if len(n.Metadata.Sessions)+len(n.Metadata.Prompts) > mostSessions {
		return n, fmt.Errorf("it names more than %d sessions", mostSessions)
	}
	p := parser{note: &n}
	for i, line := range strings.Split(strings.TrimPrefix(lines, "\n"), "\n") {
		if line = strings.TrimRight(line, " \t\r"); line == "" {
			continue
		}
		if err := p.line(line); err != nil {
			return n, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return n, nil
}

// parser reads the lines above the divider.
type parser struct {
	note   *Note
	ranges int
}

func (p *parser) line(line string) error {
	entry, indented := strings.CutPrefix(line, "  ")
	if !indented {
		return p.file(line)
	}
	if len(p.note.Files) == 0 {
		return fmt.Errorf("an author without a file")
	}
	key, list, ok := strings.Cut(entry, " ")
	if !ok || key == "" {
		return fmt.Errorf("an author without lines")
	}
	ranges, err := p.spans(list)
	f := &p.note.Files[len(p.note.Files)-1]
	f.Entries = append(f.Entries, Entry{Key: key, Ranges: ranges})
	return err
}

func (p *parser) file(name string) error {
	if len(name) > 1 && name[0] == '"' && name[len(name)-1] == '"' {
		name = name[1 : len(name)-1]
	}
	if len(p.note.Files) >= mostFiles {
		return fmt.Errorf("more than %d files", mostFiles)
	}
	if !Named(gitexec.Path(name)) {
		return fmt.Errorf("%q is no name of a file", name)
	}
	p.note.Files = append(p.note.Files, File{Path: gitexec.Path(name)})
	return nil
}

func (p *parser) spans(list string) (ranges [][2]int, err error) {
	for part := range strings.SplitSeq(list, ",") {
		if p.ranges++; p.ranges > mostRanges {
			return nil, fmt.Errorf("more than %d ranges", mostRanges)
		}
		from, to, is := strings.Cut(part, "-")
		if !is {
			to = from
		}
		first, last := number(from), number(to)
		if first == 0 || last < first {
			return nil, fmt.Errorf("%q is no range of lines", part)
		}
		ranges = append(ranges, [2]int{first, last - first + 1})
	}
	return ranges, nil
}

// number is a line's number; 0: it is none.
func number(text string) int {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil || n > mostLine {
		return 0
	}
	return int(n)
}

// Session finds the session of a key. ok is false for a human's key, and for one that the note does
// not explain.
func (n Note) Session(key string) (s Session, ok bool) {
	if strings.HasPrefix(key, "s_") {
		id, _, _ := strings.Cut(key, "::")
		s, ok = n.Metadata.Sessions[id]
		return s, ok
	}
	s, ok = n.Metadata.Prompts[key]
	return s, ok
}

// Human reports whether a key is that of a human whom the note names.
func (n Note) Human(key string) bool {
	_, ok := n.Metadata.Humans[key]
	return ok && strings.HasPrefix(key, "h_")
}
