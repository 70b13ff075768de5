// Written by entire-plumb. `entire-plumb enable` replaces this file, and `disable` removes it.
// It tells entire-plumb when a turn begins and ends, and writes the conversation to a file,
// since OpenCode keeps its own in a database. Without entire-plumb it does nothing.
import { spawnSync } from "node:child_process"
import { appendFileSync, existsSync, mkdirSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, isAbsolute, join, resolve } from "node:path"

const commands = /*COMMANDS*/{}

// Two of these plugins, of the repository and of the user, write one transcript.
const shared = (globalThis[Symbol.for("entire-plumb.opencode")] ??= { written: new Set() })

export const EntirePlumb = async ({ client, directory }) => {
  const git = spawnSync("git", ["rev-parse", "--git-common-dir"], { cwd: directory, encoding: "utf8", timeout: 10000 })
  if (git.status !== 0) return {}
  const state = join(resolve(directory, git.stdout.trim()), "entire-plumb")
  const data = process.env.XDG_DATA_HOME
  const transcripts = join(data && isAbsolute(data) ? data : join(homedir(), ".local", "share"), "opencode", "entire-plumb")
  const parents = new Map() // of sessions: their callers, or nothing
  const messages = new Map()
  const prompted = new Map() // the prompt of a turn that goes on
  const heard = new Set()

  const root = (id) => {
    for (let n = 0; n < 20 && parents.get(id); n++) id = parents.get(id)
    return id
  }
  const file = (id) => {
    const of = root(id)
    return of === id ? join(transcripts, id + ".jsonl") : join(transcripts, of, "subagents", "agent-" + id + ".jsonl")
  }
  // Nothing that fails here may disturb the session.
  const quietly = (does) => async (...args) => {
    try {
      if (existsSync(state)) await does(...args)
    } catch (error) {
      client?.app?.log?.({ body: { service: "entire-plumb", level: "warn", message: String(error) } })?.catch?.(() => {})
    }
  }
  const tell = (verb, id, event) => {
    heard.add(id)
    const input = JSON.stringify({ session_id: id, transcript_path: file(id), cwd: directory, ...event })
    const { stdout } = spawnSync("sh", ["-c", commands[verb]], { cwd: directory, input, encoding: "utf8", timeout: 120000 })
    if (!stdout?.trim()) return
    const message = JSON.parse(stdout).systemMessage
    client?.tui?.showToast?.({ body: { title: "entire-plumb", message, variant: "warning" } })?.catch?.(() => {})
  }
  const write = (key, id, line) => {
    if (shared.written.has(key)) return
    shared.written.add(key)
    mkdirSync(dirname(file(id)), { recursive: true, mode: 0o700 })
    appendFileSync(file(id), JSON.stringify({ timestamp: new Date().toISOString(), cwd: directory, ...line }) + "\n", { mode: 0o600 })
  }
  const say = (key, info, parts) => write(key, info.sessionID, { parentID: parents.get(info.sessionID) || undefined, info, parts })
  const stop = (id) => {
    if (!prompted.delete(id)) return // an interruption ends a turn twice
    tell("stop", id, {})
    messages.clear()
  }

  const parted = (part) => {
    const info = messages.get(part.messageID)
    if (info?.role !== "assistant") return
    if (part.type === "text" && part.time?.end) say(part.id, info, [part])
    if (part.type !== "tool" || part.state.status === "pending") return
    const { status, input, output, error } = part.state
    say(part.id, info, [{ ...part, state: { status: "running", input } }])
    if (status !== "running") write(part.id + " ended", part.sessionID, { tool_use_id: part.callID, status, output, error })
  }
  const messaged = (info) => {
    messages.set(info.id, info)
    if (info.role === "assistant" && (info.time?.completed || info.error)) say(info.id, info, [])
  }
  const events = {
    "session.created": ({ info }) => {
      parents.set(info.id, info.parentID)
      if (!info.parentID) tell("session-start", info.id, {})
    },
    "session.updated": ({ info }) => parents.set(info.id, info.parentID),
    "message.updated": ({ info }) => messaged(info),
    "message.part.updated": ({ part }) => parted(part),
    "session.idle": ({ sessionID }) => stop(sessionID),
    "session.status": ({ sessionID, status }) => status?.type === "idle" && stop(sessionID),
    "session.deleted": ({ info }) => heard.delete(info.id) && tell("session-end", info.id, {}),
  }
  return {
    event: quietly(({ event }) => events[event.type]?.(event.properties)),
    "chat.message": quietly(async ({ sessionID }, { message, parts }) => {
      if (!parents.has(sessionID)) parents.set(sessionID, (await client.session.get({ path: { id: sessionID } })).data?.parentID)
      say(message.id, message, parts)
      const prompt = parts.filter((p) => p.type === "text" && !p.synthetic && !p.ignored).map((p) => p.text).join("\n")
      if (parents.get(sessionID) || (prompted.has(sessionID) && !prompt)) return
      stop(sessionID) // one that was typed while the agent works
      prompted.set(sessionID, prompt)
      tell("user-prompt-submit", sessionID, { prompt, model: message.model?.modelID })
    }),
    "tool.execute.before": quietly(({ tool, sessionID, callID }, { args }) => {
      if (tool === "task" && !parents.get(sessionID)) tell("pre-task", sessionID, { tool_use_id: callID, tool_input: args })
    }),
    "tool.execute.after": quietly(({ tool, sessionID, callID, args }, output) => {
      if (tool !== "task" || parents.get(sessionID)) return
      tell("post-task", sessionID, { tool_use_id: callID, tool_input: args, tool_response: { agentId: output?.metadata?.sessionId } })
    }),
    "shell.env": quietly(({ sessionID }, { env }) => {
      if (sessionID) env.OPENCODE_SESSION_ID = root(sessionID)
    }),
    dispose: quietly(() => heard.forEach((id) => tell("session-end", id, {}))),
  }
}
