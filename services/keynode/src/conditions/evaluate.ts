import {
  CairnError,
  type ConditionSet,
  conditionReason,
  evaluateExpression,
  isRecord,
  parseAggregator,
  type ReasonFacts,
  type Truth,
} from '@cairn/protocol'
import {
  createChainClient,
  type Dependencies,
  type DependencyProbe,
  type RpcLimits,
  rpcLimits,
  type VerifyEndpoint,
  type WatchedChainClient,
} from '@cairn/service'
import type { Chain, Chains } from './chains.ts'
import { compare } from './compare.ts'
import { createEvaluationRate } from './evaluation-rate.ts'
import { resolveExpected } from './placeholders.ts'
import { families, planSet, type Scope, type Task } from './plan.ts'
import type { Observed, Scalar } from './reader.ts'

/** Result of one condition. */
export type ConditionResult = {
  id: number
  result: Truth
  /** The chain's answer; integers as decimal text. */
  observed?: string | boolean | (string | boolean)[]
  /** Why the result is unknown, or false without a comparison. Safe to show to callers. */
  reason?: string
  /** Code and values of the reason. */
  reasonFacts?: ReasonFacts
}

/** Result of a set. Conditions that could not change it any more were not read and are omitted. */
export type Evaluation = { isMet: Truth; results: ConditionResult[] }

/** Evaluates conditions on chains. */
export type Conditions = {
  /** Names of the configured chains, sorted. */
  readonly chainNames: readonly string[]
  /** Checks that each endpoint serves its chain. */
  readonly probes: readonly DependencyProbe[]
  /**
   * Whether a set is met for an address, decided within 6 s. `unknown` never grants access: a chain did not answer
   * and the other conditions do not decide; a later retry may succeed. Call it only for a proven address, and only
   * when nothing else grants access.
   *
   * @param dynamicData unparsed values for placeholders, `{id}.{name}` → value
   * @param askedBy address that the evaluation counts for, when it differs
   * @throws RATE_LIMITED beyond 10 evaluations per minute of one address
   */
  check(
    set: ConditionSet,
    identity: string,
    dynamicData?: unknown,
    signal?: AbortSignal,
    askedBy?: string,
  ): Promise<Evaluation>
  /**
   * Evaluates every condition of a set for an address, including those that no longer decide, for authors of
   * conditions. Counts as one evaluation of `askedBy`.
   *
   * @throws INVALID_CONDITION, CHAIN_NOT_SUPPORTED for what saving rejects without querying a chain; RATE_LIMITED
   */
  explain(
    set: ConditionSet,
    identity: string,
    dynamicData: unknown,
    signal: AbortSignal | undefined,
    askedBy: string,
  ): Promise<Evaluation>
  /**
   * Rejects a set that could never be evaluated here, and conditions with a constant result.
   *
   * @returns ids of conditions that every value meets, as in the peers' examples: `>= 0`
   * @throws INVALID_CONDITION, CHAIN_NOT_SUPPORTED; CONDITION_UNKNOWN when a chain does not answer
   */
  validateOnCreate(set: ConditionSet, signal?: AbortSignal): Promise<number[]>
}

export type ConditionParts = {
  chains: Chains
  clock: { now(): number }
  /** Records the state of the endpoints. */
  dependencies?: Pick<Dependencies, 'add'>
  /** Multiplies the number of evaluations per address; 0 removes the limit. */
  rateFactor?: number
  limits?: Partial<RpcLimits>
}

type Outcome = ConditionResult & {
  /** Unknown because of the caller's input, not because of a chain. */
  isOwnFailure: boolean
}

