// Written by entire-plumb. `entire-plumb enable` replaces this file, and `disable` removes it.
// It tells entire-plumb when a turn of Cline's begins and ends, and writes the conversation to a
// file, in lines as pi's, since Cline rewrites its own. Without entire-plumb it does nothing.
import { spawn, spawnSync } from "node:child_process"
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join, resolve } from "node:path"

const commands = /*COMMANDS*/{}

// Two of these plugins, of the repository and of the user, write one transcript.
const known = (globalThis[Symbol.for("entire-plumb.cline")] ??= new Map()) // by its name: IDs of its lines

const home = process.env.CLINE_DIR?.trim() || join(homedir(), ".cline")
const transcripts = join(process.env.CLINE_DATA_DIR?.trim() || join(home, "data"), "entire-plumb")
let session, cwd, model
let state = "" // the directory that is there while the repository is recorded
let turn // the run that goes on
let called = Promise.resolve() // the hooks so far

// Nothing that fails here may disturb the session. A subagent's work is in its caller's turn.
const quietly = (does) => async (context) => {
  try {
    if (session && existsSync(state) && !context.snapshot?.parentAgentId) await does(context)
  } catch {}
}
const file = () => join(transcripts, session + ".jsonl")
const input = (event) => JSON.stringify({ session_id: session, transcript_path: file(), cwd, model, ...event })
const call = (verb, event) => new Promise((done) => {
  const hook = spawn("sh", ["-c", commands[verb]], { cwd, stdio: ["pipe", "ignore", "ignore"] })
  hook.on("error", done).on("close", done)
  hook.stdin.on("error", () => {}).end(input(event))
})
// Cline ends a turn whose plugin takes three seconds: slower hooks go on by themselves.
const tell = (verb, event) => {
  called = called.then(() => call(verb, event)).catch(() => {})
  return new Promise((done) => {
    const slow = setTimeout(done, 2500)
    called.then(() => clearTimeout(slow)).then(done)
  })
}
const ids = () => {
  if (known.has(file())) return known.get(file())
  const text = existsSync(file()) ? readFileSync(file(), "utf8") : "" // a session may go on
  mkdirSync(dirname(file()), { recursive: true, mode: 0o700 })
  if (text && !text.endsWith("\n")) appendFileSync(file(), "\n") // it was killed in a line
  known.set(file(), new Set([...text.matchAll(/^\{"type":"message","id":"([^"]+)"/gm)].map(([, id]) => id)))
  return known.get(file())
}
const write = (id, time, message) => {
  if (ids().has(id)) return
  ids().add(id)
  const line = { type: "message", id, timestamp: new Date(time).toISOString(), message }
  appendFileSync(file(), JSON.stringify(line) + "\n", { mode: 0o600 })
}

// What the user typed, without what Cline puts around it. What Cline says itself has no such mark.
const typed = ({ role, content }) => {
  if (role !== "user") return ""
  const text = content.filter((p) => p.type === "text").map((p) => p.text).join("\n")
  // A regular expression would try each of many openings without a closing one to the end.
  const at = text.indexOf("<user_input"), end = text.lastIndexOf("</user_input>")
  return at < 0 || end < at ? "" : text.slice(text.indexOf(">", at) + 1, end).trim()
}
// What a tool is given, by names that entire-plumb knows: for each file that it names.
const given = ({ toolName, input }) => {
  if (toolName === "editor" && input?.path) {
    const { old_text, new_text, insert_line } = input
    const part = old_text || insert_line != null
    const does = part ? { edits: [{ oldText: old_text || undefined, newText: new_text }] } : { content: new_text }
    return [{ path: resolve(cwd, input.path), ...does }]
  }
  if (toolName === "apply_patch" && typeof input?.input === "string") {
    const names = [...input.input.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(([, name]) => name.trim())
    if (names.length) return names.map((name) => ({ path: resolve(cwd, name) }))
  }
  const words = (c) => (typeof c === "string" ? c : [c?.command, ...(c?.args ?? [])].join(" "))
  return [input?.commands ? { command: [input.commands].flat().map(words).join("\n") } : input]
}
const use = (p) => given(p).map((given) => ({ type: "toolCall", id: p.toolCallId, name: p.toolName, arguments: given }))
const usage = ({ inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 }) =>
  ({ input: inputTokens - cacheReadTokens - cacheWriteTokens, output: outputTokens, cacheRead: cacheReadTokens, cacheWrite: cacheWriteTokens })
const said = (m) => {
  const content = m.content.flatMap((p) => (p.type === "text" ? [p] : p.type === "tool-call" ? use(p) : []))
  const stopReason = m.content.some((p) => p.type === "tool-call") ? "toolUse" : "stop"
  model = m.modelInfo?.id ?? model
  write(m.id, m.createdAt, { role: "assistant", content, model, usage: m.metrics && usage(m.metrics), stopReason })
}
const ended = (m, { toolCallId, toolName, isError, output }) => {
  const failed = !!isError || [output].flat().some((one) => one?.success === false)
  write(m.id + " " + toolCallId, m.createdAt, { role: "toolResult", toolCallId, toolName, isError: failed })
}
const writeAll = (messages) => {
  for (const m of messages) {
    if (m.role === "assistant") said(m)
    if (m.role === "tool") m.content.forEach((p) => ended(m, p))
    if (typed(m)) write(m.id, m.createdAt, { role: "user", content: [{ type: "text", text: typed(m) }] })
  }
}

export default {
  name: "entire-plumb",
  manifest: { capabilities: ["hooks"] },
  setup: (_, context) => {
    try {
      session = context?.session?.sessionId
      cwd = context?.workspaceInfo?.rootPath ?? process.cwd()
      const git = spawnSync("git", ["rev-parse", "--git-common-dir"], { cwd, encoding: "utf8", timeout: 2000 })
      if (git.status === 0) state = join(resolve(cwd, git.stdout.trim()), "entire-plumb")
      quietly(() => tell("session-start", {}))({})
    } catch {}
  },
  hooks: {
    beforeModel: quietly(async ({ snapshot }) => {
      writeAll(snapshot.messages)
      if (turn === snapshot.runId) return
      turn = snapshot.runId
      await tell("user-prompt-submit", { prompt: snapshot.messages.map(typed).findLast((text) => text) })
    }),
    afterModel: quietly(({ snapshot, assistantMessage }) => writeAll([...snapshot.messages, assistantMessage])),
    afterRun: quietly(async ({ result }) => {
      if (!turn) return
      writeAll(result.messages)
      if (result.status !== "completed") write(turn, Date.now(), { role: "assistant", content: [], stopReason: "aborted" })
      turn = undefined
      await tell("stop", {})
    }),
  },
}
process.on("SIGTERM", () => process.exit()) // Cline waits for a moment
process.on("exit", () => {
  if (session && !turn && existsSync(state)) spawnSync("sh", ["-c", commands["session-end"]], { cwd, input: input({}), timeout: 250 })
})
