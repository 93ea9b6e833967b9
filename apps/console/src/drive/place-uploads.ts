import { getShownDrive } from '../drive-index/shown-drive.ts'
import { messages } from '../messages/messages.ts'
import { getSession } from '../session/session-store.ts'
import { dismissToast, toastDone, toastError } from '../ui/toasts/toast-store.ts'
import { belongsInFolder, type Placement } from '../upload/upload-place.ts'
import { waitForNetwork } from '../upload/wait-for-network.ts'
import { type Misplaced, placeItems } from './place-items.ts'
import { findHiddenUploads } from './root-uploads.ts'

/**
 * How long uploads are collected before one change of the drive places them, in ms: files of one drop finish shortly after each
 * other.
 */
const gatherMs = 400
/** Pauses before another try, in ms: the first one, and the longest. */
const firstPauseMs = 5_000
const maxPauseMs = 300_000

let waiting: Placement[] = []
let isGathering = false
let pauseMs = firstPauseMs
let isPausing = false
/** The toast about uploads that are not in their folders yet. */
let toastId: number | undefined

/** Puts an upload into its folder of the drive, together with others that finish at the same time. */
export function placeSoon(placement: Placement): void {
  waiting.push(placement)
  if (isGathering) return
  isGathering = true
  setTimeout(() => {
    isGathering = false
    void placeAll()
  }, gatherMs)
}

async function placeAll(): Promise<void> {
  const account = getSession()?.address
  const shown = getShownDrive(account)
  if (shown === undefined) {
    waiting = waiting.filter(belongsInFolder)
    return placeLater()
  }
  const placements = waiting.filter((one) => one.account === account)
  if (placements.length === 0) return
  waiting = waiting.filter((one) => one.account !== account)
  const { drive } = shown
  const inFolders = placements.filter(belongsInFolder)
  const inRoot = placements.filter((one) => !belongsInFolder(one))
  let misplaced: Misplaced = { elsewhere: [], withoutFolder: 0, refused: [] }
  try {
    if (inFolders.length > 0) await drive.reload({ isQuick: true })
    const { elsewhere, inTrash } = findHiddenUploads(drive, inRoot)
    const wanted = [...inFolders, ...inTrash]
    if (wanted.length > 0) misplaced = await drive.change((edit) => placeItems({ edit, drive }, wanted))
    misplaced.elsewhere.unshift(...elsewhere)
    if (inTrash.length > 0) toastDone(messages.drive.restored(inTrash.length, inTrash[0]?.name ?? ''))
  } catch (error) {
    if (inFolders.length === 0) {
      toastError(messages.drive.changeFailed, error)
      return
    }
    waiting = [...placements, ...waiting]
    toastId ??= toastError(messages.drive.notPlacedYet(inFolders.map(({ name }) => name)), error)
    return placeLater()
  }
  for (const { onEnd } of placements) onEnd()
  pauseMs = firstPauseMs
  if (toastId !== undefined) dismissToast(toastId)
  toastId = undefined
  report(misplaced)
}

/** Tries again after a pause. Unplaced uploads are stored with the transfers, so the next page load tries again at the latest. */
async function placeLater(): Promise<void> {
  if (isPausing || waiting.length === 0) return
  isPausing = true
  await waitForNetwork(pauseMs, undefined)
  isPausing = false
  pauseMs = Math.min(pauseMs * 2, maxPauseMs)
  await placeAll()
}

function report({ elsewhere, withoutFolder, refused }: Misplaced): void {
  if (withoutFolder > 0) toastDone(messages.drive.placedInRoot(withoutFolder))
  for (const { name, path } of elsewhere.slice(0, 3)) toastDone(messages.drive.alreadyStored(name, path))
  const [first] = refused
  if (first !== undefined) toastError(messages.drive.notPlaced(refused.map(({ name }) => name)), first.error)
}
