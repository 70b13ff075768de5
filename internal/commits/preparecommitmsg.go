package commits

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/idle"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/message"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// draft is a message that git is about to commit or to show in an editor.
type draft struct {
	file           string
	source, object string // git's arguments: message, template, merge, squash, commit
	text           []byte
	keep           []string // links of the commits that it replaces, kept whatever is staged
	amend          bool     // of git commit --amend
	// replaces are commits that it replaces in whole or in part, of those whose links are kept.
	replaces []lineage.Predecessor
}

// PrepareCommitMsg adds a link to the message if the staged changes hold a session's work, and
// keeps the links of amended, squashed and replayed commits. One process where no session has work,
// three where one does.
func PrepareCommitMsg(ctx context.Context, run *workspace.Run, file, source, object string) (string, error) {
	idle.Started(run.Repo.PrivateDir())
	// The post-commit hooks of earlier commits may have been killed. Links that cannot be filled
	// now stay pending, and so will this commit's.
	run.WarnOf(FinishPending(ctx, run))
	text, err := safefile.Read(file, mostMessage)
	if err != nil {
		return "", err
	}
	outcome, err := prepare(ctx, run, draft{file: file, source: source, object: object, text: text})
	if err == nil {
		idle.Prepared(run.Repo.PrivateDir(), run.Head.ID)
	}
	return outcome, err
}

// prepare prepares a message, by how git makes the commit.
func prepare(ctx context.Context, run *workspace.Run, d draft) (string, error) {
	run.WarnOf(linkSources(ctx, run))
	source, text := d.source, d.text
	reverts := len(run.Ancestors()) == 0 && message.Reverts(text) // git revert has no other mark
	if source == "merge" || source == "squash" || reverts || replaying(run) {
		return prepareReplayed(ctx, run, d)
	}
	return prepareOwn(ctx, run, d)
}

// prepareOwn prepares the message of a commit that git does not make of others by itself.
func prepareOwn(ctx context.Context, run *workspace.Run, d draft) (outcome string, err error) {
	if err := dropCurrent(ctx, run.Repo, run.Head); err != nil {
		return "", err
	}
	if shadow.Unfinished(run.Repo) { // what follows reads without the lock
		if err := run.Locked(ctx, func() error { return nil }); err != nil {
			return "", err
		}
	}
	if d.amend, err = amending(run, d.source, d.object); err != nil {
		return "", err
	}
	if err := copiedLinks(ctx, run, &d); err != nil {
		return "", err
	}
	if d.amend {
		return prepareAmended(ctx, run, d)
	}
	return prepareNew(ctx, run, d)
}

// prepareNew links a commit that is no amend, and that git doesn't make of others, for the work
// that is staged. What git merge --squash or a conflict has left in the repository names commits
// that it replaces all the same.
func prepareNew(ctx context.Context, run *workspace.Run, d draft) (string, error) {
	quoted, err := squashedLinks(ctx, run, false)
	if err != nil {
		return "", err
	}
	if len(quoted) > 0 {
		d.keep, d.replaces = quoted, squashed(run.Repo.Operation())
		if outcome, err := linkOrNote(ctx, run, d); outcome != "" || err != nil {
			return outcome, err
		}
		return keepLinks(ctx, run, d, "the squashed commits' links are kept")
	}
	if len(run.Repo.Operation().Squashed()) > 0 {
		if outcome, err := linkFresh(ctx, run, d); outcome != "" || err != nil {
			return outcome, err
		}
	}
	if links := message.Links(d.text); d.source != "commit" && len(links) > 0 {
		if message.Amends(d.text) { // the links are those of the commit that it is to be squashed into
			d.keep = links
			outcome, err := linkStaged(ctx, run, d, stagedWork{base: run.Head.Tree})
			if run.Entry.Link == "" && err == nil {
				outcome = run.Outcome(journal.HasLink)
			}
			return outcome, err
		}
		if replayed, err := resolvedCommit(ctx, run); err != nil || replayed.Commit == "" {
			return run.Outcome(journal.HasLink), err
		}
		return prepareReplayed(ctx, run, d)
	}
	if links := message.Links([]byte(run.Repo.Operation().MergeMessage())); len(links) > 0 {
		d.keep = append(d.keep, links...)
		findReplaced(ctx, run, &d)
	}
	return linkStaged(ctx, run, d, stagedWork{base: run.Head.Tree})
}

