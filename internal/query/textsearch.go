package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/fulltext"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

// TextSearch says what is searched for in conversations.
type TextSearch struct {
	Words   []string // all of them are in the text, ignoring case
	Regexp  bool     // they are one regular expression, which matches in a line
	In      []string // kinds of texts, as users write them; empty: all
	File    string   // only turns that mention it, and checkpoints that changed it; or a directory
	Session string   // the beginning of a session's ID
	Since   string   // a date, as git reads it
	Most    int      // 0: all
}

// TextMatch is a text that was found: the line of it that has the most of the words.
type TextMatch struct {
	Repository string    `json:"repository,omitempty"`
	Session    string    `json:"session_id"`
	Turn       int       `json:"turn_number,omitempty"` // of the session, counted from 1; empty: not of a turn
	TurnID     string    `json:"turn_id,omitempty"`
	Checkpoint string    `json:"checkpoint_id,omitempty"` // the first one that has it; empty: it is not committed
	Work       string    `json:"work,omitempty"`
	When       time.Time `json:"when"`
	Kind       string    `json:"kind"`
	Subagent   bool      `json:"subagent,omitempty"`
	Agent      string    `json:"agent,omitempty"`
	// Source is whose word it is, where others added it.
	Source *checkpoints.Source `json:"source,omitempty"`
	Line   int                 `json:"line"`
	Text   string              `json:"text"`
	Before string              `json:"before,omitempty"`
	After  string              `json:"after,omitempty"`

	Places [3][][2]int `json:"-"` // of what was searched for: in Before, Text and After
}

// TextFound is the result of a search.
type TextFound struct {
	Matches []TextMatch // latest first
	More    bool        // there are others
	Sealed  int         // conversations that were not searched: no identity here opens them
	For     string      // for whom one of these is encrypted
	Unread  int         // files of conversations that could not be read
}

// kindsNamed are the kinds that users name, as bits.
func kindsNamed(names []string) (kinds uint64, err error) {
	for _, name := range names {
		known := false
		for kind, called := range kindNames {
			// The others take an s.
			if called != "" && (name == called || name == called+"s" || name == "summaries" && kind == int(kindSummary)) {
				kinds, known = kinds|1<<kind, true
			}
		}
		if !known {
			return 0, &ErrQuery{fmt.Sprintf("%q is nothing to search in: it is prompts, answers, commands, files, summaries or titles", name)}
		}
	}
	return kinds, nil
}

// SearchTexts searches what is said in conversations, committed or not.
func (e Source) SearchTexts(ctx context.Context, q TextSearch) (found TextFound, err error) {
	m, err := newMatcher(q.Words, q.Regexp)
	if err != nil {
		return found, err
	}
	s := textSearching{asked: q, matcher: m}
	if s.kinds, err = kindsNamed(q.In); err != nil {
		return found, err
	}
	r, err := e.open(ctx, true)
	if err != nil {
		return found, err
	}
	defer r.Close()
	if q.Since != "" {
		if s.since, err = r.Repo.Date(ctx, q.Since); err != nil {
			return found, err
		}
	}
	if q.File != "" {
		s.file = fromTop(r.Repo.Top, e.Dir, q.File)
	}
	err = withTexts(ctx, r, func(t *texts, c *catalogue) error {
		one := s
		// withTexts may ask twice, where the index turns out to be damaged: each answer begins
		// anew.
		one.ctx, one.texts, one.catalogue, one.reader = ctx, t, c, r
		var err error
		found, err = one.run()
		return err
	})
	// What could not be read may have been the session's.
	if err == nil && q.Session != "" && len(found.Matches)+found.Unread == 0 {
		err = r.knows(ctx, q.Session)
	}
	return found, err
}

// textSearching is a search in progress.
type textSearching struct {
	ctx       context.Context
	texts     *texts
	catalogue *catalogue
	reader    *Reader
	asked     TextSearch
	matcher   *matcher
	kinds     uint64
	since     time.Time
	file      string
	judged    judged
	talks     map[string]*talk
	added     map[string]map[string]bool // by session, the checkpoints in which others added it
	turns     map[mention]bool           // that mention the file
	changers  []string                   // checkpoints that changed it, sorted
	changing  map[string]bool            // sessions that have not committed a change of it
	only      string                     // the session, if the beginning of its ID is that of others
	pace      pace
}

// mention is a turn of a unit.
type mention struct {
	unit uint32
	turn int
}

