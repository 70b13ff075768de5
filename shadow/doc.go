// Package shadow keeps temporary checkpoints: it names streams, takes snapshots of the worktree,
// and writes, lists and reads what hangs on shadow branches. A checkpoint's tree is the worktree as
// it is, plus the session's metadata; it is never built from the checkpoint before it, so that
// nothing that was dismissed can live on in it.
package shadow
