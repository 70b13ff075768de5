package session

import "os"

// TranscriptGrew reports whether the transcript has changed since it was recorded.
func (s *State) TranscriptGrew() bool {
	info, err := os.Stat(s.TranscriptPath)
	return err == nil && (s.RecordedTime == nil || info.Size() != s.Recorded.Bytes || !info.ModTime().Equal(*s.RecordedTime))
}
