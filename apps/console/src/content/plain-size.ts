import { estimateDecryptedSize } from '@cairn/sdk'
import { formatByteRange } from '../messages/format.ts'
import { knownFolderSize } from './use-folder-size.ts'

/** The fields of stored content in a list; `isFolder` if a row has found out. */
type Stored = { cid?: string; sizeBytes: number; isEncrypted: boolean; isFolder?: boolean | undefined }
type Upload = { cid?: string; fileSizeInBytes: string; encryption: boolean }

/**
 * Returns the size of content as people know it, of all together, as lists show it: that of an encrypted file follows from the
 * stored one, and that of a folder that was encrypted as one is what its row found. Until then it counts as it is stored,
 * because a list does not know how many files are in it.
 */
export function plainSizeText(contents: readonly (Stored | Upload)[]): string {
  return formatByteRange(plainSizeOf(contents))
}

/** As {@link plainSizeText}, in bytes. */
export function plainSizeOf(contents: readonly (Stored | Upload)[]): { minBytes: number; maxBytes: number } {
  const sum = { minBytes: 0, maxBytes: 0 }
  for (const content of contents) {
    const { minBytes, maxBytes } = boundsOf(toStored(content))
    sum.minBytes += minBytes
    sum.maxBytes += maxBytes
  }
  return sum
}

function boundsOf({ cid, sizeBytes, isEncrypted, isFolder }: Stored): { minBytes: number; maxBytes: number } {
  const found = isEncrypted && cid !== undefined ? knownFolderSize(cid) : undefined
  if (found === undefined && isEncrypted && isFolder !== true) return estimateDecryptedSize(sizeBytes)
  return { minBytes: found ?? sizeBytes, maxBytes: found ?? sizeBytes }
}

function toStored(content: Stored | Upload): Stored {
  if ('sizeBytes' in content) return content
  const { cid, fileSizeInBytes, encryption } = content
  return { ...(cid === undefined ? {} : { cid }), sizeBytes: Number(fileSizeInBytes), isEncrypted: encryption }
}
