package gitexec

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Ident is who made a commit, and when. Times are kept in UTC to the second.
type Ident struct {
	Name, Email string
	When        time.Time
}

// Previous is, as a parent, the commit before it in the same call of CommitTree.
const Previous OID = "previous"

// NewCommit is a commit to write. Environment and configuration are not used.
type NewCommit struct {
	Tree              OID
	Parents           []OID // may contain Previous; zero IDs are ignored
	Author, Committer Ident
	Message           string // with its final newline
	// Sign has git sign it, as it signs the user's. If that fails, it is written without: see
	// ODB.Unsigned.
	Sign bool
}

// CommitTree writes commits, and returns their IDs. commit-tree writes those that are signed.
func (db *ODB) CommitTree(commits ...NewCommit) ([]OID, error) {
	ids := make([]OID, len(commits))
	for i, c := range commits {
		// A copy: the caller's list keeps Previous, and may be used again.
		c.Parents = append([]OID{}, c.Parents...)
		for j, p := range c.Parents {
			if p == Previous && i > 0 {
				c.Parents[j] = ids[i-1]
			}
		}
		var err error
		if ids[i], err = db.writeCommit(c); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// WriteCommits is CommitTree for who needs the last ID alone; empty: there was no commit to write.
func (db *ODB) WriteCommits(commits ...NewCommit) (tip OID, err error) {
	return last(db.CommitTree(commits...))
}

// last is the last of some IDs; empty: there is none.
func last(ids []OID, err error) (OID, error) {
	if err != nil || len(ids) == 0 {
		return "", err
	}
	return ids[len(ids)-1], nil
}

// writeCommit writes one, signed if it is to be and can be.
func (db *ODB) writeCommit(c NewCommit) (id OID, err error) {
	// Once signing has failed it is not tried again: it may have taken all of its time.
	if c.Sign && db.Unsigned == nil {
		if id, db.Unsigned = db.repo.signedCommit(db.ctx, c); db.Unsigned == nil {
			db.Rely(id)
			return id, nil
		}
	}
	return last(db.write("commit", c.encode()))
}

// commitID is what commit-tree answered.
func commitID(out []byte, err error) (OID, error) { return OID(strings.TrimSpace(string(out))), err }

// command is the commit-tree that writes it.
func (c NewCommit) command(sign string) command {
	args := []string{"-c", "i18n.commitEncoding=UTF-8", "commit-tree", sign, string(c.Tree)}
	for _, p := range c.Parents {
		if !p.IsZero() {
			args = append(args, "-p", string(p))
		}
	}
	a, m := c.Author.clean(), c.Committer.clean()
	return command{args: args, stdin: strings.NewReader(c.Message), env: []string{
		"GIT_AUTHOR_NAME=" + a.Name, "GIT_AUTHOR_EMAIL=" + a.Email, "GIT_AUTHOR_DATE=" + a.date(),
		"GIT_COMMITTER_NAME=" + m.Name, "GIT_COMMITTER_EMAIL=" + m.Email, "GIT_COMMITTER_DATE=" + m.date(),
	}}
}

// encode is the commit object's content.
func (c NewCommit) encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", c.Tree)
	for _, p := range c.Parents {
		if !p.IsZero() {
			fmt.Fprintf(&b, "parent %s\n", p)
		}
	}
	a, m := c.Author.clean(), c.Committer.clean()
	fmt.Fprintf(&b, "author %s <%s> %s\n", a.Name, a.Email, strings.TrimPrefix(a.date(), "@"))
	fmt.Fprintf(&b, "committer %s <%s> %s\n", m.Name, m.Email, strings.TrimPrefix(m.date(), "@"))
	b.WriteString("\n" + strings.ReplaceAll(c.Message, "\x00", "")) // git reads no further than that
	return b.Bytes()
}

func (i Ident) date() string { return fmt.Sprintf("@%d %s", i.When.Unix(), i.When.Format("-0700")) }

// clean removes characters that are not allowed in an identity, as git does.
func (i Ident) clean() Ident {
	const crud = " .,:;<>\"\\'\t\r\v\f"
	drop := strings.NewReplacer("\n", "", "<", "", ">", "", "\x00", "")
	i.Name, i.Email = strings.Trim(drop.Replace(i.Name), crud), strings.Trim(drop.Replace(i.Email), crud)
	return i
}

// Commit is what the hooks need of a commit object.
type Commit struct {
	ID         OID
	Tree       OID
	Parents    []OID
	Author     string    // name and email, as stored
	AuthorDate string    // seconds since 1970 and the time zone, as stored
	Committer  string    // name and email, as stored
	When       time.Time // the committer's time
	Message    []byte    // as stored, in whatever encoding
}

// ParseCommit reads a commit object's content.
func ParseCommit(id OID, data []byte) (Commit, error) {
	head, message, ok := bytes.Cut(data, []byte("\n\n"))
	// A commit with an empty message may end with its headers.
	if !ok {
		head, ok = bytes.CutSuffix(data, []byte("\n"))
	}
	c := Commit{ID: id, Message: message}
	for line := range strings.Lines(string(head)) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch key {
		case "tree":
			c.Tree = OID(value)
		case "parent":
			c.Parents = append(c.Parents, OID(value))
		case "author":
			end := max(0, strings.LastIndexByte(value, '>')+1)
			c.Author, c.AuthorDate = value[:end], strings.TrimPrefix(value[end:], " ")
		case "committer":
			var unix int64
			// From the end: a damaged name may hold such brackets itself.
			end := strings.LastIndexByte(value, '>') + 1
			c.Committer = value[:end]
			fmt.Sscan(value[end:], &unix)
			c.When = time.Unix(unix, 0).UTC()
		}
	}
	if !ok || c.Tree == "" {
		return c, fmt.Errorf("commit %s is damaged", id)
	}
	return c, nil
}

