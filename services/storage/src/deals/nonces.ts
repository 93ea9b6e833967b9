import { createHash, randomBytes } from 'node:crypto'

/** Source of the nonces that select leaves: they cannot be predicted when a commitment is made. */
export type NonceSource = {
  /** Returns a nonce of 32 bytes for this deal, and the inputs from which third parties can recompute it. */
  next(deal: number, piece: string): Promise<{ nonce: Uint8Array; source: string }>
}

/** A block of a chain. */
export type Block = { readonly chainId: number; readonly number: number; readonly hash: string }

/** How long a fetched block counts as the newest. */
const headMs = 1500

/**
 * Unpredictable nonces: SHA-256 over the hash of a chain's newest block, 16 random bytes (because a chain may stall),
 * the deal and the piece. The source names block and random bytes, so that third parties can verify that the nonce is
 * younger than the block. Without a readable chain, all of it is random.
 */
export function createNonceSource(
  readHead: (() => Promise<Block>) | undefined,
  onError: (error: unknown) => void,
): NonceSource {
  let head: { readAt: number; block: Promise<Block> } | undefined
  return {
    async next(deal, piece) {
      const salt = randomBytes(16).toString('hex')
      try {
        if (readHead !== undefined) {
          if (head === undefined || performance.now() - head.readAt > headMs) {
            head = { readAt: performance.now(), block: readHead() }
          }
          const { chainId, number, hash } = await head.block
          const nonce = createHash('sha256').update(['cairn/nonce/1', hash, salt, deal, piece].join('\n')).digest()
          return { nonce, source: `block ${number} of chain ${chainId}, ${hash}, salt ${salt}` }
        }
      } catch (error) {
        head = undefined
        onError(error)
      }
      return { nonce: randomBytes(32), source: 'random' }
    },
  }
}
