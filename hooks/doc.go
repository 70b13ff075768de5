// Package hooks is what git and the agents call. A hook gathers what the moment has to say, asks
// the packages below for decisions, and applies them in one transaction. It never fails a commit:
// git's hooks answer zero whatever happens, and say in one line, on stderr and in the journal, what
// went wrong. What commands tell of, and what rewind takes back, is gathered here too.
package hooks
