import { messages } from '../messages/messages.ts'
import { toastNotice } from '../ui/toasts/toast-store.ts'
import type { PathFile } from './path-file.ts'
import { continueTransfer, fitsPaused, type Transfer } from './transfer-store.ts'

/** Returns whether it waits for its file or folder to be chosen again. */
export function isToChoose({ stage, need }: Transfer): boolean {
  return stage === 'paused' && (need === 'file' || need === 'folder')
}

/** Resumes all that wait for one of these files, and says how many still wait for others. */
export async function chooseAgain(transfers: readonly Transfer[], files: readonly PathFile[]): Promise<void> {
  const waiting = transfers.filter(isToChoose)
  const found = waiting.filter(({ id }) => fitsPaused(id, files))
  const missing = waiting.length - found.length
  if (missing > 0) toastNotice(messages.transfers.notAmong(missing), messages.transfers.notAmongHint)
  for (const { id } of found) await continueTransfer(id, files)
}
