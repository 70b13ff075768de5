package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

// rareWord is in one prompt in the middle.
const rareWord = "quixotically"

// searched is what is searched for.
var searched = [][]string{
	{rareWord}, {"xotical"}, {"the"}, {"retry", "bucket"}, {"of the retry"}, {"nowheretobefound"}, {"retry", "--in", "commands"},
	{"--regexp", rareWord[:4] + "[a-z]+ly"}, {"--regexp", `retry \w+ (bucket|lease)`}, {"--regexp", `zz[0-9]{3}\b`},
	{rareWord, "-n", "0"}, {"retry", "--session", "talk-0"}, {"retry", "--file", "area03/file05.go"},
}

// searches measures search in conversations of so many megabytes: the first one, which reads them
// all, others, and the one after checkpoints have come.
func searches(w *world, program, where string, o options, stdout, progress io.Writer) error {
	r := &repository{world: w, dir: filepath.Join(where, fmt.Sprintf("repository-search-%d", o.search)), program: program}
	s := newSpeech()
	n := max(8, o.search<<20/turnSize)
	if !r.ready() {
		fmt.Fprintf(progress, "bench: making %s checkpoints with %s MB of conversations\n", grouped(n), grouped(o.search))
		if err := r.makeSpoken(s, n); err != nil {
			return err
		}
	}
	if _, _, err := w.run(process{dir: r.dir, args: []string{"rm", "-rf", ".git/entire-plumb-index", ".git/entire-plumb/index"}}); err != nil {
		return err
	}
	m := measured{repository: r, shown: lastLine, table: [][]string{{"search", "ms", "printed"}}}
	if err := m.row("the first one: "+rareWord, 1, "search", rareWord); err != nil {
		return err
	}
	for _, args := range searched {
		if err := m.row(strings.Join(args, " "), o.runs, append([]string{"search"}, args...)...); err != nil {
			return err
		}
	}
	from := (n + talkParts - 1) / talkParts * talkParts
	back, err := r.addCheckpoints(func(out io.Writer) { r.writeSpoken(out, s, from, from+added) })
	if err != nil {
		return err
	}
	if err := m.row(fmt.Sprintf("after %d new ones: %s", added, rareWord), 1, "search", rareWord); err != nil {
		return err
	}
	mb, err := megabytes(w, filepath.Join(r.dir, ".git", "entire-plumb-index"))
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "\n%s MB of conversations in %s checkpoints; the index has %.0f MB; medians of %d\n\n",
		grouped(o.search), grouped(n), mb, o.runs)
	o.print(stdout, m.table)
	return r.updateRefs(back)
}

func lastLine(text string) string { return text[strings.LastIndex(text, "\n")+1:] }

// turnSize is about how many bytes of transcript a turn adds; each is committed.
const turnSize = 64 << 10

// speech makes texts of words, of which some are much more frequent than others.
type speech struct {
	random *rand.Rand
	zipf   *rand.Zipf
	words  []string
	output []string // of tools
}

func newSpeech() *speech {
	s := &speech{random: rand.New(rand.NewPCG(5, 6))}
	s.zipf = rand.NewZipf(s.random, 1.1, 3, 60_000)
	s.words = strings.Fields("the of to a and in is it for that on with as be this not are or an by from we at if can when which use")
	for len(s.words) < 60_001 {
		s.words = append(s.words, s.made())
	}
	copy(s.words[300:], []string{"retry", "bucket", "lease"})
	for range 3000 {
		s.output = append(s.output, s.said(80))
	}
	return s
}

// made is a new word.
func (s *speech) made() string {
	var b strings.Builder
	for range 2 + s.random.IntN(3) {
		b.WriteByte("bcdfghjklmnprstvwz"[s.random.IntN(18)])
		b.WriteByte("aeiou"[s.random.IntN(5)])
		b.WriteString([]string{"", "", "n", "r", "st", "l"}[s.random.IntN(6)])
	}
	return b.String()
}