// Commits reads commits, in order. The zero ID is a commit with the empty tree, before the first.
func (o *Objects) Commits(names ...OID) ([]Commit, error) {
	asked := slices.DeleteFunc(slices.Clone(names), OID.IsZero)
	objects, err := askNear(o, "contents", asked, true)
	if err != nil {
		return nil, err
	}
	commits := make([]Commit, len(names))
	for i, name := range names {
		if name.IsZero() {
			commits[i] = Commit{ID: name, Tree: o.repo.Format.EmptyTree()}
			continue
		}
		if commits[i], err = objects[0].commit(); err != nil {
			return nil, err
		}
		objects = objects[1:]
	}
	return commits, nil
}

// Readable reads commits, without those that are missing or damaged, and without other objects.
func (o *Objects) Readable(names ...OID) (commits []Commit, err error) {
	// Of refs that others have written, one bad object must not hide the rest.
	objects, err := o.Any(names...)
	for _, object := range objects {
		if c, err := object.commit(); err == nil {
			commits = append(commits, c)
		}
	}
	return commits, err
}

// ParentTree is the tree of a commit's first parent, and the empty tree for a root commit. If the
// parent is missing, as in a shallow clone, the error is MissingError.
func (o *Objects) ParentTree(c Commit) (OID, error) {
	first := OID("")
	if len(c.Parents) > 0 {
		first = c.Parents[0]
	}
	parent, err := o.Commit(first)
	return parent.Tree, err
}

// IDsOf are the IDs of commits.
func IDsOf(commits []Commit) []OID {
	ids := make([]OID, len(commits))
	for i, c := range commits {
		ids[i] = c.ID
	}
	return ids
}

// Commit reads one commit: see Commits.
func (o *Objects) Commit(name OID) (Commit, error) {
	commits, err := o.Commits(name)
	if err != nil {
		return Commit{}, err
	}
	return commits[0], nil
}

func (o Object) commit() (Commit, error) {
	if o.Type != "commit" {
		return Commit{}, &KindError{Name: string(o.ID), Kind: o.Type, Want: "commit"}
	}
	return ParseCommit(o.ID, o.Data)
}

// mostCommits limits the cache of commits.
const mostCommits = 4096

// Ancestors reads a commit and its first-parent history, n in all, from the cache as far as it has
// them, and the others in one round trip. It returns at least the first commit, and fewer than n
// where the history ends, or before a commit that cannot be read; reading that one returns the
// error.
func (o *Objects) Ancestors(id OID, n int) ([]Commit, error) {
	line := o.knownAncestors(id, n)
	if known := len(line); known > 0 {
		parents := line[known-1].Parents
		if known == n || len(parents) == 0 {
			return line, nil
		}
		id = parents[0]
	}
	names := []OID{id}
	// Git follows the parents by itself: one round trip for all of them.
	for i := 1; i < n-len(line); i++ {
		names = append(names, OID(fmt.Sprintf("%s~%d", id, i)))
	}
	objects, err := o.Any(names...)
	if err != nil {
		return nil, err
	}
	if len(line) == 0 {
		if objects[0].Type == "" {
			return nil, &MissingError{Name: string(id)}
		}
		first, err := objects[0].commit()
		if err != nil {
			return nil, err
		}
		line, objects = []Commit{first}, objects[1:]
	}
	line = withFirstParents(line, objects)
	if o.commits == nil || len(o.commits) > mostCommits {
		o.commits = map[OID]Commit{}
	}
	for _, c := range line {
		o.commits[c.ID] = c
	}
	return line, nil
}

// withFirstParents is a line of commits with the first parents of the last one, as far as the
// objects that follow are these.
func withFirstParents(line []Commit, objects []Object) []Commit {
	for _, object := range objects {
		next, err := object.commit()
		if parents := line[len(line)-1].Parents; err != nil || len(parents) == 0 || parents[0] != next.ID {
			break
		}
		line = append(line, next)
	}
	return line
}

func (o *Objects) knownAncestors(id OID, n int) []Commit {
	var line []Commit
	for len(line) < n {
		c, ok := o.commits[id]
		if !ok {
			break
		}
		line = append(line, c)
		if len(c.Parents) == 0 {
			break
		}
		id = c.Parents[0]
	}
	return line
}

// Trailer is the value of the last line "key: value" of the message.
func (c Commit) Trailer(key string) string {
	start := []byte(key + ": ")
	for rest := c.Message; ; {
		at := bytes.LastIndex(rest, start)
		switch {
		case at < 0:
			return ""
		// Not within a line, as where another text quotes it.
		case at == 0 || rest[at-1] == '\n':
			value, _, _ := bytes.Cut(c.Message[at+len(start):], []byte("\n"))
			return string(bytes.TrimSpace(value))
		}
		rest = rest[:at]
	}
}
