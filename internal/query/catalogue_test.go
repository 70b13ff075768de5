package query

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/index"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/transcript"

	"entire-plumb/internal/testdir"
)

// inMemory is an empty index that is never written.
func inMemory(t *testing.T) *updating {
	t.Helper()
	return &updating{catalogue: &catalogue{Index: index.Open(t.TempDir(), indexedForm), now: time.Unix(1<<40, 0)}, touched: map[string]bool{}}
}

// anyInfo is a checkpoint as others may have written it: names with zero bytes, and names that
// begin others'.
func anyInfo(random *rand.Rand, n int) checkpoints.CommittedInfo {
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	info := checkpoints.CommittedInfo{ID: fmt.Sprintf("%012x", n), Directory: gitexec.Entry{Mode: gitexec.ModeTree, ID: gitexec.OID(fmt.Sprintf("%040x", random.Uint64()))}, Turns: []string{
		pick("t", "t1", "t\x00", "u")}, Files: []gitexec.Path{}}
	seen := map[string]bool{}
	for range 1 + random.IntN(3) {
		m := checkpoints.SessionMetadata{SessionID: pick("s", "s1", "s\x00", "s\x00\x01", "s\x00x", "other", "\xff\xff"),
			CreatedAt: time.Unix(int64(1+random.IntN(50)), 0).UTC(), Agent: pick("A", "B"), Title: pick("", "a title"),
			CheckpointTranscriptStart: random.IntN(300), CheckpointPromptStart: random.IntN(2),
			FilesTouched: []gitexec.Path{gitexec.Path(pick("f", "f/g", "f/h", "g", "f\x00\x01x"))}}
		if random.IntN(2) == 0 {
			m.TokenUsage = &transcript.Usage{InputTokens: random.IntN(9), APICallCount: random.IntN(9), SubagentTokens: &transcript.Usage{OutputTokens: 3}}
		}
		if seen[m.SessionID] {
			continue
		}
		seen[m.SessionID] = true
		if info.When.IsZero() || m.CreatedAt.Before(info.When) {
			info.When = m.CreatedAt
		}
		info.Files = condense.Union(info.Files, m.FilesTouched)
		info.Sessions = append(info.Sessions, m)
		info.Prompts = append(info.Prompts, pick("", "One Thing", "one\n\n---\n\nAnother"))
		info.Encrypted = append(info.Encrypted, false)
	}
	if random.IntN(10) == 0 {
		info.Error = "damaged"
	}
	return info
}

// told is what the sessions of the checkpoints are, by going through all of them.
func told(all []checkpoints.CommittedInfo) map[string]*SessionInfo {
	by := map[string]*SessionInfo{}
	type one struct {
		checkpoints.CommittedInfo
		at int
	}
	parts := map[string][]one{}
	for _, k := range all {
		for i, m := range k.Sessions {
			parts[m.SessionID] = append(parts[m.SessionID], one{k, i})
		}
	}
	for id, own := range parts {
		slices.SortStableFunc(own, func(a, b one) int { return a.Sessions[a.at].After(b.Sessions[b.at]) })
		s := newSession(id)
		s.Started = own[0].Sessions[own[0].at].CreatedAt
		for _, k := range own {
			m := k.Sessions[k.at]
			s.Agent, s.Last, s.Tokens = m.Agent, m.CreatedAt, m.TokenUsage
			if m.Title != "" {
				s.Title = m.Title
			}
			s.Checkpoints, s.Files = append(s.Checkpoints, k.ID), condense.Union(s.Files, m.FilesTouched)
			if first, last := firstAndLast(k.Prompts[k.at]); last != "" {
				s.FirstPrompt, s.LastPrompt = first, last
			}
		}
		by[id] = s
	}
	return by
}

