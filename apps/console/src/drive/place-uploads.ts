import { getShownDrive } from '../drive-index/shown-drive.ts'
import { messages } from '../messages/messages.ts'
import { getSession } from '../session/session-store.ts'
import { toastDone, toastError } from '../ui/toast-store.ts'
import type { Placement } from '../upload/upload-place.ts'
import { joinPath } from './edit-items.ts'
import { folderPathOf } from './list-items.ts'

/** Uploads of one drop finish one after the other: those of this time, in ms, are one change of the drive. */
const gatherMs = 400

let waiting: Placement[] = []
let timer: ReturnType<typeof setTimeout> | undefined

/** Puts an upload into its folder of the drive, together with others that finish at the same time. */
export function placeSoon(placement: Placement): void {
  // New uploads are in the root by themselves.
  if (placement.folderId === '' && !placement.name.includes('/')) return
  waiting.push(placement)
  if (timer === undefined) timer = setTimeout(() => void placeAll(), gatherMs)
}

async function placeAll(): Promise<void> {
  timer = undefined
  const placements = waiting
  waiting = []
  const shown = getShownDrive(getSession()?.address)
  if (shown === undefined) return
  const { drive } = shown
  try {
    await drive.reload({ isQuick: true })
    const elsewhere = await drive.change((edit) =>
      placements.flatMap(({ cid, name, folderId }) => {
        // A folder that another device deleted meanwhile: its files stay in the root.
        const folder = folderPathOf(drive, folderId) ?? '/'
        const wanted = joinPath(folder, name)
        const path = edit.place(cid, wanted)
        return path === wanted ? [] : [{ name, path }]
      }),
    )
    for (const { name, path } of elsewhere.slice(0, 3)) toastDone(messages.drive.alreadyStored(name, path))
  } catch (error) {
    toastError(messages.drive.changeFailed, error)
  }
}
