package journal

// Outcomes of prepare-commit-msg that need no comparison.
const (
	NoWork   = "no session has work"
	HasLink  = "the message has a link already"
	Replayed = "git replayed or merged commits: no new link, their links are kept"
	Empty    = "the message is empty: no link"
)
