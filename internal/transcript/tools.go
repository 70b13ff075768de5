package transcript

import "maps"

// effect is what a tool does to the worktree.
type effect int

const (
	unknownEffect effect = iota // a shell, or a tool of which nobody knows
	reads                       // it writes no file
	writes                      // it writes the files that it is given by name
	delegates                   // it calls a subagent, whose own tools write
)

// effects are the tools of all agents whose effect is known. Their names differ, or mean the same.
var effects = joined(tools, copilotTools, qwenTools, openCodeTools, piTools, kimiTools, documentedTools, antigravityTools)

func joined(all ...map[string]effect) map[string]effect {
	sum := map[string]effect{}
	for _, one := range all {
		maps.Copy(sum, one)
	}
	return sum
}

// tools are those of agents whose tools have no list beside their format.
var tools = map[string]effect{
	// Claude Code
	"Write": writes, "Edit": writes, "MultiEdit": writes, "NotebookEdit": writes, "mcp__acp__Write": writes, "mcp__acp__Edit": writes,
	"Agent": delegates, "Task": delegates,
	"Read": reads, "NotebookRead": reads, "Grep": reads, "Glob": reads, "LS": reads, "TodoWrite": reads, "TodoRead": reads,
	"WebFetch": reads, "WebSearch": reads, "TaskCreate": reads, "TaskUpdate": reads, "TaskList": reads, "TaskGet": reads,
	"ExitPlanMode": reads, "AskUserQuestion": reads,
	// Codex
	"apply_patch": writes,
	"update_plan": reads, "view_image": reads, "web_search": reads,
	// Gemini CLI
	"write_file": writes, "replace": writes,
	"read_file": reads, "read_many_files": reads, "list_directory": reads, "glob": reads, "grep_search": reads,
	"search_file_content": reads, "google_web_search": reads, "web_fetch": reads, "write_todos": reads, "ask_user": reads,
	// Cline, whose plugin writes pi's lines
	"editor": writes, "read_files": reads, "search_codebase": reads, "fetch_web_content": reads, "skills": reads, "ask_question": reads,
	"spawn_agent": delegates,
}
