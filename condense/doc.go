// Package condense decides whether a commit holds a session's work, and what of it is left over: by
// one function, [Match], that is asked before the commit on what is staged and after it on what was
// committed. It takes values, and starts nothing.
package condense
