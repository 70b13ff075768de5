// Package checkpoints reads and writes entire/checkpoints/v1, the branch of committed checkpoints.
//
// WriteCommitted and UpdateCommitted write, ReadCommitted, ReadSessionContent and ListCommitted
// read (seed 003, Checkpoint Storage): through an object database, with whose context they end.
// Errors that a caller may want to tell apart are ErrNoCheckpoint, ErrNoSession, ErrDamaged and
// [AmbiguousError]; what git can't do is a [gitexec.Error], an object that is gone a
// [gitexec.MissingError]. Nothing is moved here: what is written is edits to the branch's tree, and
// [shadow.Apply] moves all refs of a step in one transaction.
package checkpoints
