package transcript

import (
	"bytes"
	"context"
	"errors"
	"hash/maphash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// mostSiblings is how many other transcripts of a directory are looked at.
	// A fork's origin was written to lately, or is named.
	mostSiblings = 30
	// firstMessages is how many bytes of those are looked at for the first message.
	firstMessages = 1 << 20
)

// errFound ends a reading early.
var errFound = errors.New("found")

// Copied counts the lines at the beginning of a session's transcript that another session wrote: a
// fork begins with a copy of the transcript that it comes from, whose messages have the same IDs.
// The other one is among those that are named, and those in the same directory. 0: none. Errors are
// those of Read.
func Copied(ctx context.Context, path string, others []string) (int, error) {
	first, _, err := firstMessage(ctx, path, 0)
	if err != nil || first == "" {
		return 0, err
	}
	// Sorted, so that the same origin is found each time.
	for _, other := range slices.Compact(slices.Sorted(slices.Values(append(siblings(path), others...)))) {
		if other == path {
			continue
		}
		if its, _, err := firstMessage(ctx, other, 0); err != nil || its != first {
			continue // what can't be read is no evidence
		}
		if _, prompts, err := firstMessage(ctx, path, 2); err != nil || prompts < 2 {
			return 0, err // one prompt alone is the session's own
		}
		return copiedFrom(ctx, path, other)
	}
	return 0, ctx.Err()
}

// siblings are the transcripts beside one, the newest ones.
func siblings(path string) []string {
	files := transcriptsIn(filepath.Dir(path), time.Time{})
	slices.SortFunc(files, func(a, b transcriptFile) int { return b.when.Compare(a.when) })
	var paths []string
	for _, f := range files[:min(len(files), mostSiblings)] {
		paths = append(paths, f.path)
	}
	return paths
}

// transcriptFile is a transcript, and when it was written to last.
type transcriptFile struct {
	path string
	when time.Time
}

// transcriptsIn are the transcripts in a directory that were written to since a time, by name.
func transcriptsIn(dir string, since time.Time) (files []transcriptFile) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), ".jsonl") && !info.ModTime().Before(since) {
			files = append(files, transcriptFile{filepath.Join(dir, e.Name()), info.ModTime()})
		}
	}
	return files
}

// firstMessage is the ID of the first message of the model's in a transcript, and the number of
// prompts, which are counted up to a limit; 0: only the beginning of the file is read.
func firstMessage(ctx context.Context, path string, limit int) (id string, prompts int, err error) {
	f, size, err := open(path)
	if err != nil {
		return "", 0, failed(path, err)
	}
	defer f.Close()
	if limit == 0 {
		// The first message of a fork's origin is near its beginning; only of the fork itself the
		// prompts are counted.
		size = min(size, firstMessages)
	}
	err = records(ctx, io.NewSectionReader(f, 0, size), func(rec record, _ []byte, _ int) error {
		if id == "" && rec.who == typeAssistant && !rec.subagent {
			id = rec.message
		}
		if rec.prompt != "" && !rec.subagent {
			prompts++
		}
		if id != "" && prompts >= limit {
			return errFound
		}
		return nil
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return id, prompts, err
}

// copiedFrom counts the lines of a transcript up to the last message that another one has, with
// what belongs to it.
func copiedFrom(ctx context.Context, path, other string) (int, error) {
	known := map[string]bool{}
	collect := func(rec record, _ []byte, _ int) error {
		if rec.who == typeAssistant && rec.message != "" {
			known[rec.message] = true
		}
		return nil
	}
	if err := recordsOf(ctx, other, collect); err != nil {
		return 0, err
	}
	copied, after := 0, false // after: a prompt followed
	err := recordsOf(ctx, path, func(rec record, _ []byte, at int) error {
		switch {
		case rec.who == typeAssistant && known[rec.message]:
			copied, after = at+1, false
		case rec.prompt != "" && !rec.subagent:
			after = true
		// What belongs to the copied message, as its results of tools, up to the first prompt of
		// the fork's own.
		case !after && copied > 0:
			copied = at + 1
		}
		return nil
	})
	return copied, err
}

func recordsOf(ctx context.Context, path string, each func(rec record, line []byte, at int) error) error {
	f, size, err := open(path)
	if err != nil {
		return failed(path, err)
	}
	defer f.Close()
	if size > maxNew {
		// As for what is new in one reading: an agent waits for it.
		return failed(path, ErrTooLarge)
	}
	return records(ctx, io.NewSectionReader(f, 0, size), each)
}

// Lines are hashes of a stored transcript's lines, which this process alone compares.
type Lines []uint64

var lineSeed = maphash.MakeSeed()

// Add adds the lines of a transcript, or of its next chunk. Errors are those of reading it.
func (l *Lines) Add(from Stored) error {
	return ReadStored(from, func(in io.Reader) error {
		return lines(in, func(line []byte) error {
			*l = append(*l, hashLine(line))
			return nil
		})
	})
}

// In counts the lines at the beginning that another transcript has, too. It is read as far as that,
// and errors are those of reading it.
func (l Lines) In(other Stored) (n int, err error) {
	err = ReadStored(other, func(in io.Reader) error {
		return lines(in, func(line []byte) error {
			if n == len(l) || hashLine(line) != l[n] {
				return errFound
			}
			n++
			return nil
		})
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return n, err
}

func hashLine(line []byte) uint64 { return maphash.Bytes(lineSeed, bytes.TrimSpace(line)) }

// UsedIn is the tokens that the lines of a stored transcript tell of, from one (counted from 0) to
// before another one. Errors are those of reading it.
func UsedIn(from Stored, first, end int) (Usage, error) {
	count, at := newTally(nil), 0
	err := ReadStored(from, func(in io.Reader) error {
		return lines(in, func(line []byte) error {
			if at >= end {
				return errFound
			}
			// Those before first are noted as counted elsewhere: a message may go on across the
			// border.
			new(Part).parse(line, first-at, count)
			at++
			return nil
		})
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return count.total, err
}
