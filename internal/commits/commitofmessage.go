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
		c, there, err := readCommit(run.DB, id)
		if err != nil {
			return "", err
		}
		if there && beginsWithMessage(text, c.Message) { // else git may have pruned it
			found = append(found, id)
		}
	}
	if len(found) < 2 {
		return append(found, "")[0], nil
	}
	reachable, err := run.Repo.Reachable(ctx, found)
	if err != nil {
		return "", err
	}
	return append(reachable, found[len(found)-1])[0], nil
}

// beginsWithMessage reports whether a text is a commit's message with something below it.
func beginsWithMessage(text, message []byte) bool {
	rest, begins := bytes.CutPrefix(text, bytes.TrimSpace(message))
	return begins && bytes.HasPrefix(rest, []byte("\n"))
}
