// Written by entire-plumb. `entire-plumb enable` replaces this file, and `disable` removes it.
// It tells entire-plumb when a turn of pi's begins and ends. Without entire-plumb it does nothing.
import { spawnSync } from "node:child_process"

const commands = /*COMMANDS*/{}

export default function (pi) {
  const tell = (verb, ctx, event) => {
    // Nothing that fails here may disturb the session.
    try {
      const id = ctx.sessionManager.getSessionId()
      process.env.PI_SESSION_ID = id // for the commands of its shells
      const transcript_path = ctx.sessionManager.getSessionFile() ?? undefined
      const input = JSON.stringify({ session_id: id, transcript_path, cwd: ctx.cwd, model: ctx.model?.id, ...event })
      const { stdout } = spawnSync("sh", ["-c", commands[verb]], { cwd: ctx.cwd, input, encoding: "utf8", timeout: 120000 })
      if (stdout?.trim()) ctx.ui?.notify?.(JSON.parse(stdout).systemMessage, "warning")
    } catch {}
  }
  pi.on("session_start", async (_, ctx) => tell("session-start", ctx, {}))
  pi.on("before_agent_start", async ({ prompt }, ctx) => tell("user-prompt-submit", ctx, { prompt }))
  pi.on("agent_end", async (_, ctx) => tell("stop", ctx, {}))
  pi.on("session_shutdown", async (_, ctx) => tell("session-end", ctx, {}))
}
