import type { CairnError } from '@cairn/sdk'

/**
 * Reads the text of standard input.
 * @param tooLong makes the error for more than `maxBytes`
 */
export async function readText(
  stdin: AsyncIterable<Uint8Array | string>,
  maxBytes: number,
  tooLong: () => CairnError,
): Promise<string> {
  const pieces: Buffer[] = []
  let sizeBytes = 0
  for await (const piece of stdin) {
    const bytes = Buffer.from(piece)
    sizeBytes += bytes.length
    if (sizeBytes > maxBytes) throw tooLong()
    pieces.push(bytes)
  }
  return Buffer.concat(pieces).toString('utf8')
}
