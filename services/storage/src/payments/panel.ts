import { CairnError } from '@cairn/protocol'
import type { Dependency } from '@cairn/service'
import type { Context } from '../context.ts'
import { type ChainReader, createChainReader } from './chain.ts'
import type { PaymentNetwork } from './payment-settings.ts'
import { RpcRefusal } from './rpc.ts'

/** One endpoint of a network, for one round. */
export type Endpoint = { readonly index: number; readonly reader: ChainReader; readonly dependency: Dependency }

/** What an endpoint answered. */
export type Answer<T> = { readonly endpoint: Endpoint; readonly value: T }

/** What kept an endpoint from answering. */
export type Failure = { readonly endpoint: Endpoint; readonly error: unknown }

/**
 * The endpoints of a network, asked side by side for one round. Nothing counts that fewer than the quorum say: the quorum is
 * more than half of them, so two answers that contradict each other never both have it.
 */
export type Panel = {
  readonly endpoints: readonly Endpoint[]
  /** Asks several; whoever fails is noted. @throws CairnError UPSTREAM_FAILED if fewer than the quorum answer */
  ask<T>(among: readonly Endpoint[], question: (reader: ChainReader) => Promise<T>): Promise<Answer<T>[]>
  /** Asks several and judges nothing. */
  settle<T>(
    among: readonly Endpoint[],
    question: (endpoint: Endpoint) => Promise<T>,
  ): Promise<{ answers: Answer<T>[]; failures: Failure[] }>
  /** The answers of a quorum that says the same; whoever says otherwise is noted. @throws what `contradiction` makes */
  agree<T>(
    answers: readonly Answer<T>[],
    keyOf: (value: T) => string,
    contradiction: (answers: readonly Answer<T>[]) => CairnError,
  ): [Answer<T>, ...Answer<T>[]]
  /** Notes failures. @throws CairnError UPSTREAM_FAILED if fewer than the quorum are left, of so many answers */
  note(failures: readonly Failure[], answers: number): void
  /** Ends the round: endpoints that answered all they were asked are noted as working. */
  close(): void
}

/** How long an endpoint that failed is left alone while the others are enough: a silent one would slow each round down. */
const restMs = 30_000

/** Opens the panels of one network, a new one for each round. */
export function createPanels(
  network: PaymentNetwork,
  { dependencies, clock }: Pick<Context, 'dependencies' | 'clock'>,
): (signal: AbortSignal | undefined) => Panel {
  const restsUntil = new Map<number, number>()
  return (signal) => {
    const all = network.rpcUrls.map(
      (url, index): Endpoint => ({
        index,
        reader: createChainReader(network, url, signal),
        dependency: dependencies.add({ kind: 'endpoint', name: network.name, endpoint: index }),
      }),
    )
    const now = clock.now()
    const awake = all.filter(({ index }) => {
      const until = restsUntil.get(index) ?? 0
      return until <= now || until - now > restMs
    })
    return openPanel(network, awake.length < network.quorum ? all : awake, signal, ({ index }) => {
      restsUntil.set(index, now + restMs)
    })
  }
}

function openPanel(
  { name, quorum, rpcUrls }: PaymentNetwork,
  endpoints: readonly Endpoint[],
  signal: AbortSignal | undefined,
  rest: (endpoint: Endpoint) => void,
): Panel {
  const answered = new Set<Endpoint>()
  const failed = new Set<Endpoint>()

  const fail = (endpoint: Endpoint, error: unknown): void => {
    failed.add(endpoint)
    rest(endpoint)
    // A service that is about to end says nothing about endpoints.
    if (signal?.aborted !== true) endpoint.dependency.failed(describeRefusal(error))
  }

  const panel: Panel = {
    endpoints,
    async settle(among, question) {
      const results = await Promise.allSettled(among.map(question))
      const answers: Answer<Awaited<ReturnType<typeof question>>>[] = []
      const failures: Failure[] = []
      for (const [i, endpoint] of among.entries()) {
        const result = results[i]
        if (result?.status === 'fulfilled') {
          answers.push({ endpoint, value: result.value })
          answered.add(endpoint)
        } else failures.push({ endpoint, error: result?.reason })
      }
      return { answers, failures }
    },
    note(failures, answers) {
      for (const { endpoint, error } of failures) fail(endpoint, error)
      if (answers >= quorum) return
      const [first] = failures
      // Where there is one endpoint, what it said is the reason.
      if (quorum === 1 && first !== undefined) throw describeRefusal(first.error)
      throw new CairnError('UPSTREAM_FAILED', {
        message: `Only ${answers} of ${rpcUrls.length} endpoints of ${name} answer, ${quorum} have to agree`,
        hint: 'Nothing is credited until enough of them answer again.',
        cause: first?.error,
      })
    },
    async ask(among, question) {
      const { answers, failures } = await panel.settle(among, ({ reader }) => question(reader))
      panel.note(failures, answers.length)
      return answers
    },
    agree(answers, keyOf, contradiction) {
      const groups = Map.groupBy(answers, ({ value }) => keyOf(value))
      for (const [key, group] of groups) {
        const [first, ...rest] = group
        if (first === undefined || group.length < quorum) continue
        for (const { endpoint, value } of answers) {
          if (keyOf(value) !== key) {
            fail(endpoint, new CairnError('UPSTREAM_FAILED', { message: 'It contradicts the other endpoints' }))
          }
        }
        return [first, ...rest]
      }
      throw contradiction(answers)
    },
    close() {
      for (const endpoint of answered) if (!failed.has(endpoint)) endpoint.dependency.succeeded()
    },
  }
  return panel
}

/** What an endpoint says in refusing may be shown to operators only: it goes below. */
function describeRefusal(error: unknown): unknown {
  if (!(error instanceof RpcRefusal)) return error
  return new CairnError('UPSTREAM_FAILED', {
    message: `An endpoint of the chain refused a question (code ${error.code})`,
    cause: error,
  })
}
