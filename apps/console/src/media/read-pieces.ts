import type { SeekableFile } from '@cairn/sdk'
import type { ByteRange } from './byte-range.ts'

/** The first pieces are small, so that a player starts and seeks soon; later ones are large, for fewer requests. */
const firstPieceBytes = 256 * 1024
const maxPieceBytes = 4 * 1024 * 1024

/** Yields a range of a file in pieces, and reads one ahead. */
export async function* readPieces(
  file: Pick<SeekableFile, 'read'>,
  { fromByte, toByte }: ByteRange,
): AsyncGenerator<Uint8Array, void, undefined> {
  let at = fromByte
  let pieceBytes = firstPieceBytes
  const read = () => {
    const length = Math.min(pieceBytes, toByte - at)
    const piece = length > 0 ? file.read(at, length) : undefined
    // Prevents an unhandled rejection: the error is thrown when the piece is awaited.
    piece?.catch(() => undefined)
    at += length
    pieceBytes = Math.min(2 * pieceBytes, maxPieceBytes)
    return piece
  }
  let next = read()
  while (next !== undefined) {
    const piece = await next
    next = read()
    yield piece
  }
}
