import { verifyChallenge } from '@cairn/pieces'
import { type ChallengeAnswer, challengePiece, type LeafWindow } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { describeCall, openResponse, parseAnswer, readText } from '../request.ts'
import { readHttpUrl } from './read-http-url.ts'

const answerBytesMost = 4 * 1024 * 1024
/** A provider reads its disk; a sleeping one takes seconds to wake. */
const timeoutMs = 30_000

/**
 * Challenges a storage provider with a nonce drawn on this machine, and checks its answer. Nobody can know the leaves
 * before they are asked for, so who answers has the bytes, or gets them from somebody who has.
 * @param challenge `key` is the key that the provider has to sign with; null takes the one it names. `within` says where the
 *   leaves have to lie: without it a piece that is a small part of a large aggregate is hardly ever asked for
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
  const nonce = Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
  const input = { params: { cid: piece }, body: { nonce, count, ...(within === undefined ? {} : { within }) } }
  // Never with the user's key: it belongs to the network, not to its providers.
  const send = { ...describeCall(client, challengePiece, input, { signal, timeoutMs }, base), withKey: false }
  const text = await readText(await openResponse(client, send), answerBytesMost, signal)
  const answer = parseAnswer(challengePiece, text)
  verifyChallenge(answer, { piece, nonce, count, within, provider: key ?? answer.provider })
  return answer
}
