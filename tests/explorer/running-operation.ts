import { CairnError } from '@cairn/protocol'
import type { Client, PreparedKey } from '@cairn/sdk'
import { setNamed, toCommon, toNode } from './key-sets.ts'
import { clientOf, type Party } from './parties.ts'
import { readCall } from './read-call.ts'
import { type Answer, type Request, requestOf } from './requests.ts'

/** What a client does through the real SDK. */
export type Operation = {
  name: string
  by: Party
  device: string
  run(client: Client, prepare: (masterKey?: string) => PreparedKey): Promise<unknown>
}

/** The outcome of an operation. */
export type Outcome = { kind: 'done'; value: unknown } | { kind: 'failed'; code: string; details: unknown }

/** The result of a call: a node's response, or none. */
export type Brought = Answer | 'nothing'

/** A running operation: the calls it made, and its outcome. */
export type RunningOperation = {
  readonly calls: readonly { node: number; request: Request; isOpen: boolean }[]
  readonly outcome: Outcome | undefined
  /** Answers one of its calls, and waits until it waits again. */
  feed(index: number, brought: Brought): Promise<void>
}

// Modules that operations load on first use: loading takes turns of the event loop that say nothing about their state.
await Promise.all([
  import('../../packages/sdk/src/keys/session-tools.ts'),
  import('../../packages/sdk/src/keys/read-conditions-input.ts'),
  import('../../packages/sdk/src/keys/share-rest.ts'),
  import('../../packages/sdk/src/keys/confirm-set.ts'),
])

type Call = { node: number; request: Request; isOpen: boolean; settle(brought: Brought): void }

/** Starts an operation, and waits until it waits for its first responses. */
export async function beginOperation(operation: Operation): Promise<RunningOperation> {
  const calls: Call[] = []
  let outcome: Outcome | undefined
  /** Counts every step of an operation: when the count no longer grows, it is waiting. */
  let activity = 0
  const transport: typeof fetch = (input, init) =>
    new Promise((resolve, reject) => {
      activity++
      const made = makeCall(String(input), init, resolve, reject)
      calls.push(made)
      init?.signal?.addEventListener('abort', () => {
        const isTimeout = init.signal?.reason instanceof Error && init.signal.reason.name === 'TimeoutError'
        if (!made.isOpen || isTimeout) return
        activity++
        made.isOpen = false
        reject(new DOMException('left', 'AbortError'))
      })
    })
  let sets = 0
  const prepare = (masterKey?: string): PreparedKey => setNamed(`${operation.name} ${++sets}`, masterKey)
  // Both ways it can end are outcomes.
  void operation
    .run(clientOf(operation.by, operation.device, transport), prepare)
    .then((value): Outcome => ({ kind: 'done', value }), describeFailure)
    .then((ended) => {
      activity++
      outcome = ended
    })
  const untilItWaits = async (): Promise<void> => {
    for (let quiet = 0; quiet < quietTurns; ) {
      const before = activity
      await new Promise((resolve) => setImmediate(resolve))
      quiet = activity === before ? quiet + 1 : 0
    }
  }
  await untilItWaits()
  return {
    calls,
    get outcome() {
      return outcome
    },
    async feed(index, brought) {
      const call = calls[index]
      if (call?.isOpen !== true) throw new Error(`${operation.name} does not repeat: it has no open call ${index}`)
      call.settle(brought)
      await untilItWaits()
    },
  }
}

/** An operation waits only for its calls: after this many turns without anything new, it waits for them. */
const quietTurns = 6

function makeCall(
  url: string,
  init: RequestInit | undefined,
  resolve: (response: Response) => void,
  reject: (error: unknown) => void,
): Call {
  const { node, call, token } = readCall(url, init)
  const body = toCommon(JSON.parse(typeof init?.body === 'string' ? init.body : 'null'), node)
  const made: Call = {
    node,
    request: requestOf(call, token, body),
    isOpen: true,
    settle(brought) {
      made.isOpen = false
      if (brought === 'nothing') return reject(new TypeError('fetch failed'))
      const { status, code } = brought
      const text = brought.body === '' ? '{}' : JSON.stringify(toNode(brought.body, node))
      resolve(new Response(text, { status, headers: code === '' ? {} : { 'x-cairn-code': code } }))
    },
  }
  return made
}

function describeFailure(error: unknown): Outcome {
  const { code, details } = CairnError.from(error)
  if (code !== 'INTERNAL') return { kind: 'failed', code, details }
  return { kind: 'failed', code, details: String(error instanceof Error ? error.stack : error) }
}