// matches reports whether a checkpoint matches, by reading it.
func (q Search) matches(c checkpoints.CommittedInfo) bool {
	dir := strings.TrimSuffix(q.File, "/") + "/"
	byFile := func(p gitexec.Path) bool { return string(p) == q.File || strings.HasPrefix(string(p), dir) }
	bySession := func(m checkpoints.SessionMetadata) bool {
		return strings.HasPrefix(m.SessionID, q.Session) && (q.only == "" || m.SessionID == q.only)
	}
	return (q.File == "" || slices.ContainsFunc(c.Files, byFile)) &&
		(q.Session == "" || slices.ContainsFunc(c.Sessions, bySession)) && (q.Text == "" || q.textIn(c))
}

// The index answers as one who reads all checkpoints does, after checkpoints came, changed and
// went, several at a time.
func TestIndexAnswersAsReadingAll(t *testing.T) {
	for seed := range testdir.Times(uint64(30), 10) {
		random := rand.New(rand.NewPCG(seed, 7))
		c := inMemory(t)
		now := map[string]checkpoints.CommittedInfo{}
		for range 12 {
			for range random.IntN(12) {
				n := random.IntN(40)
				info := anyInfo(random, n)
				if old, known := now[info.ID]; known {
					c.remove(rowOf(old))
					delete(now, info.ID)
					if random.IntN(2) == 0 {
						continue
					}
				}
				c.add(info)
				now[info.ID] = info
			}
			c.putSessions()
			same(t, c, slices.SortedFunc(maps.Values(now), func(a, b checkpoints.CommittedInfo) int { return strings.Compare(a.ID, b.ID) }))
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	}
}

func same(t *testing.T, c *updating, all []checkpoints.CommittedInfo) {
	t.Helper()
	got, err := c.sessions("", nil)
	if want := told(all); err != nil || !reflect.DeepEqual(got, want) {
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		t.Errorf("sessions, %v:\n%s, want\n%s", err, a, b)
	}
	for _, q := range []Search{{File: "f"}, {File: "f/"}, {File: "f\x00"}, {Session: "s"}, {Session: "s", only: "s"}, {Session: "s\x00"}, {Text: "ONE"},
		{Text: "another"}, {Session: "s", File: "f", Text: "thing"}, {Session: "none"}, {Text: "none"}} {
		var want []string
		faulty := 0
		for _, k := range all {
			if q.matches(k) {
				want = append(want, k.ID)
			} else if k.Error != "" {
				faulty++
			}
		}
		listed := Found{}
		by, err := c.matching(q, &listed)
		if slices.Sort(want); err != nil || !slices.Equal(by, want) || len(listed.Damaged) != faulty {
			t.Errorf("%+v: %q, want %q; %d damaged, want %d; %v", q, by, want, len(listed.Damaged), faulty, err)
		}
		for _, most := range []int{0, 1, 3} {
			latest(t, c, all, by, most)
		}
	}
}

// latest checks which of some checkpoints are listed: as many as are asked for, and none is later
// than one before it, nor is one that is not listed.
func latest(t *testing.T, c *updating, all []checkpoints.CommittedInfo, by []string, most int) {
	t.Helper()
	rows, err := c.latest(most, by)
	want := len(by)
	if most > 0 {
		want = min(most, want)
	}
	if err != nil || len(rows) != want {
		t.Errorf("%d of %d are listed, at most %d: %v", len(rows), len(by), most, err)
	}
	for i, r := range rows {
		rest := sets.Of(by)
		for _, before := range rows[:i+1] {
			delete(rest, before.id)
		}
		for id := range rest {
			if infoOf(all, id).When.After(infoOf(all, r.id).When) {
				t.Errorf("%s is not the latest after %d of them", r.id, i)
			}
		}
	}
}

func infoOf(all []checkpoints.CommittedInfo, id string) checkpoints.CommittedInfo {
	return all[slices.IndexFunc(all, func(k checkpoints.CommittedInfo) bool { return k.ID == id })]
}

// Names that begin others' sort before them, and none is taken for the other.
func TestEscaped(t *testing.T) {
	names := []string{"", "\x00", "\x00\x01", "\x00\xff", "a", "a\x00", "a\x00b", "aa", "a\x01", "\xff"}
	for _, a := range names {
		if got := unescaped(escaped(a)); got != a {
			t.Errorf("%q becomes %q", a, got)
		}
		for _, b := range names {
			keyA, keyB := escaped(a)+end+"1", escaped(b)+end+"0"
			if a != b && strings.HasPrefix(keyB, escaped(a)+end) {
				t.Errorf("%q has the key of %q", b, a)
			}
			if a < b && keyA > keyB && strings.HasPrefix(b, a) {
				t.Errorf("%q does not come before %q", a, b)
			}
		}
	}
}

// Keys sort as the numbers and times do.
func TestOrder(t *testing.T) {
	numbers := []int{0, 1, 2, 255, 256, 65535, 65536, 1 << 40}
	for i := range numbers[1:] {
		if a, b := number(numbers[i]), number(numbers[i+1]); a >= b || inverted(a) <= inverted(b) {
			t.Errorf("%d and %d", numbers[i], numbers[i+1])
		}
	}
	if number(-5) != number(0) {
		t.Error("a negative number is not taken for none")
	}
	times := []time.Time{{}, time.Unix(-1, 0), time.Unix(0, 0), time.Unix(0, 1), time.Unix(1_700_000_000, 0), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)}
	for i := range times[1:] {
		if timeKey(times[i]) >= timeKey(times[i+1]) {
			t.Errorf("%v and %v", times[i], times[i+1])
		}
	}
}

