// Package turns records what an agent changed in a turn, and chooses the stream that it belongs to.
package turns
