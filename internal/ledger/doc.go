// Package ledger finds the owner of each line of a version of a file, from the versions that are
// known.
package ledger

// It is pure: it reads nothing, and knows nothing of merges, rebases or stashes. Content has an
// author, and operations have none. A line belongs to whoever first brought it into a version that
// the book knows. Moving it and bringing it back make nobody its author; nor do white space and
// form.
