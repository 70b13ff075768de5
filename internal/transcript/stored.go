package transcript

import "io"

// Stored is a transcript that git or a file keeps.
type Stored interface{ WriteTranscript(io.Writer) error }

// ReadStored reads a transcript while it is written, so that it is never in memory as a whole.
func ReadStored(from Stored, read func(io.Reader) error) error {
	in, out := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		out.CloseWithError(from.WriteTranscript(out))
	}()
	err := read(in)
	// A reader that stops early: the writer's next write fails, and it ends.
	in.Close()
	<-done // it reads through the same process as the caller
	return err
}
