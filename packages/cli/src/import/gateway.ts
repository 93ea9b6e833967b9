import { withoutTrailing } from '@cairn/protocol'
import { CairnError, iterateStream } from '@cairn/sdk'
import type { CID } from 'multiformats/cid'
import { readBody } from './read-body.ts'
import { type Pause, retryRequest } from './retry.ts'

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

/** Time as a gateway measures it. Tests pass their own. */
export type GatewayTimers = {
  /** Calls `act` after a time in ms, unless the returned function is called before. */
  startTimer(ms: number, act: () => void): () => void
  /** Defaults to a real pause. */
  pause?: Pause
}

const realTimers: GatewayTimers = {
  startTimer(ms, act) {
    const timer = setTimeout(act, ms)
    return () => clearTimeout(timer)
  },
}

/**
 * @param url base URL, without `/ipfs`
 * @throws CairnError USAGE
 * @see https://specs.ipfs.tech/http-gateways/trustless-gateway/
 */
export function createGateway(url: string, timers = realTimers): Gateway {
  const base = URL.parse(url.includes('://') ? url : `https://${url}`)
  if (base === null || !/^https?:$/.test(base.protocol)) {
    throw new CairnError('USAGE', {
      message: `${url} is not the address of a gateway`,
      hint: 'Example: https://ipfs.io',
    })
  }
  const { host } = base
  const root = `${base.origin}${withoutTrailing(base.pathname, '/').replace(/\/ipfs$/, '')}`
  return {
    host,
    fetchCar: (cid, signal) =>
      fetchBody(
        {
          host,
          url: `${root}/ipfs/${cid}?format=car&dag-scope=all`,
          accept: 'application/vnd.ipld.car; version=1; order=dfs; dups=n',
          timers,
        },
        signal,
      ),
    async fetchBlock(cid, signal) {
      const url = `${root}/ipfs/${cid}?format=raw`
      const body = fetchBody({ host, url, accept: 'application/vnd.ipld.raw', timers }, signal)
      const block = await readBody(body, maxBlockBytes)
      if (block === undefined) throw failed(host, `sent more than ${maxBlockBytes} bytes for one block`)
      return block
    },
  }
}

type Wanted = { host: string; url: string; accept: string; timers: GatewayTimers }

async function* fetchBody(wanted: Wanted, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
  const { host, timers } = wanted
  const silence = new AbortController()
  let stopTimer = (): void => undefined
  const listen = () => {
    stopTimer()
    stopTimer = timers.startTimer(maxSilenceMs, () => silence.abort(failed(host, 'stopped sending')))
  }
  /** The gateway is not expected to send while it is not asked. */
  const listenDuring = async <T>(work: () => Promise<T>): Promise<T> => {
    listen()
    try {
      return await work()
    } finally {
      stopTimer()
    }
  }
  try {
    const both = AbortSignal.any([signal, silence.signal])
    const body = await openBody(wanted, signal, (init) =>
      listenDuring(() => fetch(wanted.url, { ...init, signal: both })),
    )
    listen()
    for await (const piece of iterateStream(body)) {
      listen()
      yield piece
    }
  } catch (cause) {
    if (signal.aborted) throw new CairnError('ABORTED')
    if (CairnError.is(cause)) throw cause
    throw failed(host, 'could not be reached, or closed the connection', cause)
  } finally {
    stopTimer()
  }
}

/** Retries while the gateway is busy. */
async function openBody(
  { host, url, accept, timers }: Wanted,
  signal: AbortSignal,
  send: (init: RequestInit) => Promise<Response>,
): Promise<ReadableStream<Uint8Array>> {
  const { status, body, headers } = await retryRequest(signal, () => send({ headers: { accept } }), timers.pause)
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
