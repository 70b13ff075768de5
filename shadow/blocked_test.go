package shadow

import (
	"errors"
	"slices"
	"testing"

	"entire-plumb/gitexec"
)

func TestTransactionOf(t *testing.T) {
	const stream, other = Prefix + "1a2b3c4-1", Prefix + "1a2b3c4-2"
	keep := keeper(Checkpoints)
	for name, c := range map[string]struct {
		refs, waiting    []RefChange
		locked           []string
		changes, blocked []RefChange
	}{
		"nothing is locked": {
			refs:    []RefChange{{Checkpoints, "a", "b"}, {stream, "c", ""}},
			changes: []RefChange{{stream, "c", ""}, {Checkpoints, "a", "b"}},
		},
		"a branch is locked, and kept": {
			refs:    []RefChange{{Checkpoints, "a", "b"}, {stream, "c", ""}},
			locked:  []string{Checkpoints},
			changes: []RefChange{{stream, "c", ""}, {keep, "", "b"}},
			blocked: []RefChange{{Checkpoints, "a", "b"}},
		},
		"it is still locked, and continues": {
			refs:    []RefChange{{Checkpoints, "b", "d"}},
			waiting: []RefChange{{Checkpoints, "a", "b"}},
			locked:  []string{Checkpoints},
			changes: []RefChange{{keep, "b", "d"}},
			blocked: []RefChange{{Checkpoints, "a", "d"}},
		},
		"it is locked no more": {
			refs:    []RefChange{{Checkpoints, "b", "d"}},
			waiting: []RefChange{{Checkpoints, "a", "b"}},
			changes: []RefChange{{Checkpoints, "a", "d"}, {keep, "b", ""}},
		},
		"it is locked no more, and there is no other change": {
			waiting: []RefChange{{Checkpoints, "", "b"}, {stream, "c", ""}},
			changes: []RefChange{{stream, "c", ""}, {Checkpoints, "", "b"}, {keep, "b", ""}},
		},
		"deletions are locked": {
			refs:    []RefChange{{Checkpoints, "a", "b"}, {stream, "c", ""}, {other, "", "d"}},
			locked:  []string{stream},
			changes: []RefChange{{other, "", "d"}, {Checkpoints, "a", "b"}},
			blocked: []RefChange{{stream, "c", ""}},
		},
		"a stream whose deletion waits is made again": {
			refs:    []RefChange{{stream, "", "d"}},
			waiting: []RefChange{{stream, "c", ""}},
			locked:  []string{stream},
			changes: []RefChange{{keeper(stream), "", "d"}},
			blocked: []RefChange{{stream, "c", "d"}},
		},
		"a stream that was to be made goes again": {
			refs:    []RefChange{{stream, "d", ""}},
			waiting: []RefChange{{stream, "", "d"}},
			locked:  []string{stream},
			changes: []RefChange{{keeper(stream), "d", ""}},
		},
		"what is kept no more cannot be deleted yet": {
			waiting: []RefChange{{Checkpoints, "a", "b"}},
			locked:  []string{keep},
			changes: []RefChange{{Checkpoints, "a", "b"}},
			blocked: []RefChange{{keep, "b", ""}},
		},
		"what was to be deleted is kept again": {
			refs:    []RefChange{{Checkpoints, "b", "d"}},
			waiting: []RefChange{{keep, "b", ""}},
			locked:  []string{Checkpoints},
			changes: []RefChange{{keep, "b", "d"}},
			blocked: []RefChange{{Checkpoints, "b", "d"}},
		},
		"the user's branch never waits": {
			refs:    []RefChange{{"refs/heads/main", "a", "b"}},
			locked:  []string{"refs/heads/main"},
			changes: []RefChange{{"refs/heads/main", "a", "b"}},
		},
	} {
		got, err := planTransaction(c.refs, c.waiting, func(r RefChange) bool { return slices.Contains(c.locked, r.Ref) })
		if err != nil || !slices.Equal(got.changes, c.changes) || !slices.Equal(got.blocked, c.blocked) {
			t.Errorf("%s: %+v, %v; want %+v and %+v", name, got, err, c.changes, c.blocked)
		}
	}
	var moved *gitexec.RefMovedError
	if _, err := planTransaction([]RefChange{{Checkpoints, "a", "d"}}, []RefChange{{Checkpoints, "a", "b"}}, nil); !errors.As(err, &moved) {
		t.Errorf("from what a reader that knows nothing of the list sees: %v", err)
	}
}
