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
	mostDepth    = 3  // names of a path
)

// changers lists the commits that changed a path: all of a history, and maybe others. One process,
// where the history is not in the index yet.
func (s caches) changers(ctx context.Context, tip gitexec.OID, path gitexec.Path) (commits []gitexec.OID, err error) {
	prefix := string(path) + "\x00"
	err = twice(func(anew bool) (*index.Index, error) {
		x, err := s.open(ctx, cache{name: "changers", form: changersForm, anew: anew,
			current: func(x *index.Index) bool { return slices.Contains(s.tipsOf(x), tip) },
			update: func(x *index.Index, _ bool) (any, error) {
				tips := append(s.tipsOf(x), tip)
				return linksState{tips[max(0, len(tips)-mostTips):], s.shallow()}, s.addChangers(ctx, x, tip)
			}})
		if err != nil {
			return nil, err
		}
		defer x.Close()
		commits = nil
		for key := range x.Scan(prefix) {
			commits = append(commits, gitexec.OID(key[len(prefix):]))
		}
		return x, nil
	})
	return commits, err
}

// addChangers adds the commits of a history that are in none of the known ones.
func (s caches) addChangers(ctx context.Context, x *index.Index, tip gitexec.OID) error {
	count, done := progress(s.env, "the history of the checkpoints"), 0
	known := s.tipsOf(x)
	if len(known) == 0 {
		x.Clear()
	}
	return gitexec.Outgoing{Tips: []gitexec.OID{tip}, Has: known}.Changed(ctx, s.repo, func(t gitexec.Touched) {
		done++
		count(done)
		names := strings.Split(string(t.Name), "/")
		for n := 1; n <= min(len(names), mostDepth); n++ {
			x.Put(strings.Join(names[:n], "/")+"\x00"+string(t.Commit), nil)
		}
	})
}
