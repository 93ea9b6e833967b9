import { hashSha256 } from '#platform/native-crypto'
import { blobFile, readBlob } from '../local/blob-file.ts'
import { toHex } from '../to-hex.ts'

const pieceBytes = 4096
const pieceCount = 16
/** The CID of a smaller body is known before a page can be reloaded. */
const minBytes = 1024 * 1024

/**
 * Hashes pieces of a body from its start to its end, in a few milliseconds. Detects another body of the same size while the CID
 * of the first one is not known yet. It proves nothing; the CID does.
 * @returns undefined for small bodies
 * @throws CairnError FILE_UNREADABLE
 */
export async function sampleBlob(blob: Blob): Promise<string | undefined> {
  if (blob.size < minBytes) return undefined
  const pieces = Array.from({ length: pieceCount }, (_piece, i) => {
    const start = Math.floor((i * (blob.size - pieceBytes)) / (pieceCount - 1))
    return blob.slice(start, start + pieceBytes)
  })
  // With its name, for errors. Few bytes are read as one piece.
  for await (const sample of readBlob(new File(pieces, blobFile(blob).name))) return toHex(await hashSha256(sample))
  return undefined
}
