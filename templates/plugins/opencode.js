// Tells paneward what OpenCode's agent is doing, an event at a time. Whatever
// goes wrong here stays here: OpenCode never waits for it and never fails.
import { spawn } from "node:child_process"

// The path that init was run with; a session that paneward starts has another
// one in its environment.
const program = "<<program>>"

// init and a session may both bring this file; one of them tells.
const chosen = (globalThis[Symbol.for("paneward")] ??= import.meta.url)

// One after the other, so that they are recorded in their order.
let last = Promise.resolve()

function run(input) {
  return new Promise((done) => {
    const child = spawn(process.env.PANEWARD || program, ["hook", "record"], {
      stdio: ["pipe", "ignore", "ignore"],
      timeout: 10000,
    })
    child.on("error", done)
    child.on("close", done)
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(input))
  })
}

function tell(name, session, more) {
  const input = { hook_event_name: name, session_id: session, ...more }
  last = last.then(() => run(input)).catch(() => {})
  return last
}

export const Paneward = async () => {
  if (chosen !== import.meta.url) return {}
  const helpers = new Set() // sessions of sub-agents, which report nothing
  const roles = new Map() // of messages
  const texts = new Map() // the parts of each session's newest answer
  const turns = new Set() // sessions whose turn goes on
  const cut = new Set() // ... and was stopped by a person
  const asked = new Map() // permissions that a person may have to give
  const calls = new Map() // inputs of tool calls that are under way
  const prompts = new Map() // each session's last one

  function answer(session) {
    const message = texts.get(session)
    return message && [...message.parts.values()].join("\n")
  }

  // What it has written before it uses a tool, or writes more.
  function tellMessage(session) {
    const text = answer(session)
    if (text)
      tell("MessageDisplay", session, {
        message_id: texts.get(session).id,
        index: 0,
        delta: text,
        final: true,
      })
    texts.delete(session)
  }

  function takePart(part) {
    if (part.type !== "text") return
    if (roles.get(part.messageID) === "user" && !part.synthetic)
      prompts.set(part.sessionID, part.text)
    if (roles.get(part.messageID) !== "assistant") return
    let message = texts.get(part.sessionID)
    if (!message || message.id !== part.messageID) {
      tellMessage(part.sessionID)
      message = { id: part.messageID, parts: new Map() }
      texts.set(part.sessionID, message)
    }
    message.parts.set(part.id, part.text)
  }

  // What is allowed without asking is asked and answered within moments.
  function ask(p) {
    const id = p.id ?? p.requestID
    const input = {
      tool_name: p.permission ?? p.type ?? "a tool",
      tool_input: { command: p.metadata?.command ?? p.title ?? p.patterns?.[0] },
    }
    const timer = setTimeout(() => {
      tell("PermissionRequest", p.sessionID, input)
      asked.set(id, null)
    }, 300)
    timer.unref?.()
    asked.set(id, timer)
  }

  function answered(p) {
    const id = p.requestID ?? p.permissionID ?? p.id
    if (!asked.has(id)) return
    if (asked.get(id) === null) tell("PreToolUse", p.sessionID)
    else clearTimeout(asked.get(id))
    asked.delete(id)
  }

  function begin(session) {
    if (turns.has(session)) return
    turns.add(session)
    cut.delete(session)
    texts.set(session, { parts: new Map() })
    tell("UserPromptSubmit", session, { prompt: prompts.get(session) })
  }

  // OpenCode says that it is idle twice, also behind an error.
  function idle(session) {
    if (!turns.delete(session)) return
    const text = cut.has(session) ? undefined : answer(session)
    tell("Stop", session, { last_assistant_message: text })
    texts.delete(session)
    roles.clear()
  }

  function fail(session, error) {
    // A person stopped it: what was cut off is no report.
    if (error?.name === "MessageAbortedError") return void cut.add(session)
    turns.delete(session)
    tell("StopFailure", session, {
      error: error?.data?.statusCode === 429 ? "rate_limit" : error?.name,
      last_assistant_message: error?.data?.message,
    })
  }

  const events = {
    "session.created": (p) => {
      if (p.info.parentID) helpers.add(p.info.id)
      else tell("SessionStart", p.info.id, { source: "startup" })
    },
    "session.status": (p) => {
      if (p.status?.type === "busy") begin(p.sessionID)
    },
    "session.idle": (p) => idle(p.sessionID),
    "session.error": (p) => fail(p.sessionID, p.error),
    "message.updated": (p) => void roles.set(p.info.id, p.info.role),
    "message.part.updated": (p) => takePart(p.part),
    // What Kilo shows of its progress.
    "message.part.removed": (p) =>
      void texts.get(p.sessionID)?.parts.delete(p.partID),
    "permission.asked": ask,
    "permission.updated": ask,
    "permission.replied": answered,
    "question.asked": (p) =>
      tell("Notification", p.sessionID, {
        notification_type: "elicitation_dialog",
        message: p.questions?.[0]?.question,
      }),
    "question.replied": (p) => tell("PreToolUse", p.sessionID),
    "question.rejected": (p) => tell("PreToolUse", p.sessionID),
  }

  return {
    event: async ({ event }) => {
      try {
        const p = event.properties ?? {}
        const session = p.sessionID ?? p.part?.sessionID
        if (!helpers.has(session)) events[event.type]?.(p)
      } catch {}
    },
    "tool.execute.before": async (input, output) => {
      if (helpers.has(input?.sessionID)) return
      const { filePath, ...rest } = output?.args ?? {}
      const call = {
        tool_name: input?.tool === "bash" ? "Bash" : input?.tool,
        tool_input: { file_path: filePath, ...rest },
      }
      tellMessage(input?.sessionID)
      calls.set(input?.callID, call)
      tell("PreToolUse", input?.sessionID, call)
    },
    "tool.execute.after": async (input, output) => {
      const call = calls.get(input?.callID)
      calls.delete(input?.callID)
      if (helpers.has(input?.sessionID)) return
      tell("PostToolUse", input.sessionID, {
        ...call,
        tool_response: input.tool === "bash" ? { stdout: output?.output } : {},
      })
    },
  }
}
