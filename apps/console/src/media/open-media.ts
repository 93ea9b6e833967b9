import { CairnError, type NetworkProfile, restoreError } from '@cairn/sdk'
import { forWorker } from '../cipher/for-worker.ts'
import { startFailure, wordFailure } from '../cipher/word-failure.ts'
import { readByteRange } from './byte-range.ts'
import type { MediaEvent, MediaOrder } from './media-order.ts'
import { holdMediaWorker } from './register-media-worker.ts'

/** An encrypted file that players read by ranges. Its address works only on this page, and only in players. */
export type OpenMedia = { url: string }

/** A request of the service worker. The answer is sent through the port that it transfers. */
type MediaRequest = { id: string; range: string | null }

/** The open files of this page, by the last part of their address. */
const openFiles = new Map<string, (port: MessagePort, range: string | null) => void>()

/**
 * Opens an encrypted file for players, which then start and seek without fetching all of it. A worker of its own decrypts;
 * it gets the key in memory, and ends with the signal.
 * @param file with the type of its bytes, from the fixed list of previews
 * @returns undefined if the browser has no service workers for this page, or if the file must be verified as a whole first
 * @throws CairnError as openSeekable; ABORTED
 */
export async function openMedia(
  network: NetworkProfile,
  { cid, masterKey, type }: { cid: string; masterKey: string; type: string },
  signal: AbortSignal,
): Promise<OpenMedia | undefined> {
  const worker = new Worker(new URL('./media.worker.ts', import.meta.url), { type: 'module', name: 'media' })
  const order = (one: MediaOrder, owned: Transferable[] = []) => worker.postMessage(one, owned)
  const id = crypto.randomUUID()
  const opened = new Promise<number | undefined>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<MediaEvent>) => {
      if (data.kind === 'opened') resolve(data.sizeBytes)
      else if (data.kind === 'doubtful') resolve(undefined)
      else reject(wordFailure(restoreError(data.error.code, data.error)))
    }
    worker.onerror = (event) => reject(startFailure(event))
    signal.addEventListener('abort', () => reject(new CairnError('ABORTED', { cause: signal.reason })))
  })
  // Awaited below, after the service worker.
  opened.catch(() => undefined)
  let release: (() => void) | undefined
  const close = () => {
    openFiles.delete(id)
    worker.terminate()
    release?.()
    release = undefined
  }
  try {
    order({ kind: 'open', network: forWorker(network), cid, masterKey })
    release = await holdMediaWorker(answer)
    const sizeBytes = release === undefined ? undefined : await opened
    if (sizeBytes === undefined) {
      close()
      return undefined
    }
    openFiles.set(id, (port, header) => serve(order, { type, sizeBytes }, port, header))
    signal.addEventListener('abort', close, { once: true })
    if (signal.aborted) throw new CairnError('ABORTED', { cause: signal.reason })
    return { url: `/decrypted/${id}` }
  } catch (error) {
    close()
    throw error
  }
}

function answer({ data, ports: [port] }: MessageEvent<MediaRequest>): void {
  const file = openFiles.get(data.id)
  if (port === undefined) return
  if (file === undefined) port.postMessage({ status: 404, headers: {} })
  else file(port, data.range)
}

function serve(
  order: (one: MediaOrder, owned: Transferable[]) => void,
  { type, sizeBytes }: { type: string; sizeBytes: number },
  port: MessagePort,
  header: string | null,
): void {
  const range = readByteRange(header, sizeBytes)
  if (range === 'unsatisfiable') {
    port.postMessage({ status: 416, headers: { 'content-range': `bytes */${sizeBytes}` } })
    return
  }
  const { fromByte, toByte } = range ?? { fromByte: 0, toByte: sizeBytes }
  const headers = {
    'content-type': type,
    'content-length': String(toByte - fromByte),
    'accept-ranges': 'bytes',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(range === undefined ? {} : { 'content-range': `bytes ${fromByte}-${toByte - 1}/${sizeBytes}` }),
  }
  port.postMessage({ status: range === undefined ? 200 : 206, headers })
  order({ kind: 'serve', port, fromByte, toByte }, [port])
}
