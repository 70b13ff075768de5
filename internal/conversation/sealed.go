package conversation

import (
	"errors"
	"io"
	"sync"

	"entire-plumb/gitexec"
	"entire-plumb/internal/seal"
)

// mostSealed is how many bytes a sealed file of a transcript comes to: a chunk is much smaller
// unless a single line is longer.
const mostSealed = 1 << 30

// identities are those of object databases: one is read at most once.
var identities sync.Map

// keys are the user's identities, where a sealed file is met: of git's configuration
// (entire-plumb.identity), or else of the environment (ENTIRE_PLUMB_IDENTITY), or else the file in
// the user's configuration directory.
func keys(db *gitexec.ODB) *seal.Keys {
	if k, ok := identities.Load(db.Objects); ok {
		return k.(*seal.Keys)
	}
	k, _ := identities.LoadOrStore(db.Objects, seal.NewKeys(func() (string, error) {
		own, err := db.OwnConfig()
		if err != nil {
			return "", err
		}
		return seal.IdentityName(own[seal.IdentityKey])
	}))
	return k.(*seal.Keys)
}

// unsealed opens a file if it is sealed. Its errors are ErrDamaged, and seal.Error where no
// identity opens it.
func unsealed(db *gitexec.ODB, data []byte, path string, most int64) ([]byte, error) {
	if !seal.Is(data) {
		return data, nil
	}
	opened, err := keys(db).Open(data, most)
	if err != nil && !IsSealed(err) {
		err = errors.Join(ErrDamaged, errors.New(path+": "+err.Error()))
	}
	return opened, err
}

// IsSealed reports whether an error says that something is encrypted for others.
func IsSealed(err error) bool { return errors.As(err, new(*seal.Error)) }

// Shown is a text of a conversation as it is shown: of one that is encrypted for others it says so.
func Shown(text string, err error) (string, error) {
	if fault := new(seal.Error); errors.As(err, &fault) {
		return "(" + fault.Brief() + ")", nil
	}
	return text, err
}

// ShownText is Shown for a content that was read already. sealed is as of SealedFor.
func ShownText(db *gitexec.ODB, data []byte, path string, most int64) (text, sealed string, err error) {
	opened, err := unsealed(db, data, path, most)
	sealed = SealedFor(err)
	text, err = Shown(string(opened), err)
	return text, sealed, err
}

// SealedFor says for whom something is encrypted that no identity here opens; empty: it is not the
// reason of the error.
func SealedFor(err error) string {
	if fault := new(seal.Error); errors.As(err, &fault) {
		return fault.Brief()
	}
	return ""
}

// IdentityFault is why the user's identity could not be read when it was needed; nil: it could, or
// was not needed.
func IdentityFault() (fault error) {
	identities.Range(func(_, k any) bool {
		fault = k.(*seal.Keys).Fault()
		return fault == nil
	})
	return fault
}

// Line opens a sealed line, as lines.json has of prompts.
func Line(db *gitexec.ODB, text string) string {
	if !seal.IsLine(text) {
		return text
	}
	return keys(db).OpenLine(text)
}

// Copy writes a blob of a conversation, opened if it is sealed. Its errors are git's, and
// seal.Error where no identity opens it.
func Copy(db *gitexec.ODB, w io.Writer, id gitexec.OID) error {
	out := keys(db).Writer(w, mostSealed)
	err := db.Copy(out, id, "blob")
	if err2 := out.Close(); err == nil || IsSealed(err2) {
		err = err2
	}
	return err
}

// WithoutIdentity has what is encrypted stay so for an object database, also for those who could
// read it: a page that others get shows it to nobody.
func WithoutIdentity(db *gitexec.ODB) {
	identities.Store(db.Objects, seal.NewKeys(func() (string, error) { return "", nil }))
}
