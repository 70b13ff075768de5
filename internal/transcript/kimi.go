package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strconv"
)

// kimiTools are the tools of Kimi Code whose effect is known, beside those that it shares with
// Claude Code.
var kimiTools = map[string]effect{
	"AgentSwarm": delegates,
	"TodoList":   reads, "FetchURL": reads, "Skill": reads, "TaskOutput": reads, "TaskStop": reads, "WaitFor": reads,
	"EnterPlanMode": reads, "CreateGoal": reads, "GetGoal": reads, "UpdateGoal": reads, "SetGoalBudget": reads,
	"CronCreate": reads, "CronDelete": reads, "CronList": reads,
}

const (
	kimiPrompt   = "turn.prompt"
	kimiSteer    = "turn.steer" // a prompt that the user typed into the turn
	kimiLoop     = "context.append_loop_event"
	kimiRequest  = "llm.request"
	kimiUsage    = "usage.record"
	kimiTask     = "task.terminated" // in the background
	kimiTurnEnd  = "turn.ended"
	kimiPart     = "content.part"
	kimiCall     = "tool.call"
	kimiStepEnd  = "step.end"
	kimiMain     = "main"
	kimiToolUse  = "tool_use" // why a step ends
	kimiFinished = "completed"
)

// kimiLine is what is needed of a line of Kimi Code's.
type kimiLine struct {
	Type   string  `json:"type"`
	Agent  loose   `json:"agentId"`
	Time   stamp   `json:"time"`
	Input  content `json:"input"`
	Origin struct {
		Kind loose `json:"kind"`
	} `json:"origin"`
	Reason loose     `json:"reason"`
	Model  loose     `json:"model"`
	Event  kimiEvent `json:"event"`
	Info   struct {
		Call loose `json:"parentToolCallId"`
	} `json:"info"`
	// Of one response.
	Usage struct {
		Other    int `json:"inputOther"` // without what the cache had or got
		Read     int `json:"inputCacheRead"`
		Creation int `json:"inputCacheCreation"`
		Output   int `json:"output"`
	} `json:"usage"`
}

// kimiEvent is of a step of the main loop: a request to the model, and what its answer calls.
type kimiEvent struct {
	Type   string    `json:"type"`
	Step   loose     `json:"stepUuid"`
	Call   loose     `json:"toolCallId"`
	Name   loose     `json:"name"`
	Args   toolInput `json:"args"`
	Finish loose     `json:"finishReason"`
	Part   struct {
		Type loose `json:"type"`
		Text loose `json:"text"`
	} `json:"part"`
}

// kimiOutput reports whether a line has the result of a tool of Kimi Code's.
func kimiOutput(line []byte) bool {
	return bytes.HasPrefix(line, []byte(`{"type":"`+kimiLoop+`"`)) && bytes.Contains(head(line), []byte(`"event":{"type":"tool.result"`))
}

// kimiRecord reads a line of Kimi Code's wire.jsonl (seen: 2.1.0). Lines of the kind "event" say
// the same once more.
// `{"type":"context.append_loop_event","agentId":"main","event":{"type":"tool.call",…},…}`
func kimiRecord(line []byte) (record, bool) {
	if !names(head(line), "agentId") || !bytes.HasPrefix(line, []byte(`{"type":"`)) {
		return record{}, false
	}
	var l kimiLine
	if json.Unmarshal(line, &l) != nil || l.Agent == "" {
		return record{}, false
	}
	rec := record{when: l.Time.Time, subagent: l.Agent != kimiMain}
	switch l.Type {
	case kimiPrompt, kimiSteer:
		rec.who, rec.queued = typeUser, l.Type == kimiSteer
		// What the program itself submits has another origin.
		if l.Origin.Kind == typeUser {
			rec.prompt = unwrapped(l.Input.text())
		}
	case kimiLoop:
		return rec, l.Event.answer(&rec)
	case kimiRequest:
		rec.model = string(l.Model)
	case kimiUsage:
		// The line has no ID. Its time stands for one, so that a line that is read twice counts
		// once.
		rec.message = kimiUsage + " " + strconv.FormatInt(l.Time.UnixMilli(), 10)
		rec.usage = counted(l.Usage.Other, l.Usage.Creation, l.Usage.Read, l.Usage.Output)
		return rec, rec.usage != nil
	case kimiTask:
		call := string(l.Info.Call)
		// It has the agent go on, without a prompt.
		rec.who, rec.notifies = typeUser, &call
	case kimiTurnEnd:
		// A turn ends in other ways, too: when it is cancelled, or fails.
		rec.who, rec.stopped, rec.interrupted = typeAssistant, true, l.Reason != kimiFinished
	default:
		return record{}, false
	}
	return rec, true
}

// answer takes what an event says into a record; false: nothing that counts.
func (e kimiEvent) answer(rec *record) bool {
	rec.who, rec.message = typeAssistant, string(e.Step)
	switch e.Type {
	case kimiPart:
		if e.Part.Type == blockText {
			rec.blocks = []block{{text: string(e.Part.Text)}}
		}
	case kimiCall:
		rec.blocks = []block{e.Args.use(string(e.Call), string(e.Name), string(e.Args.Path))}
	case kimiStepEnd:
		rec.stopped = e.Finish != kimiToolUse
	default:
		return false
	}
	return true
}

// kimiSubagents is the directory that has those of all agents of a session of Kimi Code's, the main
// one's too; empty: the transcript is another program's.
func kimiSubagents(session string) string {
	// The main agent's is main/wire.jsonl. Each subagent's directory is beside main.
	if dir := filepath.Dir(session); filepath.Base(session) == kimiWire && filepath.Base(dir) == kimiMain {
		return filepath.Dir(dir)
	}
	return ""
}

// kimiWire is the name of a transcript in the directory of its agent.
const kimiWire = "wire.jsonl"

// SpawnedAgent is a subagent of which a transcript tells: its ID, and that of the tool's use.
type SpawnedAgent struct{ ID, Call string }

// Spawned lists the subagents that a transcript of Kimi Code's names, in order. One that can't be
// read names none.
func Spawned(ctx context.Context, path string) (all []SpawnedAgent) {
	_ = eachLine(ctx, path, 0, func(line []byte) {
		var l struct {
			ID   loose `json:"subagentId"`
			Call loose `json:"parentToolCallId"`
		}
		if bytes.HasPrefix(line, []byte(`{"type":"subagent.spawned"`)) && json.Unmarshal(line, &l) == nil {
			all = append(all, SpawnedAgent{string(l.ID), string(l.Call)})
		}
	})
	return all
}
