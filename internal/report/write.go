package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

//go:embed markdown.js
var markdownJS string

//go:embed marked/marked.umd.js
var markedJS string

// script is all that the page runs. Where one of its texts would begin a comment of HTML, a browser
// would read the script's end differently.
func script() string {
	return strings.ReplaceAll(markedJS+markdownJS+pageJS, "<!--", `\x3c!--`)
}

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
		hash(pageCSS), hash(script()))
	return t.Execute(w, shown{p, policy, template.CSS(pageCSS), template.JS(script())})
}

// hash names a text as a content security policy does.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
