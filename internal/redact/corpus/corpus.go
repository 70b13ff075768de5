// Package corpus generates texts with secrets in them, and texts without, to measure redaction by.
package corpus

// No secret is real: all come from a seed. Kinds are what secrets look like and how they are
// written down, contexts are the records of transcripts that hold them.

import (
	"hash/fnv"
	"math/rand/v2"
)

// Origin is who knows of a kind.
type Origin string

// The origins.
const (
	Gitleaks Origin = "gitleaks"
	Other    Origin = "other"
)

// Kind is a kind of secret.
type Kind struct {
	Name   string
	Origin Origin
	make   func(rng *rand.Rand) Sample
}

// Sample is one secret as somebody writes it down.
type Sample struct {
	Text        string   // as a file or a command has it: one line or several
	Secrets     []string // what must not be seen of it
	Name, Value string   // of what is assigned to a name; other samples have neither
}

// Context is where a secret turns up.
type Context struct {
	Name   string
	record func(rng *rand.Rand, s Sample) []byte // one record, JSON
}

// Record is a record of a transcript that holds a secret.
type Record struct {
	Kind    Kind
	Context Context
	Secrets []string
	JSON    []byte
}

// Held reports whether a kind or a context is held out: rules are written without a look at the
// records of those.
func Held(name string) bool {
	h := fnv.New32a()
	h.Write([]byte(name))
	return h.Sum32()%5 == 0
}

// Records gives a record of each kind in each context.
func Records(kinds []Kind, seed uint64) []Record { return recordsOf(kinds, Contexts(), seed) }

func recordsOf(kinds []Kind, contexts []Context, seed uint64) []Record {
	var all []Record
	for i, kind := range kinds {
		for j, context := range contexts {
			rng := rand.New(rand.NewPCG(seed, uint64(i)<<16|uint64(j)))
			sample := kind.make(rng)
			all = append(all, Record{kind, context, sample.Secrets, context.record(rng, sample)})
		}
	}
	return all
}

// Kinds gives all kinds: those of gitleaks' rules, the text of its file, and others.
func Kinds(rules []byte) ([]Kind, error) {
	kinds, err := gitleaksKinds(rules)
	return append(kinds, otherKinds()...), err
}
