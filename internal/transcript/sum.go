package transcript

import (
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"hash"
	"io"
)

// Sum is the SHA-256 hash of chunks, joined as Join does, that more can be added to. Its JSON is a
// hundred bytes. Zero value: of nothing.
type Sum struct {
	State  []byte `json:"state,omitempty"` // as crypto/sha256 marshals it
	Chunks int    `json:"chunks"`
}

// Add adds a chunk, which a function writes to the writer that it is given. Errors are the
// function's.
func (s *Sum) Add(write func(io.Writer) error) error {
	h, err := s.hash()
	if err != nil {
		return err
	}
	if s.Chunks > 0 {
		h.Write(newline)
	}
	if err := write(h); err != nil {
		return err
	}
	s.Chunks++
	s.State, err = h.(encoding.BinaryMarshaler).MarshalBinary()
	return err
}

// Hex is the hash, in hex.
func (s *Sum) Hex() (string, error) {
	h, err := s.hash()
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func (s *Sum) hash() (hash.Hash, error) {
	h := sha256.New()
	if len(s.State) == 0 {
		return h, nil
	}
	return h, h.(encoding.BinaryUnmarshaler).UnmarshalBinary(s.State)
}
