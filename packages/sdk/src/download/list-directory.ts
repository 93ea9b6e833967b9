import { CairnError } from '@cairn/protocol'
import { listDirectory as listBlocks, resolvePath } from '@cairn/unixfs'
import type { Client } from '../client.ts'
import { describeDamage } from './car-source.ts'
import { parseContentPath } from './content-path.ts'
import { openOwnSource } from './open-own-source.ts'

/** One entry of a folder. */
export type FolderItem = {
  name: string
  cid: string
  /** Size of the DAG below in bytes, as the folder claims; undefined if the folder claims none. */
  dagSizeBytes: number | undefined
}

/**
 * Lists a folder, verified block by block. Large folders stream.
 * @throws CairnError NOT_A_DIRECTORY, BLOCK_NOT_FOUND, …
 */
export async function* listDirectory(
  client: Client,
  cidPath: string,
  options: { signal?: AbortSignal } = {},
): AsyncGenerator<FolderItem, void, undefined> {
  const path = parseContentPath(cidPath)
  const source = await openOwnSource(client, path, { scope: 'entity' }, options.signal)
  try {
    const { cid, kind } = await resolvePath(source, path.root, path.segments)
    if (kind !== 'directory' && kind !== 'hamt') throw new CairnError('NOT_A_DIRECTORY')
    source.repeatLast(cid)
    for await (const entry of listBlocks(source, cid)) {
      yield { name: entry.name, cid: entry.cid.toString(), dagSizeBytes: entry.sizeBytes }
    }
  } catch (error) {
    throw describeDamage(error, options.signal)
  } finally {
    await source.close()
  }
}
