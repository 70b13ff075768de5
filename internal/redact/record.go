package redact

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// batch is how many bytes of lines are redacted side by side before they are written.
const batch = 1 << 20

// Records redacts records, one a line, each by itself: JSON stays valid JSON, and every byte that is no secret's stays as
// it is. What is no JSON is redacted as a text.
func (r *Redactor) Records(text []byte) []byte {
	var out bytes.Buffer
	out.Grow(len(text))
	r.WriteRecords(&out, text) // it has no errors of its own
	return out.Bytes()
}

// WriteRecords writes what Records gives. Beside the text it has little in memory, however long a line is. Errors are the writer's.
func (r *Redactor) WriteRecords(w io.Writer, text []byte) error {
	if r == nil {
		r = &Redactor{}
	}
	for len(text) > 0 {
		var lines [][]byte
		for size := 0; len(text) > 0 && size < batch; {
			end := bytes.IndexByte(text, '\n') + 1
			if end == 0 {
				end = len(text)
			}
			if end > longLine && len(lines) > 0 {
				break
			}
			lines, text, size = append(lines, text[:end]), text[end:], size+end
		}
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

// sideBySide redacts lines, as many at once as there are processors.
func (r *Redactor) sideBySide(lines [][]byte) [][]byte {
	out := make([][]byte, len(lines))
	var all sync.WaitGroup
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), len(lines)) {
		all.Go(func() {
			for i := range next {
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
	if !json.Valid(line) {
		text := r.Text(string(line))
		return []byte(text), text != string(line)
	}
	var out []byte
	at := 0
	for key, s := range values(line) {
		if redacted, changed := r.literal(key, line[s.from:s.to]); changed {
			out = append(append(out, line[at:s.from]...), redacted...)
			at = s.to
		}
	}
	return append(out, line[at:]...), at > 0
}

// values gives the places of a JSON text's strings and numbers, without its keys, each with the key that it stands behind, alone or in an
// array; the key is "" where there is none, or none of a sensible length.
func values(line []byte) iter.Seq2[string, span] {
	return func(yield func(string, span) bool) {
		key := ""
		for i := 0; i < len(line); i++ {
			end := i
			switch c := line[i]; {
			case c == '"':
				end = stringEnd(line, i)
				if isKey(line[end:]) {
					key = ""
					if end-i <= longLine {
						key = decoded(line[i:end])
					}
					i = end - 1
					continue
				}
			case c == '-' || c >= '0' && c <= '9':
				for end++; end < len(line) && strings.IndexByte("+-.eE"+digits, line[end]) >= 0; {
					end++
				}
			default:
				if c == '{' || c == '}' || c == ']' || c == '[' && strings.EqualFold(key, "token") { // tokens in an array are a language's
					key = ""
				}
				continue
			}
			if !yield(key, span{i, end}) {
				return
			}
			i = end - 1
		}
	}
}

// literal redacts a string or a number as JSON has it.
func (r *Redactor) literal(key string, literal []byte) (redacted []byte, changed bool) {
	if literal[0] != '"' {
		return []byte(`"` + Mark + `"`), secretNumber(key, string(literal)) && !r.allowed(string(literal))
	}
	text := decoded(literal)
	value := r.value(key, text)
	if value == text {
		return nil, false
	}
	return encoded(value), true
}

// stringEnd gives the place behind a JSON string that begins at i.
func stringEnd(line []byte, i int) int {
	for i++; line[i] != '"'; i++ {
		if line[i] == '\\' {
			i++
		}
	}
	return i + 1
}

func isKey(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return len(rest) > 0 && rest[0] == ':'
}

func decoded(literal []byte) string {
	if bytes.IndexByte(literal, '\\') < 0 {
		return string(literal[1 : len(literal)-1])
	}
	var text string
	json.Unmarshal(literal, &text) // it is valid
	return text
}

// encoded writes a string as JSON, HTML as it is.
func encoded(text string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(text) // a string always can be
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// plainKeys are keys whose values look random and are no secrets: names of records, signatures of thoughts, images.
var plainKeys = []string{"signature", "uuid", "parentuuid", "leafuuid", "sessionid", "session_id", "requestid", "messageid", "tool_use_id", "id", "data", "hash", "sha", "checksum", "integrity"}

// value redacts a string that stands behind a key.
func (r *Redactor) value(key, text string) string {
	if text == "" || plainKey(key) && !strings.ContainsAny(text, " \n") {
		return text
	}
	if secretString(key, text) {
		if r.allowed(text) {
			return text
		}
		return Mark
	}
	return r.Text(text)
}

// byKey redacts what keys tell of in a text that is JSON itself, as files that tools read are.
func (r *Redactor) byKey(text string) string {
	if start := strings.TrimLeft(text, " \t\r\n"); start == "" || start[0] != '{' && start[0] != '[' || !json.Valid([]byte(text)) {
		return text
	}
	var found []span
	for key, s := range values([]byte(text)) {
		if literal := text[s.from:s.to]; literal[0] != '"' {
			if secretNumber(key, literal) && !r.allowed(literal) {
				found = append(found, s)
			}
		} else if value := decoded([]byte(literal)); secretString(key, value) && !r.allowed(value) {
			found = append(found, s)
		}
	}
	return replaceWith(text, found, `"`+Mark+`"`)
}

func plainKey(key string) bool { return slices.Contains(plainKeys, strings.ToLower(key)) }
