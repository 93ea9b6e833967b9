import { keyShardThreshold } from '@cairn/protocol'
import type { KeySession } from '@cairn/sdk'
import * as v from 'valibot'
import { recallKey } from './held-keys.ts'

const nodeSession = v.object({
  node: v.number(),
  token: v.string(),
  refreshToken: v.string(),
  expiresAt: v.number(),
  refreshExpiresAt: v.number(),
  challengeId: v.exactOptional(v.string()),
})

/** A key session as it is stored: a key that the browser holds is stored elsewhere and only named here. */
export const keptKeySession = v.object({
  address: v.string(),
  sessionKey: v.object({ publicKey: v.string(), secretKey: v.exactOptional(v.string()) }),
  nodes: v.array(v.nullable(nodeSession)),
  failures: v.exactOptional(
    v.array(v.object({ node: v.number(), code: v.string(), message: v.string(), hint: v.string() })),
  ),
  isClosing: v.exactOptional(v.boolean()),
})
type KeptKeySession = v.InferOutput<typeof keptKeySession>

/** Omits held keys when a session is serialised. */
export function withoutHeldKeys(_name: string, value: unknown): unknown {
  return value instanceof CryptoKey ? undefined : value
}

/** Returns whether a session is unusable, because fewer than three nodes accept it. */
export function isOver({ nodes, isClosing }: Pick<KeySession, 'nodes' | 'isClosing'>): boolean {
  const now = Date.now()
  return (
    isClosing === true ||
    nodes.filter((node) => node !== null && node.refreshExpiresAt > now).length < keyShardThreshold
  )
}

/** Restores the session with its key; undefined if the key is gone, which makes it unusable. */
export async function reviveKeySession(kept: KeptKeySession): Promise<KeySession | undefined> {
  const { publicKey, secretKey } = kept.sessionKey
  const sessionKey = secretKey === undefined ? await recallKey(publicKey) : { publicKey, secretKey }
  return sessionKey === undefined ? undefined : { ...kept, sessionKey }
}

/**
 * Merges another copy of a session into this one. Of parts that both have, the one renewed last is kept: two tabs may renew at
 * the same time.
 */
export function takeParts(own: KeySession, next: KeySession): void {
  const nodes = next.nodes.map((part, i) => {
    const before = own.nodes[i]
    return before != null && part !== null && before.expiresAt > part.expiresAt ? before : part
  })
  Object.assign(own, next, { nodes })
}
