package query

import (
	"encoding/binary"
	"encoding/hex"
	"entire-plumb/gitexec"
	"entire-plumb/internal/transcript"
	"errors"
	"time"
)

// packer writes values one after the other.
type packer []byte

func (p *packer) num(n int) { *p = binary.AppendVarint(*p, int64(n)) }

func (p *packer) str(s string) { p.num(len(s)); *p = append(*p, s...) }

// entry writes the ID of an object, in half of its length, and whether it is a tree.
func (p *packer) entry(e gitexec.Entry) {
	b, _ := hex.DecodeString(string(e.ID)) // it is one
	p.str(string(b))
	p.flag(e.IsTree())
}

func (p *packer) flag(set bool) {
	if set {
		p.num(1)
	} else {
		p.num(0)
	}
}

func (p *packer) strs(all []string) {
	p.num(len(all))
	for _, s := range all {
		p.str(s)
	}
}

func (p *packer) paths(all []gitexec.Path) {
	p.num(len(all))
	for _, s := range all {
		p.str(string(s))
	}
}

func (p *packer) time(t time.Time) {
	b, err := t.MarshalBinary()
	if err != nil { // an offset that no clock has
		b, _ = t.UTC().MarshalBinary()
	}
	p.str(string(b))
}

func (p *packer) usage(u *transcript.Usage) {
	p.flag(u != nil)
	if u != nil {
		for _, n := range []int{u.InputTokens, u.CacheCreationTokens, u.CacheReadTokens, u.OutputTokens, u.APICallCount} {
			p.num(n)
		}
		p.usage(u.SubagentTokens)
	}
}

var errShort = errors.New("a value of the index is damaged")

// unpacker reads what packer wrote. After an error it reads zeros.
type unpacker struct {
	rest []byte
	err  error
}

func (u *unpacker) num() int {
	n, size := binary.Varint(u.rest)
	if size <= 0 {
		u.rest, u.err = nil, errShort
		return 0
	}
	u.rest = u.rest[size:]
	return int(n)
}

func (u *unpacker) str() string {
	n := u.num()
	if n < 0 || n > len(u.rest) {
		u.rest, u.err = nil, errShort
		return ""
	}
	s := string(u.rest[:n])
	u.rest = u.rest[n:]
	return s
}

func (u *unpacker) entry() gitexec.Entry {
	e := gitexec.Entry{Mode: gitexec.ModeFile, ID: gitexec.OID(hex.EncodeToString([]byte(u.str())))}
	if u.flag() {
		e.Mode = gitexec.ModeTree
	}
	return e
}

func (u *unpacker) flag() bool { return u.num() != 0 }

func (u *unpacker) strs() (all []string) {
	for range u.num() {
		if u.err != nil {
			return nil
		}
		all = append(all, u.str())
	}
	return all
}

func (u *unpacker) paths() (all []gitexec.Path) {
	for _, s := range u.strs() {
		all = append(all, gitexec.Path(s))
	}
	return all
}

func (u *unpacker) time() (t time.Time) {
	if err := t.UnmarshalBinary([]byte(u.str())); err != nil {
		u.err = errShort
	}
	return t
}

func (u *unpacker) usage() *transcript.Usage {
	if !u.flag() || u.err != nil {
		return nil
	}
	v := &transcript.Usage{InputTokens: u.num(), CacheCreationTokens: u.num(), CacheReadTokens: u.num(), OutputTokens: u.num(),
		APICallCount: u.num()}
	v.SubagentTokens = u.usage()
	return v
}
