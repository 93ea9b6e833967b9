import { createHash } from 'node:crypto'
import { nameSignature } from '@cairn/crypto'
import { CairnError, keyChallengeLifetimeMs, keySaveLifetimeMs } from '@cairn/protocol'
import { isSaving } from '../sessions/is-saving.ts'

/** One request that comes with a signature for a bearer. */
export type SignedUse = {
  signature: string
  address: string
  /** Which call, about which file: the operation that the signature is spent on. */
  callId: string
  cid: string
  node: number
  body: string
}

/** What signatures are being used for. */
export type SignatureUses = {
  /**
   * The node's token for this request. The first request exchanges the signature at all nodes; the others of the same
   * operation find what came of it.
   * @throws CairnError INVALID_SIGNATURE for another operation, another body for the same node, or after its time
   */
  tokenFor(use: SignedUse, exchange: () => Promise<readonly (string | undefined)[]>): Promise<string>
}

type Entry = {
  operation: string
  tokens: Promise<readonly (string | undefined)[]>
  /** Hash of what each node was asked: asked again, it must be the same. */
  asked: Map<number, string>
  expiresAt: number
}

/** Operations under way at once; beyond it the oldest go, whose users sign again. */
const entriesMost = 20_000

/**
 * A memory of one process, on purpose: nodes take a signature once, so that what is forgotten here is spent, not open.
 */
export function createSignatureUses(clock: { now(): number }): SignatureUses {
  const entries = new Map<string, Entry>()
  return {
    async tokenFor(use, exchange) {
      const now = clock.now()
      const name = `${use.address} ${nameSignature(use.signature)}`
      const operation = `${use.callId} ${use.cid}`
      let entry = entries.get(name)
      if (entry === undefined) {
        const expiresAt = now + (isSaving(use.callId) ? keySaveLifetimeMs : keyChallengeLifetimeMs)
        entry = { operation, tokens: exchange(), asked: new Map(), expiresAt }
        entries.set(name, entry)
        if (entries.size > entriesMost) {
          const [oldest] = entries.keys()
          if (oldest !== undefined) entries.delete(oldest)
        }
        const made = entry
        // An exchange that failed leaves nothing: the nodes know whether the signature is spent.
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
          message: 'This key node did not answer when the signature was shown',
          hint: 'Sign a new message once it is back.',
        })
      }
      return token
    },
  }
}
