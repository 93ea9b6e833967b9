import { parsePieceCid } from '@cairn/pieces'
import { CairnError } from '@cairn/protocol'
import { readLimited } from '@cairn/service'
import * as v from 'valibot'

const answerBytesMost = 256 * 1024
/** How long the provider may take to answer anything but an upload: it may wait for its own node. */
const answerMs = 60_000

/** How far a transaction is that the provider sent. `unknown`: it does not know it, or does not say. */
export type TransactionState = 'unknown' | 'pending' | 'confirmed' | 'rejected'

/** What the transaction does. */
export type Transaction =
  | { readonly kind: 'data-set'; readonly hash: string }
  | { readonly kind: 'piece'; readonly dataSetId: bigint; readonly hash: string }

/**
 * The HTTP interface of Curio, which storage providers of Filecoin run. Where it names other addresses in its answers, none
 * is followed. All calls throw CairnError UPSTREAM_FAILED; `upload` also PROVIDER_FULL and PIECE_TOO_LARGE.
 * @see https://github.com/filecoin-project/curio/tree/main/pdp
 */
export type Curio = {
  /** Asks whether it is there. */
  ping(signal: AbortSignal): Promise<void>
  /** Whether the provider has the bytes of a piece and would add it to a data set. */
  isParked(piece: string, signal: AbortSignal): Promise<boolean>
  /** Gives the bytes of a piece, which the provider checks against its CID. */
  upload(piece: string, payload: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void>
  /** Has the provider create a data set; answers the transaction. */
  createDataSet(recordKeeper: string, extraData: string, signal: AbortSignal): Promise<string>
  /** Has the provider add a piece that it has; answers the transaction. */
  addPiece(dataSetId: bigint, piece: string, extraData: string, signal: AbortSignal): Promise<string>
  readTransaction(transaction: Transaction, signal: AbortSignal): Promise<TransactionState>
  /** Has the provider schedule the removal of a piece. */
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

/** The interface at a URL. `name` is what faults call it. */
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
      throw failed(signal.aborted ? 'gave no answer in time' : 'could not be reached', cause)
    }
  }
  const readText = async (response: Response): Promise<string> => {
    try {
      return await readLimited(response, answerBytesMost)
    } catch (cause) {
      throw failed('broke off its answer', cause)
    }
  }
  const require = async (response: Response, what: string): Promise<void> => {
    if (response.ok) return
    const text = await readText(response)
    if (response.status === 507 || response.status === 429) throw new CairnError('PROVIDER_FULL')
    if (response.status === 413) throw new CairnError('PIECE_TOO_LARGE')
    // Its own words help the operator; they are the provider's, so that no more than a line of them is kept.
    throw failed(`answered ${response.status} when it was asked to ${what}: ${oneLine(text)}`)
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
    if (!transactionHash.test(hash)) throw failed(`named no transaction when it was asked to ${what}`)
    return hash.toLowerCase()
  }

  return {
    async ping(signal) {
      const response = await call('GET', 'pdp/ping', undefined, signal)
      await require(response, 'say that it is there')
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
      if (!found.success) throw failed('answered in another form when it was asked to look for a piece')
      return found.output.pieceCid === piece
    },
    async upload(piece, payload, signal) {
      const begun = await call('POST', 'pdp/piece/uploads', undefined, signal)
      await require(begun, 'begin an upload')
      await readText(begun)
      const id = uploadPath.exec(begun.headers.get('location') ?? '')?.[1]
      if (id === undefined) throw failed('named no upload')
      const path = `pdp/piece/uploads/${id}`
      const headers = { 'content-type': 'application/octet-stream' }
      const sent = await send(path, { method: 'PUT', headers, body: payload, duplex: 'half' }, signal)
      await require(sent, 'take a piece')
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
        throw failed(response.ok ? 'ignored the range asked for' : `answered ${response.status} when asked for bytes`)
      }
      try {
        for await (const bytes of response.body ?? []) yield bytes
      } catch (cause) {
        throw failed('broke off its answer', cause)
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
    // The schema refuses it.
    return undefined
  }
}