// said is a text of about size bytes, with names that come once now and then.
func (s *speech) said(size int) string {
	var b strings.Builder
	for n := 0; b.Len() < size; n++ {
		b.WriteString(s.words[s.zipf.Uint64()])
		switch s.random.IntN(40) {
		case 0:
			fmt.Fprintf(&b, " id_%x", s.random.Uint32())
		case 1, 2:
			b.WriteString(".\n")
			continue
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// printed is what a tool printed.
func (s *speech) printed(size int) string {
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(s.output[s.random.IntN(len(s.output))] + "\n")
	}
	return b.String()
}

// turn is a turn of a conversation, as Claude Code writes it: most of it is what tools printed.
func (s *speech) turn(c *conversation, when time.Time, prompt string) string {
	var b strings.Builder
	encode := json.NewEncoder(&b)
	write := func(o object) {
		when = when.Add(time.Second)
		o["timestamp"] = when.Format(time.RFC3339Nano)
		_ = encode.Encode(o) // strings and numbers, which are always JSON
	}
	write(c.record("user", object{"role": "user", "content": prompt}))
	for n := 0; b.Len() < turnSize; n++ {
		call := fmt.Sprintf("toolu_%s_%d", c.session, c.n)
		input, name := object{"command": "go test ./" + s.said(60), "description": s.said(30)}, "Bash"
		if n%3 == 0 {
			name = "Edit"
			input = object{"file_path": fmt.Sprintf("/home/ada/project/area%02d/file%02d.go", s.random.IntN(20), s.random.IntN(31)),
				"old_string": s.said(200), "new_string": s.said(300)}
		}
		write(c.said("tool_use", object{"type": "text", "text": s.said(300)}, object{"type": "tool_use", "id": call, "name": name, "input": input}))
		write(c.record("user", object{"role": "user", "content": []any{
			object{"type": "tool_result", "tool_use_id": call, "content": s.printed(500 + s.random.IntN(5000))}}}))
	}
	write(c.said("end_turn", object{"type": "text", "text": s.said(800)}))
	return strings.TrimSuffix(b.String(), "\n")
}

// makeSpoken makes a repository of checkpoints with conversations, four of each session.
func (r *repository) makeSpoken(s *speech, n int) error {
	if err := r.init(); err != nil {
		return err
	}
	if err := r.importAll(func(out io.Writer) {
		writeHistory(out, 10, 0)
		writeCommit(out, refCheckpoints, checkpoints.InitMessage)
		r.writeSpoken(out, s, 0, n)
	}); err != nil {
		return err
	}
	return r.updateRefs("create refs/heads/main " + refBase + "\ncreate " + shadow.Checkpoints + " " + refCheckpoints +
		"\ncreate " + refReady + " " + refBase + "\n")
}

// talkParts is how many checkpoints a session has.
const talkParts = 4

// writeSpoken writes checkpoints from one number up to another. A session begins at multiples of
// talkParts.
func (r *repository) writeSpoken(out io.Writer, s *speech, from, to int) {
	var c conversation
	for i := from; i < to; i++ {
		if i%talkParts == 0 || i == from {
			c = conversation{session: fmt.Sprintf("talk-%d", i/talkParts)}
		}
		when := time.Unix(1_700_000_000+600*int64(i), 0).UTC()
		prompt := s.said(200)
		if i == to/2 && from == 0 {
			prompt += " " + rareWord
		}
		text := s.turn(&c, when, prompt)
		fmt.Fprintf(out, "blob\nmark :%d\ndata %d\n%s\n", i+1, len(text), text)
		id := checkpointID(i)
		dir := checkpoints.Dir(id)
		files := []gitexec.Path{gitexec.Path(fmt.Sprintf("area%02d/file%02d.go", i%20, i%31))}
		writeCommit(out, refCheckpoints, fmt.Sprintf("Checkpoint: %s\n\nEntire-Session: %s\nEntire-Strategy: %s\n", id, c.session, shadow.Strategy))
		writeFile(out, dir+"/metadata.json", indented(checkpoints.Summary{CheckpointID: id, Strategy: shadow.Strategy, Branch: "main",
			FilesTouched: files, Sessions: []checkpoints.SessionPaths{{Metadata: "/" + dir + "/0/metadata.json"}}}))
		writeFile(out, dir+"/0/metadata.json", indented(checkpoints.SessionMetadata{CheckpointID: id, SessionID: c.session, CreatedAt: when,
			Branch: "main", FilesTouched: files, Agent: "Claude Code", TurnID: id}))
		writeFile(out, dir+"/0/prompt.txt", prompt)
		for part := i - i%talkParts; part <= i; part++ {
			if part >= from {
				fmt.Fprintf(out, "M 100644 :%d %s/0/%s\n", part+1, dir, transcript.ChunkName(part%talkParts))
			}
		}
	}
}
