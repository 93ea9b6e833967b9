import type { Drive } from '@cairn/sdk'
import { useMemo } from 'react'
import type { ShownDrive } from '../drive-index/shown-drive.ts'
import { useDriveEdit } from '../drive-index/use-drive.ts'
import { messages } from '../messages/messages.ts'
import { queryClient } from '../network/query-client.ts'
import { isAborted } from '../session/is-aborted.ts'
import { toastDone, toastError } from '../ui/toasts/toast-store.ts'
import {
  createFolderIn,
  forEachItem,
  type ItemEdit,
  moveBack,
  moveItems,
  renameItem,
  restoreItems,
} from './edit-items.ts'
import { parentOf } from './list-items.ts'

/** The changes of a user: tags added and removed, and a colour; undefined leaves the colours unchanged. */
export type LabelChange = { add: readonly string[]; remove: readonly string[]; colour: string | undefined }

export type ItemEdits = ReturnType<typeof useItemEdits>

/** The edits of drive items. Those that can be undone offer it. */
export function useItemEdits(shown: ShownDrive) {
  const change = useDriveEdit(shown)
  return useMemo(() => {
    const run = <T>(work: (at: ItemEdit) => T): Promise<T> => {
      let drive: Drive = shown.drive
      return change((edit, own) => {
        drive = own
        return work({ edit, drive })
      })
    }
    /** Reports a failure, after which the edit is undone. */
    const attempt = async <T>(work: (at: ItemEdit) => T): Promise<T | undefined> => {
      try {
        return await run(work)
      } catch (error) {
        if (!isAborted(error)) toastError(messages.drive.changeFailed, error)
        return undefined
      }
    }
    /** Returns the name of one item, for the message about it. */
    const nameOf = ([id = '']: readonly string[]) => shown.drive.get(id)?.name ?? ''
    const restore = async (ids: readonly string[]) => {
      const count = await attempt((at) => restoreItems(at, ids))
      if (count !== undefined && count > 0) toastDone(messages.drive.restored(count, nameOf(ids)))
    }
    return {
      createFolder: (folderId: string, name: string) => run((at) => createFolderIn(at, folderId, name)),
      rename: (id: string, name: string) => run((at) => renameItem(at, id, name)),
      /** @param newName name of a folder to create there for the items */
      async move(ids: readonly string[], placeId: string, newName?: string) {
        const from = new Map(ids.map((id) => [id, placeOf(shown.drive, id)]))
        const { count, drive, folderId } = await run((at) => {
          const id = newName === undefined ? placeId : createFolderIn(at, placeId, newName)
          return { count: moveItems(at, ids, id), drive: at.drive, folderId: id }
        })
        if (count === 0) return
        const isThere = (id: string) =>
          drive.get(id)?.trashedAt === undefined &&
          placeOf(drive, id).folderId === folderId &&
          from.get(id)?.folderId !== folderId
        const name = drive.get(folderId)?.name ?? messages.drive.root
        toastDone(messages.drive.moved(count, nameOf([...from.keys()]), name), undefined, {
          label: messages.drive.undo,
          isUndo: true,
          run: () =>
            void attempt((at) => {
              for (const [id, before] of from) moveBack(at, id, before)
            }),
          watch: watchItems(drive, ids, isThere),
        })
      },
      async trash(ids: readonly string[]) {
        const done = await attempt((at) => [forEachItem(at, ids, (path) => at.edit.trash(path)), at.drive] as const)
        if (done === undefined) return
        const [count, drive] = done
        toastDone(messages.drive.trashed(count, nameOf(ids)), undefined, {
          label: messages.drive.undo,
          isUndo: true,
          run: () => void restore(ids),
          watch: watchItems(drive, ids, (id) => drive.get(id)?.trashedAt !== undefined),
        })
      },
      restore,
      star: (ids: readonly string[], isStarred: boolean) =>
        attempt((at) => forEachItem(at, ids, (path) => at.edit.star(path, isStarred))),
      setLabels: (ids: readonly string[], { add, remove, colour }: LabelChange) =>
        run((at) =>
          forEachItem(at, ids, (path) => {
            for (const tag of add) at.edit.tag(path, tag)
            for (const tag of remove) at.edit.tag(path, tag, false)
            if (colour !== undefined) at.edit.setColour(path, colour === '' ? undefined : colour)
          }),
        ),
      async applyVersion(id: string, cid: string) {
        const name = await attempt((at) => {
          // biome-ignore lint/correctness/useHookAtTopLevel: not a hook.
          forEachItem(at, [id], (path) => at.edit.useVersion(path, cid))
          return at.drive.get(id)?.name
        })
        if (name !== undefined) toastDone(messages.drive.versionUsed(name))
      },
      async deleteForGood(ids: readonly string[]) {
        try {
          const { items, uploads, kept } = await shown.drive.emptyTrash({ ids })
          toastDone(
            items + uploads + kept === 0 ? messages.drive.deletedNone : messages.drive.deleted(items, uploads, kept),
          )
        } catch (error) {
          // Part of the content may be deleted already, and cannot be restored.
          toastError(messages.drive.deleteFailed, error)
        }
        await queryClient.invalidateQueries({ queryKey: ['usage'] })
        await queryClient.invalidateQueries({ queryKey: ['files'] })
      },
    }
  }, [shown, change])
}

/**
 * Returns a function that subscribes to the drive and calls `onIdle` once the edit has nothing left to undo, because it was
 * undone here or on another device.
 */
function watchItems(drive: Drive, ids: readonly string[], isLeft: (id: string) => boolean) {
  return (onIdle: () => void) =>
    drive.subscribe(() => {
      if (!ids.some(isLeft)) onIdle()
    })
}

/** Returns the folder of an item, and its name there. */
function placeOf(drive: Drive, id: string): { folderId: string; name: string } {
  const { path = '/', name = '' } = drive.get(id) ?? {}
  return { folderId: drive.find(parentOf(path))?.id ?? '', name }
}
