package transcript

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

func put(t testing.TB, path, content string) {
	t.Helper()
	testdir.Must(t, os.WriteFile(path, []byte(content), 0o600))
}

func file(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "session.jsonl")
	put(t, path, content)
	return path
}

func fixture(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile("testdata/session.jsonl")
	testdir.Must(t, err)
	return string(data)
}

// gathered is a Part with what a session keeps of its chunks.
type gathered struct {
	Part
	Chunks  [][]byte
	Prompts []string
}

func gather(ctx context.Context, path string, pos Position, most limits) (gathered, error) {
	var g gathered
	part, err := read(ctx, path, pos, most, func(chunk []byte, _ bool) error {
		g.Chunks = append(g.Chunks, bytes.Clone(chunk))
		if chunk == nil {
			g.Chunks[len(g.Chunks)-1] = []byte{}
		}
		for line := range bytes.Lines(chunk) {
			if rec, ok := decode(line); ok && !rec.subagent && rec.prompt != "" {
				g.Prompts = append(g.Prompts, rec.prompt)
			}
		}
		return nil
	})
	g.Part = part
	return g, err
}

// recorder reads a file again and again, and keeps what a session would.
type recorder struct {
	path      string
	chunkSize int
	until     time.Time
	pos       Position
	chunks    [][]byte
	prompts   []string
	usage     Usage // whatever became of the file
	lastText  string
	model     string
}

func (r *recorder) read(t testing.TB) gathered {
	t.Helper()
	part, err := gather(context.Background(), r.path, r.pos, limits{r.chunkSize, r.until})
	testdir.Must(t, err)
	if part.Restarted {
		*r = recorder{path: r.path, chunkSize: r.chunkSize, until: r.until, usage: r.usage}
	}
	r.chunks = append(r.chunks, part.Chunks...)
	r.prompts = append(r.prompts, part.Prompts...)
	r.usage = r.usage.Add(part.Usage)
	if part.LastText != "" {
		r.lastText = part.LastText
	}
	if part.Model != "" {
		r.model = part.Model
	}
	r.pos = stored(t, part.Position)
	return part
}

// stored is a position after a round trip through the session's state file.
func stored(t testing.TB, pos Position) Position {
	t.Helper()
	data, err := json.Marshal(pos)
	testdir.Must(t, err)
	var back Position
	testdir.Must(t, json.Unmarshal(data, &back))
	if !reflect.DeepEqual(back, pos) {
		t.Fatalf("position changed in JSON: %+v, was %+v", back, pos)
	}
	return back
}

// check holds what is recorded against the file.
func (r *recorder) check(t testing.TB) {
	t.Helper()
	content, err := os.ReadFile(r.path)
	testdir.Must(t, err)
	if r.pos.Bytes == 0 {
		if r.chunks != nil || !reflect.DeepEqual(r.pos, Position{}) {
			t.Fatalf("position %+v, %d chunks; want nothing", r.pos, len(r.chunks))
		}
	} else {
		r.checkRecorded(t, content[:r.pos.Bytes])
	}
	left := content[r.pos.Bytes:]
	if bytes.IndexByte(left, '\n') >= 0 || json.Valid(left) {
		t.Fatalf("left over: %.200q", left)
	}
	for _, chunk := range r.chunks {
		if len(chunk) > r.chunkSize && bytes.IndexByte(chunk, '\n') >= 0 {
			t.Fatalf("chunk of %d bytes has several lines", len(chunk))
		}
	}
}

func (r *recorder) checkRecorded(t testing.TB, content []byte) {
	t.Helper()
	want := bytes.TrimSuffix(content, newline)
	got := bytes.Join(r.chunks, newline)
	if !bytes.Equal(got, want) {
		t.Fatalf("recorded %.300q\nwant %.300q", got, want)
	}
	if lines := bytes.Count(want, newline) + 1; r.pos.Lines != lines {
		t.Fatalf("%d lines, want %d", r.pos.Lines, lines)
	}
	if sum := sha256.Sum256(want); r.pos.SHA256 != hex.EncodeToString(sum[:]) {
		t.Fatalf("hash %s, want %x", r.pos.SHA256, sum)
	}
}

