// Package commits records which work a commit holds, whatever made it: with hooks, without, killed
// half-way, replaced, or made by a server.
package commits
