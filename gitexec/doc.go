// Package gitexec runs git plumbing. It is the only package that starts processes.
//
// A [Repo] is found with one rev-parse and is the root of everything else: each method builds a
// command from values, runs it through one function, and answers with values. Names and paths go in
// and out NUL-delimited, as bytes. A failure is an [Error] that says what ran, where, how it ended
// and what git said; a lost race for a ref ([RefMovedError]), a ref that leaves no room for another
// ([RefInTheWayError]), a missing object ([MissingError]) and the ways in which there is no usable
// repository ([ErrNotRepository], [ErrBare], [ErrUnborn], [ErrBrokenHead]) are their own errors.
//
// One thing is seen without git: that nothing has changed since it was asked ([Look], [Discovery]).
//
// Nothing here decides anything: which commands a hook needs, and what their answers mean, is for
// its callers.
package gitexec
