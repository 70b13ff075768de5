package hooks

import (
	"bytes"
	"context"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/message"
	"entire-plumb/internal/safefile"
	"entire-plumb/shadow"
)

// draft is a message that git is about to commit, or to show in an editor.
type draft struct {
	file           string
	source, object string // as git tells: message, template, merge, squash, commit
	text           []byte
	keep           []string // links that it shall have whatever is staged: of what it replaces
}

// prepareCommitMsg adds a link to the message if the commit-to-be holds a session's work, and sees
// to it that links of commits that are made anew stay. One process where no session has any work,
// four where one does.
func (p *linker) prepareCommitMsg(ctx context.Context, file, source, object string) (string, error) {
	// Commits before this one may have lost their post-commit hooks. What cannot be finished now
	// waits, and so will this one.
	if err := p.finishPending(ctx); err != nil {
		p.WarnLater(explain.OneLine(err))
	}
	text, err := safefile.Read(file, mostMessage)
	if err != nil {
		return "", err
	}
	d := draft{file: file, source: source, object: object, text: text}
	reverts := len(p.Ancestors()) == 0 && bytes.HasPrefix(text, []byte(`Revert "`)) // git revert leaves no other sign
	if source == "merge" || source == "squash" || reverts || p.replaying() {
		return p.prepareReplayed(ctx, d)
	}
	if err := p.dropCurrent(ctx); err != nil {
		return "", err
	}
	if shadow.Unfinished(p.Repo) { // else what follows reads without the lock
		if err := p.Locked(ctx, func() error { return nil }); err != nil {
			return "", err
		}
	}
	amend, err := p.amending(source, object)
	if err != nil {
		return "", err
	}
	if err := p.copied(ctx, &d, amend); err != nil {
		return "", err
	}
	if amend {
		return p.prepareAmended(ctx, d)
	}
	quoted, err := p.squashed(ctx, false)
	if err != nil {
		return "", err
	}
	if len(quoted) > 0 {
		d.keep = quoted
		if err := p.noteReplayed(ctx, quoted); err != nil {
			return "", err
		}
		return p.keepLinks(ctx, d, "the squashed commits' links are kept")
	}
	if source != "commit" && len(message.Links(text)) > 0 {
		return "the message has a link already", nil
	}
	d.keep = append(d.keep, message.Links([]byte(p.Repo.Operation().MergeMessage()))...)
	return p.linkStaged(ctx, d, p.Head.Tree)
}

// copied deals with a message that was taken from another commit, by -C or -c: if that one is in
// HEAD's history, its links are its own. Else this one is what becomes of it.
func (p *linker) copied(ctx context.Context, d *draft, amend bool) error {
	links := message.Links(d.text)
	if d.source != "commit" || len(links) == 0 || p.Head.ID.IsZero() || amend && d.object == "HEAD" {
		return nil
	}
	id, err := p.Repo.Resolve(ctx, d.object)
	if err != nil {
		return err
	}
	known, err := p.Repo.InHistory(ctx, id, p.Head.ID)
	if err != nil {
		return err
	}
	style, err := p.style(ctx)
	if err != nil {
		return err
	}
	d.text = message.RemoveLinks(d.text, style)
	if !known {
		d.keep = links
		return nil
	}
	return replaceFile(d.file, d.text)
}

