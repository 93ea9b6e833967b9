import { messages } from '../messages/messages.ts'
import { toastDone } from '../ui/toasts/toast-store.ts'
import { copyText } from '../ui/values/copy-text.ts'
import type { ListedFile } from './listed-file.ts'

/** Returns the CIDs of rows. Folders of the drive have none. */
export function cidsOf(files: readonly Pick<ListedFile, 'cid'>[]): string[] {
  return files.flatMap(({ cid }) => (cid === '' ? [] : [cid]))
}

/** Copies the CID of a file. */
export async function copyCid(cid: string): Promise<void> {
  if (await copyText(cid)) toastDone(messages.files.cidCopied)
}

/** Copies the CIDs of rows, one per line. */
export async function copyCids(files: readonly ListedFile[]): Promise<void> {
  const cids = cidsOf(files)
  if (await copyText(cids.join('\n'))) toastDone(messages.files.cidsCopied(cids.length))
}