// checkFresh holds what many readings told against what a single one tells.
func (r *recorder) checkFresh(t testing.TB) {
	t.Helper()
	one := &recorder{path: r.path, chunkSize: ChunkSize}
	one.read(t)
	if !slices.Equal(r.prompts, one.prompts) {
		t.Fatalf("prompts %q, want %q", r.prompts, one.prompts)
	}
	if !reflect.DeepEqual(r.pos.Used, one.usage) {
		t.Fatalf("used %+v, want %+v", r.pos.Used, one.usage)
	}
	if got := r.usage.APICallCount; got < one.usage.APICallCount {
		t.Fatalf("%d calls counted, %d are in the file", got, one.usage.APICallCount)
	}
	if r.lastText != one.lastText || r.model != one.model {
		t.Fatalf("%q by %q, want %q by %q", r.lastText, r.model, one.lastText, one.model)
	}
}

func TestReadSession(t *testing.T) {
	part, err := gather(context.Background(), "testdata/session.jsonl", Position{}, limits{chunk: ChunkSize})
	testdir.Must(t, err)
	if want := []string{"fix the login redirect", "now add a test\nfor it"}; !slices.Equal(part.Prompts, want) {
		t.Errorf("prompts %q, want %q", part.Prompts, want)
	}
	want := Usage{
		InputTokens: 13, CacheCreationTokens: 2350, CacheReadTokens: 49300, OutputTokens: 260, APICallCount: 3,
		SubagentTokens: &Usage{InputTokens: 5, CacheCreationTokens: 100, OutputTokens: 40, APICallCount: 1},
	}
	if !reflect.DeepEqual(part.Usage, want) {
		t.Errorf("usage %+v, want %+v", part.Usage, want)
	}
	if part.LastText != "Added TestRedirectKeepsQuery." {
		t.Errorf("last text %q", part.LastText)
	}
	if part.Model != "claude-opus-4-5-20251101" {
		t.Errorf("model %q", part.Model)
	}
	if len(part.Chunks) != 1 || part.Position.Lines != 19 || part.Restarted {
		t.Errorf("%d chunks, %d lines, restarted %v", len(part.Chunks), part.Position.Lines, part.Restarted)
	}
}

// Words that tell a record's kind are no such thing within a text.
func TestReadQuotedWords(t *testing.T) {
	path := file(t, `{"type":"user","message":{"content":"what is \"tool_use_id\" in \"assistant\"?"}}
{"type":"assistant","message":{"model":"m","content":[{"type":"text","text":"It is a key."},{"type":"tool_use","input":{"k":"tool_use_id"}}]}}
{"type":"user","message":{"content":[{"tool_use_id":"t","type":"tool_result","content":[{"type":"text","text":"\"user\""}]}]}}
`)
	part, err := gather(context.Background(), path, Position{}, limits{chunk: ChunkSize})
	if err != nil || !slices.Equal(part.Prompts, []string{`what is "tool_use_id" in "assistant"?`}) || part.LastText != "It is a key." {
		t.Errorf("%q, %q, %v", part.Prompts, part.LastText, err)
	}
}

// A session that is read after every line, or at any byte, comes out as one
// that is read once.
func TestReadSessionPiecemeal(t *testing.T) {
	content := fixture(t)
	for _, step := range []int{1, 7, 500, 701, 5000} {
		rec := &recorder{path: file(t, ""), chunkSize: 1000}
		if step == 1 {
			content = content[len(content)-2500:]
		}
		for end := 0; end < len(content); end += step {
			put(t, rec.path, content[:end])
			if part := rec.read(t); part.Restarted {
				t.Fatalf("step %d: restarted at %d", step, end)
			}
		}
		put(t, rec.path, content)
		rec.read(t)
		rec.check(t)
		rec.checkFresh(t)
		content = fixture(t)
	}
}

// What was spent stays spent, and counts once, whatever becomes of the file.
func TestReadUsageAfterRestarts(t *testing.T) {
	one, two, three := assistant("a", `{"output_tokens":1}`), assistant("b", `{"output_tokens":10}`), assistant("c",
		`{"output_tokens":100}`)
	for _, test := range []struct {
		name   string
		states []string
		want   int
	}{
		{"another conversation", []string{one + two, three}, 111},
		{"its beginning is rewritten", []string{one + two, "{}\n" + one + two + three}, 111},
		{"it is cut", []string{one + two, one}, 11},
		{"a last line goes on", []string{one + two + `{}`, one + two + `{} {}` + "\n" + three}, 111},
		{"cut, and as long again", []string{one + two, one, one + three}, 111},
	} {
		t.Run(test.name, func(t *testing.T) {
			rec := &recorder{path: file(t, ""), chunkSize: ChunkSize}
			for _, content := range test.states {
				put(t, rec.path, content)
				rec.read(t)
			}
			if rec.usage.OutputTokens != test.want {
				t.Errorf("%d, want %d", rec.usage.OutputTokens, test.want)
			}
		})
	}
}

