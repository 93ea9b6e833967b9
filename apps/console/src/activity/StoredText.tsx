import type { AccountEvent } from '@cairn/protocol'
import { use } from 'react'
import { mayBeFolder } from '../content/folder-type.ts'
import { plainSizeText } from '../content/plain-size.ts'
import { useFileInfo } from '../content/use-file-info.ts'
import { useFolderSize } from '../content/use-folder-size.ts'
import { useIsFolder } from '../content/use-is-folder.ts'
import { useOwnFile } from '../drive-index/own-files.ts'
import { messages } from '../messages/messages.ts'
import { RowInSight } from './ActivityRow.tsx'

/** Content that is not known to be a folder is called a file, without asking the gateway. */
const notKnown = { mimeType: '' }

/** Says what was stored, in the words and with the size that the lists show. */
export function StoredText({ cid, data }: { cid: string; data: AccountEvent['data'] }) {
  const isEncrypted = data['isEncrypted'] === true
  const own = useOwnFile(cid)
  const isInSight = use(RowInSight)
  const isOpen = isInSight && own === undefined && mayBeFolder({ cid, mimeType: null })
  const { data: info } = useFileInfo(isOpen ? cid : '')
  const { mimeType } = (isInSight ? own : undefined) ?? info ?? notKnown
  const { isFolder } = useIsFolder({ cid, mimeType })
  useFolderSize(cid, isEncrypted && isFolder === true)
  return messages.activity.stored({
    // Events of older uploads have no `isPrivate`.
    access: isEncrypted ? 'encrypted' : data['isPrivate'] === true ? 'private' : 'public',
    isFolder: isFolder === true,
    size: plainSizeText([{ cid, sizeBytes: Number(data['sizeBytes'] ?? 0), isEncrypted, isFolder }]),
  })
}
