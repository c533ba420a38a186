// Recollect in OpenCode. `recollect install opencode` wrote this file; `recollect install opencode
// --uninstall` removes it. It hands what happens to `recollect-hook`, and what that answers to the
// model. It never stops the agent: without an answer in time, nothing is added. `recollect doctor`
// says what failed.
import { spawn } from "node:child_process"

const HOOK = "recollect-hook"
const SERVER = { type: "local", command: ["recollect", "mcp"] }
const PATIENCE = 5000 // milliseconds for one event
const WEEK = 7 * 86_400_000
const MOST_KILLED = 3 // earlier sessions to look at when one begins
const WRITES = ["write", "edit", "multiedit", "patch", "apply_patch"]
// `opencode run` ends with the first answer; nobody can be asked for more.
const GOES_ON = !process.argv.slice(2).includes("run")
const WATCHED = [...WRITES, "read", "bash", "webfetch", "websearch", "task"]

// The part of an id that says when the session began. The random rest looks like a secret.
const short = (id) => id.replace(/^ses_/, "").slice(0, 12)

// Where Recollect already works. Installed for the user and for the project, OpenCode loads this file
// twice, with the same client.
const working = (globalThis[Symbol.for("recollect")] ??= new WeakSet())

export const Recollect = async ({ client, directory }) => {
  if (working.has(client)) return {}
  working.add(client)
  const loaded = Date.now()
  const sessions = new Map() // id → what is known of a session, as a promise
  const running = new Set()

  const keep = (work) => {
    running.add(work)
    work.finally(() => running.delete(work))
    return work
  }

  const answer = (event, payload) =>
    new Promise((resolve) => {
      let said = ""
      const done = () => {
        clearTimeout(timer)
        try {
          resolve(JSON.parse(said))
        } catch {
          resolve({})
        }
      }
      const child = spawn(HOOK, [event, "opencode"], {
        cwd: directory,
        stdio: ["pipe", "pipe", "ignore"],
        windowsHide: true,
      })
      const timer = setTimeout(() => {
        child.kill("SIGKILL")
        done()
      }, PATIENCE)
      child.on("error", done).on("close", done)
      child.stdout.on("data", (part) => (said += part))
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(payload))
    })

  // Hand an event over. What the user should see is shown; the rest is the caller's.
  const hook = (event, sessionID, session, details) => {
    const id = short(sessionID)
    const who = session.parent ? { session_id: short(session.parent), agent_id: id } : { session_id: id }
    const asked = answer(event, { host: "opencode", cwd: directory, ...who, ...details })
      .catch(() => ({}))
      .then(async (reply) => {
        const toast = { title: "Recollect", message: reply.notice, variant: "info" }
        if (reply.notice) client.tui.showToast({ body: toast }).catch(() => {})
        return reply
      })
    return keep(asked)
  }

  const begin = (id, session, source) => (session.opening = hook("session-start", id, session, { source }))

  // A session that was killed in a turn has an answer without an end. Report the stop that nobody
  // reported; what was noticed before is not noticed twice.
  const catchUp = async (current) => {
    const { data: known } = await client.session.list()
    const recent = known.filter(({ id, parentID, time }) => id !== current && !parentID && loaded - time.updated < WEEK)
    recent.sort((one, other) => other.time.updated - one.time.updated)
    for (const { id } of recent.slice(0, MOST_KILLED)) {
      const { data: messages } = await client.session.messages({ path: { id } })
      const turn = messages.slice(messages.findLastIndex(({ info }) => info.role === "user") + 1)
      if (!turn.length || turn[turn.length - 1].info.time.completed) continue
      const texts = turn.flatMap(({ parts }) => parts).filter(({ type, synthetic }) => type === "text" && !synthetic)
      const said = texts.map(({ text }) => text).join("\n\n")
      if (said) await hook("stop", id, {}, { last_assistant_message: said, drafts: false })
    }
  }

  const known = (id) => {
    if (!sessions.has(id))
      sessions.set(
        id,
        client.session.get({ path: { id } }).then(
          ({ data }) => ({ parent: data?.parentID ?? "", isNew: !(data?.time.created < loaded), cures: new Map() }),
          () => ({ parent: "", isNew: true, cures: new Map() }),
        ),
      )
    return sessions.get(id)
  }

  const failed = async ({ sessionID, callID, tool, state }) => {
    const session = await known(sessionID)
    if (session.cures.has(callID)) return
    const details = { tool_name: tool, tool_input: state.input, error: state.error }
    session.cures.set(callID, hook("tool-failure", sessionID, session, details))
  }

  return {
    config: async (config) => {
      config.mcp = { recollect: SERVER, ...config.mcp }
    },

    "command.execute.before": async ({ command, sessionID, arguments: given }) => {
      const session = await known(sessionID)
      session.command = { command, arguments: given }
    },

    "chat.message": async ({ sessionID }, { message, parts }) => {
      const session = await known(sessionID)
      const typed = parts.filter((part) => part.type === "text" && !part.synthetic)
      if (session.parent || !typed.length) return
      if (!session.opening) {
        await begin(sessionID, session, session.isNew ? "startup" : "resume")
        keep(catchUp(sessionID).catch(() => {}))
      }
      const prompt = typed.map((part) => part.text).join("\n")
      const { context } = await hook("prompt", sessionID, session, { prompt, ...session.command })
      session.command = undefined
      const last = parts[parts.length - 1]
      if (context)
        parts.push({ id: `${last.id}r`, sessionID, messageID: message.id, type: "text", text: context, synthetic: true })
    },

    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      const session = sessionID && (await known(sessionID))
      const { context } = (await session?.opening) ?? {}
      if (context && !system[0]?.startsWith("You are a title generator")) system.push(context)
    },

    // A tool that throws has no result to add to, so what is known about its error is added here.
    "experimental.chat.messages.transform": async (_, { messages }) => {
      for (const part of messages.flatMap((message) => message.parts)) {
        if (part.type !== "tool" || part.state.status !== "error") continue
        const { context } = (await (await sessions.get(part.sessionID))?.cures.get(part.callID)) ?? {}
        if (context) part.state.error = `${part.state.error}\n${context}`
      }
    },

    "tool.execute.before": async ({ tool, sessionID }, { args }) => {
      if (!WRITES.includes(tool)) return
      const details = { tool_name: tool, tool_input: args }
      const { denial } = await hook("tool-pre", sessionID, await known(sessionID), details)
      if (denial) throw new Error(denial)
    },

    "tool.execute.after": async ({ tool, sessionID, args }, output) => {
      if (!WATCHED.includes(tool) || typeof output.output !== "string") return
      const isFailure = tool === "bash" && output.metadata?.exit > 0
      const details = { tool_name: tool, tool_input: args, tool_output: output.output, exit: output.metadata?.exit }
      const event = isFailure ? "tool-failure" : "tool-post"
      const { context } = await hook(event, sessionID, await known(sessionID), details)
      if (context) output.output += `\n${context}`
    },

    // `recollect` in the agent's shell then belongs to the same session.
    "shell.env": async ({ sessionID }, { env }) => {
      if (sessionID) env.OPENCODE_SESSION_ID = short((await known(sessionID)).parent || sessionID)
    },

    "experimental.text.complete": async ({ sessionID }, { text }) => {
      ;(await known(sessionID)).said = text
    },

    "experimental.session.compacting": async ({ sessionID }) => {
      await hook("pre-compact", sessionID, await known(sessionID), {})
    },

    event: async ({ event: { type, properties } }) => {
      const id = properties?.sessionID ?? properties?.info?.id
      if (type === "message.part.updated" && properties.part?.state?.status === "error") return failed(properties.part)
      if (!["session.idle", "session.compacted", "session.deleted"].includes(type) || !sessions.has(id)) return
      const session = await known(id)
      if (type === "session.compacted") begin(id, session, "compact")
      if (type === "session.idle") {
        const details = { last_assistant_message: session.said, drafts: GOES_ON && !session.isAsked }
        session.isAsked = false
        const { request } = await hook(session.parent ? "subagent-stop" : "stop", id, session, details)
        if (request) {
          session.isAsked = true
          const parts = [{ type: "text", text: request, synthetic: true }]
          client.session.promptAsync({ path: { id }, body: { parts } }).catch(() => {})
        }
      }
      if (type === "session.deleted" && sessions.delete(id) && session.opening)
        await hook("session-end", id, session, { reason: "deleted" })
    },

    dispose: async () => {
      // Each ends in time, or is ended, so that nothing outlives OpenCode.
      await Promise.allSettled(running)
      for (const [id, pending] of sessions) {
        const session = await pending
        if (session.opening) hook("session-end", id, session, { reason: "exit" })
      }
      await Promise.allSettled(running)
    },
  }
}
