import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  buildAggregate,
  challengeLeaves,
  encodePieceCid,
  encodePieceCidV1,
  hashPiece,
  listContentWindows,
  paddedBytesOf,
  parsePieceCid,
  proveByteRange,
  provePossession,
  providerId,
  signChallenge,
} from '@cairn/pieces'
import { challengeAnswerSchema, challengePiece, type LeafWindow } from '@cairn/protocol'
import { encodeCarFrame, encodeCarHeader } from '@cairn/unixfs'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import * as v from 'valibot'
import { type Client, createClient } from '../client.ts'
import type { StorageProofs } from './proofs.ts'

export type StoredBlock = { readonly cid: CID; readonly bytes: Uint8Array }

/** A service and a provider in one, with responses set by a test. */
export type LyingService = AsyncDisposable & {
  readonly client: Client
  readonly url: string
  readonly seed: Uint8Array
  /** Response of `getProofs`; tests change it. */
  readonly proofs: StorageProofs
  /** Response to a request from piece `from` on; `proofs` by default. */
  answer: (from: number) => StorageProofs
  /** Payload of the aggregate that the provider stores; tests change it. */
  readonly payload: Uint8Array
  /** Whether the provider has a leaf; without the leaf, it does not respond. */
  hasLeaf: (index: number) => boolean
  /** Challenges received. */
  readonly challenges: string[]
  /** Leaves of the aggregate other than padding. */
  readonly content: readonly LeafWindow[]
  /** Records a challenge among these leaves, answered now, as the last proof. */
  record(within?: readonly LeafWindow[]): Promise<void>
}

export async function createBlock(bytes: Uint8Array, code = 0x55): Promise<StoredBlock> {
  return { cid: CID.createV1(code, await sha256.digest(bytes)), bytes }
}

/**
 * Packs the blocks into a piece, and the piece into an aggregate next to one of `besideBytes`, and answers for all of
 * it.
 */
export async function createLyingService(
  root: CID,
  blocks: readonly StoredBlock[],
  besideBytes = 1000,
): Promise<LyingService> {
  const seed = randomBytes(32)
  const frames = blocks.flatMap(({ cid, bytes }) => [encodeCarFrame(cid, bytes.length), bytes])
  const car = Buffer.concat([encodeCarHeader([]), ...frames])
  const tree = await hashPiece([car])
  const beside = randomBytes(besideBytes)
  const other = await hashPiece([beside])
  const aggregate = buildAggregate([tree.piece, other.piece])
  const payload = new Uint8Array(aggregate.piece.payloadBytes)
  for (const [at, bytes] of [car, beside].entries()) {
    payload.set(bytes, ((aggregate.segments[at]?.offset ?? 0) / 128) * 127)
  }
  payload.set(aggregate.index.payload, aggregate.index.payloadOffset)
  const whole = await hashPiece([payload])
  const challenges: string[] = []

  const rootBlock = blocks.find(({ cid }) => Buffer.from(cid.multihash.bytes).equals(root.multihash.bytes))
  const offset = rootBlock === undefined ? 0 : Buffer.from(car).indexOf(rootBlock.bytes)
  const length = rootBlock?.bytes.length ?? 1
  const range = await proveByteRange(tree, async (from, size) => car.subarray(from, from + size), { offset, length })
  const { subtree, entry } = aggregate.prove(0)
  const hex = (node: Uint8Array) => Buffer.from(node).toString('hex')
  const aggregateCid = encodePieceCid(aggregate.piece)

  const answerChallenge = async (piece: string, body: string): Promise<string | undefined> => {
    const { nonce, count, ...rest } = v.parse(challengePiece.body.schema, JSON.parse(body))
    const indices = challengeLeaves(parsePieceCid(piece), Buffer.from(nonce, 'hex'), count, rest.within)
    if (!indices.every((index) => service.hasLeaf(index))) return undefined
    const read = async (from: number, size: number) => payload.subarray(from, from + size)
    const proof = await provePossession(whole, read, indices)
    return JSON.stringify(signChallenge({ piece, nonce, count, ...rest, provenAt: Date.now(), proof }, seed))
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = request.url ?? ''
    if (url.startsWith('/api/proofs/')) {
      const from = Number(new URL(url, 'http://service.test').searchParams.get('from') ?? 0)
      response.end(JSON.stringify(service.answer(from)))
      return
    }
    const piece = url.split('/')[2] ?? ''
    if (url.endsWith('/payload')) {
      const [, from = '0', to = '0'] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? []
      const bytes = payload.subarray(Number(from), Number(to) + 1)
      response.writeHead(206, { 'content-length': bytes.length }).end(bytes)
      return
    }
    const parts: Buffer[] = []
    for await (const part of request) parts.push(Buffer.from(part))
    const body = Buffer.concat(parts).toString()
    challenges.push(body)
    const answered = await answerChallenge(piece, body)
    if (answered === undefined) response.writeHead(500).end()
    else response.end(answered)
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const service: LyingService = {
    client: createClient({ network: { name: 'lying', api: url, upload: url, gateway: url } }),
    url,
    seed,
    payload,
    challenges,
    content: listContentWindows([tree.piece, other.piece]),
    async record(within) {
      const question = { nonce: randomBytes(32).toString('hex'), count: 20 }
      const response = await answerChallenge(aggregateCid, JSON.stringify({ ...question, within }))
      const [deal] = service.proofs.pieces[0]?.aggregate?.deals ?? []
      if (deal === undefined) throw new Error('there is a deal')
      deal.lastProof = {
        id: '1',
        dealId: deal.id,
        askedAt: Date.now(),
        outcome: 'proved',
        reason: null,
        nonce: question.nonce,
        nonceSource: 'random',
        leafCount: question.count,
        answer: v.parse(challengeAnswerSchema, JSON.parse(response ?? '')),
      }
    },
    hasLeaf: () => true,
    answer: () => service.proofs,
    proofs: {
      cid: root.toString(),
      challengeMs: 60_000,
      waitingPacks: 0,
      furtherPieces: 0,
      pieces: [
        {
          piece: encodePieceCid(tree.piece),
          pieceV1: encodePieceCidV1(tree.piece),
          payloadBytes: tree.piece.payloadBytes,
          paddedBytes: paddedBytesOf(tree.piece),
          createdAt: 1,
          cars: [{ offset: 0, length: car.length, isHeaded: true }],
          block: {
            offset,
            length,
            from: range.offset,
            bytes: Buffer.from(range.bytes).toString('base64'),
            path: [...range.path],
          },
          aggregate: {
            piece: aggregateCid,
            pieceV1: encodePieceCidV1(aggregate.piece),
            paddedBytes: paddedBytesOf(aggregate.piece),
            offset: aggregate.segments[0]?.offset ?? 0,
            copies: 1,
            inclusion: {
              subtree: { index: subtree.index, path: subtree.path.map(hex) },
              entry: { index: entry.index, path: entry.path.map(hex) },
            },
            deals: [
              {
                id: 1,
                provider: { name: 'liar', kind: 'cairn', key: providerId(seed), url },
                state: 'proving',
                since: 1,
                keptSince: 1,
                provenAt: 1,
                proofs: 1,
                faults: 0,
                nextCheckAt: 1,
                silentSince: null,
                retrievalUrl: `${url}/pieces/${aggregateCid}/payload`,
                error: null,
                lastProof: null,
              },
            ],
          },
        },
      ],
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
  return service
}
