package query

import "context"

// Conversation reads what was said in a session, in a turn, or in the parts of sessions that a
// commit or a checkpoint has. Of a session and of a turn that several checkpoints record, it reads
// the one that has most of it. The caller calls done when it has read the transcripts.
func (e Source) Conversation(ctx context.Context, name string) (all []Shown, done func(), err error) {
	r, err := e.Open(ctx)
	if err != nil {
		return nil, nil, err
	}
	r.transcripts, done = true, r.Close
	if all, err = spokenIn(ctx, r, name); err != nil {
		done()
		return nil, nil, err
	}
	return all, done, nil
}

func spokenIn(ctx context.Context, r *Reader, name string) ([]Shown, error) {
	found, err := r.Resolve(ctx, name)
	if err != nil {
		return nil, err
	}
	if found.Session == "" {
		all, err := r.meantBy(ctx, name)
		for i := range all {
			all[i].scope(false)
		}
		if found.Turn != nil {
			all = longest(all)
		}
		return all, err
	}
	checkpoints, deleted, onStreams, err := recordedOf(ctx, r, found.Session)
	if err != nil {
		return nil, err
	}
	// The last checkpoint has the whole conversation up to it, and a stream's, deleted or not, goes
	// on from there: earlier ones have nothing more.
	all, err := r.showAll(ctx, checkpoints[max(0, len(checkpoints)-1):], append(deleted, onStreams...))
	for i := range all {
		all[i].only(found.Session)
		all[i].scope(true)
	}
	return longest(all), err
}

// only has a checkpoint show one session alone.
func (s *Shown) only(session string) {
	var own []ShownPart
	for _, p := range s.Sessions {
		if p.SessionID == session {
			own = append(own, p)
		}
	}
	if len(own) > 0 {
		// The part may be unreadable, and then is not there: the others are better than an empty
		// answer, and the error says why.
		s.Sessions = own
	}
}

// longest is the one of some checkpoints with most prompts, and of equal ones the last, as each
// later one repeats what the earlier ones have.
func longest(all []Shown) []Shown {
	best, most := -1, -1
	for i, one := range all {
		for _, p := range one.Sessions {
			// A part without a transcript has nothing but prompts: it doesn't take the place of
			// another.
			if n := len(p.Prompts); n >= most && (p.HasTranscript() || best < 0) {
				best, most = i, n
			}
		}
	}
	if best < 0 {
		return all
	}
	return all[best : best+1]
}
