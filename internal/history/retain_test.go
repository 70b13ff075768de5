package history

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/shadow"
)

// TestChoose: the latest transcripts stay that are young enough and fit together; after the first
// that does not fit, none does. A file that several have counts once.
func TestChoose(t *testing.T) {
	now := time.Unix(1000, 0)
	k := func(id string, when int64, files ...any) kept {
		one := kept{id: id, when: time.Unix(when, 0), files: map[gitexec.OID]int64{}}
		for i := 0; i < len(files); i += 2 {
			one.files[gitexec.OID(files[i].(string))] = int64(files[i+1].(int))
		}
		return one
	}
	all := []kept{k("old", 100, "a", 10, "b", 20), k("new", 900, "a", 10, "c", 5), k("mid", 500, "c", 5, "d", 40)}
	for name, c := range map[string]struct {
		q       Retain
		dropped string
		kept    int
		files   int
		frees   int64
	}{
		"all":                           {Retain{For: 1000 * time.Second, Size: 1000}, "", 3, 0, 0},
		"just young enough":             {Retain{For: 900 * time.Second}, "", 3, 0, 0},
		"by age":                        {Retain{For: 899 * time.Second}, "old", 2, 1, 20},
		"by age, two of them":           {Retain{For: 100 * time.Second}, "mid old", 1, 2, 60},
		"just small enough":             {Retain{Size: 75}, "", 3, 0, 0},
		"by size":                       {Retain{Size: 74}, "old", 2, 1, 20},
		"by size, two of them":          {Retain{Size: 54}, "mid old", 1, 2, 60},
		"by size, though the last fits": {Retain{Size: 40}, "mid old", 1, 2, 60},
		"by size, all":                  {Retain{Size: 14}, "new mid old", 0, 4, 75},
		"by both":                       {Retain{For: 899 * time.Second, Size: 54}, "mid old", 1, 2, 60},
		"no limit":                      {Retain{}, "", 3, 0, 0},
	} {
		done := Retained{}
		drop := c.q.choose(slices.Clone(all), now, &done)
		if strings.Join(done.Dropped, " ") != c.dropped || len(drop) != len(done.Dropped) || done.Kept != c.kept || done.Files != c.files || done.Frees != c.frees {
			t.Errorf("%s: %v, %+v", name, drop, done)
		}
	}
}

// checkpoint commits one with a transcript to the branch.
func (w *world) checkpoint(id, session, day string) {
	w.Helper()
	dir := checkpoints.Dir(id)
	w.branch(shadow.Checkpoints, "Checkpoint: "+id,
		dir+"/metadata.json", fmt.Sprintf(`{"checkpoint_id":%q,"sessions":[{"metadata":"/%s/0/metadata.json","transcript":"/%[2]s/0/full.jsonl"}]}`, id, dir),
		dir+"/0/metadata.json", fmt.Sprintf(`{"checkpoint_id":%q,"session_id":%q,"created_at":"%sT00:00:00Z"}`, id, session, day),
		dir+"/0/prompt.txt", "Do "+id, dir+"/0/full.jsonl", `{"text":"of `+id+` secret"}`)
}

// on are the files of the branch's tip, without directories' names.
func (w *world) on() string {
	w.Helper()
	var all []string
	for _, path := range strings.Fields(w.Git("ls-tree", "-r", "--name-only", shadow.Checkpoints)) {
		dir, name, _ := strings.Cut(strings.Replace(path, "/", "", 1), "/")
		all = append(all, dir[:min(2, len(dir))]+":"+name)
	}
	return strings.Join(all, " ")
}

// TestRetain: old transcripts go from the whole history, everything else stays; the list on the
// branch says so. Nothing is done that the user does not agree to.
func TestRetain(t *testing.T) {
	w := newWorld(t)
	if done, err := (Retain{Size: 1}).Run(t.Context(), w.env); err != nil || done.Done {
		t.Errorf("nothing is recorded: %+v, %v", done, err)
	}
	w.checkpoint("aaaaaaaaaaaa", "s1", "2026-01-01")
	w.checkpoint("bbbbbbbbbbbb", "s1", "2026-02-28")
	before := w.Git("rev-parse", shadow.Checkpoints)
	month := 30 * 24 * time.Hour
	ask := func(yes bool) func(Retained) (bool, error) { return func(Retained) (bool, error) { return yes, nil } }
	for name, q := range map[string]Retain{"a preview": {For: month, Preview: true}, "refused": {For: month, Ask: ask(false)}, "nothing old": {For: 9 * month}} {
		done, err := q.Run(t.Context(), w.env)
		if errors.Is(err, ErrDeclined) != (name == "refused") || done.Done || w.Git("rev-parse", shadow.Checkpoints) != before {
			t.Errorf("%s: %+v, %v", name, done, err)
		}
	}
	done, err := Retain{For: month, Ask: ask(true)}.Run(t.Context(), w.env)
	if err != nil || !done.Done || !slices.Equal(done.Dropped, []string{"aaaaaaaaaaaa"}) || done.Kept != 1 || done.Files != 1 || len(done.Refs) != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	if got := w.on(); strings.Contains(got, "aa:0/full.jsonl") || !strings.Contains(got, "aa:0/prompt.txt") || !strings.Contains(got, "bb:0/full.jsonl") ||
		!strings.Contains(got, "pu:") {
		t.Errorf("on the branch: %s", got)
	}
	if old := w.Git("log", "--format=%H", shadow.Checkpoints, "-S", "of aaaaaaaaaaaa secret"); old != "" {
		t.Errorf("in its history: %s", old)
	}
	w.Git("tag", "mine", before)
	if again, err := (Retain{For: month}).Run(t.Context(), w.env); err != nil || again.Done || len(again.Dropped) > 0 {
		t.Errorf("a second time: %+v, %v", again, err)
	}
}

// TestRetainKeepsWhatOthersHave: where a tag of the user's has the history, nothing can be dropped.
func TestRetainKeepsWhatOthersHave(t *testing.T) {
	w := newWorld(t)
	w.checkpoint("aaaaaaaaaaaa", "s1", "2026-01-01")
	w.Git("tag", "mine", shadow.Checkpoints)
	if done, err := (Retain{Size: 1}).Run(t.Context(), w.env); err == nil || !strings.HasPrefix(err.Error(), "nothing can be dropped") || done.Done {
		t.Errorf("%+v, %v", done, err)
	}
}
