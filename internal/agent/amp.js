// Written by entire-plumb. `entire-plumb enable` replaces this file, and `disable` removes it.
// It tells entire-plumb when a turn of Amp's begins and ends, and writes the conversation to a file,
// since Amp keeps its own on a server. Without entire-plumb it does nothing.
import { spawnSync } from "node:child_process"
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { isAbsolute, join, resolve } from "node:path"

const commands = /*COMMANDS*/{}

// Amp starts plugins in the directory that they are in.
const cwd = process.env.PWD || process.cwd()
const data = process.env.XDG_DATA_HOME
const transcripts = join(data && isAbsolute(data) ? data : join(homedir(), ".local", "share"), "amp", "entire-plumb")
const file = (id) => join(transcripts, id + ".jsonl")
// Tools that write no file: of others only a shell may write some that it doesn't name.
const reads = /^(Read|Grep|glob|finder|librarian|oracle|skill|todo_\w+|view_media|web_search|read_\w+|find_thread|get_diagnostics|mermaid|Task)$/

// Another of these plugins, of the user or of the repository, may have written the line.
const write = (id, line) => {
  const text = existsSync(file(line.thread)) ? readFileSync(file(line.thread), "utf8") : ""
  if (text.includes(JSON.stringify({ id }).slice(0, -1) + ",")) return
  mkdirSync(transcripts, { recursive: true, mode: 0o700 })
  const torn = text && !text.endsWith("\n") ? "\n" : "" // it was killed in a line
  appendFileSync(file(line.thread), torn + JSON.stringify({ id, time: new Date().toISOString(), ...line }) + "\n", { mode: 0o600 })
}
// What a tool puts into a file, by names that entire-plumb knows.
const given = ({ path, content, old_str, new_str }) =>
  old_str === undefined ? { file_path: path, content } : { file_path: path, old_string: old_str, new_string: new_str }

export default function (amp) {
  const git = spawnSync("git", ["rev-parse", "--git-common-dir"], { cwd, encoding: "utf8", timeout: 10000 })
  if (git.status !== 0) return
  const state = join(resolve(cwd, git.stdout.trim()), "entire-plumb")
  const working = new Set() // threads in a turn
  const heard = new Set()
  const tell = (verb, id, event) => {
    heard.add(id)
    const input = JSON.stringify({ session_id: id, transcript_path: file(id), cwd, ...event })
    spawnSync("sh", ["-c", commands[verb]], { cwd, input, stdio: ["pipe", "ignore", "ignore"], timeout: 120000 })
  }
  // Nothing that fails here may disturb the thread.
  const on = (name, does, answer) =>
    amp.on(name, async (event) => {
      try {
        if (existsSync(state)) does(event.thread.id, event)
      } catch {}
      return answer
    })
  const used = (thread, { toolUseID, tool, input, status, ...rest }) => {
    if (status !== "done") return // it failed, or was refused
    const call = { toolUseID, tool, input, status, ...rest }
    const files = amp.helpers.filesModifiedByToolCall(call)?.map((uri) => amp.helpers.filePathFromURI(uri))
    const line = { thread, role: "tool", tool, files: files ?? (reads.test(tool) ? [] : undefined) }
    const shell = amp.helpers.shellCommandFromToolCall(call)
    write(toolUseID, { ...line, input: shell ? { command: shell.command } : files?.length === 1 && input.path ? given(input) : undefined })
  }
  const said = (thread, messages) => {
    for (const { role, id, content } of messages) {
      if (role !== "assistant") continue
      const text = content.filter((part) => part.type === "text").map((part) => part.text).join("\n")
      if (text) write(id, { thread, role: "assistant", text })
    }
  }
  on("session.start", (id) => tell("session-start", id, {}))
  on("agent.start", (thread, { message, id }) => {
    if (working.has(thread)) tell("stop", thread, {}) // nothing said that the turn before ended
    working.add(thread)
    write(id, { thread, role: "user", text: message })
    tell("user-prompt-submit", thread, { prompt: message })
  }, {})
  on("tool.result", used)
  on("agent.end", (thread, { message, id, messages }) => {
    write(id, { thread, role: "user", text: message })
    said(thread, messages)
    working.delete(thread)
    tell("stop", thread, {})
  })
  process.on("exit", () => {
    if (!existsSync(state)) return
    for (const id of heard) if (!working.has(id)) tell("session-end", id, {})
  })
}
