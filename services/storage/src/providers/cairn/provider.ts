import { maxHeight, parsePieceCid, payloadCapacity, verifyChallenge } from '@cairn/pieces'
import {
  CairnError,
  type CallDefinition,
  type CallInput,
  type CallResult,
  callPath,
  challengePiece,
  decodeError,
  describeProvider,
  getPiecePayload,
  getPieceStatus,
  joinUrl,
  offerPiece,
  type PieceStatus,
  proofReason,
  type Reason,
  removePiece,
  withoutTrailing,
} from '@cairn/protocol'
import { AnswerTooLargeError, readLimited, traceHeaders } from '@cairn/service'
import * as v from 'valibot'
import type { ProviderSettings } from '../../settings/deal-settings.ts'
import type { PieceState, Provider } from '../provider.ts'
import { createChallengeRate } from './challenge-rate.ts'

const maxAnswerBytes = 4 * 1024 * 1024

type CairnProviderSettings = Extract<ProviderSettings, { kind: 'cairn' }>

/** A provider that runs Cairn's own provider service. Its answers are fully verified before use. */
export function createCairnProvider(
  { name, url, publicUrl, key }: CairnProviderSettings,
  clock: { now(): number },
): Provider {
  const base = withoutTrailing(url, '/')

  const open = async (path: string, init: RequestInit, signal: AbortSignal): Promise<Response> => {
    try {
      return await fetch(`${base}${path}`, { ...init, redirect: 'error', signal })
    } catch (cause) {
      throw failed(signal.aborted ? 'did not respond in time' : 'is unreachable', cause)
    }
  }
  const failed = (what: string, cause?: unknown): CairnError =>
    new CairnError('UPSTREAM_FAILED', { message: `The storage provider ${name} ${what}`, cause })
  const readText = async (response: Response): Promise<string> => {
    try {
      return await readLimited(response, maxAnswerBytes)
    } catch (cause) {
      const isTooLarge = cause instanceof AnswerTooLargeError
      throw failed(isTooLarge ? 'returned too long a response' : 'closed the connection early', cause)
    }
  }
  const refusal = async (call: CallDefinition, response: Response): Promise<CairnError> => {
    const body = await readText(response)
    const received = { status: response.status, header: (header: string) => response.headers.get(header), body }
    const error = decodeError(call.dialect, received)
    // Overload and internal errors do not concern the piece.
    const isKnown = error.code === 'RATE_LIMITED' || call.errors.some((code) => code === error.code)
    return isKnown ? error : failed(`returned status ${response.status}`, error)
  }
  const ask = async <C extends CallDefinition>(
    call: C,
    input: CallInput<C>,
    signal: AbortSignal,
  ): Promise<CallResult<C>> => {
    const { params, body }: { params?: Record<string, string>; body?: unknown } = input
    const headers: Record<string, string> = { accept: 'application/json', ...traceHeaders() }
    if (call.auth === 'providerKey') headers['authorization'] = `Bearer ${key}`
    if (body !== undefined) headers['content-type'] = 'application/json'
    const init = { method: call.method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const response = await open(callPath(call, params), init, signal)
    if (!response.ok) throw await refusal(call, response)
    const text = await readText(response)
    if (call.response.kind !== 'json') throw failed('was called for a response that is not JSON')
    const parsed = v.safeParse(call.response.schema, readJson(text))
    if (!parsed.success) throw failed('returned an invalid response')
    // The call's own schema produced it.
    return parsed.output as CallResult<C>
  }

  const rate = createChallengeRate(clock)
  let id: string | undefined
  let challengesPerMinute: number = challengePiece.limits.perMinute
  const describe = async (signal: AbortSignal): Promise<string> => {
    const described = await ask(describeProvider, {}, signal)
    id = described.id
    challengesPerMinute = described.limits.challengesPerMinute
    return id
  }
  return {
    name,
    kind: 'cairn',
    url: publicUrl,
    maxPieceBytes: payloadCapacity(maxHeight),
    retrievalUrl: (piece) => joinUrl(publicUrl, `/pieces/${piece}/payload`),
    async ping({ signal }) {
      await describe(signal)
    },
    async offer(piece, source, { signal }) {
      const body = { piece, url: source.url, authorization: `Bearer ${source.token}`, content: [...source.content] }
      return toState(await ask(offerPiece, { body }, signal))
    },
    async status(piece, { signal }) {
      try {
        return toState(await ask(getPieceStatus, { params: { cid: piece } }, signal))
      } catch (error) {
        if (CairnError.is(error, 'PIECE_NOT_FOUND')) return { state: 'unknown' }
        throw error
      }
    },
    countChallengesLeft: () => rate.countLeft(challengesPerMinute),
    async challenge(piece, { nonce, count, within }, { signal }) {
      const body = { nonce: Buffer.from(nonce).toString('hex'), count, within: [...within] }
      rate.consume()
      const answer = await ask(challengePiece, { params: { cid: piece }, body }, signal)
      const own = answer.provider === id ? id : await describe(signal)
      verifyChallenge(answer, { piece, ...body, provider: own })
      return answer
    },
    async *retrieve(piece, { start, end }, { signal }) {
      const headers = { range: `bytes=${start}-${end - 1}` }
      const response = await open(callPath(getPiecePayload, { cid: piece }), { headers }, signal)
      if (!response.ok) throw await refusal(getPiecePayload, response)
      const { payloadBytes } = parsePieceCid(piece)
      if (response.status !== 206 && !(start === 0 && end === payloadBytes)) {
        await response.body?.cancel()
        throw failed('ignored the requested range')
      }
      try {
        for await (const bytes of response.body ?? []) yield bytes
      } catch (cause) {
        throw failed('closed the connection early', cause)
      }
    },
    async remove(piece, { signal }) {
      await ask(removePiece, { params: { cid: piece } }, signal)
    },
  }
}

function toReason(lastError: PieceStatus['lastError']): Reason {
  if (lastError === null) return proofReason('PROVIDER_WITHOUT_REASON')
  return { reason: lastError.message, reasonFacts: { code: lastError.code } }
}

function toState({ state, lastError }: PieceStatus): PieceState {
  switch (state) {
    case 'failed':
    case 'damaged':
      return { state: 'failed', ...toReason(lastError) }
    default:
      return { state }
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The schema rejects it.
    return undefined
  }
}
