package session

// ClaudeCode is that agent's name for people.
const ClaudeCode = "Claude Code"
