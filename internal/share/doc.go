// Package share brings the committed checkpoints to the elected remote, and those of others here.
package share
