package redact

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
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
	at, key := 0, ""
	for i := 0; i < len(line); i++ {
		if line[i] != '"' {
			continue
		}
		end := stringEnd(line, i)
		text := decoded(line[i:end])
		if isKey(line[end:]) {
			key, i = text, end-1
			continue
		}
		redacted := r.value(key, text)
		if redacted != text {
			out = append(append(out, line[at:i]...), encoded(redacted)...)
			at = end
		}
		i = end - 1
	}
	return append(out, line[at:]...), at > 0
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

var secretKey = compiled(`(?i)^(?:.*[_.-])?(?:password|passwd|passphrase|pwd|secret|client_?secret|private_?key|api_?key|access_?key|secret_?key|auth_?token|access_?token|refresh_?token|session_?token|bearer|authorization|connection_?string)$`)

// plainKeys are keys whose values look random and are no secrets: names of records, signatures of thoughts, images.
var plainKeys = []string{"signature", "uuid", "parentuuid", "leafuuid", "sessionid", "session_id", "requestid", "messageid", "tool_use_id", "id", "data", "hash", "sha", "checksum", "integrity"}

// value redacts a string that stands behind a key.
func (r *Redactor) value(key, text string) string {
	if text == "" {
		return text
	}
	if !strings.ContainsAny(text, " \n") {
		if plainKey(key) {
			return text
		}
		if len(text) >= 4 && looksSecret(secretKey(), key) && !placeholder(text+"0") && !r.allowed(text) && text != Mark {
			return Mark
		}
	}
	return r.Text(text)
}

func plainKey(key string) bool { return slices.Contains(plainKeys, strings.ToLower(key)) }

func looksSecret(re *regexp.Regexp, key string) bool { return re.MatchString(key) }
