import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { encodePieceCid, hashPiece } from '@cairn/pieces'
import { getChain } from '@filoz/synapse-core/chains'
import { parse as parsePiece } from '@filoz/synapse-core/piece'
import { encodeFunctionData, type Hex, toHex } from 'viem'
import type { FilecoinContracts } from './contracts.fixture.ts'

const { pdp, fwss } = getChain(314_159).contracts

/** A call that loses its answer or is rejected: the method and the last fixed segment of its path. */
export type CurioFault = 'POST uploads' | 'PUT uploads' | 'POST data-sets' | 'POST pieces' | 'DELETE pieces'

/** Curio's HTTP interface for tests, as in its public sources, in front of the fixture's contracts. */
export type ServedCurio = AsyncDisposable & {
  readonly url: string
  readonly requests: string[]
  /** Bytes by piece CID of version 2. */
  readonly parked: Map<string, Buffer>
  /** These calls take effect, but their answer is lost once. */
  readonly losing: Set<CurioFault>
  /** These calls are rejected with this status until removed. */
  readonly refusing: Map<CurioFault, number>
  mood: 'well' | 'down' | 'endless' | 'other-form' | 'ignores-ranges'
}

/** A request as received by a route. */
type Call = {
  readonly words: readonly string[]
  readonly query: URLSearchParams
  readonly range: string | undefined
  readonly bytes: Buffer
  json(): Record<string, unknown>
  done(status: number, answer?: unknown, headers?: Record<string, string>): void
  send(status: number, bytes: Buffer): void
}

