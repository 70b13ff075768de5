package query

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"

	"entire-plumb/internal/testdir"
)

// spoken is what a test stores: sessions, each with what was said in each turn, one line each, and
// the checkpoints of these.
type spoken struct {
	random *rand.Rand
	turns  map[string][]string // of sessions, lines joined
	stored map[string]storedTalk
	n      int
}

// storedTalk is a session's part of a checkpoint, or on a stream.
type storedTalk struct {
	session string
	chunks  []string
	when    int64
	title   string
	files   []gitexec.Path
}

var talkWords = []string{"bucket", "Retry", "RETRIES", "the", "straße", "STRASSE", "日本語", "\u212aelvin", "\x1b[31mred", "a_long_name_that_goes_on_for_more_than_32_bytes",
	"x", "\u0085", "path/to/file.go", "\\u0000", "lease"}

// line is a line of a transcript: a prompt, an answer, tools, or what is none.
func (s *spoken) line(prompt bool) string {
	var words []string
	for range 1 + s.random.IntN(9) {
		words = append(words, talkWords[s.random.IntN(len(talkWords))]+[]string{"", ",", "\n"}[s.random.IntN(3)])
	}
	s.n++
	when := time.Unix(1_700_000_000+int64(s.n), 0).UTC().Format(time.RFC3339)
	text, _ := json.Marshal(strings.Join(words, " "))
	if prompt {
		return fmt.Sprintf(`{"type":"user","timestamp":%q,"message":{"role":"user","content":%s}}`, when, text)
	}
	switch s.random.IntN(6) {
	case 0:
		return fmt.Sprintf(`{"type":"user","timestamp":%q,"message":{"content":[{"type":"tool_result","tool_use_id":"1","content":%s}]}}`, when, text)
	case 1:
		return fmt.Sprintf(`{"type":"assistant","timestamp":%q,"message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":%s}}]}}`, when, text)
	case 2:
		return fmt.Sprintf(`{"type":"assistant","timestamp":%q,"message":{"content":[{"type":"tool_use","name":"Edit","input":{"file_path":"/r/%s.go","new_string":%s}}]}}`,
			when, talkWords[0], text)
	case 3:
		return []string{"no JSON \xff", "", "{", strings.Repeat("[", 20_000), `{"role":"user","text":"bucket \xff"}`}[s.random.IntN(5)]
	}
	return fmt.Sprintf(`{"type":"assistant","timestamp":%q,"message":{"content":[{"type":"text","text":%s}]}}`, when, text)
}

func (s *spoken) turn() string {
	lines := []string{s.line(true)}
	for range s.random.IntN(6) {
		lines = append(lines, s.line(false))
	}
	return strings.Join(lines, "\n")
}

// change adds, grows and removes what is stored.
func (s *spoken) change() {
	for range 1 + s.random.IntN(5) {
		session := fmt.Sprintf("session-%d", s.random.IntN(5))
		s.turns[session] = append(s.turns[session], s.turn())
		talk := storedTalk{session: session, chunks: slices.Clone(s.turns[session]), when: 1_700_000_000 + int64(s.n), title: talkWords[s.random.IntN(4)],
			files: []gitexec.Path{gitexec.Path(fmt.Sprintf("dir%d/bucket.go", s.random.IntN(3)))}}
		if s.random.IntN(3) == 0 { // one file that grows
			talk.chunks = []string{strings.Join(talk.chunks, "\n")}
		}
		s.stored[fmt.Sprintf("%012x", s.random.Uint64()>>16)] = talk
	}
	for id, talk := range s.stored {
		switch s.random.IntN(8) {
		case 0:
			delete(s.stored, id)
		case 1:
			talk.chunks = append(slices.Clone(talk.chunks[:len(talk.chunks)-1]), talk.chunks[len(talk.chunks)-1]+"\n"+s.line(false))
			s.stored[id] = talk
		}
	}
}

