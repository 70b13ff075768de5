package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// namesOfEachKind are one of each kind, in a repository where two turns are recorded, the first committed.
func namesOfEachKind(t *testing.T) map[string]string {
	recorded(t)
	checkpoint := commitPoem(t)
	git(t, "tag", "v1")
	git(t, "tag", "v0", "HEAD^")
	turnOf := func(rev string) string {
		_, stdout, _ := call(t, "show --json "+rev)
		_, id, _ := strings.Cut(stdout, `"turn_id": "`)
		id, _, _ = strings.Cut(id, `"`)
		return id
	}
	committed := turnOf("HEAD")
	event(t, "user-prompt-submit", `{"session_id":"s1","prompt":"Write a song"}`)
	write(t, "song.txt", "a significant line of the song\n")
	event(t, "stop", `{"session_id":"s1"}`)
	stream := git(t, "for-each-ref", "--format=%(refname:short)", "refs/heads/entire/"+git(t, "rev-parse", "--short", "HEAD")+"*")
	return map[string]string{"commit": git(t, "rev-parse", "HEAD"), "short": git(t, "rev-parse", "--short", "HEAD"), "branch": "main", "tag": "v1", "parent": "HEAD^",
		"checkpoint": checkpoint, "prefix": checkpoint[:5], "session": "s1", "start": "s", "turn": committed, "turn-prefix": committed[:6],
		"pending": turnOf(stream), "stream": stream, "on-stream": git(t, "rev-parse", "--short", stream),
		"range": "v0..HEAD", "own-range": "v0.." + checkpoint[:5], "file": "poem.txt", "path": "./poem.txt", "rubbish": "rubbish"}
}

// kinds are what an error calls a name.
var kinds = map[string]string{"commit": "a commit", "short": "a commit", "branch": "a commit", "tag": "a commit", "parent": "a commit", "checkpoint": "a checkpoint",
	"prefix": "a checkpoint", "session": "a session", "start": "a session", "turn": "a turn", "turn-prefix": "a turn", "pending": "a turn",
	"stream": "a checkpoint on a stream", "on-stream": "a checkpoint on a stream", "range": "a range of commits", "own-range": "a range of commits",
	"file": "a file", "path": "a file"}

// TestAnyNameAnywhere: what has a name may be given to any command. Where its kind makes sense it is
// taken, and elsewhere the error says what it is, and which command answers.
func TestAnyNameAnywhere(t *testing.T) {
	names := namesOfEachKind(t)
	const anything = "a commit, checkpoint, session or turn"
	type expected struct {
		calls   []string
		takes   string // the kinds
		wanted  string // what an error says is needed
		nothing string // what is said of a name without a meaning
		own     string // kinds for which the command has an answer of its own
	}
	commits := " commit short branch tag parent "
	things := commits + " checkpoint prefix session start turn turn-prefix pending stream on-stream "
	ranges := " range own-range "
	const likewise = " commit branch parent checkpoint turn path own-range on-stream " // what is found as another is, for the first call alone
	for n, of := range []expected{
		{[]string{"show X", "diff X", "report --json X"}, things + ranges, anything, `"rubbish" `, ""},
		{[]string{"export --markdown X", "rewind -n X", "resume -n X"}, things, anything, `commit, checkpoint, session or turn`, " parent "},
		{[]string{"log X", "stats X", "import --format git-ai -n X"}, things + ranges, anything, `"rubbish" names no commits`, " pending "},
		{[]string{"why X"}, things + ranges, anything, `"rubbish" names no commits`, " pending file path "},
		{[]string{"attribution X"}, things + ranges, anything, `"rubbish" names no commits`, ""},
		{[]string{"summary X", "export --format git-ai -n X", "export --format agent-trace X"}, things + ranges, anything, `"rubbish" names no commits`,
			" pending stream on-stream "}, // nothing of these is committed
		{[]string{"blame --rev X poem.txt", "blame X poem.txt", "blame X -- poem.txt"}, things, "a commit", `"rubbish" names no commit`, " parent "},
		{[]string{"decide-suffix --base X", "streams --base X"}, things, "a commit", `"rubbish" names no commit`, ""},
		{[]string{"reset -n --session X", "checkpoints --session X", "search --session X poem", "sessions show X", "decide-suffix --session X"},
			" session start ", "a session", "", ""},
		{[]string{"condense X"}, "", "a session", "", " session start "},
		{[]string{"unlink X"}, "", "a commit", `"rubbish" is not the name of one commit`, commits + ranges + " stream on-stream "},
		{[]string{"unlink HEAD X"}, "", "a checkpoint", "it has no such link", " checkpoint prefix "},
		{[]string{"import -n X"}, "", "a directory", "rubbish is not a directory", ""},
		{[]string{"blame X"}, " file path ", "a file", "no such path 'rubbish'", ""},
	} {
		for i, line := range of.calls[:testdir.Times(len(of.calls), 1)] {
			for k, kind := range slices.Sorted(maps.Keys(names)) {
				name := names[kind]
				if (k+n)%testdir.Times(1, 8) != 0 || strings.Contains(of.own+map[bool]string{true: likewise}[i > 0], " "+kind+" ") {
					continue
				}
				code, stdout, stderr := call(t, strings.ReplaceAll(line, "X", name))
				what := fmt.Sprintf("%s, a %s (%s): %d, %.300s%.300s", line, kind, name, code, stdout, stderr)
				switch {
				case strings.Contains(of.takes, " "+kind+" "):
					if code != exitOK {
						t.Error(what)
					}
				case kind == "rubbish":
					if code != exitFailed || !strings.Contains(stderr, of.nothing) || !strings.Contains(stderr, "\nhint: ") {
						t.Error(what)
					}
				default:
					want := fmt.Sprintf("entire-plumb: %q is %s, and not %s\nhint: ", name, kinds[kind], of.wanted)
					if code != exitFailed || !strings.HasPrefix(stderr, want) {
						t.Errorf("%s\nwant %s", what, want)
					}
				}
			}
			if strings.Contains(line, "-- ") { // an option-like word, and none
				continue
			}
			if code, _, stderr := call(t, strings.ReplaceAll(line, "X", "--no-such")); code == exitOK || !strings.Contains(stderr, "\nhint: ") {
				t.Errorf("%s, an option: %d, %s", line, code, stderr)
			}
			empty := strings.Split("entire-plumb "+line, " ")
			for i := range empty {
				if empty[i] == "X" {
					empty[i] = ""
				}
			}
			if code, _, stderr := callWords(t, empty); code != exitUsage || !strings.Contains(stderr, " is empty\nhint: ") {
				t.Errorf("%s, empty: %d, %s", line, code, stderr)
			}
		}
	}
}
