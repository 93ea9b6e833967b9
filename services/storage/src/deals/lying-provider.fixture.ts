import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  challengeLeaves,
  hashPiece,
  keptPayloadBytes,
  type PieceTree,
  provePossession,
  providerId,
  signChallenge,
} from '@cairn/pieces'
import { CairnError, challengePiece, offerPiece, type PieceStatus } from '@cairn/protocol'
import { rateLimited } from '@cairn/service'
import * as v from 'valibot'
import { createCairnProvider } from '../providers/cairn/provider.ts'
import type { Provider } from '../providers/provider.ts'
import type { AggregatePayload } from './aggregate-payload.ts'
import type { NonceSource } from './nonces.ts'

/** An HTTP provider that proves what it still has, and otherwise does not respond. */
export type LyingProvider = AsyncDisposable & {
  readonly provider: Provider
  /** How often each nonce stays unanswered, whether or not the provider could answer. */
  stallCount: number
  /** The rate of challenges that it announces; 0 for no limit. */
  challengesPerMinute: number
  /** Whether it accepts no challenges, as if others used up its rate. */
  isBusy: boolean
  /** Number of received challenges. */
  challenges: number
  /** Drops blocks of 32 KiB with content from all payloads but keeps their trees; returns the lost fraction. */
  lose(isLost: (block: number) => boolean): number
}

/** Nonces that are the same in every run, but differ by seed, deal and challenge. */
export function createSeededNonces(seed: string): NonceSource {
  let drawn = 0
  return {
    async next(deal) {
      return { nonce: createHash('sha256').update(`${seed} ${deal} ${drawn++}`).digest(), source: 'random' }
    },
  }
}

export async function startLyingProvider(
  fetchPayload: (piece: string, token: string) => Promise<AggregatePayload>,
  clock: { now(): number },
): Promise<LyingProvider> {
  const pieces = new Map<string, { payload: Uint8Array; tree: PieceTree }>()
  const askedOf = new Map<string, number>()
  const seed = new Uint8Array(32).fill(5)
  const { signal } = new AbortController()

  const answer = async (method: string, path: string, body: string): Promise<unknown> => {
    const [, , piece = '', call] = path.split('/')
    if (path === '/') return describeSelf(providerId(seed), service.challengesPerMinute)
    if (method === 'POST' && path === '/pieces') {
      const offer = v.parse(offerPiece.body.schema, JSON.parse(body))
      const source = await fetchPayload(offer.piece, (offer.authorization ?? '').replace('Bearer ', ''))
      const parts: Uint8Array[] = []
      for await (const part of source.read(0, source.sizeBytes, signal)) parts.push(Uint8Array.from(part))
      const payload = Buffer.concat(parts)
      pieces.set(offer.piece, { payload, tree: await hashPiece([payload]) })
      return describePiece(offer.piece)
    }
    const kept = pieces.get(piece)
    if (kept === undefined) throw new CairnError('PIECE_NOT_FOUND')
    if (method === 'GET') return describePiece(piece)
    if (method === 'DELETE') return { piece, removed: pieces.delete(piece) }
    if (call !== 'challenge') throw new CairnError('INVALID_REQUEST')
    service.challenges++
    if (service.isBusy) throw rateLimited(120, 500)
    const { nonce, count, within } = v.parse(challengePiece.body.schema, JSON.parse(body))
    const asked = (askedOf.get(nonce) ?? 0) + 1
    askedOf.set(nonce, asked)
    if (asked <= service.stallCount) throw new CairnError('OVERLOADED')
    const read = async (offset: number, length: number) => kept.payload.subarray(offset, offset + length)
    const indices = challengeLeaves(kept.tree.piece, Buffer.from(nonce, 'hex'), count, within)
    const proof = await provePossession(kept.tree, read, indices)
    return signChallenge({ piece, nonce, count, within, provenAt: Date.now(), proof }, seed)
  }
  const server = createServer((request, response) => {
    readBody(request)
      .then((body) => answer(request.method ?? '', request.url ?? '', body))
      .then(
        (output) => send(response, 200, output),
        // It never admits a loss: it appears to be unavailable.
        (error) => (CairnError.is(error, 'RATE_LIMITED') ? send(response, 429, {}) : send(response, 503, {})),
      )
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const service: LyingProvider = {
    provider: createCairnProvider({ kind: 'cairn', name: 'liar', url, publicUrl: url, key: 'k'.repeat(32) }, clock),
    stallCount: 0,
    challengesPerMinute: 0,
    isBusy: false,
    challenges: 0,
    lose(isLost) {
      let held = 0
      let lost = 0
      for (const { payload } of pieces.values()) {
        for (let block = 0; block * keptPayloadBytes < payload.length; block++) {
          const bytes = payload.subarray(block * keptPayloadBytes, (block + 1) * keptPayloadBytes)
          if (bytes.every((byte) => byte === 0)) continue
          held++
          if (!isLost(block)) continue
          bytes.fill(0)
          lost++
        }
      }
      return lost / held
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
  return service
}

function describeSelf(id: string, challengesPerMinute: number) {
  const pieces = { queued: 0, pulling: 0, kept: 0, failed: 0, damaged: 0 }
  const limits = { maxPayloadBytes: 1, maxPossessionLeaves: 64, challengesPerMinute, pullsAtOnce: 1 }
  return { name: 'liar', id, version: '1', capacityBytes: 1, usedBytes: 0, pieces, limits }
}

function describePiece(piece: string): PieceStatus {
  const times = { keptSince: 1, lastReadAt: null, checkedAt: null }
  return { piece, state: 'kept', payloadBytes: 1, receivedBytes: 1, lastError: null, ...times }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(Buffer.from(part))
  return Buffer.concat(parts).toString()
}
