import { verifyChallenge } from '@cairn/pieces'
import { type ChallengeAnswer, challengePiece, type LeafWindow } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { describeCall, openResponse, parseAnswer, readText } from '../request.ts'
import { toHex } from '../to-hex.ts'
import { readHttpUrl } from './read-http-url.ts'

const maxAnswerBytes = 4 * 1024 * 1024
/** A provider reads its disk; one in standby takes seconds to spin up. */
const timeoutMs = 30_000

/**
 * Challenges a storage provider with a nonce drawn on this machine, and verifies its answer. The leaves are
 * unpredictable, so a provider that answers has the bytes, or fetches them from another party that has.
 * @param challenge `key` is the key that must sign; null accepts the one the provider names. `within` restricts the
 *   leaves: without it a piece that is a small part of a large aggregate is rarely challenged
 * @throws CairnError PROOF_INVALID, PIECE_NOT_FOUND, PIECE_DAMAGED, NETWORK_ERROR, TIMEOUT, ABORTED
 */
export async function challengeProvider(
  client: Client,
  url: string,
  challenge: { piece: string; key: string | null; leaves: number; within?: LeafWindow | undefined },
  signal?: AbortSignal,
): Promise<ChallengeAnswer> {
  const { piece, key, leaves: count, within } = challenge
  const base = readHttpUrl(url)
  const nonce = toHex(crypto.getRandomValues(new Uint8Array(32)))
  const input = { params: { cid: piece }, body: { nonce, count, ...(within === undefined ? {} : { within }) } }
  // Never with the user's API key: it belongs to the network, not to its providers.
  const send = { ...describeCall(client, challengePiece, input, { signal, timeoutMs }, base), withKey: false }
  const text = await readText(await openResponse(client, send), maxAnswerBytes, signal)
  const answer = parseAnswer(challengePiece, text)
  verifyChallenge(answer, { piece, nonce, count, within, provider: key ?? answer.provider })
  return answer
}
