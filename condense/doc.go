// Package condense decides whether a commit holds a session's work, which links it gets for it, and
// what of it is left over. [Match] is asked before the commit on what is staged and after it on
// what was committed. All of it takes values, and starts nothing.
package condense
