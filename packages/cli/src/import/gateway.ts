import { CairnError, iterateStream } from '@cairn/sdk'
import type { CID } from 'multiformats/cid'
import { readBody } from './read-body.ts'
import { retryRequest } from './retry.ts'

/** Maximum time without a byte from a gateway, in ms. */
const maxSilenceMs = 60_000
/** Maximum size of a block, in bytes: that of trustless gateways and of the service. */
const maxBlockBytes = 2 * 1024 * 1024

/** A trustless gateway. What it sends is not verified here. */
export type Gateway = {
  readonly host: string
  /**
   * Yields the DAG below a CID as a CAR.
   * @throws CairnError BLOCK_NOT_FOUND, NOT_ACCEPTABLE (the gateway has no CARs), UPSTREAM_FAILED
   */
  fetchCar(cid: CID, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined>
  /** @throws CairnError BLOCK_NOT_FOUND, UPSTREAM_FAILED */
  fetchBlock(cid: CID, signal: AbortSignal): Promise<Uint8Array>
}

/**
 * @param url base URL, without `/ipfs`
 * @throws CairnError USAGE
 * @see https://specs.ipfs.tech/http-gateways/trustless-gateway/
 */
export function createGateway(url: string): Gateway {
  const base = URL.parse(url.includes('://') ? url : `https://${url}`)
  if (base === null || !/^https?:$/.test(base.protocol)) {
    throw new CairnError('USAGE', {
      message: `${url} is not the address of a gateway`,
      hint: 'Example: https://ipfs.io',
    })
  }
  const { host } = base
  const root = `${base.origin}${base.pathname.replace(/\/+$/, '').replace(/\/ipfs$/, '')}`
  return {
    host,
    fetchCar: (cid, signal) =>
      fetchBody(
        host,
        `${root}/ipfs/${cid}?format=car&dag-scope=all`,
        'application/vnd.ipld.car; version=1; order=dfs; dups=n',
        signal,
      ),
    async fetchBlock(cid, signal) {
      const body = fetchBody(host, `${root}/ipfs/${cid}?format=raw`, 'application/vnd.ipld.raw', signal)
      const block = await readBody(body, maxBlockBytes)
      if (block === undefined) throw failed(host, `sent more than ${maxBlockBytes} bytes for one block`)
      return block
    },
  }
}

async function* fetchBody(
  host: string,
  url: string,
  accept: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const silence = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const listen = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(failed(host, 'stopped sending')), maxSilenceMs)
  }
  listen()
  try {
    const body = await openBody(host, url, accept, AbortSignal.any([signal, silence.signal]), listen)
    for await (const piece of iterateStream(body)) {
      listen()
      yield piece
    }
  } catch (cause) {
    if (signal.aborted) throw new CairnError('ABORTED')
    if (CairnError.is(cause)) throw cause
    throw failed(host, 'could not be reached, or closed the connection', cause)
  } finally {
    clearTimeout(timer)
  }
}

/** Retries while the gateway is busy. */
async function openBody(
  host: string,
  url: string,
  accept: string,
  signal: AbortSignal,
  listen: () => void,
): Promise<ReadableStream<Uint8Array>> {
  const { status, body, headers } = await retryRequest(signal, async () => {
    listen()
    return fetch(url, { headers: { accept }, signal })
  })
  const type = headers.get('content-type') ?? ''
  const wanted = accept.split(';')[0] ?? accept
  if (status === 200 && body !== null && type.startsWith(wanted)) return body
  await body?.cancel()
  if (status === 404 || status === 410) {
    const cid = new URL(url).pathname.split('/')[2] ?? ''
    throw new CairnError('BLOCK_NOT_FOUND', { message: `${host} does not have this content`, details: { cid } })
  }
  // A gateway that ignores the format sends a page or the file.
  if (status === 200 || [400, 406, 415, 501].includes(status)) {
    throw new CairnError('NOT_ACCEPTABLE', { message: `${host} does not send verifiable content (${wanted})` })
  }
  throw failed(host, `returned status ${status}`)
}

function failed(host: string, what: string, cause?: unknown): CairnError {
  return new CairnError('UPSTREAM_FAILED', { message: `The gateway ${host} ${what}`, details: { host }, cause })
}
