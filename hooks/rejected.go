package hooks

import (
	"context"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/share"
	"entire-plumb/shadow"
)

// rejects are the lines that git rejects after the hook, by its own rules, as far as they can be
// known before, given which old commits are missing here. What it rejects as no fast-forward, or
// since a lease is broken, it does not list.
func (o *outgoing) rejects(above []ancestry.Process, missing map[gitexec.OID]bool) (lines []pushed) {
	for _, l := range o.lines {
		moves := strings.HasPrefix(l.remote, "refs/tags/") && !l.old.IsZero()
		if (moves || missing[l.old]) && !ancestry.PushForces(above, l.local, l.remote) {
			lines = append(lines, l)
		}
	}
	if o.failsWhole(above, len(lines) > 0) {
		return o.lines
	}
	return lines
}

// missing are the old objects of refs that are not here, or are no commits. No process where each
// is a parent of a commit that is sent.
func (o *outgoing) missing() map[gitexec.OID]bool {
	var unknown []gitexec.OID
	for id := range o.unseen {
		unknown = append(unknown, id)
	}
	if len(unknown) == 0 {
		return nil
	}
	// What cannot be read counts as missing: what stays can go later.
	found, _ := o.db.Info(unknown...)
	for i, object := range found {
		if object.Type == "commit" || object.Type == "tag" {
			delete(o.unseen, unknown[i])
		}
	}
	return o.unseen
}

// failsWhole reports whether one ref that is rejected has git reject all, or may have: a ref that
// is not listed is up to date, or is rejected. If it was up to date, the next push takes what
// stays.
func (o *outgoing) failsWhole(above []ancestry.Process, rejects bool) bool {
	var names [][2]string
	for _, l := range slices.Concat(o.lines, o.deleted) {
		names = append(names, [2]string{l.local, l.remote})
	}
	atomic, missing := ancestry.PushIsAtomic(above, names)
	return atomic && (rejects || missing && !ancestry.PushForces(above, "", ""))
}

// accepted is what the lines send that git does not reject. One process.
func (o *outgoing) accepted(ctx context.Context) share.Sent {
	rejected := sets.Of(o.rejected)
	lines := slices.DeleteFunc(slices.Clone(o.lines), func(l pushed) bool { return rejected[l] })
	sent := share.Sent{Had: o.sent.Had}
	if len(lines) == 0 {
		return sent
	}
	r := o.revisions()
	r.Tips = nil
	for _, l := range lines {
		r.Tips = append(r.Tips, l.id)
	}
	_, err := r.Search(ctx, o.repo, func(c gitexec.Commit) bool { sent.Add(c.ID, c.Message); return false }, shadow.MetadataDir)
	if err == nil {
		sent.Tips = sentBy(lines, nil).Tips
	}
	return sent
}