// A value that is cut off anywhere is an error, and no other value.
func TestValuesCutOff(t *testing.T) {
	info := anyInfo(rand.New(rand.NewPCG(1, 1)), 1)
	r := rowOf(info)
	s := summary{SessionInfo: *newSession("s")}
	s.add(r.parts[0])
	for name, c := range map[string]struct {
		value []byte
		read  func([]byte) error
	}{
		"row":     {pack(r, rowFields), func(b []byte) error { _, err := rowIn("1", b); return err }},
		"part":    {pack(r.parts[0], partFields), func(b []byte) error { _, err := unpack(b, partFields); return err }},
		"summary": {pack(s, summaryFields), func(b []byte) error { _, err := unpack(b, summaryFields); return err }},
	} {
		if err := c.read(c.value); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for n := range c.value {
			if c.read(c.value[:n]) == nil {
				t.Errorf("%s: %d of %d bytes are read", name, n, len(c.value))
			}
		}
	}
}

// What another command saved is read, and what changed since is added. A damaged index is made
// again.
func TestIndexIsKept(t *testing.T) {
	r := newRepository(t)
	r.Must(os.MkdirAll(r.Reader.Repo.SharedDir(), 0o700))
	r.checkpoints([]checkpoints.SessionMetadata{part("aaaaaaaaaaaa", "s1", 5, "f")}, []checkpoints.SessionMetadata{part("bbbbbbbbbbbb", "s2", 9, "g")})
	ids := func() string {
		t.Helper()
		found, err := r.source.Checkpoints(t.Context(), Search{}, 0)
		r.Must(err)
		var all []string
		for _, k := range found.Checkpoints {
			all = append(all, k.ID[:1])
		}
		return strings.Join(all, " ")
	}
	segments := func() []string {
		files, _ := filepath.Glob(filepath.Join(r.Reader.Repo.SharedDir(), "index", "checkpoints", "*.segment"))
		return files
	}
	if got := ids(); got != "b a" || len(segments()) != 1 {
		t.Fatalf("%q, %q", got, segments())
	}
	before := segments()
	if got := ids(); got != "b a" || !slices.Equal(segments(), before) {
		t.Errorf("nothing is new: %q, %q", got, segments())
	}
	r.checkpoints([]checkpoints.SessionMetadata{part("cccccccccccc", "s1", 7, "g")})
	if got := ids(); got != "c" {
		t.Errorf("with another branch: %q", got)
	}
	for _, file := range segments() {
		data, err := os.ReadFile(file)
		r.Must(err)
		data[20] ^= 1
		r.Must(os.WriteFile(file, data, 0o600))
	}
	if got := ids(); got != "c" {
		t.Errorf("after damage: %q", got)
	}
}
