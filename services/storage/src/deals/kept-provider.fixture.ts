import { once } from 'node:events'
import {
  challengeLeaves,
  hashPiece,
  listPayloadRanges,
  type PieceTree,
  parsePieceCid,
  provePossession,
  signChallenge,
} from '@cairn/pieces'
import { CairnError, proofReason } from '@cairn/protocol'
import type { PieceState, Provider } from '../providers/provider.ts'
import type { AggregatePayload } from './aggregate-payload.ts'

/** An in-process provider for tests: it fetches through a function and can misbehave. */
export type KeptProvider = Provider & {
  readonly pieces: Map<string, { payload: Uint8Array; tree: PieceTree }>
  /** Its current behaviour. */
  mood: 'honest' | 'silent' | 'full' | 'forged' | 'other-key' | 'forgetful' | 'hanging' | 'twin' | 'boasting'
  /** Number of received calls. */
  calls: number
  readonly removed: string[]
}

/** Seeds of foreign keys: an unrelated one, and that of provider one. */
const moodSeeds = new Map([
  ['other-key', new Uint8Array(32).fill(1)],
  ['twin', new Uint8Array(32).fill('e'.charCodeAt(0))],
])

export function createKeptProvider(
  name: string,
  fetchPayload: (piece: string, token: string) => Promise<AggregatePayload>,
): KeptProvider {
  const pieces: KeptProvider['pieces'] = new Map()
  const removed: string[] = []
  const seed = new Uint8Array(32).fill(name.charCodeAt(name.length - 1))
  const requireAnswer = (): void => {
    provider.calls++
    if (provider.mood === 'silent') throw new CairnError('UPSTREAM_FAILED', { message: `${name} could not be reached` })
  }
  const stateOf = (piece: string): PieceState => ({ state: pieces.has(piece) ? 'kept' : 'unknown' })
  const provider: KeptProvider = {
    name,
    kind: 'cairn',
    url: `http://${name}.test`,
    maxPieceBytes: 2 ** 40,
    pieces,
    mood: 'honest',
    calls: 0,
    removed,
    retrievalUrl: (piece) => `http://${name}.test/pieces/${piece}/payload`,
    async ping() {
      requireAnswer()
    },
    async offer(piece, { token, content }, { signal }) {
      requireAnswer()
      if (provider.mood === 'hanging') {
        await once(signal, 'abort')
        throw new CairnError('UPSTREAM_FAILED', { message: `${name} gave no answer in time` })
      }
      if (provider.mood === 'forgetful') return { state: 'queued' }
      if (provider.mood === 'full') throw new CairnError('PROVIDER_FULL')
      if (provider.mood === 'boasting') return { state: 'kept' }
      if (pieces.has(piece)) return stateOf(piece)
      const source = await fetchPayload(piece, token)
      // As a provider does: ranges declared as zeros are never fetched.
      const payload = new Uint8Array(source.sizeBytes)
      for (const { start, end } of listPayloadRanges(parsePieceCid(piece), content)) {
        let at = start
        for await (const part of source.read(start, end, signal)) {
          payload.set(part, at)
          at += part.length
        }
      }
      const tree = await hashPiece([payload])
      const wanted = parsePieceCid(piece)
      if (!Buffer.from(tree.piece.root).equals(wanted.root) || tree.piece.height !== wanted.height) {
        return { state: 'failed', ...proofReason('ANOTHER_PIECE') }
      }
      pieces.set(piece, { payload, tree })
      return stateOf(piece)
    },
    async status(piece) {
      requireAnswer()
      return stateOf(piece)
    },
    async challenge(piece, { nonce, count, within }) {
      requireAnswer()
      if (provider.mood === 'boasting') throw new CairnError('UPSTREAM_FAILED')
      const kept = pieces.get(piece)
      if (kept === undefined) throw new CairnError('PIECE_NOT_FOUND')
      const read = async (offset: number, length: number) => kept.payload.subarray(offset, offset + length)
      const proof = await provePossession(kept.tree, read, challengeLeaves(kept.tree.piece, nonce, count, within))
      const hex = Buffer.from(nonce).toString('hex')
      const claim = { piece, nonce: hex, count, within, provenAt: 1_700_000_000_000, proof }
      if (provider.mood === 'forged') throw new CairnError('PROOF_INVALID', { details: proofReason('ANOTHER_PIECE') })
      return signChallenge(claim, moodSeeds.get(provider.mood) ?? seed)
    },
    async *retrieve(piece, { start, end }) {
      requireAnswer()
      const kept = pieces.get(piece)
      if (kept === undefined) throw new CairnError('UPSTREAM_FAILED')
      yield kept.payload.subarray(start, end)
    },
    async remove(piece) {
      requireAnswer()
      pieces.delete(piece)
      removed.push(piece)
    },
  }
  return provider
}
