// Package gitexec runs git plumbing, for which no other package of the program starts a process.
package gitexec

// A [Repo] is found with one rev-parse and is the root of everything else: each method builds a
// command from values, runs it through one function, and returns values. Names and paths are
// NUL-delimited bytes. A failure is an [Error] with the command, its directory, its exit code and
// git's message. A lost race for a ref ([RefMovedError]), two refs that cannot both exist
// ([RefConflictError]), a missing object ([MissingError]) and an unusable repository
// ([ErrNotRepository], [ErrBare], [ErrUnborn], [ErrBrokenHead]) have their own errors.
//
// The package decides nothing: its callers choose the commands and interpret the results.
