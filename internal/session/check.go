package session

import (
	"fmt"
	"slices"
	"strings"

	"entire-plumb/gitexec"
)

// check says why a state cannot be session id's: it checks what is passed to git or becomes a path.
// An unknown phase is another program's, not damage: it is taken for idle.
func (s *State) check(id string) error {
	if s.SessionID != id {
		return fmt.Errorf("it names the session %q", s.SessionID)
	}
	single := []gitexec.OID{s.BaseCommit, s.AttributionBaseCommit, s.TurnStartTree, s.TurnStartCommit, s.SummaryID}
	for _, object := range slices.Concat(single, s.Chunks) {
		if object != "" && !gitexec.ValidOID(string(object)) {
			return fmt.Errorf("%.80q is not an object ID", object)
		}
	}
	for _, checkpoint := range s.TurnCheckpointIDs {
		if len(checkpoint) != 12 || strings.Trim(checkpoint, "0123456789abcdef") != "" {
			return fmt.Errorf("%.80q is not a checkpoint's ID", checkpoint)
		}
	}
	if s.ShadowBranchSuffix < 0 || s.Recorded.Bytes < 0 || s.Recorded.Lines < 0 {
		return fmt.Errorf("a count in it is negative")
	}
	if s.Phase != None && !slices.Contains(Phases, s.Phase) {
		s.Phase = Idle
	}
	return nil
}
