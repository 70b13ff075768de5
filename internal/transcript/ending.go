package transcript

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"os"
	"strings"
	"time"
)

const (
	firstTail = 256 << 10 // bytes read from a file's end at first
	maxTail   = 4 << 20   // and at most
)

// endingOf reports whether the transcript at path ends as an agent that has stopped leaves it: its
// last message is the assistant's and waits for no tool. Records that are not messages may follow
// (system, summary, …), as may subagents' records, unless the transcript is a subagent's own; a
// line that is not written to its end may not. Where the agent's answer is known otherwise, another
// message is not the last: the rest is late. An empty answer is not known.
//
// It reads the file's last 256 KiB, and up to 4 MiB while no message is in
// them; if none is found there it is false, as it is for an empty or a binary
// file. known says that what was read tells. Errors are as Read's.
func endingOf(path string, ofSubagent bool, answer string) (stopped, known bool, err error) {
	f, size, err := open(path)
	if err != nil {
		return false, false, failed(path, err)
	}
	defer f.Close()
	for window := int64(firstTail); ; window *= 4 {
		data, err := tail(f, size, window)
		if err != nil {
			return false, false, failed(path, err)
		}
		atStart := window >= size
		stopped, known = ending(data, atStart, ofSubagent, answer)
		if known || atStart || window >= maxTail {
			return stopped, known, nil
		}
	}
}

// EndedOfSubagent reports whether a subagent's transcript at path is there to its end, as a
// subagent leaves it that has stopped with an answer; empty: it is not known.
func EndedOfSubagent(path, answer string) bool {
	ended, _, err := endingOf(path, true, answer)
	return err == nil && ended
}

// SubagentGoesOn reports whether a subagent is at work, by its transcript at path: it is not there
// to its end, and was written since a time. One that is killed leaves none to the end, and writes
// no more. One that has just been called has no transcript yet.
func SubagentGoesOn(path string, since time.Time) bool {
	info, err := os.Stat(path)
	return err != nil || !info.ModTime().Before(since) && !EndedOfSubagent(path, "")
}

// GoesOn reports whether the transcript at path ends as that of an agent at work. One that can't be
// read tells nothing, nor does one of a format that is not known.
func GoesOn(path string) bool {
	stopped, known, err := endingOf(path, false, "")
	return err == nil && known && !stopped
}

// Asked is the prompt at the end of the transcript at path that no answer follows; empty: there is
// none, or it can't be read. It reads the file's last 256 KiB.
func Asked(path string) string {
	f, size, err := open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	data, err := tail(f, size, firstTail)
	if err != nil {
		return ""
	}
	for line := range backwards(data, firstTail >= size) {
		if rec, ok := decode(line); ok && (rec.begins() || rec.who == typeAssistant) {
			return rec.prompt
		}
	}
	return ""
}

// Interrupted reports whether the transcript at path may end with an interruption, or an error in
// place of an answer, after which nothing had the agent go on. It reads the file's last 256 KiB;
// where nothing in them tells, it is false. Errors are as Read's.
func Interrupted(path string) (bool, error) {
	f, size, err := open(path)
	if err != nil {
		return false, failed(path, err)
	}
	defer f.Close()
	data, err := tail(f, size, firstTail)
	if err != nil {
		return false, failed(path, err)
	}
	for line := range backwards(data, true) {
		rec, ok := decode(line)
		switch {
		case !ok || rec.subagent:
		// Read from the end: what comes first here is what was said last.
		case rec.interrupted || rec.madeUp:
			return true, nil
		case rec.goesOn():
			return false, nil
		}
	}
	return false, nil
}

// goesOn reports whether the agent is at work with it.
func (r record) goesOn() bool {
	return r.queued || r.notifies != nil || r.prompt != "" || r.who == typeAssistant
}

// backwards gives the lines of data, the last one first, without their newlines. The first line may
// lack its beginning, and is left out, unless atStart.
func backwards(data []byte, atStart bool) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for {
			begin := bytes.LastIndexByte(data, '\n')
			// A line without its beginning is no record, and would be taken for one that is not
			// written to its end.
			if begin < 0 && !atStart || !yield(data[begin+1:]) || begin < 0 {
				return
			}
			data = data[:begin]
		}
	}
}

// tail reads the last n bytes of the first size ones.
func tail(f *os.File, size, n int64) ([]byte, error) {
	n = min(n, size)
	data := make([]byte, n)
	got, err := f.ReadAt(data, size-n)
	if err == io.EOF {
		err = nil
	}
	return data[:got], err
}

// ending reads data, a file's end, from its last line backwards. known is
// false if no message is in it. The first line of data may lack its beginning
// unless atStart.
func ending(data []byte, atStart, ofSubagent bool, answer string) (stopped, known bool) {
	last := true
	for line := range backwards(data, atStart) {
		// The agent is writing it.
		if last && len(line) > 0 && !json.Valid(line) {
			return false, true
		}
		last = false
		if rec, ok := decode(line); ok && rec.who != "" && (ofSubagent || !rec.subagent) {
			return rec.stopped && ends(rec.lastText(), answer), true
		}
	}
	return false, false
}

// ends reports whether a text may be the end of an answer, white space apart, or the answer the end
// of the text. Either is empty where it isn't known.
func ends(text, answer string) bool {
	text, answer = strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(answer), " ")
	return text == "" || answer == "" || strings.HasSuffix(answer, text) || strings.HasSuffix(text, answer)
}