// store writes the checkpoints' branch.
func (s *spoken) store(r *repository) {
	r.Helper()
	edits := gitexec.Edits{}
	for id, talk := range s.stored {
		dir := checkpoints.Dir(id) + "/"
		m := part(id, talk.session, talk.when, talk.files...)
		m.Title = talk.title
		edits[gitexec.Path(dir+"0/metadata.json")] = r.JSON(m)
		edits[gitexec.Path(dir+"0/prompt.txt")] = r.Blob("never read where there is a transcript")
		for i, chunk := range talk.chunks {
			edits[gitexec.Path(dir+"0/"+transcript.ChunkName(i))] = r.Blob(chunk)
		}
		edits[gitexec.Path(dir+"metadata.json")] = r.JSON(map[string]any{"checkpoint_id": id, "files_touched": talk.files, "sessions": []any{}})
	}
	edits["README"] = r.Blob(fmt.Sprint(s.n))
	r.Git("update-ref", shadow.Checkpoints, r.Git("commit-tree", "-m", "Checkpoints", string(r.EditTree("", edits))))
	r.open()
}

// scan finds texts by reading all that is stored: of each session, each once.
func (s *spoken) scan(m *matcher, kinds uint64) (all []string) {
	ids := slices.SortedFunc(keysOf(s.stored), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.stored[a].when, s.stored[b].when), cmp.Compare(a, b))
	})
	seen := map[string]bool{}
	for _, id := range ids {
		talk := s.stored[id]
		add := func(kind byte, text string, when time.Time) {
			key := fmt.Sprintf("%s %d %s %s", talk.session, kind, text, when)
			if text == "" || seen[key] {
				return
			}
			seen[key] = true
			if (kinds == 0 || kinds&(1<<kind) != 0) && m.match([]byte(text)) {
				all = append(all, fmt.Sprintf("%s %s %s", talk.session, kindName(kind), m.excerpt(text).text))
			}
		}
		var named map[string]bool // in this turn
		_ = transcript.Passages(strings.NewReader(strings.Join(talk.chunks, "\n")), func(p transcript.Passage) error {
			if p.Kind == transcript.Prompt {
				named = map[string]bool{}
			}
			if p.Kind == transcript.File && named != nil {
				if named[p.Text] {
					return nil
				}
				named[p.Text] = true
			}
			when := p.When
			if p.When.IsZero() { // each is another one, but in a file that grows
				when = time.Unix(int64(p.Line), 0)
			}
			add(byte(p.Kind), p.Text, when)
			return nil
		})
		add(kindTitle, talk.title, time.Time{})
		add(byte(transcript.File), string(talk.files[0]), time.Time{})
	}
	slices.Sort(all)
	return all
}

// has reports whether a line is in the part.
func (t storedTalk) has(line string) bool {
	found := line == t.title || line == string(t.files[0])
	_ = transcript.Passages(strings.NewReader(strings.Join(t.chunks, "\n")), func(p transcript.Passage) error {
		found = found || slices.Contains(strings.Split(p.Text, "\n"), line)
		return nil
	})
	return found
}

