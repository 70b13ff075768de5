// Package checkpoints reads and writes entire/checkpoints/v1, the branch of committed checkpoints,
// and reads checkpoints that have refs of their own.
package checkpoints

// WriteCommitted and UpdateCommitted write, ReadCommitted, ReadSessionContent and ListCommitted
// read (seed 003, Checkpoint Storage): through an object database, with whose context they end.
// Errors that a caller may distinguish are ErrNoCheckpoint, ErrNoSession, ErrDamaged and
// [AmbiguousError]; a failure of git is a [gitexec.Error], a missing object a
// [gitexec.MissingError]. This package moves no ref: it returns edits to the branch's tree, and
// [shadow.Apply] moves all refs of a step in one transaction.