// One file, read at each of the states it goes through.
func TestReadStates(t *testing.T) {
	tests := []struct {
		name      string
		states    []string
		chunks    []string
		restarted bool // by the last state
	}{
		{"empty", []string{""}, nil, false},
		{"one line", []string{"{}\n"}, []string{"{}"}, false},
		{"nothing new", []string{"{}\n", "{}\n"}, []string{"{}"}, false},
		{"appended", []string{"{}\n", "{}\n[]\n"}, []string{"{}", "[]"}, false},
		{"half line waits", []string{"{}\n{\"a\"", "{}\n{\"a\":1}\n"}, []string{"{}", `{"a":1}`}, false},
		{"whole line without newline", []string{"{}\n[]"}, []string{"{}\n[]"}, false},
		{"newline follows", []string{"{}", "{}\n"}, []string{"{}"}, false},
		{"newline and line follow", []string{"{}", "{}\n[]\n"}, []string{"{}", "[]"}, false},
		{"newline, then line", []string{"{}", "{}\n", "{}\n[]"}, []string{"{}", "[]"}, false},
		{"newline and half line", []string{"{}", "{}\n[", "{}\n[]\n"}, []string{"{}", "[]"}, false},
		{"number goes on", []string{"{}\n12", "{}\n123\n"}, []string{"{}\n123"}, true},
		{"number goes on, half", []string{"12", "12e"}, nil, true},
		{"space goes on", []string{"{}", "{} \n"}, []string{"{} "}, true},
		{"CRLF", []string{"{}\r\n", "{}\r\n[]\r\n"}, []string{"{}\r", "[]\r"}, false},
		{"CRLF cut before CR", []string{"{}", "{}\r\n"}, []string{"{}\r"}, true},
		{"CRLF cut in the middle", []string{"{}\r", "{}\r\n[]\r\n"}, []string{"{}\r", "[]\r"}, false},
		{"blank line", []string{"\n"}, []string{""}, false},
		{"blank lines", []string{"\n", "\n\n", "\n\n\n{}\n"}, []string{"", "", "\n{}"}, false},
		{"blank line after open line", []string{"{}", "{}\n\n"}, []string{"{}", ""}, false},
		{"junk", []string{"\xff\x00\n", "\xff\x00\n\xfe\n{}\n"}, []string{"\xff\x00", "\xfe\n{}"}, false},
		{"truncated", []string{"{}\n[]\n", "{}\n"}, []string{"{}"}, true},
		{"emptied", []string{"{}\n", ""}, nil, true},
		{"newline gone", []string{"{}\n", "{}"}, []string{"{}"}, true},
		{"rewritten", []string{"{}\n[]\n", "[]\n{}\n"}, []string{"[]\n{}"}, true},
		{"rewritten at the end", []string{"{}\n", "{}x\n"}, []string{"{}x"}, true},
		{"written after emptied", []string{"{}\n", "", "[]\n"}, []string{"[]"}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rec := &recorder{path: file(t, ""), chunkSize: ChunkSize}
			var part gathered
			for _, state := range test.states {
				put(t, rec.path, state)
				part = rec.read(t)
				rec.check(t)
			}
			var got []string
			for _, chunk := range rec.chunks {
				got = append(got, string(chunk))
			}
			if !slices.Equal(got, test.chunks) || part.Restarted != test.restarted {
				t.Errorf("chunks %q, restarted %v", got, part.Restarted)
			}
		})
	}
}

func TestReadDamagedPosition(t *testing.T) {
	path := file(t, "{}\n[]\n")
	for _, pos := range []Position{
		{Bytes: -1},
		{Bytes: 3},
		{Bytes: 3, SHA256: "zz"},
		{Bytes: 1 << 62, SHA256: "00"},
		{SHA256: "00"},
	} {
		part, err := gather(context.Background(), path, pos, limits{chunk: ChunkSize})
		if err != nil || !part.Restarted || part.Position.Bytes != 6 || part.Position.Lines != 2 {
			t.Errorf("%+v: %+v, %v", pos, part, err)
		}
	}
}