/** Creates the evaluator for the configured chains. Keeps only short-lived chain answers and counts. */
export function createConditions({
  chains,
  clock,
  dependencies,
  rateFactor = 1,
  limits = {},
}: ConditionParts): Conditions {
  const rate = createEvaluationRate(clock, rateFactor)
  const watching = dependencies === undefined ? {} : { dependencies }
  const clients = new Map(
    chains.all.map((chain): [Chain, WatchedChainClient] => {
      const verify: VerifyEndpoint = (endpoint) => families[chain.family].verify(chain, endpoint)
      return [chain, createChainClient(chain, { clock, limits, verify, ...watching })]
    }),
  )
  const clientOf: Scope['clientOf'] = (chain) => {
    const client = clients.get(chain)
    if (client === undefined) throw new CairnError('INTERNAL', { message: `No client is configured for ${chain.name}` })
    return client
  }
  const scopeOf = (identity: string, dynamicData: unknown, signal: AbortSignal | undefined): Scope => {
    const limit = AbortSignal.timeout(limits.totalMs ?? rpcLimits.totalMs)
    return {
      chains,
      clock,
      clientOf,
      identity,
      dynamicData: isRecord(dynamicData) ? dynamicData : {},
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
    }
  }

  return {
    chainNames: chains.names,
    probes: [...clients.values()].flatMap(({ probes }) => probes),
    async check(set, identity, dynamicData, signal, askedBy = identity) {
      if (set.conditions.length === 0) return { isMet: 'false', results: [] }
      rate.count(askedBy)
      return evaluate(set, planSet(set, scopeOf(identity, dynamicData, signal)), identity, { readsAll: false })
    },
    async explain(set, identity, dynamicData, signal, askedBy) {
      rate.count(askedBy)
      const tasks = planSet(set, scopeOf(identity, dynamicData, signal))
      for (const task of tasks) task.check()
      return evaluate(set, tasks, identity, { readsAll: true })
    },
    async validateOnCreate(set, signal) {
      const tasks = planSet(set, scopeOf('', {}, signal))
      for (const task of tasks) task.check()
      await Promise.all(tasks.map((task) => task.validate()))
      return tasks.flatMap((task) => (task.isOpen() ? [task.condition.id] : []))
    },
  }
}

/**
 * Reads the conditions of a set, cheap ones first, and decides. @param options `readsAll`: includes conditions that
 * cannot change the result any more
 */
async function evaluate(
  set: ConditionSet,
  tasks: readonly Task[],
  identity: string,
  { readsAll }: { readsAll: boolean },
): Promise<Evaluation> {
  const expression = parseAggregator(
    set.aggregator,
    tasks.map(({ condition }) => condition.id),
  )
  const outcomes = new Map<number, Outcome>()
  const decide = () => evaluateExpression(expression, (id) => outcomes.get(id)?.result ?? 'unknown')
  for (const cost of [...new Set(tasks.map((task) => task.cost))].sort((a, b) => a - b)) {
    const group = tasks.filter((task) => task.cost === cost)
    for (const outcome of await Promise.all(group.map((task) => readTask(task, identity)))) {
      outcomes.set(outcome.id, outcome)
    }
    if (!readsAll && decide() !== 'unknown') break
  }
  const all = [...outcomes.values()]
  const isMet = decide()
  const isOwnFailure = all.every((outcome) => outcome.result !== 'unknown' || outcome.isOwnFailure)
  return {
    isMet: isMet === 'unknown' && isOwnFailure ? 'false' : isMet,
    results: all.map(({ isOwnFailure: _own, ...result }) => result).sort((a, b) => a.id - b.id),
  }
}

async function readTask({ condition, read }: Task, identity: string): Promise<Outcome> {
  const { id, returnValueTest } = condition
  const reading = await read()
  if (reading.kind === 'reverted')
    return { id, result: 'false', ...conditionReason('CALL_REJECTED'), isOwnFailure: false }
  if (reading.kind !== 'value') {
    const { kind, reason, reasonFacts } = reading
    return { id, result: 'unknown', reason, reasonFacts, isOwnFailure: kind === 'unresolved' }
  }
  const test = { ...returnValueTest, value: resolveExpected(returnValueTest.value, identity) }
  const isMet = compare(reading.value, reading.type, test)
  const observed = show(reading.value)
  if (isMet === undefined) {
    return { id, result: 'unknown', observed, ...conditionReason('NOT_COMPARABLE'), isOwnFailure: false }
  }
  return { id, result: isMet ? 'true' : 'false', observed, isOwnFailure: false }
}

function show(value: Observed): string | boolean | (string | boolean)[] {
  const one = (item: Scalar) => (typeof item === 'bigint' ? item.toString() : item)
  return typeof value === 'object' ? value.map(one) : one(value)
}
