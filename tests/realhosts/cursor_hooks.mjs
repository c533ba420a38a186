// Runs hooks with the code of Cursor that does so, from its SDK, without a model or an account.
// Arguments: the opened module of the SDK, the repository, and the steps as JSON: [[name, details]…].
// Prints what Cursor would hand to its model after each step, as a list. CONVERSATION is the id.
import { writeFile, mkdir } from "node:fs/promises"
import { homedir } from "node:os"
import { dirname } from "node:path"

const [sdk, repo, script] = process.argv.slice(2)
const { inside: load } = await import(sdk)
await Promise.all([load.e(360), load.e(34)])
const runtime = load("../cursor-sdk-local-runtime/dist/core/hooks-runtime.js")
const { v: adapt } = load("../cursor-sdk-local-runtime/dist/agent-host/local-hooks-session-adapter.js")
const { Rv: folder } = load("../utils/dist/workspace-paths.js")
const { YF: Transcripts } = load("../agent-transcript/dist/index.js")
const { q6: context } = load("../context/dist/core.js")
const tools = load("../agent-exec/dist/index.js")
const kinds = { read: tools._As, write: tools.Lnu, shell: tools.qkk, stream: tools.wve }

const conversation = process.env.CONVERSATION
const options = { useCommandHookStdinTransport: process.env.STDIN === "1" }
const workspaceState = { projectRoot: repo, workspaceRoots: [repo] }
const hooksRuntime = await runtime.vk(options).createHooksRuntime({ workspaceState })
const turn = { conversationId: conversation, generationId: "1", model: "gpt-5.5", loopCount: 0 }
const sessionState = { sessionId: conversation }
const session = adapt({ workspaceRuntime: hooksRuntime, sessionState, metadata: {} })
const { hookExecutor } = hooksRuntime.createSessionRuntime({})
const executors = new Map()
const resources = { get: (key) => executors.get(key.symbol), *entries() {} }
const metadata = { conversationId: conversation, model: "gpt-5.5" }
const wrapped = runtime.Pq().wrapResources({ resources, workspaceServices: { hooksRuntime }, sessionState, metadata })

// A tool whose result is given; what hooks add to it.
const tool = async (kind, { args, result, events }) => {
  const key = kinds[kind]
  const hookContextCollector = []
  const execute = events ? async function* () { yield* events } : async () => result
  executors.set(key.symbol, { execute })
  const done = wrapped.get(key).execute(context(), args, { hookContextCollector })
  const answer = []
  if (events) for await (const event of done) answer.push(event)
  return { added: hookContextCollector, answer: events ? answer : await done }
}

const transcript = async ({ messages, turnEnded }) => {
  const blobs = messages.map((message) => new TextEncoder().encode(JSON.stringify(message)))
  const write = async (path, text) => {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
  const store = new Transcripts(folder(homedir(), repo), { getBlob: async (_, at) => blobs[at] }, write, {
    writeText: false,
    writeJsonl: true,
  })
  const state = { summaryArchives: [], rootPromptMessagesJson: blobs.map((_, at) => at), mode: 0 }
  return store.writeFromStateFull(context(), state, conversation, { turnEnded })
}

const steps = {
  errors: () => hooksRuntime.hooksConfig.errors,
  start: () => session.onSessionStart(turn),
  // The SDK runs this hook, but ignores what it says. The editor takes it, by the same rules.
  prompt: ({ prompt }) =>
    hookExecutor.executeHookForStep("beforeSubmitPrompt", {
      conversation_id: conversation,
      generation_id: "1",
      model: "gpt-5.5",
      prompt,
      attachments: [],
    }),
  stop: () => session.onTurnCompleted(turn),
  end: () => session.onSessionEnd("completed", 1000),
  transcript,
}
const said = []
for (const [name, details] of JSON.parse(script))
  said.push((await (steps[name] ? steps[name](details) : tool(name, details))) ?? null)
console.log(JSON.stringify(said))
process.exit(0)
