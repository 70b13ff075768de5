package history

import (
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/shadow"
)

func TestRefs(t *testing.T) {
	for _, c := range []struct {
		ref                  string
		ours, copy, onBranch bool
	}{
		{"refs/heads/main", false, false, false},
		{"refs/heads/entire/1a2b3c4-1", true, false, false},
		{shadow.Checkpoints, true, false, true},
		{"refs/entire-plumb/kept", true, false, true},
		{"refs/entire-plumb/inbox/abc", true, false, true},
		{"refs/entire-plumb/rewind/main", true, false, false},
		{"refs/remotes/origin/entire/checkpoints/v1", false, true, true},
		{"refs/remotes/origin/entire/1a2b3c4-1", false, true, false},
		{"refs/remotes/origin/main", false, false, false},
		{"refs/remotes/origin/x/entire/y", false, false, false},
		{"refs/remotes/up/stream/entire/checkpoints/v1", false, true, true},
		{"refs/heads/x/entire/checkpoints/v1", false, false, false},
		{"refs/tags/entire/x", false, false, false},
	} {
		if isOurs(c.ref) != c.ours || isCopy(c.ref) != c.copy || onBranch(c.ref) != c.onBranch {
			t.Errorf("%s: ours %v, copy %v, on the branch %v", c.ref, isOurs(c.ref), isCopy(c.ref), onBranch(c.ref))
		}
	}
}

func TestMovedRefs(t *testing.T) {
	refs := []gitexec.Ref{{Name: "a", ID: "1"}, {Name: shadow.Checkpoints, ID: "2"}}
	if got := movedRefs(refs, map[string]gitexec.OID{"a": "3"}); !slices.Equal(got, []MovedRef{{"a", "1", "3"}}) {
		t.Errorf("%v", got)
	}
	if got := branchesIn(refs); len(got) != 1 || got[0].ID != "2" || len(refs) != 2 || refs[0].Name != "a" {
		t.Errorf("%v of %v", got, refs)
	}
	if checkpointsRef(refs) != 1 || checkpointsRef(refs[:1]) != -1 {
		t.Error("the index of the branch of checkpoints")
	}
}

// TestNames: only a whole ID that has another name now is replaced.
func TestNames(t *testing.T) {
	w := &rewriting{commits: map[gitexec.OID]gitexec.OID{oid("1"): oid("a"), oid("4"): oid("4")},
		trees: map[gitexec.OID]gitexec.OID{oid("2"): oid("b"), oid("5"): ""}, blobs: map[gitexec.OID]gitexec.OID{oid("3"): oid("c"),
			gitexec.OID(strings.Repeat("6", 64)): gitexec.OID(strings.Repeat("d", 64))}}
	one := string(oid("1"))
	for text, want := range map[string]string{
		"":                                   "",
		"no name":                            "no name",
		one:                                  string(oid("a")),
		"Base: " + one + "\n":                "Base: " + string(oid("a")) + "\n",
		one + " " + string(oid("2")):         string(oid("a")) + " " + string(oid("b")),
		`{"blob":"` + string(oid("3")) + `"`: `{"blob":"` + string(oid("c")) + `"`,
		one + "0":                            one + "0", // another ID's beginning
		"0" + one:                            "0" + one,
		one[:39]:                             one[:39],
		"g" + one + "g":                      "g" + string(oid("a")) + "g",
		string(oid("4")):                     string(oid("4")),
		string(oid("5")):                     string(oid("5")), // taken out: nothing has its place
		string(oid("9")):                     string(oid("9")),
		strings.Repeat("6", 64):              strings.Repeat("d", 64),
	} {
		if got := string(w.names([]byte(text))); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}

func TestChanged(t *testing.T) {
	all := map[gitexec.OID]gitexec.OID{"b": "x", "a": "y", "c": "c"}
	if got := changed(all); !slices.Equal(got, []gitexec.OID{"a", "b"}) {
		t.Errorf("%v", got)
	}
	w := &rewriting{trees: map[gitexec.OID]gitexec.OID{"b": "", "a": "", "c": "c"}}
	if got := w.dropped(); !slices.Equal(got, []gitexec.OID{"a", "b"}) {
		t.Errorf("%v", got)
	}
}

// TestRewrite: a text goes from every commit of our refs, and the commits name each other by their
// new names; what others have stays as it is.
func TestRewrite(t *testing.T) {
	w := newWorld(t)
	first := w.branch(shadow.Checkpoints, "One", "a", "secret", "dir/b", "plain")
	second := w.branch(shadow.Checkpoints, "After "+string(first), "c", "no more", "secret-name", "")
	r := newRewriting(t.Context(), w.Repo, w.DB)
	r.onBranch = true
	r.text = func(text []byte) []byte { return []byte(strings.ReplaceAll(string(text), "secret", "*")) }
	r.named = func(path string) bool { return strings.Contains(path, "secret") }
	tips, err := r.rewrite([]gitexec.Ref{{Name: shadow.Checkpoints, ID: second}}, nil)
	w.Must(err)
	tip := tips[shadow.Checkpoints]
	commits, err := w.DB.Commits(tip)
	w.Must(err)
	if len(tips) != 1 || string(commits[0].Message) != "After "+string(commits[0].Parents[0])+"\n" || commits[0].Parents[0] == first {
		t.Errorf("%v: %s", tips, commits[0].Message)
	}
	for path, want := range map[gitexec.Path]string{"a": "*", "dir/b": "plain", "c": "no more"} {
		found, err := w.DB.Lookup(commits[0].Tree, path)
		w.Must(err)
		if data, err := w.DB.Blob(found[0].ID, 100); err != nil || string(data) != want {
			t.Errorf("%s: %s, %v", path, data, err)
		}
	}
	if len(r.paths) != 1 || !r.paths["secret-name"] {
		t.Errorf("paths that hold it: %v", r.paths)
	}
	if again, err := r.rewrite([]gitexec.Ref{{Name: shadow.Checkpoints, ID: tip}}, nil); err != nil || len(again) != 0 {
		t.Errorf("a second time: %v, %v", again, err)
	}
	r = newRewriting(t.Context(), w.Repo, w.DB)
	r.onBranch = true
	r.text = func(text []byte) []byte { return []byte(strings.ReplaceAll(string(text), "more", "*")) }
	tips, err = r.rewrite([]gitexec.Ref{{Name: shadow.Checkpoints, ID: second}}, []gitexec.OID{first})
	w.Must(err)
	if commits, err = w.DB.Commits(tips[shadow.Checkpoints]); err != nil || commits[0].Parents[0] != first {
		t.Errorf("what others have was rewritten: %v, %v", commits, err)
	}
	if none, err := r.rewrite(nil, nil); err != nil || len(none) != 0 {
		t.Errorf("of no ref: %v, %v", none, err)
	}
}
