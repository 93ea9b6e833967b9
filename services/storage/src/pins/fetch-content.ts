import type { IncomingMessage } from 'node:http'
import {
  CairnError,
  maxBlockBytes,
  minUploadBytesPerSecond as minBytesPerSecond,
  minSpeedWindowMs as rateWindowMs,
} from '@cairn/protocol'
import { requestOutside } from '@cairn/service'
import { missingBlock } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import type { PinSource } from './pin-sources.ts'

/** Maximum time until a gateway starts its response, in ms. */
const firstByteMs = 60_000
/** Statuses of a gateway that does not support the requested format. */
const formatStatuses = [400, 406, 415, 501]

type Format = { accept: string; type: string; query: string }

const carFormat: Format = {
  accept: 'application/vnd.ipld.car; version=1; order=dfs; dups=n',
  type: 'application/vnd.ipld.car',
  query: 'format=car&dag-scope=all',
}
const blockFormat: Format = {
  accept: 'application/vnd.ipld.raw',
  type: 'application/vnd.ipld.raw',
  query: 'format=raw',
}

/**
 * Fetches the DAG below a CID as a CAR from a trustless gateway.
 *
 * @throws CairnError BLOCK_NOT_FOUND, NOT_ACCEPTABLE (the gateway has no CARs), ADDRESS_NOT_ALLOWED, UPSTREAM_FAILED,
 *   REQUEST_TIMEOUT when the signal aborts
 * @see https://specs.ipfs.tech/http-gateways/trustless-gateway/
 */
export function fetchCar(
  source: PinSource,
  cid: CID,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  return fetchContent(source, cid, carFormat, signal)
}

/** Fetches one block from a trustless gateway. @throws as `fetchCar`; UnixfsError MISSING_BLOCK */
export async function fetchBlock(source: PinSource, cid: CID, signal: AbortSignal): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let sizeBytes = 0
  try {
    for await (const piece of fetchContent(source, cid, blockFormat, signal)) {
      sizeBytes += piece.length
      if (sizeBytes > maxBlockBytes) throw failed(source, `sent more than ${maxBlockBytes} bytes for one block`)
      pieces.push(piece)
    }
  } catch (error) {
    if (CairnError.is(error, 'BLOCK_NOT_FOUND')) throw missingBlock(cid)
    if (CairnError.is(error, 'NOT_ACCEPTABLE')) throw failed(source, 'supports neither CARs nor blocks')
    throw error
  }
  return Buffer.concat(pieces)
}

/** Does not follow redirects, so that only named hosts are requested. Aborts a body slower than the minimum rate. */
async function* fetchContent(
  source: PinSource,
  cid: CID,
  { accept, type, query }: Format,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const slow = new AbortController()
  const stopping = AbortSignal.any([signal, slow.signal])
  let timer = setTimeout(() => slow.abort(failed(source, 'did not respond in time')), firstByteMs)
  let response: IncomingMessage | undefined
  try {
    response = await requestOutside(new URL(`${source.url.replace(/\/$/, '')}/ipfs/${cid}?${query}`), {
      headers: { accept },
      signal: stopping,
      allowsPrivate: source.allowsPrivate,
    })
    const { statusCode = 0, headers } = response
    if (statusCode === 404 || statusCode === 410) {
      throw new CairnError('BLOCK_NOT_FOUND', {
        message: `${hostOf(source)} does not have this content`,
        details: { cid: cid.toString() },
      })
    }
    if (formatStatuses.includes(statusCode)) throw new CairnError('NOT_ACCEPTABLE')
    if (statusCode !== 200) throw failed(source, `returned status ${statusCode}`)
    if (!headers['content-type']?.startsWith(type)) throw new CairnError('NOT_ACCEPTABLE')
    let windowBytes = 0
    const startWindow = (): void => {
      clearTimeout(timer)
      windowBytes = 0
      timer = setTimeout(() => slow.abort(failed(source, 'sent its response too slowly')), rateWindowMs)
    }
    startWindow()
    for await (const piece of response) {
      const bytes: Uint8Array = piece
      windowBytes += bytes.length
      if (windowBytes >= (minBytesPerSecond * rateWindowMs) / 1000) startWindow()
      yield bytes
    }
  } catch (error) {
    if (signal.aborted) throw CairnError.from(signal.reason, 'REQUEST_TIMEOUT')
    if (slow.signal.aborted) throw slow.signal.reason
    if (CairnError.is(error)) throw error
    throw failed(source, 'could not be reached, or closed the connection', error)
  } finally {
    clearTimeout(timer)
    response?.destroy()
  }
}

/** Returns the name of a source for messages. */
export function hostOf({ url }: PinSource): string {
  return new URL(url).host
}

function failed(source: PinSource, what: string, cause?: unknown): CairnError {
  const host = hostOf(source)
  return new CairnError('UPSTREAM_FAILED', { message: `The gateway ${host} ${what}`, details: { host }, cause })
}