func (s *textSearching) run() (found TextFound, err error) {
	s.talks, s.added = map[string]*talk{}, map[string]map[string]bool{}
	// It was judged before the index was opened: see withTexts.
	if s.judged, err = judge(s.ctx, s.reader); err != nil {
		return found, err
	}
	s.pace.due()
	if s.only, err = sessionMeant(s.reader.States(), s.catalogue, s.asked.Session); err != nil {
		return found, err
	}
	query := fulltext.Query{Needs: s.matcher.needs, Match: s.matcher.match, Kinds: s.kinds, Since: s.since, Among: s.among(), Most: s.asked.Most,
		Tick: s.tick}
	if s.file != "" {
		if err := s.mentions(query.Among); err != nil {
			return found, err
		}
		query.Passes = s.ofFile
	}
	hits, err := s.texts.all.Search(query)
	if err != nil {
		return found, err
	}
	found.More = hits.More
	for _, h := range hits.Hits {
		m, err := s.show(s.texts.all.Name(h.Unit), h.Doc)
		if err != nil {
			return found, err
		}
		found.Matches = append(found.Matches, m)
	}
	if err := s.sealed(&found); err != nil {
		return found, err
	}
	for range s.texts.Scan(keyUnread) {
		found.Unread++
	}
	// Those that are encrypted came after the others.
	slices.SortStableFunc(found.Matches, func(a, b TextMatch) int { return b.When.Compare(a.When) })
	if most := s.asked.Most; most > 0 && len(found.Matches) > most {
		found.Matches, found.More = found.Matches[:most], true
	}
	return found, nil
}

// tick says how far a long search is.
func (s *textSearching) tick(done, of int) error {
	if _, due := s.pace.due(); due {
		s.reader.Env.Warn(fmt.Sprintf("searching: %d %% so far", 100*done/of))
	}
	return s.ctx.Err()
}

// wants reports whether a session is searched.
func (s *textSearching) wants(session string) bool {
	if s.only != "" {
		return session == s.only
	}
	return strings.HasPrefix(session, s.asked.Session)
}

// among chooses the units of the session that is asked for; nil: all.
func (s *textSearching) among() func(uint32) bool {
	if s.asked.Session == "" {
		return nil
	}
	some := map[uint32]bool{}
	for key, value := range s.texts.Scan(keyConversation + escaped(s.asked.Session)) {
		session := unescaped(strings.TrimPrefix(key, keyConversation))
		k, err := unpack(value, talkFields)
		if err != nil || !s.wants(session) {
			continue
		}
		for _, u := range k.units() {
			some[s.texts.all.Number(u.in(session))] = true
		}
	}
	return func(unit uint32) bool { return some[unit] }
}

// mentions finds the turns that mention the file, and the checkpoints that changed it.
func (s *textSearching) mentions(among func(uint32) bool) error {
	s.turns, s.changers, s.changing = map[mention]bool{}, s.catalogue.ofFile(s.file), map[string]bool{}
	name := strings.TrimSuffix(s.file, "/")
	states, err := s.reader.States().All()
	if err != nil {
		return err
	}
	for _, state := range states {
		// What a session has changed and not committed yet is in its state alone.
		for _, place := range state.Places() {
			if slices.ContainsFunc(place.FilesTouched, func(p gitexec.Path) bool { return string(p) == name || strings.HasPrefix(string(p), name+"/") }) {
				s.changing[state.SessionID] = true
			}
		}
	}
	// By the index first, as words are; then exactly, since Fold makes names equal that are not.
	hits, err := s.texts.all.Search(fulltext.Query{Needs: [][]string{{fulltext.Fold(name)}}, Kinds: 1 << byte(transcript.File), Among: among,
		Match: func(text []byte) bool { return isNamed(string(text), name) }, Tick: s.tick})
	for _, h := range hits.Hits {
		s.turns[mention{h.Unit, h.Turn}] = true
	}
	return err
}

// isNamed reports whether a list of files has one, or one in a directory of that name; the list has
// names from elsewhere, too.
func isNamed(list, name string) bool {
	for line := range strings.SplitSeq(list, "\n") {
		if line == name || strings.HasSuffix(line, "/"+name) || strings.HasPrefix(line, name+"/") || strings.Contains(line, "/"+name+"/") {
			return true
		}
	}
	return false
}

// ofFile reports whether a text is of a turn that mentions the file, or of a checkpoint that
// changed it.
func (s *textSearching) ofFile(h fulltext.Hit) (bool, error) {
	if s.turns[mention{h.Unit, h.Turn}] {
		return true, nil
	}
	session, u := unitNamed(s.texts.all.Name(h.Unit))
	p, err := s.firstOf(session, u)
	// The checkpoint that has it first: later ones repeat the conversation.
	return hasSorted(s.changers, p.checkpoint) || p.checkpoint == "" && s.changing[session], err
}

// firstOf is the first part of a session that has a unit; one that others added only if no other
// has it.
func (s *textSearching) firstOf(session string, u unit) (textPart, error) {
	k := s.talks[session]
	if k == nil {
		read, err := s.texts.talk(session)
		if err != nil {
			return textPart{}, err
		}
		k = &read
		s.talks[session] = k
		added := s.judged.addedTo(s.catalogue, session)
		s.added[session] = added
		k.parts = addedLast(k.parts, added)
	}
	for _, p := range k.parts {
		if slices.Contains(p.units, u) {
			return p, nil
		}
	}
	// The index names a unit that no part has: it is damaged, see twice.
	return textPart{}, errShort
}

