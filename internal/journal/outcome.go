package journal

// Outcomes of prepare-commit-msg that need no comparison.
const (
	NoWork   = "no session has work"
	Replayed = "git replayed or merged commits: no new link, their links are kept"
	Empty    = "the message is empty: no link"
)
