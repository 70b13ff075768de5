package transcript

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// writer makes up what an agent, a crash or an editor does to a transcript.
type writer struct {
	*rand.Rand
	message int
}

func (w *writer) line() string {
	switch w.IntN(12) {
	case 0:
		return ""
	case 1:
		return "\xff\xfe\x00 junk \x80"
	case 2:
		return fmt.Sprint(w.IntN(100000))
	case 3:
		return `{"type":"system","content":"` + strings.Repeat("s", w.IntN(300)) + `"}`
	case 4:
		return fmt.Sprintf(`{"type":"user","message":{"content":"prompt %d"}}`, w.IntN(100))
	case 5:
		return `{"type":"assistant","message":"odd"}`
	case 6:
		return `[{"type":"user"}] `
	}
	return w.assistant()
}

// assistant is a record of one of the last few messages.
func (w *writer) assistant() string {
	if w.IntN(3) == 0 {
		w.message++
	}
	id := w.message - w.IntN(4)
	return fmt.Sprintf(`{"type":"assistant","isSidechain":%t,"message":{"id":"msg_%d","model":"m%d",`+
		`"content":[{"type":"text","text":"t%d"}],"usage":{"input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":%d}}}`,
		id%3 == 0, id, w.IntN(3), w.IntN(100), w.IntN(10), w.IntN(10), w.IntN(50))
}

func (w *writer) end() string {
	return []string{"\n", "\n", "\n", "\r\n", ""}[w.IntN(5)]
}

// change is the next state of a file.
func (w *writer) change(content string) string {
	switch w.IntN(20) {
	case 0: // truncated
		return content[:w.IntN(len(content)+1)]
	case 1: // rewritten from somewhere on
		return content[:w.IntN(len(content)+1)] + w.line() + "\n"
	case 2: // line end only
		return content + w.end()
	case 3, 4, 5: // half a line
		line := w.line()
		return content + line[:w.IntN(len(line)+1)]
	}
	for range 1 + w.IntN(4) {
		content += w.line() + w.end()
	}
	return content
}

func TestReadProperty(t *testing.T) {
	for seed := range uint64(100) {
		w := &writer{Rand: rand.New(rand.NewPCG(seed, 1)), message: 10}
		rec := &recorder{path: file(t, ""), chunkSize: 1 + w.IntN(600)}
		content := ""
		for step := range 25 {
			content = w.change(content)
			put(t, rec.path, content)
			before := rec.pos
			if part := rec.read(t); part.Restarted && appended(content, before) {
				t.Fatalf("seed %d, step %d: restarted needlessly", seed, step)
			}
			rec.check(t)
			rec.checkFresh(t)
			if t.Failed() {
				t.Fatalf("seed %d, step %d", seed, step)
			}
		}
	}
}

func hexSum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// appended reports whether content only adds lines to what pos records.
func appended(content string, pos Position) bool {
	if pos.Bytes > int64(len(content)) {
		return false
	}
	rest := content[pos.Bytes:]
	ended := pos.Bytes > 0 && content[pos.Bytes-1] == '\n'
	kept := strings.TrimSuffix(content[:pos.Bytes], "\n")
	return hexSum(kept) == pos.SHA256 && (ended || rest == "" || rest[0] == '\n')
}

// Lines of many MB, against the real chunk size.
func TestReadLongLines(t *testing.T) {
	long := func(mib int) string { return `{"type":"tool","x":"` + strings.Repeat("y", mib<<20) + `"}` }
	rec := &recorder{path: file(t, ""), chunkSize: ChunkSize}
	content := ""
	for _, more := range []string{"{}\n" + long(3) + "\n" + long(6), "\n", long(17) + "\n{}\n" + long(2)[:1<<20],
		strings.Repeat("y", 9<<20), "\n{}\n"} {
		content += more
		put(t, rec.path, content)
		if part := rec.read(t); part.Restarted {
			t.Fatal("restarted")
		}
		rec.check(t)
	}
	if len(rec.chunks) != 6 {
		t.Errorf("%d chunks", len(rec.chunks))
	}
}

// Any file that grows is recorded as it is, and Complete copes with it.
func FuzzRead(f *testing.F) {
	f.Add([]byte("12"), []byte("3\n"), uint8(1))
	f.Add([]byte("{}\r"), []byte("\n\n{}"), uint8(2))
	f.Add([]byte(`{"type":"assistant","message":{"id":"m","content":[{"type":"text"},7],"usage":{"output_tokens":1}}}`),
		[]byte("\n"+`{"type":"user","message":{"content":"<command-"}}`+"\n"), uint8(50))
	f.Add([]byte(`{"type":"user","message":{"content":[{"type":"text","text":"<ide_x a=1>"}]}}`), []byte("\x00\xff\n"), uint8(9))
	path := f.TempDir() + "/session.jsonl"
	f.Fuzz(func(t *testing.T, first, second []byte, size uint8) {
		rec := &recorder{path: path, chunkSize: 1 + int(size)}
		put(t, path, string(first))
		rec.read(t)
		rec.check(t)
		put(t, path, string(first)+string(second))
		rec.read(t)
		rec.check(t)
		if _, _, err := endingOf(path, false, ""); err != nil {
			t.Fatal(err)
		}
	})
}

func benchmarkFile(b *testing.B) string {
	content := fixture(b)
	path := file(b, strings.Repeat(content, 5<<20/len(content)+1))
	b.SetBytes(5 << 20)
	return path
}

func BenchmarkReadNew5MB(b *testing.B) {
	path := benchmarkFile(b)
	for b.Loop() {
		if _, err := gather(context.Background(), path, Position{}, limits{chunk: ChunkSize}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadRecorded5MB(b *testing.B) {
	path := benchmarkFile(b)
	part, err := gather(context.Background(), path, Position{}, limits{chunk: ChunkSize})
	testdir.Must(b, err)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	testdir.Must(b, err)
	defer f.Close()
	if _, err := f.WriteString(`{"type":"user","message":{"content":"more"}}` + "\n"); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		more, err := gather(context.Background(), path, part.Position, limits{chunk: ChunkSize})
		if err != nil || len(more.Prompts) != 1 {
			b.Fatal(more, err)
		}
	}
}

func BenchmarkComplete(b *testing.B) {
	path := benchmarkFile(b)
	for b.Loop() {
		if _, _, err := endingOf(path, false, ""); err != nil {
			b.Fatal(err)
		}
	}
}
