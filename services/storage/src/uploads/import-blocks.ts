import { CairnError, maxBlockBytes } from '@cairn/protocol'
import type { CID } from 'multiformats/cid'
import type { Context } from '../context.ts'
import { type Feed, readMultipart } from '../multipart/read-multipart.ts'
import { createDagIndex } from './dag-index.ts'
import { measureRoots } from './import-car.ts'
import { completeDag, importBlock } from './import-car-blocks.ts'
import { toUploadError } from './import-errors.ts'
import { keepPack } from './keep-pack.ts'
import { createPartStream } from './part-stream.ts'
import { withPack } from './with-pack.ts'

/** A block and its CID. */
export type Block = { cid: CID; bytes: Uint8Array }

/**
 * Stores each part of a multipart body as one block and as a separate upload. All blocks that it links to must be stored here
 * or sent with it, and count towards the account as in a CAR.
 *
 * @param toBlock converts the bytes of a part to a block
 * @returns the blocks' CIDs and sizes, in the order of the parts
 * @throws CairnError NO_FILE, PAYLOAD_TOO_LARGE (a block), INCOMPLETE_DAG, UNSUPPORTED_CODEC, and as `addFiles`
 */
export async function importBlocks(
  context: Context,
  address: string,
  body: Feed,
  {
    boundary,
    toBlock,
    signal,
  }: { boundary: string; toBlock(bytes: Uint8Array): Block | Promise<Block>; signal: AbortSignal },
): Promise<{ cid: CID; sizeBytes: number }[]> {
  const memory = context.partMemory.open('TOO_MANY_PARTS')
  try {
    return await withPack(context, address, {}, async (writer, meter) => {
      const index = createDagIndex(memory.acquire)
      const stored: { cid: CID; sizeBytes: number }[] = []
      await readMultipart(body, boundary, () => {
        const stream = createPartStream(() => reading)
        const reading = readBlock(stream.pieces).then(async (part) => {
          const { cid, bytes } = await toBlock(part)
          await importBlock(cid, bytes, { index, writer, acquireQuota: meter.take })
          stored.push({ cid, sizeBytes: bytes.length })
        })
        // The end of the part awaits this promise; until then its rejection must not count as unhandled.
        reading.catch(() => undefined)
        return stream.sink
      })
      if (stored.length === 0) throw new CairnError('NO_FILE')
      const roots = [...new Map(stored.map(({ cid }) => [cid.toString(), { cid, name: cid.toString() }])).values()]
      await completeDag(
        roots.map(({ cid }) => cid),
        index,
        writer,
        context.packs,
        signal,
      )
      const uploads = await measureRoots(roots, index, { storageType: null })
      await keepPack(context, { address, writer, meter, uploads })
      return stored
    })
  } catch (error) {
    throw toUploadError(error)
  } finally {
    memory.release()
  }
}

async function readBlock(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const copies: Buffer[] = []
  let sizeBytes = 0
  for await (const piece of pieces) {
    sizeBytes += piece.length
    if (sizeBytes > maxBlockBytes) {
      throw new CairnError('PAYLOAD_TOO_LARGE', {
        message: `A block exceeds the limit of ${maxBlockBytes} bytes`,
        details: { limitBytes: maxBlockBytes },
      })
    }
    // A copy, because the chunk's memory is reused.
    copies.push(Buffer.from(piece))
  }
  return Buffer.concat(copies)
}
