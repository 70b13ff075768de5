// Package moves turns what HEAD did into the commits that were made here: pure.
package moves
