package redact

import (
	"bytes"
	"encoding/json"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// batch is how many bytes of lines are redacted side by side before they are written.
const batch = 1 << 20

// Records redacts records, one a line, each by itself: JSON stays valid JSON, and every byte that
// is no secret's stays as it is. What is no JSON is redacted as a text.
func (r *Redactor) Records(text []byte) []byte {
	var out bytes.Buffer
	out.Grow(len(text))
	r.WriteRecords(&out, text) // it has no errors of its own
	return out.Bytes()
}

// WriteRecords writes what Records gives. Beside the text it has little in memory, however long a
// line is. Errors are the writer's.
func (r *Redactor) WriteRecords(w io.Writer, text []byte) error {
	if r == nil {
		r = &Redactor{}
	}
	for len(text) > 0 {
		var lines [][]byte
		lines, text = nextLines(text)
		if len(lines[0]) > longLine {
			if err := r.writeLong(w, lines[0]); err != nil {
				return err
			}
			lines = lines[1:]
		}
		for _, line := range r.sideBySide(lines) {
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
	}
	return nil
}

// nextLines are the first lines of a text; a long one is the first of them, or not among them.
func nextLines(text []byte) (lines [][]byte, rest []byte) {
	for size := 0; len(text) > 0 && size < batch; {
		end := bytes.IndexByte(text, '\n') + 1
		if end == 0 {
			end = len(text)
		}
		// A long line comes by itself: it is written in pieces, and never copied.
		if end > longLine && len(lines) > 0 {
			break
		}
		lines, text, size = append(lines, text[:end]), text[end:], size+end
	}
	return lines, text
}

// sideBySide redacts lines, as many at once as there are processors.
func (r *Redactor) sideBySide(lines [][]byte) [][]byte {
	out := make([][]byte, len(lines))
	var all sync.WaitGroup
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), len(lines)) {
		all.Go(func() {
			for i := range next {
				// The newline is not in the text that is looked at: it stays, whatever is redacted.
				body, end := ended(lines[i])
				if out[i] = lines[i]; len(bytes.TrimSpace(body)) == 0 {
					continue
				}
				if redacted, changed := r.record(body); changed {
					out[i] = append(redacted, end...)
				}
			}
		})
	}
	for i := range lines {
		next <- i
	}
	close(next)
	all.Wait()
	return out
}

// ended takes a line and its newline apart.
func ended(line []byte) (body, end []byte) {
	n := len(bytes.TrimSuffix(line, []byte("\n")))
	return line[:n], line[n:]
}

// record redacts one record, and reports whether there was anything to redact.
func (r *Redactor) record(line []byte) (redacted []byte, changed bool) {
	text := string(line)
	find := r.inText
	if json.Valid(line) {
		find = r.inJSON
	}
	out := repeatedly(text, find)
	return []byte(out), out != text
}

func (r *Redactor) inJSON(text string, left *effort) []span {
	return append(r.json(text, left, 0, nil), r.purgedInRecord(text)...)
}

// plainKeys are keys whose values look random and are no secrets: names of records, signatures of
// thoughts, images.
var plainKeys = []string{"signature", "uuid", "parentuuid", "leafuuid", "sessionid", "session_id", "requestid", "messageid", "tool_use_id", "id", "data", "hash", "sha", "checksum", "integrity"}

func plainKey(key string) bool { return slices.Contains(plainKeys, strings.ToLower(key)) }
