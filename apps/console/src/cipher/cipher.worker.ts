import { CairnError, createClient, encryptBlob, type NetworkProfile, openDecrypted } from '@cairn/sdk'
import type { CipherOrder, CipherTold } from './cipher-order.ts'

const tell = (told: CipherTold, owned: ArrayBuffer[] = []) => postMessage(told, { transfer: owned })
const fail = (error: unknown) => tell({ kind: 'failed', error: CairnError.from(error).toJSON() })

async function decrypt(network: NetworkProfile, cid: string, masterKey: string): Promise<Blob> {
  const pieces = await openDecrypted(createClient({ network }), cid, {
    masterKey,
    onProgress: (progress) => tell({ kind: 'progress', progress }),
  })
  const parts: Blob[] = []
  for await (const piece of pieces) parts.push(new Blob([new Uint8Array(piece)]))
  const blob = new Blob(parts)
  try {
    // A browser that had no room for the bytes says so to who reads them.
    await blob.slice(-1).arrayBuffer()
  } catch (cause) {
    throw new CairnError('FILE_TOO_LARGE', {
      message: 'The browser has no room for this file',
      hint: 'Decrypt it with the command line, or free room on the disk.',
      cause,
    })
  }
  return blob
}

/** What is being encrypted. */
let pieces: AsyncIterator<Uint8Array> | undefined
/** Pieces are made one after the other, however many were asked for. */
let turn: Promise<void> = Promise.resolve()

async function giveNext(): Promise<void> {
  const next = await pieces?.next()
  if (next === undefined || next.done === true) return tell({ kind: 'end' })
  // A copy, for it is given away.
  const bytes = new Uint8Array(next.value)
  tell({ kind: 'piece', bytes }, [bytes.buffer])
}

addEventListener('message', ({ data: order }: MessageEvent<CipherOrder>) => {
  if (order.kind === 'take') {
    turn = turn.then(giveNext)
    turn.catch(fail)
  } else if (order.kind === 'encrypt') {
    pieces = encryptBlob(order.blob, order.masterKey, order.settings)[Symbol.asyncIterator]()
  } else {
    decrypt(order.network, order.cid, order.masterKey).then((blob) => tell({ kind: 'decrypted', blob }), fail)
  }
})
