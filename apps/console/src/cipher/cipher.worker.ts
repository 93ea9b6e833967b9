import { CairnError, encryptBlob, type Progress } from '@cairn/sdk'
import { loadCode } from '../parts/load-code.ts'
import type { CipherEvent, CipherOrder } from './cipher-order.ts'

const emit = (event: CipherEvent, owned: ArrayBuffer[] = []) => postMessage(event, { transfer: owned })
const fail = (error: unknown) => emit({ kind: 'failed', error: CairnError.from(error).toJSON() })

/** The current file. */
let pieces: AsyncIterator<Uint8Array> | undefined
/** Chunks are produced sequentially, however many were requested. */
let queue: Promise<void> = Promise.resolve()

async function sendNext(): Promise<void> {
  const next = await pieces?.next()
  if (next === undefined || next.done === true) return emit({ kind: 'end' })
  const { buffer, length } = next.value
  // A chunk with a buffer of its own is handed over; any other is copied.
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === length
  const bytes = isOwn ? new Uint8Array(buffer) : new Uint8Array(next.value)
  emit({ kind: 'piece', bytes }, [bytes.buffer])
}

async function decrypt(order: Extract<CipherOrder, { kind: 'decrypt' | 'save' }>): Promise<CipherEvent> {
  const { network, cid, masterKey } = order
  const onProgress = (progress: Progress) => emit({ kind: 'progress', progress })
  // Encryption does not load the code to fetch and verify.
  const { decryptFile, saveFile } = await loadCode(import('./decrypt-file.ts'))
  if (order.kind === 'decrypt')
    return { kind: 'decrypted', blob: await decryptFile(network, cid, masterKey, onProgress) }
  await saveFile(network, cid, masterKey, order.target, onProgress)
  return { kind: 'saved' }
}

addEventListener('message', ({ data: order }: MessageEvent<CipherOrder>) => {
  if (order.kind === 'next') {
    queue = queue.then(sendNext)
    queue.catch(fail)
  } else if (order.kind === 'encrypt') {
    pieces = encryptBlob(order.blob, order.masterKey, order.settings)[Symbol.asyncIterator]()
  } else {
    decrypt(order).then(emit, fail)
  }
})
