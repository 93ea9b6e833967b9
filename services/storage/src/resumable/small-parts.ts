import { CairnError, KIB } from '@cairn/protocol'

/** Maximum number of parts smaller than {@link minPartBytes}: each takes an object and a row, or rewrites one. */
export const maxSmallParts = 1000
export const minPartBytes = 16 * KIB

/**
 * Checks that an upload may become durable in another part.
 * @param parts how many parts it has
 * @throws CairnError TOO_MANY_PARTS for a small part that is not the last, after many
 */
export function requireSpace(
  parts: number,
  { from, to, lengthBytes }: { from: number; to: number; lengthBytes: number },
): void {
  const isSmall = to - from < minPartBytes && to < lengthBytes
  if (!isSmall || parts < maxSmallParts + Math.floor(from / minPartBytes)) return
  throw new CairnError('TOO_MANY_PARTS', {
    message: 'The upload was sent in too many small parts',
    hint: `Send at least ${minPartBytes} bytes in each request.`,
    details: { minBytes: minPartBytes },
  })
}
