package query

import (
	"context"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/index"
)

// The index of changers has a key for each commit of the checkpoints' branches and what it changed,
// down to a session's part of a checkpoint: the path, a zero byte, and the commit. Its state has
// the tips of the histories that are in it, the last one at the end.

const (
	changersForm = "1"
	mostTips     = 20 // tips that are remembered; most are in the history of the last one
	// DIRECTORY/CHECKPOINT/SESSION: deeper ones are never asked for.
	mostDepth = 3 // names of a path
)

// changers is that index, once it is opened.
type changers struct {
	caches
	*index.Index
}

func (s *changers) close() {
	if s.Index != nil {
		s.Close()
	}
}

// of lists the commits that changed a path: all of a history, and maybe others. One process, where
// the history is not in the index yet.
func (s *changers) of(ctx context.Context, tip gitexec.OID, path gitexec.Path) (commits []gitexec.OID, err error) {
	prefix := string(path) + "\x00"
	err = twice(func(anew bool) (*index.Index, error) {
		if err := s.openFor(ctx, tip, anew); err != nil {
			return nil, err
		}
		commits = nil
		for key := range s.Scan(prefix) {
			commits = append(commits, gitexec.OID(key[len(prefix):]))
		}
		return s.Index, nil
	})
	return commits, err
}

// openFor opens the index, unless it is open and has a history.
func (s *changers) openFor(ctx context.Context, tip gitexec.OID, anew bool) (err error) {
	current := func(x *index.Index) bool { return slices.Contains(s.tipsOf(x), tip) }
	if s.Index != nil && !anew && current(s.Index) {
		return nil
	}
	s.close()
	s.Index, err = s.open(ctx, cache{name: "changers", form: changersForm, anew: anew, current: current,
		update: func(x *index.Index, _ bool) (any, error) {
			// The remotes' branches and the local one differ: tips of all that were asked stay
			// known.
			tips := append(s.tipsOf(x), tip)
			return linksState{tips[max(0, len(tips)-mostTips):], s.shallow()}, s.addChangers(ctx, x, tip)
		}})
	return err
}

// addChangers adds the commits of a history that are in none of the known ones.
func (s caches) addChangers(ctx context.Context, x *index.Index, tip gitexec.OID) error {
	count, done := progress(s.env, "indexing the history of the checkpoints"), 0
	known := s.tipsOf(x)
	// Nothing is known, or the clone was cut off elsewhere, where histories differ: the keys may be
	// of commits that are gone.
	if len(known) == 0 {
		x.Clear()
	}
	return gitexec.Outgoing{Tips: []gitexec.OID{tip}, Has: known}.Changed(ctx, s.repo, func(t gitexec.Touched) {
		done++
		count(done, 0)
		names := strings.Split(string(t.Name), "/")
		for n := 1; n <= min(len(names), mostDepth); n++ {
			x.Put(strings.Join(names[:n], "/")+"\x00"+string(t.Commit), nil)
		}
	})
}
