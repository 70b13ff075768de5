package commits

import (
	"bytes"
	"context"

	"entire-plumb/gitexec"
	"entire-plumb/internal/message"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
)

// commitOfMessage is the linked commit of the sessions' with whose message a text begins. Of
// several it is the first that is on a branch or a tag: the others are picked from it, or it was
// rewritten from them. Empty: none. One process, if there are several.
func commitOfMessage(ctx context.Context, run *workspace.Run, text []byte) (gitexec.OID, error) {
	links := message.Links(text)
	if len(links) == 0 {
		return "", nil
	}
	states, err := run.RecentSessions()
	if err != nil {
		return "", err
	}
	var found []gitexec.OID
	for _, id := range session.CommitsOf(states, links) {
		info, err := run.DB.Info(id)
		if err != nil {
			return "", err
		}
		if info[0].Type != "commit" { // git has pruned it
			continue
		}
		commits, err := run.DB.Commits(id)
		if err != nil {
			return "", err
		}
		if rest, ok := bytes.CutPrefix(text, bytes.TrimSpace(commits[0].Message)); ok && bytes.HasPrefix(rest, []byte("\n")) {
			found = append(found, id)
		}
	}
	if len(found) > 1 {
		reachable, err := run.Repo.Reachable(ctx, found)
		if err != nil {
			return "", err
		}
		if found = found[len(found)-1:]; len(reachable) > 0 {
			found = reachable
		}
	}
	if len(found) == 0 {
		return "", nil
	}
	return found[0], nil
}
