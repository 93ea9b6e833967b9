import { CairnError, createClient, openDecrypted } from '@cairn/sdk'
import type { DecryptOrder, DecryptTold } from './decrypt-order.ts'

// One file, one worker: it is ended when the page has its answer, and with it every key it knew.

const tell = (told: DecryptTold) => postMessage(told)

async function decrypt({ network, cid, masterKey }: DecryptOrder): Promise<Blob> {
  const pieces = await openDecrypted(createClient({ network }), cid, {
    masterKey,
    onProgress: (progress) => tell({ kind: 'progress', progress }),
  })
  const parts: Blob[] = []
  for await (const piece of pieces) parts.push(new Blob([new Uint8Array(piece)]))
  return new Blob(parts)
}

addEventListener('message', ({ data }: MessageEvent<DecryptOrder>) => {
  decrypt(data).then(
    (blob) => tell({ kind: 'done', blob }),
    (error: unknown) => tell({ kind: 'failed', error: CairnError.from(error).toJSON() }),
  )
})
