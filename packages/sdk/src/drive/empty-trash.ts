import { CairnError } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { deleteFile } from '../files/files.ts'
import type { CallOptions } from '../request.ts'
import { rootId } from './nodes.ts'
import type { View } from './view.ts'

/** Deletes content, unless another device was faster. */
export async function deleteStored(client: Client, cid: string, options: CallOptions): Promise<void> {
  try {
    await deleteFile(client, { cid }, options)
  } catch (error) {
    if (!CairnError.is(error, 'NOT_FOUND')) throw error
  }
}

/** Returns the entries to clear when these items are deleted, and the CIDs that no other item has. */
export function findDeleted(view: View, roots: ReadonlySet<string>): { entries: string[]; cids: ReadonlySet<string> } {
  const isDeleted = (start: string): boolean => {
    for (let id = start; id !== rootId; id = view.get(id)?.parent ?? rootId) if (roots.has(id)) return true
    return false
  }
  const entries: string[] = []
  const cids = new Set<string>()
  const kept = new Set<string>()
  for (const { id, versions = [] } of view.nodes()) {
    const isGone = isDeleted(id)
    if (isGone) entries.push(id)
    for (const { cid } of versions) (isGone ? cids : kept).add(cid)
  }
  for (const cid of kept) cids.delete(cid)
  return { entries, cids }
}
