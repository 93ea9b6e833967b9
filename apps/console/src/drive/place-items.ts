import { CairnError, type Drive, type DriveEditor } from '@cairn/sdk'
import type { Placement } from '../upload/upload-place.ts'
import { joinPath } from './edit-items.ts'
import { folderPathOf } from './list-items.ts'

type PlaceEdit = { edit: Pick<DriveEditor, 'place'>; drive: Pick<Drive, 'get' | 'find'> }

/** Uploads that did not reach the folder that the user wanted. */
export type Misplaced = {
  /** Content that was stored elsewhere before, and stays there. */
  elsewhere: { name: string; path: string }[]
  /** Number of uploads that stay in the root because their folder was deleted meanwhile, in another tab or on another device. */
  withoutFolder: number
  /** Uploads that the drive could not move to their path, and that stay in the root. */
  refused: { name: string; error: CairnError }[]
}

/** Puts uploads into their folders. A failure of one does not stop the others. */
export function placeItems(
  { edit, drive }: PlaceEdit,
  placements: readonly Pick<Placement, 'cid' | 'name' | 'folderId'>[],
): Misplaced {
  const misplaced: Misplaced = { elsewhere: [], withoutFolder: 0, refused: [] }
  for (const { cid, name, folderId } of placements) {
    const folder = folderPathOf(drive, folderId)
    if (folder === undefined) misplaced.withoutFolder++
    const wanted = joinPath(folder ?? '/', name)
    try {
      const path = edit.place(cid, wanted)
      if (path !== wanted.normalize('NFC')) misplaced.elsewhere.push({ name, path })
    } catch (error) {
      if (!CairnError.is(error)) throw error
      misplaced.refused.push({ name, error })
    }
  }
  return misplaced
}
