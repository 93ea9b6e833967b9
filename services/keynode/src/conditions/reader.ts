import type { AccessCondition, Parameter } from '@cairn/protocol'
import type { ChainClient } from '@cairn/service'
import type { Chain } from './chains.ts'

/**
 * The type of a reading: an ABI type (`uint256`, `bool`, `address`, `bytes4`, `uint256[]` …), or `text`, which is equal or
 * is not, character by character (Solana keys, names).
 */
export type ValueType = string

export type Scalar = bigint | boolean | string

/** What a chain said: integers as bigint, booleans, everything else as text; arrays of those. */
export type Observed = Scalar | readonly Scalar[]

/**
 * What came of reading a condition.
 * - `value`: the chain answered.
 * - `reverted`: a definite no, whatever the comparator (a token that does not exist has no owner).
 * - `unresolved`: whoever asks cannot be meant, or did not give what is needed; never met, and denying it is not met either.
 * - `unknown`: the chain did not answer, or not understandably; asking again may help.
 * Reasons go to callers: no URLs, no hosts.
 */
export type Reading =
  | { kind: 'value'; value: Observed; type: ValueType }
  | { kind: 'reverted' }
  | { kind: 'unresolved'; reason: string }
  | { kind: 'unknown'; reason: string }

/** What a reader works with, the same for all conditions of one evaluation on one chain. */
export type ReadContext = {
  chain: Chain
  client: ChainClient
  /** The normalised address of whoever asks. */
  identity: string
  /** Ends with the evaluation's time limit. */
  signal: AbortSignal
  /** Milliseconds since 1970. */
  clock: { now(): number }
}

/**
 * Reads conditions of one evaluation on one chain; what must be the same for all of them (the block) is its own to keep.
 * Faults of the chain are readings; only faults of ours are thrown.
 */
export type ChainReader<Condition extends AccessCondition> = {
  /** `parameters` have every placeholder replaced. */
  read(condition: Condition, parameters: readonly Parameter[]): Promise<Reading>
}

/** All that is particular to a family of chains. */
export type ChainFamily<Condition extends AccessCondition> = {
  /** Whether an endpoint is one of this chain: why not, or nothing. Asked before its first use and hourly. */
  verify(chain: Chain, endpoint: ChainClient): Promise<string | undefined>
  open(context: ReadContext): ChainReader<Condition>
  /** The type that reading the condition gives; what it is compared with must fit. */
  typeOf(condition: Condition): ValueType
  /** What it costs to read, cheap first: 0 needs the block alone, 1 a look-up, 2 a call, 3 a scan. */
  costOf(condition: Condition): number
  /** Whether an address of this form can exist on these chains. */
  isIdentity(identity: string): boolean
  /** Whether reading needs the address of whoever asks, although no parameter says so. */
  usesIdentity(condition: Condition): boolean
  /**
   * Refuses, when conditions are set, what could never be read.
   *
   * @throws INVALID_CONDITION what cannot be; CONDITION_UNKNOWN where the chain does not answer
   */
  validate(condition: Condition, context: Omit<ReadContext, 'identity'>): Promise<void>
}