// prepareAmended keeps the amended commit's links, also where its message is typed anew. One
// without a link is judged as if it were made now, unless the user took the link out of it: then by
// what is new.
func (p *linker) prepareAmended(ctx context.Context, d draft) (string, error) {
	d.keep = append(message.Links(d.text), d.keep...)
	wasLinked, shared := len(d.keep) > 0, message.HasAttribution(d.text)
	if !wasLinked || d.object != "HEAD" {
		old, parent, err := p.withParent(p.Head.ID)
		if err != nil {
			return "", err
		}
		links := message.Links(old.Message)
		if len(links) == 0 && !wasLinked {
			if readWatch(p.Repo.PrivateDir()).Declined == p.Head.ID {
				parent = p.Head.Tree
			}
			return p.linkStaged(ctx, d, parent)
		}
		d.keep, shared = union(links, d.keep), shared || message.HasAttribution(old.Message)
	}
	states, err := p.Sessions()
	if err != nil {
		return "", err
	}
	left := pending{Head: p.Head.ID, Agents: p.committers(states), Only: p.onlyPaths(),
		Replaces: []lineage.Predecessor{{Commit: p.Head.ID, By: lineage.Amended}}}
	reset, err := p.resetStaged(ctx, states, left.Agents)
	if err != nil {
		p.WarnLater(explain.OneLine(err)) // the links that it has count for more
	}
	left.Replaces = append(left.Replaces, reset...)
	d.keep = union(d.keep, left.links())
	left.ID, p.Entry.Link = d.keep[0], d.keep[0]
	if err := p.addPending(ctx, left); err != nil {
		return "", err
	}
	outcome := "the amended commit keeps its link"
	if !slices.Equal(message.Links(d.text), d.keep) {
		outcome, err = p.keepLinks(ctx, d, outcome)
	}
	if err == nil && shared {
		if err := p.shareAnew(ctx, d.file, d.keep, states); err != nil {
			p.WarnLater(explain.OneLine(err))
		}
	}
	return outcome, err
}

// keepLinks writes the message with the links that it shall keep, at its end.
func (p *linker) keepLinks(ctx context.Context, d draft, outcome string) (string, error) {
	style, err := p.style(ctx)
	if err != nil {
		return "", err
	}
	linked, err := p.withLinks(ctx, message.RemoveLinks(d.text, style), d.keep, style)
	if err != nil || bytes.Equal(linked, d.text) {
		return outcome, err
	}
	return outcome, replaceFile(d.file, linked)
}

func (p *linker) withLinks(ctx context.Context, text []byte, ids []string, style message.Style) ([]byte, error) {
	return message.AddLinks(text, ids, style, func(body []byte, trailer string) ([]byte, error) {
		return p.Repo.InterpretTrailers(ctx, body, trailer)
	})
}

// addLink writes the message with the links in it, unless there is nothing else in it and nobody
// will be asked for more.
func (p *linker) addLink(ctx context.Context, d draft, ids []string, share string, style message.Style, left pending) (string, error) {
	linked, err := p.withLinks(ctx, d.text, ids, style)
	if err != nil {
		return "", err
	}
	if _, lone := message.StripLone(linked, style); lone && !style.Editor || bytes.Equal(linked, d.text) {
		return journal.Empty, nil
	}
	if share != "" {
		linked = message.SetAttribution(linked, left.ID, share)
	}
	if left.ID != "" {
		p.Entry.Link = left.ID
		if err := p.addPending(ctx, left); err != nil {
			return "", err
		}
	}
	if style.Editor {
		if err := safefile.Write(templateFile(p.Repo.PrivateDir()), style.Template, 0o600); err != nil {
			return "", err
		}
	}
	return "linked " + ids[0], replaceFile(d.file, linked)
}

// style says how git will read the message: by its configuration, and by the command where that can
// be seen.
func (p *linker) style(ctx context.Context) (message.Style, error) {
	config, err := p.Repo.Config(ctx, "core.commentchar", "core.commentstring", "commit.cleanup")
	if err != nil {
		return message.Style{}, err
	}
	style := message.Style{Comment: config["core.commentchar"], Cleanup: config["commit.cleanup"], Editor: p.Getenv("GIT_EDITOR") != ":"}
	if config["core.commentstring"] != "" {
		style.Comment = config["core.commentstring"]
	}
	for _, git := range ancestry.Commands(p.Ancestors()) {
		if chosen := git.Cleanup(); git.Verb == "commit" && chosen != "" {
			style.Cleanup = chosen
		}
	}
	return style, nil
}

// union gives the strings of both lists, each once.
func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// treeOf gives the tree of a base with changes made to it.
func (p *hook) treeOf(base gitexec.OID, changes []gitexec.Change) (gitexec.OID, error) {
	edits := gitexec.Edits{}
	for _, c := range changes {
		edits[c.Path] = c.New
	}
	return p.DB.EditTree(base, edits)
}
