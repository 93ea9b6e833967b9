import { CairnError, encryptBlob } from '@cairn/sdk'
import type { CipherOrder, CipherTold } from './cipher-order.ts'

const tell = (told: CipherTold, owned: ArrayBuffer[] = []) => postMessage(told, { transfer: owned })
const fail = (error: unknown) => tell({ kind: 'failed', error: CairnError.from(error).toJSON() })

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
    const { network, cid, masterKey } = order
    // Who encrypts loads nothing of fetching and verifying.
    import('./decrypt-file.ts')
      .then(({ decryptFile }) =>
        decryptFile(network, cid, masterKey, (progress) => tell({ kind: 'progress', progress })),
      )
      .then((blob) => tell({ kind: 'decrypted', blob }), fail)
  }
})
