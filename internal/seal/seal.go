// Package seal encrypts what is stored of conversations for the recipients that the settings name,
// and opens it for who has an identity of theirs.
package seal

// A sealed content is an age file (age-encryption.org/v1) of the gzip of the content: encrypted
// data cannot be compressed, and git tries in vain. A stanza of the header, which age ignores,
// names the recipients, so that readers without an identity can say who has one.

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"filippo.io/age"
)

const (
	magic = "age-encryption.org/v1\n"
	// stanza is the type of the one that names the recipients.
	stanza = "entire-plumb-for"
	// line begins a sealed text of one line, in base64.
	line = "age:"
	// longestName is how much of a recipient is named: post-quantum ones have thousands of letters.
	longestName = 62
)

// Recipients are who can read what is stored. nil: it is stored as it is.
type Recipients struct {
	names []string
	all   []age.Recipient
}

// Parse reads recipients: native ones of age. No name is nil.
func Parse(names []string) (*Recipients, error) {
	if len(names) == 0 {
		return nil, nil
	}
	r := &Recipients{}
	var labels []string
	for i, name := range names {
		one, err := parseRecipient(name)
		if err != nil {
			return nil, err
		}
		_, of, err := wrap(one, make([]byte, 16))
		if err != nil {
			return nil, err
		}
		slices.Sort(of)
		if i > 0 && !slices.Equal(of, labels) {
			return nil, errors.New("post-quantum recipients (age1pq1…) and others cannot be mixed")
		}
		labels, r.names, r.all = of, append(r.names, name), append(r.all, one)
	}
	r.all = append([]age.Recipient{nameTag{r.names, labels}}, r.all...)
	return r, nil
}

func parseRecipient(name string) (age.Recipient, error) {
	switch {
	case strings.HasPrefix(name, "AGE-SECRET-KEY-"):
		return nil, errors.New("a recipient is a public key (age1…), and this is a secret one: take it out of the settings, and make another\n" +
			"hint: age-keygen -y FILE prints the public key")
	case strings.HasPrefix(name, "age1pq1"):
		r, err := age.ParseHybridRecipient(name)
		if err != nil {
			return nil, fmt.Errorf("%q is no age recipient: %v", name, err)
		}
		return r, nil
	}
	r, err := age.ParseX25519Recipient(name)
	if err != nil {
		return nil, fmt.Errorf("%q is no age recipient: %v\nhint: age-keygen makes an identity and prints its recipient, age1…", name, err)
	}
	return r, nil
}

func wrap(r age.Recipient, key []byte) ([]*age.Stanza, []string, error) {
	if r, ok := r.(age.RecipientWithLabels); ok {
		return r.WrapWithLabels(key)
	}
	s, err := r.Wrap(key)
	return s, nil, err
}

// nameTag writes the stanza with the recipients' names.
type nameTag struct{ names, labels []string }

// Wrap returns the stanza. It has no part of the key.
func (n nameTag) Wrap([]byte) ([]*age.Stanza, error) {
	s := &age.Stanza{Type: stanza}
	for _, name := range n.names {
		s.Args = append(s.Args, name[:min(longestName, len(name))])
	}
	return []*age.Stanza{s}, nil
}

// WrapWithLabels returns the stanza with the labels of the others.
func (n nameTag) WrapWithLabels(key []byte) ([]*age.Stanza, []string, error) {
	s, err := n.Wrap(key)
	return s, slices.Clone(n.labels), err
}

// Names are the recipients as they were written; nil has none.
func (r *Recipients) Names() []string {
	if r == nil {
		return nil
	}
	return r.names
}

// To writes what a function writes, sealed.
func (r *Recipients) To(w io.Writer, write func(io.Writer) error) error {
	if r == nil {
		return write(w)
	}
	sealed, err := age.Encrypt(w, r.all...)
	if err != nil {
		return err
	}
	packed := gzip.NewWriter(sealed)
	if err := write(packed); err != nil {
		return err
	}
	if err := packed.Close(); err != nil {
		return err
	}
	return sealed.Close()
}

// Seal returns a content, sealed.
func (r *Recipients) Seal(content []byte) ([]byte, error) {
	if r == nil {
		return content, nil
	}
	var b bytes.Buffer
	err := r.To(&b, func(w io.Writer) error { _, err := w.Write(content); return err })
	return b.Bytes(), err
}

// Line returns a text, sealed, as one line. One that is sealed or empty stays as it is.
func (r *Recipients) Line(text string) (string, error) {
	if r == nil || text == "" || IsLine(text) {
		return text, nil
	}
	sealed, err := r.Seal([]byte(text))
	return line + base64.RawStdEncoding.EncodeToString(sealed), err
}

// IsLine reports whether a text is a sealed line.
func IsLine(text string) bool {
	rest, ok := strings.CutPrefix(text, line)
	return ok && strings.HasPrefix(rest, base64.RawStdEncoding.EncodeToString([]byte(magic[:18])))
}

// Is reports whether a content is sealed.
func Is(content []byte) bool { return bytes.HasPrefix(content, []byte(magic)) }

// Error says that a content is sealed, and that none of the identities here opens it.
type Error struct {
	For   []string // the recipients, as far as they are known
	Cause error    // nil: there is no identity
}

func (e *Error) Error() string {
	text := e.Brief()
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text + "\n" + Hint
}

// Hint says how a user names the own identity.
const Hint = "hint: git config --global entire-plumb.identity FILE, the file with your age identity"

func (e *Error) Unwrap() error { return e.Cause }

// Brief is the error in a few words.
func (e *Error) Brief() string {
	if len(e.For) == 0 {
		return "encrypted with age"
	}
	return "encrypted for " + strings.Join(e.For, ", ")
}

// forWhom reads the recipients' names from a header, as far as they are in its first bytes.
func forWhom(content []byte) []string {
	for text := range strings.Lines(string(content[:min(len(content), 64<<10)])) {
		if names, ok := strings.CutPrefix(text, "-> "+stanza+" "); ok {
			names := strings.Fields(names)
			return names[:min(len(names), 100)]
		}
		if strings.HasPrefix(text, "---") {
			break
		}
	}
	return nil
}
