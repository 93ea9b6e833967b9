import { type AccessCondition, conditionReason, type Parameter, type Reason } from '@cairn/protocol'
import type { ChainClient, RpcAnswer } from '@cairn/service'
import type { Chain } from './chains.ts'

/**
 * The type of a reading: an ABI type (`uint256`, `bool`, `address`, `bytes4`, `uint256[]` …), or `text`, which
 * compares character by character (Solana keys, names).
 */
export type ValueType = string

export type Scalar = bigint | boolean | string

/** A chain's answer: integers as bigint, booleans, everything else as text; arrays of those. */
export type Observed = Scalar | readonly Scalar[]

/**
 * Result of reading a condition.
 * - `value`: the chain answered.
 * - `reverted`: a definite no, regardless of the comparator (a token that does not exist has no owner).
 * - `unresolved`: the condition cannot apply to the caller, or the caller did not provide what it needs; never met,
 * and its negation is not met either.
 * - `unknown`: the chain did not answer, or not understandably; a retry may succeed. Reasons are shown to callers: no
 * URLs, no hosts.
 */
export type Reading =
  | { kind: 'value'; value: Observed; type: ValueType }
  | { kind: 'reverted' }
  | ({ kind: 'unresolved' } & Reason)
  | ({ kind: 'unknown' } & Reason)

/** Returns the reading of a chain that did not answer. */
export function unknown(reason: Reason): Reading {
  return { kind: 'unknown', ...reason }
}

/** Returns the reading of an answer that contains no value. */
export function unknownAnswer(answer: RpcAnswer): Reading {
  return unknown(
    answer.kind === 'error'
      ? conditionReason('CHAIN_ERROR', { error: String(answer.code) })
      : conditionReason('CHAIN_RESPONSE_INVALID'),
  )
}

/** Context of a reader, the same for all conditions of one evaluation on one chain. */
export type ReadContext = {
  chain: Chain
  client: ChainClient
  /** The normalised address of the caller. */
  identity: string
  /** Fires at the evaluation's time limit. */
  signal: AbortSignal
  /** Milliseconds since 1970. */
  clock: { now(): number }
}

/**
 * Reads conditions of one evaluation on one chain, and keeps what they must share (the block). Chain errors are
 * readings; only internal errors are thrown.
 */
export type ChainReader<Condition extends AccessCondition> = {
  /** `parameters` have all placeholders replaced. */
  read(condition: Condition, parameters: readonly Parameter[]): Promise<Reading>
}

/** Everything specific to a family of chains. */
export type ChainFamily<Condition extends AccessCondition> = {
  /**
   * Verifies that an endpoint serves this chain; returns the reason if it does not. Called before its first use and
   * hourly.
   */
  verify(chain: Chain, endpoint: ChainClient): Promise<Reason | undefined>
  open(context: ReadContext): ChainReader<Condition>
  /** The type of the condition's reading, which the expected value must match. */
  typeOf(condition: Condition): ValueType
  /** Cost of a read, cheap first: 0 needs only the block, 1 a look-up, 2 a call, 3 a scan. */
  costOf(condition: Condition): number
  /** Whether an address of this form can exist on these chains. */
  isIdentity(identity: string): boolean
  /** Whether reading needs the caller's address although no parameter contains it. */
  usesIdentity(condition: Condition): boolean
  /**
   * Rejects, when conditions are set, those that could never be read.
   *
   * @throws INVALID_CONDITION for an impossible condition; CONDITION_UNKNOWN when the chain does not answer
   */
  validate(condition: Condition, context: Omit<ReadContext, 'identity'>): Promise<void>
}
