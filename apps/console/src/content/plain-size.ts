import { estimateDecryptedSize } from '@cairn/sdk'
import { formatByteRange } from '../messages/format.ts'

/** What a list knows of stored content; `isFolder` if a row has found out. */
type Stored = { sizeBytes: number; isEncrypted: boolean; isFolder?: boolean | undefined }
type Upload = { fileSizeInBytes: string; encryption: boolean }

/**
 * Returns the size of content as people know it, of all together, as lists show it: that of an encrypted file follows from the
 * stored one. A folder that was encrypted as one counts as it is stored, because a list does not know how many files are in it.
 */
export function plainSizeText(contents: readonly (Stored | Upload)[]): string {
  return formatByteRange(plainSizeOf(contents))
}

/** As {@link plainSizeText}, in bytes. */
export function plainSizeOf(contents: readonly (Stored | Upload)[]): { minBytes: number; maxBytes: number } {
  const sum = { minBytes: 0, maxBytes: 0 }
  for (const content of contents) {
    const { sizeBytes, isEncrypted, isFolder } = toStored(content)
    const isFile = isEncrypted && isFolder !== true
    const { minBytes, maxBytes } = isFile
      ? estimateDecryptedSize(sizeBytes)
      : { minBytes: sizeBytes, maxBytes: sizeBytes }
    sum.minBytes += minBytes
    sum.maxBytes += maxBytes
  }
  return sum
}

function toStored(content: Stored | Upload): Stored {
  if ('sizeBytes' in content) return content
  return { sizeBytes: Number(content.fileSizeInBytes), isEncrypted: content.encryption }
}
