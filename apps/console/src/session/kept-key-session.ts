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

/** A session with key nodes as text keeps it: of a key that the browser holds only the name is there. */
export const keptKeySession = v.object({
  address: v.string(),
  sessionKey: v.object({ publicKey: v.string(), secretKey: v.exactOptional(v.string()) }),
  nodes: v.array(v.nullable(nodeSession)),
  faults: v.exactOptional(
    v.array(v.object({ node: v.number(), code: v.string(), message: v.string(), hint: v.string() })),
  ),
  isClosing: v.exactOptional(v.boolean()),
})
type KeptKeySession = v.InferOutput<typeof keptKeySession>

/** Leaves held keys away when a session is written as text. */
export function withoutHeldKeys(_name: string, value: unknown): unknown {
  return value instanceof CryptoKey ? undefined : value
}

/** Over where fewer than three nodes could still be spoken to. */
export function isOver({ nodes, isClosing }: Pick<KeySession, 'nodes' | 'isClosing'>): boolean {
  const now = Date.now()
  return (
    isClosing === true ||
    nodes.filter((node) => node !== null && node.refreshExpiresAt > now).length < keyShardThreshold
  )
}

/** The session with its key; undefined where the key is gone, so that nobody can use it any more. */
export async function reviveKeySession(kept: KeptKeySession): Promise<KeySession | undefined> {
  const { publicKey, secretKey } = kept.sessionKey
  const sessionKey = secretKey === undefined ? await recallKey(publicKey) : { publicKey, secretKey }
  return sessionKey === undefined ? undefined : { ...kept, sessionKey }
}
