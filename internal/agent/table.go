package agent

// ClaudeCode is Anthropic's Claude Code. A version that doesn't know the name of an event ignores
// all hooks of the file, without a word. So there are none of the newer ones: 2.1.63 has no
// StopFailure and no CwdChanged, 2.0.42 no SubagentStart.
var ClaudeCode = Agent{
	Name: "claude-code", Title: "Claude Code", Seen: "2.1.197", Since: "1.0.85", Newest: "2.1.332", Command: "claude",
	Events: []Event{
		{Name: "SessionStart", Verb: SessionStart},
		{Name: "UserPromptSubmit", Verb: Prompt},
		{Name: "Stop", Verb: Stop},
		{Name: "PreToolUse", Matcher: "Task", Verb: TaskStart},
		{Name: "PostToolUse", Matcher: "Task", Verb: TaskEnd},
		{Name: "PostToolUse", Matcher: "TodoWrite", Verb: TaskStep},
		{Name: "PostToolUse", Matcher: "TaskCreate|TaskUpdate", Verb: TaskStep}, // what newer versions have instead
		{Name: "PostToolUse", Matcher: "EnterWorktree|ExitWorktree", Verb: WorktreeChange},
		{Name: "SubagentStop", Verb: SubagentStop},
		{Name: "SessionEnd", Verb: SessionEnd, Timeout: 60}, // which is 1.5 s if no hook names one
	},
	Settings:  ".claude/settings.json",
	ConfigDir: ".claude", ConfigVar: "CLAUDE_CONFIG_DIR", UserSettings: "settings.json", TimeoutUnit: 1,
	Project:     "CLAUDE_PROJECT_DIR",
	PromptIDs:   true,
	Marks:       []string{"CLAUDECODE"},
	SessionMark: "CLAUDE_CODE_SESSION_ID",
	ResumeArgs:  []string{"claude", "--resume"},
	Transcript:  claudePlace,
}

// Codex is OpenAI's Codex CLI.
var Codex = Agent{
	Name: "codex", Title: "Codex", Seen: "0.169.0", Since: "0.155.0", Newest: "0.171.0", Command: "codex",
	Events: []Event{
		{Name: "SessionStart", Verb: SessionStart},
		{Name: "UserPromptSubmit", Verb: Prompt},
		{Name: "Stop", Verb: Stop},
		{Name: "Interrupt", Verb: Stop},
		{Name: "SubagentStart", Verb: TaskStart},
		{Name: "SubagentStop", Verb: TaskEnd},
		{Name: "SessionEnd", Verb: SessionEnd, Timeout: 3}, // the most that it grants
	},
	Settings:  ".codex/hooks.json",
	ConfigDir: ".codex", ConfigVar: "CODEX_HOME", UserSettings: "hooks.json", TimeoutUnit: 1,
	Marks:       []string{"CODEX_CI", "CODEX_THREAD_ID", "CODEX_SANDBOX"},
	SessionMark: "CODEX_SESSION_ID",
	ResumeArgs:  []string{"codex", "resume"},
	Transcript:  codexPlace,
	Terminals:   true,
	Trust:       "Codex runs hooks of a repository only after you trust the project and review them: run /hooks in it once",
	UserTrust:   "Codex runs new hooks only after you review them: run /hooks in it once",
	FromTop:     true,
}

// Gemini is Google's Gemini CLI.
var Gemini = Agent{
	Name: "gemini", Title: "Gemini CLI", Seen: "0.61.0", Command: "gemini",
	Events: []Event{
		{Name: "SessionStart", Verb: SessionStart},
		{Name: "BeforeAgent", Verb: Prompt},
		{Name: "AfterAgent", Verb: Stop},
		{Name: "SessionEnd", Verb: SessionEnd},
	},
	Settings:  ".gemini/settings.json",
	ConfigDir: ".gemini", UserSettings: "settings.json", TimeoutUnit: 1000,
	Project:    "GEMINI_PROJECT_DIR",
	Marks:      []string{"GEMINI_CLI"},
	ResumeArgs: []string{"gemini", "--resume"},
	Transcript: geminiPlace,
	Trust:      "Gemini CLI warns once about new hooks of a repository",
}

// Generic is any other program, which calls our hooks itself (docs/generic.md).
var Generic = Agent{
	Name: "generic", Title: "Generic",
	Events: []Event{
		{Name: "session-start", Verb: SessionStart},
		{Name: "user-prompt-submit", Verb: Prompt},
		{Name: "stop", Verb: Stop},
		{Name: "pre-task", Verb: TaskStart},
		{Name: "post-task", Verb: TaskEnd},
		{Name: "post-todo", Verb: TaskStep},
		{Name: "session-end", Verb: SessionEnd},
	},
}
