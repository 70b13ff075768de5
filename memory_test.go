package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"entire-plumb/internal/cli"
	"entire-plumb/internal/testdir"
)

// memoryVariable asks the program for a line in a file that says how much memory it had: most bytes
// resident, bytes allocated over all, then its arguments.
const memoryVariable = "ENTIRE_TEST_MEMORY"

// needed is such a line.
type needed struct {
	resident, allocated int
	what                string
}

// memory reads the lines that the program left in a file.
func memory(t *testing.T, log string) []needed {
	t.Helper()
	text, err := os.ReadFile(log)
	testdir.Must(t, err)
	var all []needed
	for line := range strings.Lines(string(text)) {
		t.Log(strings.TrimSpace(line))
		var n needed
		if _, err := fmt.Sscan(line, &n.resident, &n.allocated, &n.what); err != nil || n.resident == 0 {
			t.Fatalf("%q: %v", line, err)
		}
		n.what = line[strings.Index(line, n.what) : len(line)-1]
		all = append(all, n)
	}
	return all
}

// measured runs the program, and says how much memory it had.
func measured(log string) int {
	code := cli.Main(os.Args)
	status, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	f, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	kib, _ := strconv.Atoi(strings.Fields(rest + " 0")[0])
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	fmt.Fprintln(f, kib<<10, stats.TotalAlloc, strings.Join(os.Args[1:], " "))
	return code
}

// talk writes a transcript of about size bytes, with secrets in it, and with one line of long bytes
// in its middle.
func talk(t *testing.T, path string, size, long int) {
	f, err := os.Create(path)
	testdir.Must(t, err)
	w := bufio.NewWriter(f)
	said := strings.Repeat("what a tool printed, \"quoted\" and 0x1f, ", 50)
	record := func(n int, kind, text string) int {
		line, err := json.Marshal(map[string]any{"type": kind, "uuid": n,
			"message": map[string]any{"id": fmt.Sprint("msg_", n), "model": "m",
				"content": []any{map[string]any{"type": "text", "text": text}}, "usage": map[string]any{"output_tokens": 1}}})
		testdir.Must(t, err)
		w.Write(append(line, '\n'))
		return len(line) + 1
	}
	for n, written := 0, 0; written < size; n++ {
		text := said
		if n%500 == 0 {
			text += " password = \"hunter2-" + fmt.Sprint(n) + "!\""
		}
		written += record(n, []string{"user", "assistant"}[n%2], text)
		if long > 0 && written > size/2 {
			text := strings.Repeat(said, long/len(said)/2)
			written += record(n, "user", text+` password = "hunter2-long!" `+text)
			long = 0
		}
	}
	record(-1, "assistant", "The end.")
	testdir.Must(t, w.Flush())
	testdir.Must(t, f.Close())
}

// TestMemory records, commits and reads back a transcript that is larger than what any process of
// ours may have in memory.
func TestMemory(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("the system does not tell how much memory a process had")
	}
	t.Parallel()
	whole(t)
	size, most := 64<<20, 60<<20
	if mib, err := strconv.Atoi(os.Getenv("MEMORY_MIB")); err == nil {
		size, most = mib<<20, 100<<20
	}
	for _, test := range []struct {
		name       string
		size, long int
		most       int
	}{
		{"lines", size, 0, most},
		{"one long line", 24 << 20, 20 << 20, 96 << 20},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			log := filepath.Join(w.home, "memory")
			// What is kept is in question, not how far the collector of a loaded machine is behind.
			w.env = append(w.env, memoryVariable+"="+log, fmt.Sprintf("GOMEMLIMIT=%d", test.most/2))
			path := filepath.Join(w.home, "s1.jsonl")
			testdir.Must(t, w.agent(nil, "user-prompt-submit", "s1", "Talk"))
			talk(t, path, test.size, test.long)
			w.write("a.txt", "a line by the agent")
			if _, err := w.run(nil, []byte(`{"session_id":"s1","transcript_path":"`+path+`"}`), "entire-plumb", "hooks", "claude-code",
				"stop"); err != nil {
				t.Fatal(err)
			}
			w.git("add", "-A")
			w.git("commit", "-qm", "Talk")
			w.env = append(w.env, "ENTIRE_TEST_TTY=0")
			sum := w.summed("entire-plumb", "show", "--raw", "HEAD")
			w.summed("entire-plumb", "show", "--transcript", "HEAD")
			id := strings.Fields(w.git("log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly)"))[0]
			stored := w.git("cat-file", "blob", "entire/checkpoints/v1:"+id[:2]+"/"+id[2:]+"/0/content_hash.txt")
			if stored != "sha256:"+sum {
				t.Errorf("%s was stored, %s is read", stored, sum)
			}
			if found, err := w.run(nil, nil, "git", "grep", "-c", "hunter2", "entire/checkpoints/v1", "--", "*/full.jsonl*"); err == nil {
				t.Errorf("a secret was stored: %s", found)
			}
			for _, n := range memory(t, log) {
				if n.resident > test.most {
					t.Errorf("%d MiB for a transcript of %d MiB: %s", n.resident>>20, test.size>>20, n.what)
				}
			}
		})
	}
}

// summed returns the hash of what a program prints, a last newline left out.
func (w where) summed(name string, args ...string) string {
	w.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = w.dir, w.env
	out, err := cmd.StdoutPipe()
	testdir.Must(w.t, err)
	var said strings.Builder
	cmd.Stderr = &said
	testdir.Must(w.t, cmd.Start())
	sum := &butLast{hash: sha256.New()}
	if _, err := io.Copy(sum, out); err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		w.t.Fatalf("%s %q: %v: %s", name, args, err, &said)
	}
	return hex.EncodeToString(sum.hash.Sum(nil))
}

// butLast hashes all but the last byte.
type butLast struct {
	hash hash.Hash
	last []byte
}

func (b *butLast) Write(p []byte) (int, error) {
	b.hash.Write(b.last)
	b.hash.Write(p[:len(p)-1])
	b.last = []byte{p[len(p)-1]}
	return len(p), nil
}
