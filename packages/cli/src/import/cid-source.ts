import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pinCid } from '@cairn/sdk'
import { decodeNode, verifyBlock } from '@cairn/unixfs'
import { fetchDag } from './fetch-dag.ts'
import type { Gateway } from './gateway.ts'
import type { ImportItem, ImportSource, TransferContext, Transferred } from './import-source.ts'
import { findOwn } from './own-content.ts'
import { parseItemCid } from './parse-item-cid.ts'
import { openStagedDag } from './staged-dag.ts'
import { sha256 } from './stored-blocks.ts'
import { uploadDag } from './upload-dag.ts'

export type CidSourceOptions = {
  id: string
  items(signal: AbortSignal): AsyncIterable<ImportItem>
  gateways: readonly Gateway[]
  /** Folder for blocks that are not uploaded yet. */
  stagingFolder: string
  /** Runs before the content of an item is stored. If it fails, the content is not. */
  prepare?(item: ImportItem, signal: AbortSignal): Promise<void>
}

/**
 * Content that trustless gateways serve by CID. It is fetched here and uploaded as CARs, not pinned by the service: the
 * service would fetch only from hosts that its operator allows, and would not know that content is encrypted.
 */
export function createCidSource({ id, items, gateways, stagingFolder, prepare }: CidSourceOptions): ImportSource {
  const pathOf = (item: ImportItem) => join(stagingFolder, `${parseItemCid(item.cid ?? '')}.car`)

  const transfer = async (item: ImportItem, context: TransferContext): Promise<Transferred> => {
    const { client, signal } = context
    const root = parseItemCid(item.cid ?? '')
    const cid = root.toString()
    await prepare?.(item, signal)
    const own = await findOwn(client, cid, item.name, signal)
    if (own !== undefined) {
      const mark = item.isEncrypted ? { isEncrypted: true } : {}
      if (own === 'otherwise named') await pinCid(client, cid, item.name, { ...mark, signal })
      return { cid, bytes: 0, isPresent: true }
    }
    await using staged = await openStagedDag(pathOf(item), root)
    await fetchDag({ staged, gateways, signal, onBytes: context.onBytes }, root)
    return { cid, bytes: await uploadDag(client, staged.blocks, root, item, signal), isPresent: false }
  }

  return {
    id,
    items,
    async measure(item, signal) {
      if (item.sizeBytes !== undefined) return item.sizeBytes
      return measureDag(gateways, item, signal)
    },
    transfer,
    async release(item) {
      await rm(pathOf(item), { force: true })
    },
  }
}

/** Returns the size of a DAG in bytes, as its root states it. */
async function measureDag(
  gateways: readonly Gateway[],
  item: ImportItem,
  signal: AbortSignal,
): Promise<number | undefined> {
  const root = parseItemCid(item.cid ?? '')
  let failure: unknown
  for (const gateway of gateways) {
    try {
      const bytes = await gateway.fetchBlock(root, signal)
      await verifyBlock(root, bytes, sha256)
      const { links } = decodeNode(root, bytes)
      return links.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), bytes.length)
    } catch (error) {
      failure ??= error
    }
  }
  throw failure
}
