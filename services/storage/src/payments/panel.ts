import { CairnError } from '@cairn/protocol'
import type { Dependency } from '@cairn/service'
import type { Context } from '../context.ts'
import type { PaymentNetwork } from '../settings/payment-settings.ts'
import { type ChainReader, createChainReader } from './chain.ts'
import { RpcRefusal } from './rpc.ts'

/** One endpoint of a network, for one round. */
export type Endpoint = { readonly index: number; readonly reader: ChainReader; readonly dependency: Dependency }

/** The answer of an endpoint. */
export type Answer<T> = { readonly endpoint: Endpoint; readonly value: T }

/** The error of an endpoint that did not answer. */
export type Failure = { readonly endpoint: Endpoint; readonly error: unknown }

/**
 * The endpoints of a network, queried concurrently for one round. Only what a quorum agrees on counts: the quorum is
 * more than half of them, so two contradicting answers never both reach it.
 */
export type Panel = {
  readonly endpoints: readonly Endpoint[]
  /**
   * Queries several endpoints and records failures. @throws CairnError UPSTREAM_FAILED if fewer than the quorum
   * answer
   */
  ask<T>(among: readonly Endpoint[], question: (reader: ChainReader) => Promise<T>): Promise<Answer<T>[]>
  /** Queries several endpoints without judging the result. */
  settle<T>(
    among: readonly Endpoint[],
    question: (endpoint: Endpoint) => Promise<T>,
  ): Promise<{ answers: Answer<T>[]; failures: Failure[] }>
  /**
   * Returns the matching answers of a quorum and records endpoints that disagree. @throws what `contradiction`
   * creates
   */
  agree<T>(
    answers: readonly Answer<T>[],
    keyOf: (value: T) => string,
    contradiction: (answers: readonly Answer<T>[]) => CairnError,
  ): [Answer<T>, ...Answer<T>[]]
  /** Records failures. @throws CairnError UPSTREAM_FAILED if fewer than the quorum of that many answers remain */
  note(failures: readonly Failure[], answers: number): void
  /** Ends the round: endpoints that answered every query are recorded as working. */
  close(): void
}

/** How long a failed endpoint is skipped while the others suffice: a silent one would slow down each round. */
const restMs = 30_000

/** Opens the panels of one network, a new one per round. */
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
    // A service that is shutting down reports nothing about endpoints.
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
      // With a single endpoint, its own error is the reason.
      if (quorum === 1 && first !== undefined) throw describeRefusal(first.error)
      throw new CairnError('UPSTREAM_FAILED', {
        message: `Only ${answers} of ${rpcUrls.length} endpoints of ${name} respond, ${quorum} must agree`,
        hint: 'Crediting resumes when enough endpoints respond.',
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
            fail(endpoint, new CairnError('UPSTREAM_FAILED', { message: 'It disagrees with the other endpoints' }))
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

/** Only operators may see an endpoint's error text, so it is attached as the cause. */
function describeRefusal(error: unknown): unknown {
  if (!(error instanceof RpcRefusal)) return error
  return new CairnError('UPSTREAM_FAILED', {
    message: `An endpoint of the chain rejected a request${error.code === undefined ? '' : ` (code ${error.code})`}`,
    cause: error,
  })
}
