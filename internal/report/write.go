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

//go:embed theme.js
var themeJS string

//go:embed search.js
var searchJS string

//go:embed overview.html
var overviewHTML string

//go:embed search.html
var searchHTML string

// script is what a page runs. Where one of its texts would begin a comment of HTML, a browser would
// read the script's end differently.
func script(parts ...string) string {
	return strings.ReplaceAll(strings.Join(parts, ""), "<!--", `\x3c!--`)
}

// frame is what the templates have of every page.
type frame struct {
	Policy string
	Style  template.CSS
	Script template.JS
}

// frameOf is that of a page with a script. Its content security policy names the style and the
// script by their hashes, and forbids everything else.
func frameOf(script string) frame {
	policy := fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; img-src data:; base-uri 'none'; form-action 'none'",
		hash(pageCSS), hash(script))
	return frame{policy, template.CSS(pageCSS), template.JS(script)}
}

// Write writes the page.
func Write(w io.Writer, p Page) error {
	return execute(w, pageHTML, struct {
		Page
		frame
	}{p, frameOf(script(markedJS, markdownJS, themeJS, pageJS))})
}

// WriteOverview writes the first page of a repository.
func WriteOverview(w io.Writer, o Overview) error {
	return execute(w, overviewHTML, struct {
		Overview
		frame
	}{o, frameOf(script(themeJS))})
}

// WriteSearch writes the page that searches in sessions.
func WriteSearch(w io.Writer, o Overview) error {
	return execute(w, searchHTML, struct {
		Overview
		frame
	}{o, frameOf(script(themeJS, searchJS))})
}

func execute(w io.Writer, text string, data any) error {
	t, err := template.New("page").Funcs(functions()).Parse(text + shared)
	if err != nil {
		return err
	}
	return t.Execute(w, data)
}

// shared is a template of several pages.
const shared = `{{define "time"}}<time datetime="{{.Format "2006-01-02T15:04:05Z07:00"}}">{{.UTC.Format "2006-01-02 15:04"}} UTC</time>{{end}}`

// Form changes with what the pages look like, whatever is on them.
func Form() string {
	return hash(pageHTML + pageCSS + markedJS + markdownJS + themeJS + pageJS + overviewHTML + searchHTML + searchJS)
}

// hash names a text as a content security policy does.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
