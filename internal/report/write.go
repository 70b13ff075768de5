package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

// shown is the template's data.
type shown struct {
	Page
	Policy string
	Style  template.CSS
	Script template.JS
}

// Write writes the page. Its content security policy names its style and script by their hashes,
// and forbids everything else.
func Write(w io.Writer, p Page) error {
	t, err := template.New("page").Funcs(functions()).Parse(pageHTML)
	if err != nil {
		return err
	}
	policy := fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; img-src data:; base-uri 'none'; form-action 'none'",
		hash(pageCSS), hash(pageJS))
	return t.Execute(w, shown{p, policy, template.CSS(pageCSS), template.JS(pageJS)})
}

// hash names a text as a content security policy does.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
