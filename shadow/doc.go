// Package shadow keeps temporary checkpoints: it names, writes, lists and reads streams, and takes
// snapshots of the worktree.
package shadow

// A checkpoint's tree is the worktree plus the session's metadata; it is never built from the
// checkpoint before it, so that it holds nothing that was dismissed.