// copiedLinks handles a message that -C or -c takes from another commit. If that commit is in
// HEAD's history, it keeps its links. Else the new commit replaces it.
func copiedLinks(ctx context.Context, run *workspace.Run, d *draft) error {
	links := message.Links(d.text)
	if d.source != "commit" || len(links) == 0 || run.Head.ID.IsZero() || d.amend && d.object == "HEAD" {
		return nil
	}
	id, err := run.Repo.Resolve(ctx, d.object)
	if err != nil {
		return err
	}
	known, err := run.Repo.InHistory(ctx, id, run.Head.ID)
	if err != nil {
		return err
	}
	style, err := style(ctx, run, d.template())
	if err != nil {
		return err
	}
	d.text = message.RemoveLinks(d.text, style)
	if !known {
		d.keep = links
		return nil
	}
	return safefile.Rewrite(d.file, d.text)
}

// prepareAmended keeps the amended commit's links, even where its message is typed anew. A commit
// without a link is judged like a new one, unless the user removed its link, or git made it of
// others: then only the new changes are judged, as where all its links are another program's.
func prepareAmended(ctx context.Context, run *workspace.Run, d draft) (string, error) {
	d.keep = append(message.Links(d.text), d.keep...)
	hadLinks, shared := len(d.keep) > 0, message.HasAttribution(d.text)
	if !hadLinks || d.object != "HEAD" {
		old, parent, err := withParent(run.DB, run.Head.ID)
		if err != nil {
			return "", err
		}
		links, err := linksOf(run.Repo, run.DB, old)
		if err != nil {
			return "", err
		}
		if len(links) == 0 && !hadLinks {
			found := stagedWork{base: parent}
			if readHeadRecord(run.Repo.PrivateDir()).Declined == run.Head.ID {
				found.since = run.Head.Tree
			}
			return linkStaged(ctx, run, d, found)
		}
		d.keep, shared = sets.Union(links, d.keep), shared || message.HasAttribution(old.Message)
	}
	if len(writable(d.keep)) == 0 {
		_, parent, err := withParent(run.DB, run.Head.ID)
		if err != nil {
			return "", err
		}
		return linkStaged(ctx, run, d, stagedWork{base: parent, since: run.Head.Tree})
	}
	return keepAmended(ctx, run, d, shared)
}

// keepAmended keeps the amended commit's links, and adds those of reset commits that are staged.
// shared says that the message has the agents' share of the lines, which changes.
func keepAmended(ctx context.Context, run *workspace.Run, d draft, shared bool) (string, error) {
	states, err := run.Sessions()
	if err != nil {
		return "", err
	}
	pending := PendingLink{Head: run.Head.ID, Agents: committers(run, states), Partial: onlyPaths(run.Repo),
		Replaces: []lineage.Predecessor{{Commit: run.Head.ID, By: lineage.Amended}}}
	reset, err := resetStaged(ctx, run, states, pending.Agents)
	run.WarnOf(err) // keep the links all the same
	pending.Replaces = append(pending.Replaces, reset...)
	d.keep = sets.Union(d.keep, pending.replacedLinks())
	pending.ID = writable(d.keep)[0]
	run.Entry.Link = pending.ID
	if err := addPending(ctx, run.Repo, run.Head, pending); err != nil {
		return "", err
	}
	outcome := "the amended commit keeps its link"
	if !slices.Equal(message.Links(d.text), d.keep) || run.Settings.Links() == settings.Both {
		outcome, err = keepLinks(ctx, run, d, outcome)
	}
	if err == nil && shared {
		run.WarnOf(updateShare(ctx, run, d.file, d.keep, states))
	}
	return outcome, err
}

// writable are the links to whose checkpoints work can be added.
func writable(links []string) []string {
	return slices.DeleteFunc(slices.Clone(links), message.HasOwnRef)
}

