package works

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/testrepo"
	"entire-plumb/suffix"
)

// small is a repository whose commits a test makes.
type small struct{ *testrepo.Repository }

// entry is a version of a file: lines, separated by blanks; "-": there is none.
func (s small) entry(lines string) gitexec.Entry {
	if lines == "-" {
		return gitexec.Entry{}
	}
	return s.Blob(text(lines))
}

// commit makes a commit of files, each a name and its lines.
func (s small) commit(when int64, parent gitexec.OID, files ...string) gitexec.OID {
	edits := gitexec.Edits{}
	for i := 0; i < len(files); i += 2 {
		edits[gitexec.Path(files[i])] = s.entry(files[i+1])
	}
	who := gitexec.Ident{Name: "A", Email: "a@example.com", When: time.Unix(when, 0)}
	ids, err := s.DB.CommitTree(gitexec.NewCommit{Tree: s.EditTree("", edits), Parents: []gitexec.OID{parent}, Author: who, Committer: who,
		Message: fmt.Sprintf("%q\n", files)})
	s.Must(err)
	return ids[0]
}

func linked(commit gitexec.OID, second int64, files ...gitexec.Path) session.Link {
	return session.Link{ID: "0123456789ab", Commit: commit, When: time.Unix(second, 0), Files: files}
}

// TestBrought: which version of a file a linked commit has made, and whether a change may have its
// lines from there.
func TestBrought(t *testing.T) {
	const three = "alpha_one beta_two gamma_three"
	for name, c := range map[string]struct {
		before, linked string // the file in the linked commit's parent, and there
		old, now       string // in HEAD, and what becomes of it
		want           bool
	}{
		"the very version":                  {"-", "alpha_one", "-", "alpha_one", true},
		"a version with light lines only":   {"-", "} }", "-", "} }", false},
		"three lines that say much":         {"-", three + " delta_four", "-", "human_line " + three, true},
		"two, beside others":                {"-", "alpha_one beta_two", "-", "human_line alpha_one beta_two", true},
		"two, which are one twice":          {"-", "alpha_one beta_two", "-", "human_line alpha_one alpha_one", false},
		"all new lines, two":                {"human_line", "human_line alpha_one beta_two", "human_line other_line", "human_line alpha_one beta_two", true},
		"the one new line":                  {"-", three, "human_line", "human_line beta_two", true},
		"one of many new ones":              {"-", three, "human_line", "human_line beta_two another_line and_one_more", false},
		"all new lines, which say little":   {"-", "a b } alpha_one", "human_line", "human_line a }", false},
		"lines that HEAD has":               {"-", three, three, three + " human_line", false},
		"nothing new":                       {"-", three, three + " human_line", three, false},
		"nothing new, what it took out":     {three + " delta_four", three, three + " delta_four human_line", three, true},
		"nothing new, others than it did":   {three + " delta_four", three, three + " human_line", three, false},
		"the order of lines":                {"human_line alpha_one", "alpha_one human_line", "human_line alpha_one", "alpha_one human_line", true},
		"nothing new, and not that version": {"-", three + " delta_four", three + " human_line", three, false},
		"what the linked commit had":        {three, three, "-", three, false},
		"HEAD has what is linked":           {"-", three, three, three + " delta_four epsilon_five zeta_six", false},
		"the file is deleted":               {"-", three, three, "-", false},
		"the linked commit deletes it":      {three, "-", "-", three, false},
		"a binary file, the very one":       {"-", "\x00alpha", "-", "\x00alpha", true},
		"a binary file, another":            {"-", "\x00alpha", "-", "\x00beta", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := small{testrepo.New(t)}
			parent := s.commit(1, "", "f", c.before, "other", "other")
			commit := s.commit(2, parent, "f", c.linked, "other", "other")
			state := &session.State{SessionID: "s", Linked: []session.Link{linked(commit, 2)}}
			changes := []gitexec.Change{{Path: "f", Old: s.entry(c.old), New: s.entry(c.now)}}
			got, err := Brought(s.DB, "", []*session.State{state}, changes, nil)
			if err != nil || (len(got) == 1 && got[0] == commit) != c.want || len(got) > 1 {
				t.Errorf("%v, %v; want it to be brought: %v", got, err, c.want)
			}
		})
	}
}

