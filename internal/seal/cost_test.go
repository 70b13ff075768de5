package seal

import (
	"bytes"
	"compress/zlib"
	"encoding/json"
	"flag"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"filippo.io/age"

	"entire-plumb/internal/testdir"
)

var measure = flag.Bool("measure", false, "measure what encryption costs beside git's compression")

// TestCost measures it with transcripts of this program's own sources: -args -measure.
func TestCost(t *testing.T) {
	if !*measure {
		t.Skip("-args -measure runs it")
	}
	key, err := age.GenerateX25519Identity()
	testdir.Must(t, err)
	readers, err := Parse([]string{key.Recipient().String()})
	testdir.Must(t, err)
	keys := NewKeys(func() (string, error) { return key.String(), nil })
	for _, size := range []int{100 << 10, 1 << 20, 10 << 20} {
		text := talk(t, size)
		var plain, sealed bytes.Buffer
		compress := func(into *bytes.Buffer, data []byte) {
			into.Reset()
			w := zlib.NewWriter(into)
			w.Write(data)
			w.Close()
		}
		alone := timed(func() { compress(&plain, text) })
		var stored bytes.Buffer
		both := timed(func() {
			sealed.Reset()
			testdir.Must(t, readers.To(&sealed, func(w io.Writer) error { _, err := w.Write(text); return err }))
			compress(&stored, sealed.Bytes())
		})
		open := timed(func() {
			if got, err := keys.Open(sealed.Bytes(), 1<<30); err != nil || !bytes.Equal(got, text) {
				t.Fatal(err)
			}
		})
		t.Logf("%d KiB: compressed alone %d KiB in %v; encrypted %d KiB in %v; opened in %v", size>>10, plain.Len()>>10, alone, stored.Len()>>10, both, open)
	}
}

// timed is the shortest time of five.
func timed(run func()) time.Duration {
	best := time.Hour
	for range 5 {
		began := time.Now()
		run()
		best = min(best, time.Since(began))
	}
	return best.Round(100 * time.Microsecond)
}

// talk is a transcript whose tool results are sources.
func talk(t *testing.T, size int) []byte {
	var out bytes.Buffer
	for out.Len() < size {
		err := filepath.WalkDir("../..", func(file string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(file) != ".go" || out.Len() >= size {
				return err
			}
			data, err := os.ReadFile(file)
			if err == nil {
				err = json.NewEncoder(&out).Encode(map[string]any{"type": "user", "message": map[string]any{"content": string(data)}})
			}
			return err
		})
		testdir.Must(t, err)
	}
	return out.Bytes()[:size]
}