// keepLinks writes the message with d.keep as its links, at its end.
func keepLinks(ctx context.Context, run *workspace.Run, d draft, outcome string) (string, error) {
	where := run.Settings.Links()
	if where != settings.Trailer && !run.Repo.Operation().Rebases() { // in a rebase post-rewrite does it
		if err := keepBeside(ctx, run.Repo, run.Head, d); err != nil {
			return "", err
		}
	}
	if where == settings.Side {
		return outcome, nil
	}
	style, err := style(ctx, run, d.template())
	if err != nil {
		return "", err
	}
	linked, err := withLinks(ctx, run.Repo, message.RemoveLinks(d.text, style), d.keep, style)
	if err != nil || bytes.Equal(linked, d.text) {
		return outcome, err
	}
	return outcome, safefile.Rewrite(d.file, linked)
}

func withLinks(ctx context.Context, repo *gitexec.Repo, text []byte, ids []string, style message.Style) ([]byte, error) {
	return message.AddLinks(text, ids, style, func(body []byte, trailer string) ([]byte, error) {
		return repo.InterpretTrailers(ctx, body, trailer)
	})
}

// addLink writes the message with the links that the commit gets, unless the message holds nothing
// else and no editor will ask for more.
func addLink(ctx context.Context, run *workspace.Run, d draft, share string, style message.Style, pending PendingLink) (string, error) {
	where, ids := run.Settings.Links(), pending.linksWith(d.keep)
	if len(d.replaces) > 0 {
		pending.ID = cmp.Or(pending.ID, ids[0])
		pending.Replaces = append(d.replaces, pending.Replaces...)
	}
	if where != settings.Trailer {
		pending.Beside = ids
		pending.ID = cmp.Or(pending.ID, ids[0])
	}
	if where == settings.Side {
		run.Entry.Link = pending.ID
		return "linked " + ids[0] + ", beside the commit", addPending(ctx, run.Repo, run.Head, pending)
	}
	linked, err := withLinks(ctx, run.Repo, d.text, ids, style)
	if err != nil {
		return "", err
	}
	if _, lone := message.StripLone(linked, style); lone && !style.Editor || bytes.Equal(linked, d.text) {
		return run.Outcome(journal.Empty), nil
	}
	if share != "" {
		linked = message.SetAttribution(linked, pending.ID, share)
	}
	if pending.ID != "" {
		run.Entry.Link = pending.ID
		err = addPending(ctx, run.Repo, run.Head, pending)
	}
	if err == nil && style.Editor {
		err = safefile.Write(templateFile(run.Repo.PrivateDir()), style.Template, 0o600)
	}
	if err != nil {
		return "", err
	}
	return "linked " + ids[0], safefile.Rewrite(d.file, linked)
}

// template is the text that the user was given to edit, where that is a template; else nil.
func (d draft) template() []byte {
	if d.source == "template" {
		return d.text
	}
	return nil
}

// style says how git reads the message: by its configuration, and by the command's options where
// the command can be seen.
func style(ctx context.Context, run *workspace.Run, template []byte) (message.Style, error) {
	if run.Foreseen != "" {
		return message.Style{}, nil
	}
	config, err := run.Repo.Config(ctx, "core.commentchar", "core.commentstring", "commit.cleanup")
	if err != nil {
		return message.Style{}, err
	}
	style := styleOf(config, ancestry.Commands(run.Ancestors()))
	style.Editor, style.Template = run.Getenv("GIT_EDITOR") != ":", template
	return style, nil
}

func styleOf(config map[string]string, commands []ancestry.Git) message.Style {
	style := message.Style{Comment: cmp.Or(config["core.commentstring"], config["core.commentchar"]), Cleanup: config["commit.cleanup"]}
	for _, git := range commands {
		if chosen := git.Cleanup(); git.Verb == "commit" && chosen != "" {
			style.Cleanup = chosen
		}
	}
	return style
}

// TreeOf returns the tree of a base with changes applied. It writes it, and no ref points to it.
func TreeOf(db *gitexec.ODB, base gitexec.OID, changes []gitexec.Change) (gitexec.OID, error) {
	edits := gitexec.Edits{}
	for _, c := range changes {
		edits[c.Path] = c.New
	}
	return db.EditTree(base, edits)
}
