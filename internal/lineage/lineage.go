// Package lineage decides which commits a commit replaces.
package lineage
