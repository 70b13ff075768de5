package transcript

import (
	"strings"
	"time"
)

// Found is a file as the last tool that wrote it found it.
type Found struct {
	line    []byte // with the tool's result
	results results
	used    time.Time // when the tool was asked to
	edits   []Edit    // that the tool was given
}

// mostFound is how many bytes of results are kept for what tools found.
const mostFound = 8 << 20

// mostLeft is how many bytes of text, of all edits together, are edited: a use may have thousands
// of edits, and each of them copies the text.
const mostLeft = 64 << 20

// Text is what the file was, empty where there was none; ok is false where the result doesn't tell.
func (f *Found) Text() (text string, ok bool) { return f.results.before(f.line) }

// Left is what the tool made of the file; ok is false where it isn't known, or takes too long.
func (f *Found) Left() (text string, ok bool) {
	text, ok = f.Text()
	left := mostLeft
	for _, e := range f.edits {
		// An edit without an old text makes a new file.
		known := e.Whole || e.Located && strings.Contains(text, e.Old) && (e.Old != "" || text == "")
		left -= e.Longest(len(text))
		if ok = ok && known && left >= 0; !ok {
			return "", false
		}
		text = e.On(text)
	}
	return text, ok
}

// at is when the result came.
func (f *Found) at() time.Time { return timeOf(f.line) }

// Saved reports whether the file was saved, at a time, by the tool, or by a program that runs after
// it: a hook of the agent's may format what the tool wrote. The result comes behind hooks, which
// may run for long, as tests do. Had the user saved the file earlier, the tool would have since.
func (f *Found) Saved(at time.Time) bool {
	end := f.at()
	meanwhile := !f.used.IsZero() && at.After(f.used) && at.Before(end)
	return !end.IsZero() && (meanwhile || at.Sub(end).Abs() <= apart)
}

// lastFound is what the last tool found of those that wrote these texts and others; nil where one
// of the results doesn't tell.
func (t Texts) lastFound(o Texts) *Found {
	switch {
	case !t.Known():
		return o.Found
	case !o.Known():
		return t.Found
	case t.Found == nil || o.Found == nil:
		return nil
	case o.Found.at().After(t.Found.at()):
		return o.Found
	}
	return t.Found
}
