package transcript

import (
	"bytes"
	"fmt"
	"io"
)

// ChunkSize is the most bytes that a chunk has, unless a single line is longer.
const ChunkSize = 8 << 20

const firstChunk = "full.jsonl"

var newline = []byte{'\n'}

// ChunkName gives the file name of chunk i, counted from 0: "full.jsonl",
// "full.jsonl.001", "full.jsonl.002".
func ChunkName(i int) string {
	if i <= 0 {
		return firstChunk
	}
	return fmt.Sprintf("%s.%03d", firstChunk, i)
}

// Join writes the whole transcript that chunks, in their order, are the parts
// of: one newline between two, none after the last. An empty chunk is a blank
// line. Errors are the writer's or a reader's.
func Join(w io.Writer, chunks ...io.Reader) error {
	for i, chunk := range chunks {
		if i > 0 {
			if _, err := w.Write(newline); err != nil {
				return err
			}
		}
		if _, err := io.Copy(w, chunk); err != nil {
			return err
		}
	}
	return nil
}

// cut splits text, which has no final newline, at line ends into chunks of at
// most size bytes, or of one line if that is longer. It copies nothing.
func cut(text []byte, size int) [][]byte {
	var chunks [][]byte
	for len(text) > size {
		end := bytes.LastIndexByte(text[:size+1], '\n')
		if end < 0 {
			end = bytes.IndexByte(text, '\n')
		}
		if end < 0 {
			break
		}
		chunks = append(chunks, text[:end:end])
		text = text[end+1:]
	}
	return append(chunks, text[:len(text):len(text)])
}
