import { createHash } from 'node:crypto'
import { nameSignature } from '@cairn/crypto'
import { CairnError, keyChallengeLifetimeMs, keySaveLifetimeMs } from '@cairn/protocol'
import { isSaving } from '../sessions/is-saving.ts'

/** A request with a signature as its bearer. */
export type SignedUse = {
  signature: string
  address: string
  /** The call and the file: the operation that spends the signature. */
  callId: string
  cid: string
  node: number
  body: string
}

/** Uses of signatures. */
export type SignatureUses = {
  /**
   * Returns the node's token for this request. The first request exchanges the signature at all nodes; further
   * requests of the same operation reuse the result.
   * @throws CairnError INVALID_SIGNATURE for another operation, another body for the same node, or after its time
   */
  tokenFor(use: SignedUse, exchange: () => Promise<readonly (string | undefined)[]>): Promise<string>
}

type Entry = {
  operation: string
  tokens: Promise<readonly (string | undefined)[]>
  /** Hash of the request to each node: a repeated one must be the same. */
  asked: Map<number, string>
  expiresAt: number
}

/** Maximum number of operations whose signature is valid; beyond it the oldest are evicted, and their users sign again. */
const maxEntries = 20_000
const sweepEveryMs = 60_000

/** Kept in memory of one process on purpose: nodes accept a signature once, so a lost entry is spent, not open. */
export function createSignatureUses(clock: { now(): number }): SignatureUses {
  const entries = new Map<string, Entry>()
  let sweptAt = clock.now()
  /** Removes the tokens of signatures that no node accepts any more. */
  const sweep = (now: number): void => {
    if (now - sweptAt < sweepEveryMs) return
    sweptAt = now
    for (const [name, { expiresAt }] of entries) if (expiresAt < now) entries.delete(name)
  }
  return {
    async tokenFor(use, exchange) {
      const now = clock.now()
      sweep(now)
      const name = `${use.address} ${nameSignature(use.signature)}`
      const operation = `${use.callId} ${use.cid}`
      let entry = entries.get(name)
      if (entry === undefined) {
        const expiresAt = now + (isSaving(use.callId) ? keySaveLifetimeMs : keyChallengeLifetimeMs)
        entry = { operation, tokens: exchange(), asked: new Map(), expiresAt }
        entries.set(name, entry)
        if (entries.size > maxEntries) {
          const [oldest] = entries.keys()
          if (oldest !== undefined) entries.delete(oldest)
        }
        const made = entry
        // A failed exchange leaves no entry: the nodes know whether the signature is spent.
        entry.tokens.catch(() => {
          if (entries.get(name) === made) entries.delete(name)
        })
      }
      if (entry.operation !== operation || entry.expiresAt < now) throw new CairnError('INVALID_SIGNATURE')
      const hash = createHash('sha256').update(use.body).digest('hex')
      const before = entry.asked.get(use.node)
      if (before !== undefined && before !== hash) throw new CairnError('INVALID_SIGNATURE')
      entry.asked.set(use.node, hash)
      const token = (await entry.tokens)[use.node - 1]
      if (token === undefined) {
        throw new CairnError('KEY_NODES_UNAVAILABLE', {
          message: 'This key node was unavailable when the signature was verified',
          hint: 'When the node is available again, sign a new message.',
        })
      }
      return token
    },
  }
}
