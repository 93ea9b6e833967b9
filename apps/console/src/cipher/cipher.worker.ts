import { CairnError, encryptBlob } from '@cairn/sdk'
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
  // A copy, because it is transferred.
  const bytes = new Uint8Array(next.value)
  emit({ kind: 'piece', bytes }, [bytes.buffer])
}

addEventListener('message', ({ data: order }: MessageEvent<CipherOrder>) => {
  if (order.kind === 'next') {
    queue = queue.then(sendNext)
    queue.catch(fail)
  } else if (order.kind === 'encrypt') {
    pieces = encryptBlob(order.blob, order.masterKey, order.settings)[Symbol.asyncIterator]()
  } else {
    const { network, cid, masterKey } = order
    // Encryption does not load the code to fetch and verify.
    import('./decrypt-file.ts')
      .then(({ decryptFile }) =>
        decryptFile(network, cid, masterKey, (progress) => emit({ kind: 'progress', progress })),
      )
      .then((blob) => emit({ kind: 'decrypted', blob }), fail)
  }
})
