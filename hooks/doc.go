// Package hooks is what git and the agents call.
package hooks

// A hook reads what its event knows, asks the packages below for decisions, and applies them in one
// transaction. It never fails a commit: git's hooks always exit with 0, and report an error in one
// line on stderr and in the journal.