// TestBroughtBackAsItWas: of a version that the history had one line is enough, of another one two.
func TestBroughtBackAsItWas(t *testing.T) {
	s := small{testrepo.New(t)}
	one := s.commit(1, "", "f", "alpha_one")
	plain := s.commit(2, one, "f", "human_line other_line alpha_one")
	head := s.commit(3, plain, "f", "human_line")
	for range mostBefore - 2 {
		head = s.commit(4, head, "f", "human_line")
	}
	past := s.commit(4, head, "f", "human_line")
	state := &session.State{SessionID: "s", Linked: []session.Link{linked(one, 1)}}
	for name, c := range map[string]struct {
		parent gitexec.OID
		now    string
		want   bool
	}{
		"the version of a commit before": {head, "human_line other_line alpha_one", true},
		"another one":                    {head, "human_line other_line alpha_one more_lines", false},
		"too far back":                   {past, "human_line other_line alpha_one", false},
		"nothing before":                 {"", "human_line other_line alpha_one", false},
		"it is not there":                {gitexec.OID(strings.Repeat("a", len(one))), "human_line other_line alpha_one", false},
		"without that line":              {head, "human_line other_line", false},
	} {
		got, err := Brought(s.DB, c.parent, []*session.State{state}, []gitexec.Change{{Path: "f", Old: s.entry("human_line"), New: s.entry(c.now)}}, nil)
		if err != nil || slices.Equal(got, []gitexec.OID{one}) != c.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// TestBroughtFrom: which of several linked commits are the sources, and what passes them over.
func TestBroughtFrom(t *testing.T) {
	s := small{testrepo.New(t)}
	const mine, yours = "alpha_one beta_two gamma_three", "delta_four epsilon_five zeta_six"
	base := s.commit(1, "", "f", "human_line")
	one := s.commit(2, base, "f", "human_line "+mine)
	two := s.commit(3, one, "f", "human_line "+mine+" "+yours)
	few := s.commit(2, base, "f", "human_line alpha_one")
	more := s.commit(3, few, "f", "human_line "+mine)
	gone := gitexec.OID(strings.Repeat("a", len(one)))
	blob := s.entry("no_commit").ID
	both := []gitexec.Change{{Path: "f", Old: s.entry("human_line"), New: s.entry("human_line " + mine + " " + yours + " another_line")}}
	states := func(links ...session.Link) (all []*session.State) {
		for i, l := range links {
			all = append(all, &session.State{SessionID: fmt.Sprint("s", i), Linked: []session.Link{l}})
		}
		return all
	}
	told := &session.State{SessionID: "s", TranscriptPath: "/t"}
	stream := []condense.Work{{Session: told, Changes: []suffix.Change{{Path: "f", After: both[0].New}}}}
	for name, c := range map[string]struct {
		states  []*session.State
		changes []gitexec.Change
		streams []condense.Work
		want    []gitexec.OID
	}{
		"nobody's":                  {nil, both, nil, nil},
		"nothing changes":           {states(linked(one, 2)), nil, nil, nil},
		"the latest first":          {states(linked(one, 2), linked(two, 3)), both, nil, []gitexec.OID{two, one}},
		"by when they were linked":  {states(linked(one, 4), linked(two, 3)), both, nil, []gitexec.OID{one, two}},
		"one of two sessions, once": {states(linked(one, 2), linked(one, 3)), both, nil, []gitexec.OID{one}},
		"a file that is renamed":    {states(linked(one, 2)), []gitexec.Change{{Path: "f", New: both[0].New}, {Path: "g", Old: both[0].New}}, nil, nil},
		"a file that is renamed with more": {states(linked(one, 2, "f")),
			[]gitexec.Change{{Path: "f", Old: s.entry("human_line")}, {Path: "g", New: both[0].New}}, nil, []gitexec.OID{one}},
		"another file beside one that is gone": {states(linked(one, 2, "f")),
			[]gitexec.Change{{Path: "f", Old: s.entry("human_line")}, {Path: "g", New: s.entry("alpha_one other_line third_line last_line")}}, nil, nil},
		"a line, beside others":      {states(linked(few, 2)), both, nil, nil},
		"a line that comes along":    {states(linked(few, 2), linked(more, 3)), both, nil, []gitexec.OID{more, few}},
		"a pruned one":               {states(linked(gone, 5), linked(one, 2)), both, nil, []gitexec.OID{one}},
		"what is no commit":          {states(linked(blob, 5), linked(one, 2)), both, nil, []gitexec.OID{one}},
		"a link that names the file": {states(linked(one, 2, "e", "f")), both, nil, []gitexec.OID{one}},
		"a link that names others":   {states(linked(one, 2, "e", "g"), linked(two, 3, "f")), both, nil, []gitexec.OID{two}},
		"a stream has the version":   {states(linked(one, 2)), both, stream, nil},
		"a stream without transcript": {states(linked(one, 2)), both, []condense.Work{{Session: &session.State{SessionID: "s"},
			Changes: []suffix.Change{{Path: "f", After: both[0].New}}}}, []gitexec.OID{one}},
		"a stream goes on from it": {states(linked(one, 2)), both, []condense.Work{{Session: told, Changes: []suffix.Change{
			{Path: "f", Before: s.entry("human_line " + mine), After: both[0].New}}}}, []gitexec.OID{one}},
		"a stream goes on from HEAD": {states(linked(one, 2)), both, []condense.Work{{Session: told, Changes: []suffix.Change{
			{Path: "f", Before: both[0].Old, After: both[0].New}}}}, nil},
		"a stream carries on what goes on from it": {states(linked(one, 2)), both, []condense.Work{{Session: told, Changes: []suffix.Change{
			{Path: "f", Before: both[0].Old, After: both[0].New, Of: []suffix.Change{
				{Path: "f", Before: s.entry("human_line"), After: s.entry(yours)},
				{Path: "f", Before: s.entry("human_line " + mine), After: both[0].New}}}}}}, []gitexec.OID{one}},
		"a stream has another one":         {states(linked(one, 2)), both, []condense.Work{{Session: told, Changes: []suffix.Change{{Path: "f", After: s.entry(mine)}}}}, []gitexec.OID{one}},
		"a stream has it in another file":  {states(linked(one, 2)), both, []condense.Work{{Session: told, Changes: []suffix.Change{{Path: "g", After: both[0].New}}}}, []gitexec.OID{one}},
		"another file, which no link made": {states(linked(one, 2)), []gitexec.Change{{Path: "g", New: both[0].New}}, nil, nil},
	} {
		got, err := Brought(s.DB, "", c.states, c.changes, c.streams)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v; want %v", name, got, err, c.want)
		}
	}
}

// TestBroughtOfMany: only so many commits are looked at, and count.
func TestBroughtOfMany(t *testing.T) {
	s := small{testrepo.New(t)}
	const mine = "alpha_one beta_two gamma_three"
	state := &session.State{SessionID: "s"}
	last := s.commit(1, "", "f", "human_line")
	for i := range mostLinked + 5 {
		last = s.commit(int64(i+2), last, "f", fmt.Sprintf("%s line_%d", mine, i))
		state.Linked = append(state.Linked, linked(last, int64(i+2)))
	}
	changes := []gitexec.Change{{Path: "f", Old: s.entry("human_line"), New: s.entry("human_line another_line " + mine)}}
	got, err := Brought(s.DB, "", []*session.State{state}, changes, nil)
	if err != nil || len(got) != mostSources || got[0] != last {
		t.Errorf("%d sources, %v; want %d", len(got), err, mostSources)
	}
	// The first one has a line that no other has, and is too old.
	changes = []gitexec.Change{{Path: "f", Old: s.entry(mine), New: s.entry(mine + " line_0")}}
	if got, err := Brought(s.DB, "", []*session.State{state}, changes, nil); err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
	changes[0].New = s.entry(mine + " line_5")
	if got, err := Brought(s.DB, "", []*session.State{state}, changes, nil); err != nil || !slices.Equal(got, []gitexec.OID{state.Linked[5].Commit}) {
		t.Errorf("%v, %v", got, err)
	}
}