func keysOf[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// What search finds by its index is what reading all that is stored finds, whatever was stored,
// removed and changed before.
func TestSearchFindsWhatAScanFinds(t *testing.T) {
	for seed := range testdir.Times(uint64(3), 1) {
		s := &spoken{random: rand.New(rand.NewPCG(seed, 3)), turns: map[string][]string{}, stored: map[string]storedTalk{}}
		r := newRepository(t)
		for round := range testdir.Times(6, 3) {
			s.change()
			s.store(r)
			for _, asked := range []TextSearch{{Words: []string{"bucket"}}, {Words: []string{"retr"}}, {Words: []string{"STRASSE", "the"}}, {Words: []string{"KELVIN"}},
				{Words: []string{"retry, the"}}, {Words: []string{"on_for_more_than_32"}}, {Words: []string{"never"}}, {Words: []string{"bucket"}, In: []string{"answers", "titles"}},
				{Words: []string{`retr(y|ies)\b`}, Regexp: true}, {Words: []string{`^x$`}, Regexp: true}, {Words: []string{"語"}}, {Words: []string{"bucket.go"}, In: []string{"files"}}} {
				found, err := r.source.SearchTexts(t.Context(), asked)
				r.Must(err)
				got := []string{}
				for _, m := range found.Matches {
					got = append(got, fmt.Sprintf("%s %s %s", m.Session, m.Kind, m.Text))
					if talk := s.stored[m.Checkpoint]; talk.session != m.Session || !talk.has(m.Text) {
						t.Errorf("seed %d, round %d, %q: %s hasn't %q", seed, round, asked.Words, m.Checkpoint, m.Text)
					}
				}
				slices.Sort(got)
				m, err := newMatcher(asked.Words, asked.Regexp)
				r.Must(err)
				kinds, err := kindsNamed(asked.In)
				r.Must(err)
				if want := s.scan(m, kinds); !slices.Equal(got, want) && len(got)+len(want) > 0 {
					t.Fatalf("seed %d, round %d, %q %q:\n%s\nwant\n%s", seed, round, asked.Words, asked.In, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			}
		}
		if text := r.warnings.String(); text != "" {
			t.Errorf("search warns: %s", text)
		}
	}
}

// What is gone from the checkpoints is in no file of the index; damage of the index is repaired.
func TestTextsOfWhatIsGone(t *testing.T) {
	s := &spoken{random: rand.New(rand.NewPCG(1, 3)), turns: map[string][]string{}, stored: map[string]storedTalk{}}
	r := newRepository(t)
	say := func(text string) []string { return []string{`{"role":"user","text":"` + text + `"}`} }
	s.stored["000000000001"] = storedTalk{session: "a", when: 1, chunks: say("the zebrafinch"), files: []gitexec.Path{"f"}}
	s.stored["000000000002"] = storedTalk{session: "b", when: 2, chunks: say("the woodpecker"), files: []gitexec.Path{"f"}}
	s.store(r)
	count := func(word string) int {
		found, err := r.source.SearchTexts(t.Context(), TextSearch{Words: []string{word}})
		r.Must(err)
		return len(found.Matches)
	}
	if count("zebrafinch") != 1 || count("the") != 2 || !inIndex(t, r, "zebrafinch") {
		t.Fatal("it is not found before")
	}
	delete(s.stored, "000000000001")
	s.n++
	s.store(r)
	if count("zebrafinch") != 0 || count("the") != 1 || inIndex(t, r, "zebrafinch") || !inIndex(t, r, "woodpecker") {
		t.Error("it is still there, or too much is gone")
	}
	for _, file := range indexFiles(t, r) {
		data, err := os.ReadFile(file)
		r.Must(err)
		data[len(data)/2] ^= 1
		r.Must(os.WriteFile(file, data, 0o600))
	}
	if count("woodpecker") != 1 {
		t.Error("a damaged index is not repaired")
	}
}

func indexFiles(t *testing.T, r *repository) []string {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(r.Dir, ".git", "entire-plumb*", "texts", "*.segment"))
	more, _ := filepath.Glob(filepath.Join(r.Dir, ".git", "entire-plumb", "index", "texts", "*.segment"))
	if files = append(files, more...); len(files) == 0 {
		t.Fatal("there is no index")
	}
	return files
}

func inIndex(t *testing.T, r *repository, word string) bool {
	t.Helper()
	return slices.ContainsFunc(indexFiles(t, r), func(file string) bool {
		data, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(data), word)
	})
}

func TestTalkIsKept(t *testing.T) {
	k := talk{}
	k.put(textPart{order: "b", checkpoint: "1", agent: "A", turn: "t", when: time.Unix(5, 0).UTC(), tree: id("1"), units: []unit{"cx", "my"}})
	k.put(textPart{order: "a", stream: "z", when: time.Unix(6, 0).UTC(), tree: id("2"), units: []unit{"cx"}})
	k.put(textPart{order: "a", checkpoint: "1", when: time.Unix(7, 0).UTC(), units: []unit{"cx", "cy"}})
	back, err := unpack(pack(k, talkFields), talkFields)
	if err != nil || !reflect.DeepEqual(k, back) || len(k.parts) != 2 || k.parts[0].order != "a" {
		t.Errorf("%+v, want %+v: %v", back, k, err)
	}
	whole := pack(k, talkFields)
	for n := range whole {
		if _, err := unpack(whole[:n], talkFields); err == nil && n < len(whole) {
			t.Errorf("cut off after %d bytes it is no error", n)
		}
	}
}

func TestAboutUnit(t *testing.T) {
	a := aboutUnit{unread: true, prompts: 3, ids: []uint64{1, 1 << 63}}
	if back, err := unpack(pack(a, aboutFields), aboutFields); err != nil || !reflect.DeepEqual(a, back) {
		t.Errorf("%+v, %v", back, err)
	}
	if _, err := unpack([]byte{1}, aboutFields); err == nil {
		t.Error("a short value is no error")
	}
}

func TestExcerpt(t *testing.T) {
	for name, c := range map[string]struct {
		words  []string
		regexp bool
		text   string
		want   string
	}{
		"the line with the most words":  {[]string{"a1", "b1"}, false, "b1\nx\na1 and B1\ny", "3 x|a1 and B1|y [[0 2] [7 9]]"},
		"the first line of several":     {[]string{"a1"}, false, "a1\na1", "1 |a1|a1 [[0 2]]"},
		"a phrase over two lines":       {[]string{"a\nb"}, false, "a\nb", "1 |a|b []"},
		"an expression":                 {[]string{"b.", "x"}[:1], true, "x\nabcb2", "2 x|abcb2| [[1 3] [3 5]]"},
		"letters of several sizes":      {[]string{"kelvin"}, false, "ä \u212aelvin!", "1 |ä \u212aelvin!| [[3 11]]"},
		"places that overlap are joint": {[]string{"abc", "bcd"}, false, "xabcdx", "1 |xabcdx| [[1 5]]"},
		"an expression that is empty":   {[]string{"^$"}, true, "a\n\nb", "2 a||b [[0 0]]"},
	} {
		m, err := newMatcher(c.words, c.regexp)
		if err != nil {
			t.Fatal(err)
		}
		x := m.excerpt(c.text)
		if got := fmt.Sprintf("%d %s|%s|%s %v", x.line, x.before, x.text, x.after, x.places); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestKindsNamed(t *testing.T) {
	kinds, err := kindsNamed([]string{"prompts", "summaries", "file"})
	if want := uint64(1)<<byte(transcript.Prompt) | 1<<kindSummary | 1<<byte(transcript.File); err != nil || kinds != want {
		t.Errorf("%b, want %b: %v", kinds, want, err)
	}
	if _, err := kindsNamed([]string{"results"}); err == nil {
		t.Error("results are searched")
	}
}

func TestIsNamed(t *testing.T) {
	for _, c := range []struct {
		list, name string
		want       bool
	}{
		{"/home/ada/r/a/b.go", "a/b.go", true}, {"x\na/b.go", "a/b.go", true}, {"/r/a/b.go", "a", true}, {"a/b.go", "a", true},
		{"/r/aa/b.go", "a/b.go", false}, {"a/b.go.orig", "a/b.go", false}, {"", "a", false},
	} {
		if isNamed(c.list, c.name) != c.want {
			t.Errorf("%q in %q: want %v", c.name, c.list, c.want)
		}
	}
}

// A transcript of long lines and many turns is searched, but for what is too long; no name of a
// session is taken for another's.
func TestSearchInAHostileTranscript(t *testing.T) {
	s := &spoken{stored: map[string]storedTalk{}}
	r := newRepository(t)
	var many strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&many, "{\"role\":\"user\",\"text\":\"turn %d\"}\n", i)
	}
	long := strings.Repeat("x", 17<<20)
	s.stored["000000000001"] = storedTalk{session: "a\x00\x01b", when: 1, files: []gitexec.Path{"f"}, chunks: []string{
		many.String(),
		`{"role":"user","text":"nightingale ` + long + `"}` + "\n" + `{"role":"assistant","text":"kingfisher ` + long[:300<<10] + ` beyond"}` + "\n" +
			`{"role":"assistant","text":"\u001b[2Jkingfisher\u202e"}`,
		strings.Repeat("{\"role\":", 1<<20),
	}}
	s.stored["000000000002"] = storedTalk{session: "a", when: 2, files: []gitexec.Path{"f"}, chunks: []string{`{"role":"user","text":"turn"}`}}
	s.store(r)
	for _, c := range []struct {
		asked TextSearch
		want  string
	}{
		{TextSearch{Words: []string{"turn", "19999"}}, `"a\x00\x01b" 20000 turn 19999`},
		{TextSearch{Words: []string{"nightingale"}}, ``}, // in a line that is too long
		{TextSearch{Words: []string{"beyond"}}, ``},
		{TextSearch{Words: []string{"\u202e"}}, "\"a\\x00\\x01b\" 20000 \x1b[2Jkingfisher\u202e"},
		{TextSearch{Words: []string{"turn"}, Session: "a\x00\x01b", Most: 1}, `"a\x00\x01b" 20000 turn 19999`},
	} {
		found, err := r.source.SearchTexts(t.Context(), c.asked)
		r.Must(err)
		got := ""
		for _, m := range found.Matches {
			got += fmt.Sprintf("%q %d %s", m.Session, m.Turn, m.Text)
		}
		if got != c.want {
			t.Errorf("%q: %.200q, want %q", c.asked.Words, got, c.want)
		}
	}
}
