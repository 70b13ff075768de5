package hooks

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ancestry"
)

func TestPushedLines(t *testing.T) {
	one, two, none := strings.Repeat("1", 40), strings.Repeat("2", 40), strings.Repeat("0", 40)
	found, deleted, err := pushedLines(t.Context(), strings.NewReader(
		"refs/heads/a "+one+" refs/heads/b "+two+"\n(delete) "+none+" refs/heads/c "+two+"\nmain@{1 day ago} "+one+" refs/heads/d "+none+"\n"))
	want := []pushed{{"refs/heads/a", gitexec.OID(one), "refs/heads/b", gitexec.OID(two)}, {"main@{1 day ago}", gitexec.OID(one), "refs/heads/d", gitexec.OID(none)}}
	if err != nil || !reflect.DeepEqual(found, want) || len(deleted) != 1 || deleted[0].remote != "refs/heads/c" {
		t.Errorf("%+v, deleted %+v, %v", found, deleted, err)
	}
	for _, line := range []string{"a b c", "refs/heads/a " + one + " refs/heads/b x", "refs/heads/a x refs/heads/b " + one} {
		if _, _, err := pushedLines(t.Context(), strings.NewReader(line+"\n")); err == nil {
			t.Errorf("%q is read", line)
		}
	}
}

func TestSuspectsAreNamedOnce(t *testing.T) {
	suspects, touch := suspectsIn([]gitexec.Found{{ID: "a"}, {ID: "b", Dir: "x"}, {ID: "a", Dir: "x"}, {ID: "b", Dir: "x"}, {ID: "b", Dir: "y"}})
	if !reflect.DeepEqual(suspects, []gitexec.OID{"a", "b"}) || !reflect.DeepEqual(touch, map[gitexec.OID][]gitexec.Path{"a": {"x"}, "b": {"x", "y"}}) {
		t.Errorf("%q, %q", suspects, touch)
	}
}

func TestPrivateRefsAreRefused(t *testing.T) {
	for ref, want := range map[string]bool{"refs/heads/main": false, "refs/entire-plumb/rewind/1": true, "refs/heads/entire/checkpoints/v1": false} {
		if got := private(pushed{local: ref, remote: ref}); got != want {
			t.Errorf("%s: %v", ref, got)
		}
	}
}

// TestComparedOnce: what was compared is read once, however many branches are pushed.
func TestComparedOnce(t *testing.T) {
	dir := t.TempDir()
	allocations := func(branches int) float64 {
		lines := slices.Repeat([]pushed{{local: "refs/heads/main", id: gitexec.OID(strings.Repeat("1", 40))}}, branches)
		return testing.AllocsPerRun(5, func() { allCompared(dir, lines) })
	}
	if one, many := allocations(1), allocations(1000); many > one+100 {
		t.Errorf("one branch costs %v allocations, a thousand %v", one, many)
	}
}

// TestRejectedLines: of what git's lines to the hook say.
func TestRejectedLines(t *testing.T) {
	main := pushed{"refs/heads/main", "1", "refs/heads/main", "2"}
	tag := pushed{"refs/tags/v1", "3", "refs/tags/v1", "4"}
	fresh := pushed{"refs/heads/fresh", "5", "refs/heads/fresh", gitexec.OID(strings.Repeat("0", 40))}
	above := func(args string) []ancestry.Process {
		return []ancestry.Process{{Args: strings.Fields("git push " + args)}}
	}
	for _, c := range []struct {
		args   string
		lines  []pushed
		unseen []gitexec.OID
		want   []pushed
	}{
		{"origin main", []pushed{main}, nil, nil},
		{"origin main", []pushed{main}, []gitexec.OID{"2"}, []pushed{main}},
		{"origin main fresh", []pushed{main, fresh}, []gitexec.OID{"2"}, []pushed{main}},
		{"origin +main", []pushed{main}, []gitexec.OID{"2"}, nil},
		{"origin v1 fresh", []pushed{tag, fresh}, nil, []pushed{tag}},
		{"-f origin v1", []pushed{tag}, nil, nil},
		{"--atomic origin v1 fresh", []pushed{tag, fresh}, nil, []pushed{tag, fresh}},
		{"--atomic origin fresh main", []pushed{fresh}, nil, []pushed{fresh}},
		{"--atomic -f origin fresh main", []pushed{fresh}, nil, nil},
	} {
		o := outgoing{lines: c.lines, unseen: map[gitexec.OID]bool{}}
		for _, id := range c.unseen {
			o.unseen[id] = true
		}
		if got := o.rejects(above(c.args), o.unseen); !slices.Equal(got, c.want) {
			t.Errorf("%s: %+v", c.args, got)
		}
	}
}