export async function serveCurio(contracts: FilecoinContracts): Promise<ServedCurio> {
  const uploads = new Map<string, Buffer>()
  const transact = async ({ done }: Call, data: Hex, answer: (hash: Hex) => void): Promise<void> => {
    try {
      answer(await contracts.send(data))
    } catch (error) {
      done(500, { error: `Failed to send transaction: ${String(error)}` })
    }
  }
  const routes: readonly [RegExp, (call: Call) => void | Promise<void>][] = [
    [/^GET \/pdp\/ping$/, ({ done }) => done(200)],
    [
      /^POST \/pdp\/piece\/uploads$/,
      ({ done }) => {
        const id = randomUUID()
        uploads.set(id, Buffer.alloc(0))
        done(201, undefined, { location: `/pdp/piece/uploads/${id}` })
      },
    ],
    [
      /^PUT \/pdp\/piece\/uploads\/(.+)$/,
      ({ words: [id = ''], bytes, done }) => {
        uploads.set(id, bytes)
        done(204)
      },
    ],
    [
      /^POST \/pdp\/piece\/uploads\/(.+)$/,
      async ({ words: [id = ''], json, done }) => {
        const bytes = uploads.get(id)
        if (bytes === undefined) return done(404)
        const piece = String(json()['pieceCid'])
        if (encodePieceCid((await hashPiece([bytes])).piece) !== piece) {
          return done(400, { error: 'pieceCid does not match the calculated pieceCid' })
        }
        served.parked.set(piece, bytes)
        done(200)
      },
    ],
    [
      /^GET \/pdp\/piece$/,
      ({ query, done }) => {
        const pieceCid = query.get('pieceCid') ?? ''
        done(served.parked.has(pieceCid) ? 200 : 404, { pieceCid })
      },
    ],
    [
      /^POST \/pdp\/data-sets$/,
      async (call) => {
        const { recordKeeper, extraData } = call.json()
        if (recordKeeper !== fwss.address) return call.done(403, { error: 'another record keeper' })
        const args = [fwss.address, extraData as Hex] as const
        const data = encodeFunctionData({ abi: pdp.abi, functionName: 'createDataSet', args })
        await transact(call, data, (hash) => call.done(201, undefined, { location: `/pdp/data-sets/created/${hash}` }))
      },
    ],
    [
      /^GET \/pdp\/data-sets\/created\/(.+)$/,
      ({ words: [hash], done }) => {
        const txStatus = contracts.stateOf(hash as Hex)
        const dataSetCreated = txStatus === 'confirmed'
        const ok = txStatus === 'pending' ? null : dataSetCreated
        const id = dataSetCreated ? { dataSetId: 1 } : {}
        done(200, { createMessageHash: hash, dataSetCreated, service: 'public', txStatus, ok, ...id })
      },
    ],
    [
      /^POST \/pdp\/data-sets\/(\d+)\/pieces$/,
      async (call) => {
        const { pieces, extraData } = call.json() as { pieces: { pieceCid: string }[]; extraData: Hex }
        if (!pieces.every(({ pieceCid }) => served.parked.has(pieceCid))) return call.done(400, { error: 'not found' })
        const pieceData = pieces.map(({ pieceCid }) => ({ data: toHex(parsePiece(pieceCid).bytes) }))
        const id = call.words[0] ?? '0'
        const args = [BigInt(id), `0x${'0'.repeat(40)}`, pieceData, extraData] as const
        const data = encodeFunctionData({ abi: pdp.abi, functionName: 'addPieces', args })
        await transact(call, data, (hash) =>
          call.done(201, undefined, { location: `/pdp/data-sets/${id}/pieces/added/${hash}` }),
        )
      },
    ],
    [
      /^GET \/pdp\/data-sets\/(\d+)\/pieces\/added\/(.+)$/,
      ({ words: [id, txHash], done }) => {
        const txStatus = contracts.stateOf(txHash as Hex)
        const piecesAdded = txStatus === 'confirmed'
        const addMessageOk = piecesAdded ? true : null
        const ids = piecesAdded ? { confirmedPieceIds: [0] } : {}
        done(200, { txHash, txStatus, dataSetId: Number(id), pieceCount: 1, addMessageOk, piecesAdded, ...ids })
      },
    ],
    [
      /^DELETE \/pdp\/data-sets\/(\d+)\/pieces\/(\d+)$/,
      async (call) => {
        const [setId = '0', pieceId = '0'] = call.words
        const args = [BigInt(setId), [BigInt(pieceId)], call.json()['extraData'] as Hex] as const
        const data = encodeFunctionData({ abi: pdp.abi, functionName: 'schedulePieceDeletions', args })
        await transact(call, data, (txHash) => call.done(200, { txHash }))
      },
    ],
    [
      /^GET \/piece\/(.+)$/,
      ({ words: [piece = ''], range, done, send }) => {
        const bytes = served.parked.get(piece)
        if (bytes === undefined) return done(404)
        const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? []
        if (start === undefined || served.mood === 'ignores-ranges') send(200, bytes)
        else send(206, bytes.subarray(Number(start), Number(end) + 1))
      },
    ],
  ]

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://curio.test')
    const bytes = await readAll(request)
    const done: Call['done'] = (status, answer, headers = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(answer === undefined ? undefined : JSON.stringify(answer))
    }
    for (const [pattern, route] of routes) {
      const match = pattern.exec(`${request.method} ${pathname}`)
      if (match === null) continue
      return route({
        words: match.slice(1),
        query: searchParams,
        range: request.headers.range,
        bytes,
        json: () => JSON.parse(bytes.toString()),
        done,
        send: (status, body) => response.writeHead(status).end(body),
      })
    }
    done(404, { error: `no such call: ${request.method} ${pathname}` })
  }

  const server = createServer((request, response) => {
    const words = (request.url ?? '').split('?')[0]?.split('/') ?? []
    const fixed = words.findLast((word) => /^[a-z-]+$/.test(word) && !/\d/.test(word)) ?? ''
    const name = `${request.method} ${fixed}` as CurioFault
    served.requests.push(name)
    if (served.mood === 'down') return request.socket.destroy()
    if (served.mood === 'other-form') return response.end('[]')
    if (served.mood === 'endless') {
      const go = (): void => {
        while (!response.destroyed && response.write(' '.repeat(65_536)));
        response.once('drain', go)
      }
      return go()
    }
    const refusal = served.refusing.get(name)
    if (refusal !== undefined) {
      request.resume()
      response.writeHead(refusal, { connection: 'close' })
      return response.end('refused\nfor a reason')
    }
    if (served.losing.delete(name)) {
      // The work continues; the answer is discarded.
      response.writeHead = () => response
      response.end = () => request.socket.destroy() && response
    }
    handle(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
    return undefined
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const served: ServedCurio = {
    url: `http://127.0.0.1:${port}`,
    requests: [],
    parked: new Map(),
    losing: new Set(),
    refusing: new Map(),
    mood: 'well',
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return served
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts)
}
