import { parsePieceCid } from '@cairn/pieces'
import { CairnError } from '@cairn/protocol'
import { readLimited } from '@cairn/service'
import * as v from 'valibot'

const maxAnswerBytes = 256 * 1024
/** Time limit for any answer except to an upload: the provider may wait for its own node. */
const answerMs = 60_000

/** Progress of a transaction that the provider sent. `unknown`: the provider does not know or report it. */
export type TransactionState = 'unknown' | 'pending' | 'confirmed' | 'rejected'

/** The kind of transaction. */
export type Transaction =
  | { readonly kind: 'data-set'; readonly hash: string }
  | { readonly kind: 'piece'; readonly dataSetId: bigint; readonly hash: string }

/**
 * The HTTP interface of Curio, which Filecoin storage providers run. Addresses in its answers are never followed. All
 * calls throw CairnError UPSTREAM_FAILED; `upload` also PROVIDER_FULL and PIECE_TOO_LARGE.
 * @see https://github.com/filecoin-project/curio/tree/main/pdp
 */
export type Curio = {
  /** Checks that the provider is reachable. */
  ping(signal: AbortSignal): Promise<void>
  /** Whether the provider has the bytes of a piece and would add it to a data set. */
  isParked(piece: string, signal: AbortSignal): Promise<boolean>
  /** Uploads the bytes of a piece, which the provider verifies against its CID. */
  upload(piece: string, payload: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void>
  /** Requests the creation of a data set; returns the transaction. */
  createDataSet(recordKeeper: string, extraData: string, signal: AbortSignal): Promise<string>
  /** Requests the addition of an uploaded piece; returns the transaction. */
  addPiece(dataSetId: bigint, piece: string, extraData: string, signal: AbortSignal): Promise<string>
  readTransaction(transaction: Transaction, signal: AbortSignal): Promise<TransactionState>
  /** Requests the removal of a piece. */
  removePiece(dataSetId: bigint, pieceId: bigint, extraData: string, signal: AbortSignal): Promise<void>
  retrieve(
    piece: string,
    range: { start: number; end: number },
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>>
  urlOf(piece: string): string
}

const foundSchema = v.object({ pieceCid: v.string() })
const transactionSchema = v.object({
  txStatus: v.string(),
  ok: v.nullish(v.boolean()),
  addMessageOk: v.nullish(v.boolean()),
})
const transactionHash = /^0x[0-9a-fA-F]{64}$/
const uploadPath = /\/pdp\/piece\/uploads\/([0-9a-fA-F-]{36})$/

/** Creates a client for a URL. `name` is used in errors. */
export function createCurio({ name, url }: { name: string; url: string }): Curio {
  const base = url.endsWith('/') ? url : `${url}/`
  const urlOf = (path: string): string => new URL(path, base).href
  const failed = (what: string, cause?: unknown): CairnError =>
    new CairnError('UPSTREAM_FAILED', { message: `The storage provider ${name} ${what}`, cause })

  const send = async (
    path: string,
    init: RequestInit & { duplex?: 'half' },
    signal: AbortSignal,
  ): Promise<Response> => {
    try {
      return await fetch(urlOf(path), { ...init, redirect: 'error', signal })
    } catch (cause) {
      throw failed(signal.aborted ? 'did not respond in time' : 'is unreachable', cause)
    }
  }
  const readText = async (response: Response): Promise<string> => {
    try {
      return await readLimited(response, maxAnswerBytes)
    } catch (cause) {
      throw failed('closed the connection early', cause)
    }
  }
  const require = async (response: Response, what: string): Promise<void> => {
    if (response.ok) return
    const text = await readText(response)
    if (response.status === 507 || response.status === 429) throw new CairnError('PROVIDER_FULL')
    if (response.status === 413) throw new CairnError('PIECE_TOO_LARGE')
    // The provider's own text helps the operator; it is untrusted, so only one line of it is kept.
    throw failed(`returned status ${response.status} to the request to ${what}: ${oneLine(text)}`)
  }
  const call = (method: string, path: string, body: unknown, signal: AbortSignal): Promise<Response> => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(answerMs)])
    if (body === undefined) return send(path, { method, headers: { accept: 'application/json' } }, limit)
    const headers = { accept: 'application/json', 'content-type': 'application/json' }
    return send(path, { method, headers, body: JSON.stringify(body) }, limit)
  }
  const readHash = async (response: Response, what: string): Promise<string> => {
    await require(response, what)
    await readText(response)
    const hash = response.headers.get('location')?.split('/').at(-1) ?? ''
    if (!transactionHash.test(hash)) throw failed(`returned no transaction for the request to ${what}`)
    return hash.toLowerCase()
  }

  return {
    async ping(signal) {
      const response = await call('GET', 'pdp/ping', undefined, signal)
      await require(response, 'report its status')
      await readText(response)
    },
    async isParked(piece, signal) {
      const response = await call('GET', `pdp/piece?${new URLSearchParams({ pieceCid: piece })}`, undefined, signal)
      if (response.status === 404 || response.status === 202) {
        await readText(response)
        return false
      }
      await require(response, 'look for a piece')
      const found = v.safeParse(foundSchema, readJson(await readText(response)))
      if (!found.success) throw failed('returned an invalid response to the request to look for a piece')
      return found.output.pieceCid === piece
    },
    async upload(piece, payload, signal) {
      const begun = await call('POST', 'pdp/piece/uploads', undefined, signal)
      await require(begun, 'start an upload')
      await readText(begun)
      const id = uploadPath.exec(begun.headers.get('location') ?? '')?.[1]
      if (id === undefined) throw failed('returned no upload URL')
      const path = `pdp/piece/uploads/${id}`
      const headers = { 'content-type': 'application/octet-stream' }
      const sent = await send(path, { method: 'PUT', headers, body: payload, duplex: 'half' }, signal)
      await require(sent, 'accept a piece')
      const finished = await call('POST', path, { pieceCid: piece }, signal)
      await require(finished, 'finish an upload')
      await readText(finished)
    },
    async createDataSet(recordKeeper, extraData, signal) {
      const response = await call('POST', 'pdp/data-sets', { recordKeeper, extraData }, signal)
      return readHash(response, 'create a data set')
    },
    async addPiece(dataSetId, piece, extraData, signal) {
      const body = { pieces: [{ pieceCid: piece, subPieces: [{ subPieceCid: piece }] }], extraData }
      return readHash(await call('POST', `pdp/data-sets/${dataSetId}/pieces`, body, signal), 'add a piece')
    },
    async readTransaction(transaction, signal) {
      const path =
        transaction.kind === 'data-set'
          ? `pdp/data-sets/created/${transaction.hash}`
          : `pdp/data-sets/${transaction.dataSetId}/pieces/added/${transaction.hash}`
      const response = await call('GET', path, undefined, signal)
      const text = await readText(response)
      if (response.status !== 200) return 'unknown'
      const found = v.safeParse(transactionSchema, readJson(text))
      if (!found.success) return 'unknown'
      const { txStatus, ok, addMessageOk } = found.output
      if (txStatus === 'rejected' || ok === false || addMessageOk === false) return 'rejected'
      return txStatus === 'confirmed' || txStatus === 'pending' ? txStatus : 'unknown'
    },
    async removePiece(dataSetId, pieceId, extraData, signal) {
      const response = await call('DELETE', `pdp/data-sets/${dataSetId}/pieces/${pieceId}`, { extraData }, signal)
      await require(response, 'remove a piece')
      await readText(response)
    },
    async *retrieve(piece, { start, end }, signal) {
      const headers = { range: `bytes=${start}-${end - 1}` }
      const response = await send(`piece/${piece}`, { headers }, signal)
      const { payloadBytes } = parsePieceCid(piece)
      const isWhole = start === 0 && end === payloadBytes
      if (response.status !== 206 && !(response.status === 200 && isWhole)) {
        await response.body?.cancel()
        throw failed(
          response.ok ? 'ignored the requested range' : `returned status ${response.status} to the request for bytes`,
        )
      }
      try {
        for await (const bytes of response.body ?? []) yield bytes
      } catch (cause) {
        throw failed('closed the connection early', cause)
      }
    },
    urlOf: (piece) => urlOf(`piece/${piece}`),
  }
}

function oneLine(text: string): string {
  return text
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, 200)
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The schema rejects it.
    return undefined
  }
}
