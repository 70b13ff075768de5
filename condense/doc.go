// Package condense turns the temporary checkpoints behind a commit into a committed one on entire/checkpoints/v1, and
// decides which commits get a link at all. The decision is one function, [Match], that runs before the commit on what is
// staged and after it on what was committed.
package condense
