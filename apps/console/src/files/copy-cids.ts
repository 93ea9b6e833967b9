import { messages } from '../messages/messages.ts'
import { toastDone } from '../ui/toast-store.ts'
import type { ListedFile } from './listed-file.ts'

/** Copies the CIDs of rows, one per line. Folders of the drive have none. */
export async function copyCids(files: readonly ListedFile[]): Promise<void> {
  const cids = files.flatMap(({ cid }) => (cid === '' ? [] : [cid]))
  await navigator.clipboard.writeText(cids.join('\n'))
  toastDone(messages.files.cidsCopied(cids.length))
}
