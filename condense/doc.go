// Package condense decides whether a commit holds a session's work, which links the commit gets,
// and what the remainder is.
package condense

// [Match] runs before the commit on the staged changes, and after it on the committed ones. The
// package works on values only.
