import {
  CairnError,
  type Client,
  getDecryptedSize,
  isEncrypted,
  iterateStream,
  type OnProgress,
  openDecrypted,
  openFile,
} from '@cairn/sdk'

/** Settings of {@link readBlob}. */
export type ReadSettings = {
  /** If undefined, the account and the key nodes are queried. */
  encrypted: boolean | undefined
  maxBytes: number
  mimeType: string
  signal: AbortSignal
  onProgress: OnProgress
}

/**
 * Reads a file into a Blob, verified against its CID, and decrypted if needed.
 * @throws CairnError FILE_TOO_LARGE, and those of openFile, getDecryptedSize and openDecrypted
 */
export async function readBlob(client: Client, content: string, settings: ReadSettings): Promise<Blob> {
  const { maxBytes, mimeType, signal, onProgress } = settings
  const isSecret = settings.encrypted ?? (await isEncrypted(client, content, { signal }))
  // Such a file may arrive as a whole before its first byte is verified.
  if (isSecret && (await getDecryptedSize(client, content, { signal })) > maxBytes) throw tooLarge(maxBytes)
  // A range ends the download of a file that is too large.
  const source = isSecret
    ? await openDecrypted(client, content, { signal, onProgress })
    : iterateStream((await openFile(client, content, { toByte: maxBytes + 1, signal, onProgress })).stream)
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let sizeBytes = 0
  for await (const piece of source) {
    sizeBytes += piece.length
    if (sizeBytes > maxBytes) throw tooLarge(maxBytes)
    pieces.push(new Uint8Array(piece))
  }
  return new Blob(pieces, { type: mimeType })
}

function tooLarge(maxBytes: number): CairnError {
  return new CairnError('FILE_TOO_LARGE', {
    message: `The file has more than ${maxBytes} bytes`,
    hint: 'Raise maxBytes, or open the file in parts with openFile or openSeekable.',
    details: { limitBytes: maxBytes },
  })
}
