import { CairnError, slowestUploadBytesPerSecond, slowestUploadWindowMs } from '@cairn/protocol'
import type { CID } from 'multiformats/cid'

/** How long a gateway may take to begin its answer, in ms. */
const firstByteMs = 60_000

/**
 * Fetches the whole DAG below a CID as a CAR from a trustless gateway. Redirects are not followed, so that only hosts the
 * operator configured are ever asked; a body slower than the least rate is cut.
 *
 * @throws CairnError BLOCK_NOT_FOUND, UPSTREAM_FAILED, REQUEST_TIMEOUT when the signal says so
 * @see https://specs.ipfs.tech/http-gateways/trustless-gateway/
 */
export async function* fetchCar(
  gateway: string,
  cid: CID,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const slow = new AbortController()
  const stopping = AbortSignal.any([signal, slow.signal])
  let timer = setTimeout(() => slow.abort(failed(gateway, 'did not answer in time')), firstByteMs)
  try {
    const response = await fetch(`${gateway}/ipfs/${cid}?format=car&dag-scope=all`, {
      headers: { accept: 'application/vnd.ipld.car; version=1; order=dfs; dups=n' },
      redirect: 'manual',
      signal: stopping,
    })
    if (response.status === 404 || response.status === 410) {
      await response.body?.cancel()
      throw new CairnError('BLOCK_NOT_FOUND')
    }
    if (response.status !== 200 || response.body === null) {
      await response.body?.cancel()
      throw failed(gateway, `answered with status ${response.status}`)
    }
    if (!response.headers.get('content-type')?.startsWith('application/vnd.ipld.car')) {
      await response.body.cancel()
      throw failed(gateway, 'did not answer with a CAR')
    }
    let windowBytes = 0
    const startWindow = (): void => {
      clearTimeout(timer)
      windowBytes = 0
      timer = setTimeout(() => slow.abort(failed(gateway, 'sent its answer too slowly')), slowestUploadWindowMs)
    }
    startWindow()
    for await (const piece of response.body) {
      windowBytes += piece.length
      if (windowBytes >= (slowestUploadBytesPerSecond * slowestUploadWindowMs) / 1000) startWindow()
      yield piece
    }
  } catch (error) {
    if (signal.aborted) throw CairnError.from(signal.reason, 'REQUEST_TIMEOUT')
    if (slow.signal.aborted) throw slow.signal.reason
    if (CairnError.is(error)) throw error
    throw failed(gateway, 'could not be reached or broke off', error)
  } finally {
    clearTimeout(timer)
    slow.abort()
  }
}

function failed(gateway: string, what: string, cause?: unknown): CairnError {
  const { host } = new URL(gateway)
  return new CairnError('UPSTREAM_FAILED', { message: `The gateway ${host} ${what}`, details: { host }, cause })
}
