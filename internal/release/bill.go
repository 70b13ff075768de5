package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"
)

// bom is a list of what is in a program, as CycloneDX 1.5 has it.
type bom struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Meta       bomMeta     `json:"metadata"`
	Components []component `json:"components"`
}

type bomMeta struct {
	Time    string    `json:"timestamp"`
	Program component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	URL        string     `json:"purl"` // a package URL, which is no address
	Hashes     []hash     `json:"hashes,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// bill lists the modules in a program, and the Go release whose standard library is in it, from
// what the compiler put there.
func (r release) bill(p program) []byte {
	sum := sha256.Sum256(p.data)
	program := module("application", p.info.Main.Path, "v"+r.version, "")
	program.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum[:])}}
	program.Properties = []property{{"goos", p.system}, {"goarch", p.machine}, {"vcs.revision", r.commit}}
	b := bom{Format: "CycloneDX", Spec: "1.5", Version: 1, Meta: bomMeta{r.date.Format(time.RFC3339), program}}
	b.Components = append(b.Components, module("library", "std", strings.TrimPrefix(p.info.GoVersion, "go"), ""))
	for _, m := range p.info.Deps {
		b.Components = append(b.Components, module("library", m.Path, m.Version, m.Sum))
	}
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		panic(err) // strings always have a form
	}
	return append(text, '\n')
}

// module describes one. Its sum, of go.sum, is one of all its files.
func module(kind, path, version, sum string) component {
	url := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	c := component{Type: kind, Ref: url, Name: path, Version: version, URL: url}
	if sum != "" {
		c.Properties = []property{{"go.sum", sum}}
	}
	return c
}