func TestReadErrors(t *testing.T) {
	dir := t.TempDir()
	locked := filepath.Join(dir, "locked.jsonl")
	put(t, locked, "{}\n")
	testdir.Must(t, os.Chmod(locked, 0))
	tests := map[string]error{
		filepath.Join(dir, "missing.jsonl"): fs.ErrNotExist,
		dir:                                 nil,
		os.DevNull:                          nil,
		locked:                              fs.ErrPermission,
	}
	if os.Geteuid() == 0 {
		delete(tests, locked) // which root can read
	}
	for path, want := range tests {
		_, readErr := gather(context.Background(), path, Position{}, limits{chunk: ChunkSize})
		_, _, completeErr := endingOf(path, false, "")
		for _, err := range []error{readErr, completeErr} {
			if err == nil || strings.Count(err.Error(), path) != 1 || want != nil && !errors.Is(err, want) {
				t.Errorf("%s: error %v, want %v", path, err, want)
			}
		}
	}
}

func TestReadCancelled(t *testing.T) {
	path := file(t, "{}\n{}\n")
	part, err := gather(context.Background(), path, Position{}, limits{chunk: ChunkSize})
	testdir.Must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, pos := range []Position{{}, part.Position} {
		if _, err := gather(ctx, path, pos, limits{chunk: ChunkSize}); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), path) {
			t.Errorf("error %v", err)
		}
	}
}

func TestReadTooLarge(t *testing.T) {
	path := file(t, "")
	if err := os.Truncate(path, maxNew+1); err != nil {
		t.Skip(err)
	}
	if _, err := gather(context.Background(), path, Position{}, limits{chunk: ChunkSize}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("error %v", err)
	}
}

// allocated tells how many bytes f allocates in all.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestReadMemory(t *testing.T) {
	t.Run("end of a long file", func(t *testing.T) {
		const size = 200 << 20
		path := file(t, "")
		if err := os.Truncate(path, size); err != nil {
			t.Skip(err)
		}
		sum := sha256.New()
		for range size >> 20 {
			sum.Write(make([]byte, 1<<20))
		}
		pos := Position{Bytes: size, Lines: 1, SHA256: hex.EncodeToString(sum.Sum(nil))}
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		testdir.Must(t, err)
		defer f.Close()
		if _, err := f.WriteString("\n{}\n"); err != nil {
			t.Fatal(err)
		}
		used := allocated(func() {
			part, err := gather(context.Background(), path, pos, limits{chunk: ChunkSize})
			if err != nil || part.Restarted || len(part.Chunks) != 1 || string(part.Chunks[0]) != "{}" {
				t.Errorf("%+v, %v", part, err)
			}
		})
		if used > 4<<20 {
			t.Errorf("%d bytes allocated", used)
		}
	})
	t.Run("long line", func(t *testing.T) {
		line := `{"type":"user","message":{"content":"` + strings.Repeat("x", 60<<20) + `"}}`
		path := file(t, "{}\n"+line+"\n{}\n")
		used := allocated(func() {
			chunks := 0
			_, err := Read(context.Background(), path, Position{}, func([]byte, bool) error { chunks++; return nil })
			if err != nil || chunks != 3 {
				t.Errorf("%d chunks, %v", chunks, err)
			}
		})
		if used > 64<<20 {
			t.Errorf("%d bytes allocated", used)
		}
	})
}

// TestReadInPortions: a reading whose time is over ends with its chunk, and the next ones go on there,
// until they have told what a single one tells.
func TestReadInPortions(t *testing.T) {
	path := file(t, fixture(t))
	info, err := os.Stat(path)
	testdir.Must(t, err)
	r := &recorder{path: path, chunkSize: 2000, until: time.Unix(1, 0)}
	readings := 0
	for ; r.pos.Bytes < info.Size(); readings++ {
		before := r.pos.Bytes
		if part := r.read(t); len(part.Chunks) != 1 || r.pos.Bytes <= before || part.Restarted {
			t.Fatalf("%d chunks, from %d to %d, restarted %v", len(part.Chunks), before, r.pos.Bytes, part.Restarted)
		}
		content, err := os.ReadFile(path)
		testdir.Must(t, err)
		r.checkRecorded(t, content[:r.pos.Bytes])
	}
	if readings < 3 {
		t.Fatalf("%d readings", readings)
	}
	r.check(t)
	r.checkFresh(t)

	ctx, stop := context.WithTimeout(t.Context(), time.Hour)
	defer stop()
	if left := time.Until(portionOf(ctx).until); left < 29*time.Minute || left > 30*time.Minute {
		t.Errorf("%v of an hour", left)
	}
	if portionOf(t.Context()).over() {
		t.Error("without a deadline it ends")
	}
}