// show is a text as users see it.
func (s *textSearching) show(name string, d fulltext.Doc) (TextMatch, error) {
	session, u := unitNamed(name)
	p, err := s.firstOf(session, u)
	if err != nil {
		return TextMatch{}, err
	}
	x := s.matcher.excerpt(d.Text)
	m := TextMatch{Session: session, Checkpoint: p.checkpoint, When: d.When, Kind: kindName(d.Kind), Subagent: d.Aside, Agent: p.agent,
		Line: x.line, Text: x.text, Before: x.before, After: x.after, Places: [3][][2]int{s.matcher.in(x.before), x.places, s.matcher.in(x.after)}}
	if shadow.KeepsDeleted(p.stream) {
		m.Work = deletedWork
	}
	if s.added[session][p.checkpoint] {
		source := s.reader.whose(s.ctx).OfAddition(p.checkpoint, session)
		m.Source = &source
	}
	switch u.letter() {
	case unitChunk:
		before, last, err := s.promptsBefore(session, p, u)
		if err != nil {
			return m, err
		}
		// A part records its last turn's ID alone.
		if m.Turn = before + d.Turn; last {
			m.TurnID = p.turn
		}
	case unitPrompts:
		m.Turn = d.Turn
	}
	return m, nil
}

// promptsBefore counts the prompts in a part before a unit; last: none comes after its first one.
func (s *textSearching) promptsBefore(session string, p textPart, u unit) (before int, last bool, err error) {
	seen := false
	for _, one := range p.units {
		if one.letter() != unitChunk {
			continue
		}
		// One that is missing is an error of unpack.
		value, _ := s.texts.all.Has(one.in(session))
		about, err := unpack(value, aboutFields)
		switch {
		case err != nil:
			return 0, false, err
		case one == u:
			seen, last = true, about.prompts <= 1
		case seen:
			last = last && about.prompts == 0
		default:
			before += about.prompts
		}
	}
	return before, last, nil
}

// sealed searches what is encrypted and an identity here opens.
func (s *textSearching) sealed(found *TextFound) error {
	closed := map[string]bool{}
	// As in the index, a text that several units have is found once.
	known := map[string]map[uint64]bool{}
	for key := range s.texts.Scan(keySealed) {
		name := strings.TrimPrefix(key, keySealed)
		session, u := unitNamed(name)
		if !s.wants(session) {
			continue
		}
		p, err := s.firstOf(session, u)
		if err != nil {
			return err
		}
		if known[session] == nil {
			known[session] = map[uint64]bool{}
		}
		r := reading{unit: u, first: len(p.units) > 0 && p.units[0] == u, when: p.when, now: s.reader.Env.Now(), known: known[session]}
		err = r.opened(s.texts)
		if conversation.IsSealed(err) {
			closed[session] = true
			found.For = cmp.Or(found.For, conversation.SealedFor(err))
			continue
		}
		if err != nil && !errors.Is(err, errLong) {
			return err
		}
		if err := s.within(name, r, found); err != nil {
			return err
		}
		// How many there are is not known: this only looks whether it was interrupted.
		if err := s.tick(0, 1); err != nil {
			return err
		}
	}
	found.Sealed = len(closed)
	return nil
}

// opened reads a unit that is encrypted, if an identity here opens it.
func (r *reading) opened(t *texts) error {
	stored := storedBlob(func(w io.Writer) error { return conversation.Copy(t.db, w, r.unit.blob()) })
	return transcript.ReadStored(stored, func(in io.Reader) error {
		// Lines are read one by one; other files are read whole, and are bounded.
		if letter := r.unit.letter(); letter == unitChunk || letter == unitSubagent {
			return r.transcript(in)
		}
		data, err := io.ReadAll(io.LimitReader(in, conversation.MostPrompts))
		if err != nil {
			return err
		}
		return r.content(data)
	})
}

// storedBlob writes a blob that is read as a transcript.
type storedBlob func(io.Writer) error

// WriteTranscript writes it.
func (b storedBlob) WriteTranscript(w io.Writer) error { return b(w) }

// within adds the texts of one unit that match.
func (s *textSearching) within(name string, r reading, found *TextFound) error {
	for _, d := range r.docs {
		if s.kinds != 0 && s.kinds&(1<<d.Kind) == 0 || d.When.Before(s.since) || !s.matcher.match([]byte(d.Text)) {
			continue
		}
		m, err := s.show(name, d)
		if err != nil {
			return err
		}
		// As ofFile does for what is in the index.
		if s.file != "" && !hasSorted(s.changers, m.Checkpoint) && !(m.Checkpoint == "" && s.changing[m.Session]) && !isNamed(filesOf(r.docs, d.Turn), strings.TrimSuffix(s.file, "/")) {
			continue
		}
		found.Matches = append(found.Matches, m)
	}
	return nil
}

// filesOf are the names of files that are mentioned in a turn.
func filesOf(docs []fulltext.Doc, turn int) string {
	var all []string
	for _, d := range docs {
		if d.Kind == byte(transcript.File) && d.Turn == turn {
			all = append(all, d.Text)
		}
	}
	return strings.Join(all, "\n")
}
