import { randomUUID } from 'node:crypto'
import { CairnError, type Client, uploadCar } from '@cairn/sdk'
import { encodeCarFrame, encodeCarHeader, walkDag } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import type { ImportItem } from './import-source.ts'
import { retryTransfer } from './retry.ts'
import type { StoredBlocks } from './stored-blocks.ts'

/**
 * Uploads a stored DAG as a CAR with this root, each block once. The service verifies and keeps the blocks as they are,
 * so the CID does not depend on import options.
 * @returns bytes sent
 * @throws CairnError CID_MISMATCH, and those of `uploadCar`; UnixfsError of a damaged or missing block
 */
export function uploadDag(
  client: Client,
  blocks: StoredBlocks,
  root: CID,
  item: ImportItem,
  signal: AbortSignal,
): Promise<number> {
  // One for all attempts: what an attempt stored whose response was lost is not stored again.
  const idempotencyKey = randomUUID()
  return retryTransfer(signal, async () => {
    let failure: unknown
    const body = streamCar(blocks, root, signal, (error) => {
      failure = error
    })
    try {
      const { cid, sizeBytes } = await uploadCar(client, body, {
        // The service strips the extension of a CAR from the name.
        name: `${item.name ?? item.cid ?? root.toString()}.car`,
        isEncrypted: item.isEncrypted,
        idempotencyKey,
        ...(item.mimeType === undefined ? {} : { mimeType: item.mimeType }),
        signal,
      })
      if (cid !== root.toString())
        throw new CairnError('CID_MISMATCH', { details: { computed: root.toString(), answered: [cid] } })
      return sizeBytes
    } catch (error) {
      // A block that cannot be read breaks the request: the cause says more than the connection.
      throw failure ?? error
    }
  })
}

async function* streamCar(
  blocks: StoredBlocks,
  root: CID,
  signal: AbortSignal,
  onFailure: (error: unknown) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield encodeCarHeader([root])
    for await (const { cid, bytes } of walkDag(blocks, root, { signal })) {
      yield encodeCarFrame(cid, bytes.length)
      yield bytes
    }
  } catch (error) {
    if (!signal.aborted) onFailure(error)
    throw error
  }
}
