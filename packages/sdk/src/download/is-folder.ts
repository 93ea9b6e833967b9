import { CairnError } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { listDirectory } from './list-directory.ts'

/** Returns whether a CID is a folder, verified against the block. */
export async function isFolder(client: Client, cid: string, options: { signal?: AbortSignal } = {}): Promise<boolean> {
  try {
    for await (const _name of listDirectory(client, cid, options)) break
    return true
  } catch (error) {
    if (CairnError.is(error, 'NOT_A_DIRECTORY')) return false
    throw error
  }
}
