package session

import (
	"fmt"

	"entire-plumb/gitexec"
	"entire-plumb/internal/message"
)

// check says why a state cannot be session id's: it checks what is passed to git or becomes a path.
// An unknown phase is another program's, not damage: it is taken for idle.
func (s *State) check(id string) error {
	if s.SessionID != id {
		return fmt.Errorf("it names the session %q", s.SessionID)
	}
	if err := s.Place.check(); err != nil {
		return err
	}
	for i := range s.Others {
		if err := s.Others[i].check(); err != nil {
			return err
		}
	}
	for _, object := range append([]gitexec.OID{s.SummaryID}, s.Chunks...) {
		if err := checkObject(object); err != nil {
			return err
		}
	}
	for _, checkpoint := range s.TurnCheckpointIDs {
		if !message.ValidID(checkpoint) {
			return fmt.Errorf("%.80q is not a checkpoint's ID", checkpoint)
		}
	}
	if s.Recorded.Bytes < 0 || s.TurnRecorded < 0 || s.StoppedBytes < 0 || s.Recorded.Lines < 0 {
		return fmt.Errorf("a count in it is negative")
	}
	return nil
}
